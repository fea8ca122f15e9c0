import { expect, it } from "vitest"
import { Shared } from "../src/Shared.ts"

it("a read that never ends fails, and another one begins after it", async () => {
  let reads = 0
  const load = async (): Promise<string> => {
    reads++
    return reads === 1 ? new Promise<never>(() => undefined) : "found"
  }
  const shared = new Shared(0, () => new Date(), load, 1)
  await expect(Promise.all([shared.read(), shared.read()])).rejects.toThrow("took too long")
  expect(reads).toBe(1)
  expect(await shared.read()).toBe("found")
})

it("a read that ends in time is shared, and kept", async () => {
  let reads = 0
  const shared = new Shared(
    1_000,
    () => new Date(0),
    async () => ++reads
  )
  expect(await Promise.all([shared.read(), shared.read()])).toEqual([1, 1])
  expect(await shared.read()).toBe(1)
})
