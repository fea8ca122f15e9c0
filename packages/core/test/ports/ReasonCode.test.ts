import { describe, expect, it } from "vitest"
import { toReasonCode } from "../../src/ports/ReasonCode.ts"

describe("toReasonCode", () => {
  it.each([
    ["out_of_stock", "out_of_stock"],
    ["Out of stock!", "out_of_stock"],
    ["  INSUFFICIENT-STOCK (2) ", "insufficient_stock_2"],
    ["ausverkauft – für immer", "ausverkauft_f_r_immer"],
    ["", "refused"],
    ["…", "refused"],
    ["a".repeat(100), "a".repeat(60)]
  ])("makes a word of %j", (text, code) => {
    expect(toReasonCode(text)).toBe(code)
  })
})
