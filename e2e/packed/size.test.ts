import { expect, it } from "vitest"
import { bundleSize } from "../../bench/src/bundleSize.ts"

/*
 * Sizes that hosts at the edge pay for with every cold start. `npm run bench` prints them.
 */

it("core stays small: at most 231.6 kB after gzip are loaded at once", async () => {
  const { all, atOnce } = await bundleSize()
  expect(atOnce).toBeLessThan(231_600)
  // An empty bundle would mean that nothing was measured.
  expect(atOnce).toBeGreaterThan(100_000)
  expect(all).toBeGreaterThan(atOnce)
})
