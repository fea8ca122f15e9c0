import { expect, it } from "vitest"
import { urlOf } from "../../src/listing/Fields.ts"

it("a web address is taken whole or not at all", () => {
  const longest = `https://shop.example/${"a".repeat(2_000 - 21)}`
  expect(urlOf(` ${longest} `)).toBe(longest)
  for (const none of [`${longest}a`, "ftp://shop.example", "/path", "https://", "", 7, null])
    expect(urlOf(none), String(none).slice(0, 30)).toBeNull()
})
