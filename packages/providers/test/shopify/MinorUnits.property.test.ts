import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { centsAround, exponentOf, fromMinor } from "../../src/shopify/MinorUnits.ts"
import { currencies } from "./anyCatalogue.ts"

describe("minor units", () => {
  it("are the decimal number with the point set", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), currencies, (amount, currency) => {
        fc.pre(String(amount).length <= 15)
        const price = fromMinor(amount, currency)!
        // The nearest number to a decimal of 15 digits prints as that decimal.
        assert.strictEqual(
          BigInt(price.toFixed(exponentOf(currency)).replace(".", "")),
          BigInt(amount),
          `${price}`
        )
        assert.strictEqual(fromMinor(String(amount), currency), price)
      })
    )
  })

  it("know the currencies without cents and with thousandths", () => {
    assert.deepStrictEqual(
      ["JPY", "KRW", "VND", "ISK", "KWD", "BHD", "CLF", "USD", "EUR"].map(exponentOf),
      [0, 0, 0, 0, 3, 3, 4, 2, 2]
    )
  })

  it("widen a filter by at most a cent", () => {
    const dollars = fc.oneof(
      fc.double({ min: 0.0001, max: 1e9, noNaN: true }),
      fc.nat({ max: 10_000_000 }).map((cents) => cents / 100)
    )
    fc.assert(
      fc.property(dollars, (bound) => {
        const { max, min } = centsAround({ priceMin: bound, priceMax: bound })
        const near = 1e-6 * Math.max(1, bound)
        assert.isAtMost(min! / 100, bound + near)
        assert.isAtLeast(max! / 100, bound - near)
        assert.isAtMost(max! - min!, 1)
      })
    )
    fc.assert(
      fc.property(fc.nat({ max: 100_000_000 }), (cents) => {
        assert.deepStrictEqual(centsAround({ priceMin: cents / 100, priceMax: cents / 100 }), {
          min: cents,
          max: cents
        })
      })
    )
  })
})
