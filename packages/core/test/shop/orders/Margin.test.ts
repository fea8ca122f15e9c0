import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Money } from "../../../src/domain/Money.ts"
import { type Margin, withMargin } from "../../../src/shop/orders/Margin.ts"
import type { ProviderFailure } from "../../../src/ports/ProviderFailure.ts"
import { PortSettings } from "../../../src/shop/ports/PortGuard.ts"
import { sampleOffer } from "../../../../testing/src/stores/records.ts"

const usd = (atomic: bigint): Money => ({ atomic, currency: "USD" })
const offer = sampleOffer({ total: usd(26_640_000n) })
const add = (margin: Margin | undefined, to = offer) => Effect.runSync(Effect.result(withMargin(to, margin)))
const addedTo = (total: bigint, margin: Margin) => {
  const made = add(margin, sampleOffer({ total: usd(total) }))
  return Result.isSuccess(made) ? [made.success.fee?.atomic, made.success.total.atomic] : made.failure._tag
}

describe("a margin", () => {
  it("that is not set, or of nothing, leaves an offer as it is", () => {
    for (const margin of [undefined, 0, () => "0", () => "0.00"] as const)
      expect(add(margin)).toStrictEqual(Result.succeed(offer))
  })

  it("is a line of its own, which the total includes", () => {
    expect(add(250)).toStrictEqual(Result.succeed({ ...offer, fee: usd(666_000n), total: usd(27_306_000n) }))
    expect(add(() => "1.5")).toStrictEqual(
      Result.succeed({ ...offer, fee: usd(1_500_000n), total: usd(28_140_000n) })
    )
  })

  it.each([
    [10_000n, 1, [1n, 10_001n]],
    [10_001n, 1, [2n, 10_003n]],
    [1n, 1, [1n, 2n]],
    [0n, 250, [undefined, 0n]],
    [10_000n, 10_000, [10_000n, 20_000n]]
  ])("of %i and %i basis points is rounded up to a millionth", (total, basisPoints, expected) => {
    expect(addedTo(total, basisPoints)).toEqual(expected)
  })

  it("in finer amounts than the currency has is rounded up as well", () => {
    expect(addedTo(10_000n, () => "0.0000001")).toEqual([1n, 10_001n])
  })

  it("that is a function gets the amounts that were quoted", () => {
    const { shipping, subtotal, tax, total } = offer
    let seen: unknown
    add((quoted) => {
      seen = quoted
      return "1"
    })
    expect(seen).toEqual({ subtotal, tax, shipping, total })
  })

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no margin")
      }
    ],
    ["returns a number", () => 1.5],
    ["returns nothing", () => undefined],
    ["returns a promise", async () => "1"],
    ["returns no amount", () => "a lot"],
    ["returns less than nothing", () => "-1"]
  ])("that %s fails the quote", (_, margin) => {
    const made = add(margin as Margin)
    expect(made).toMatchObject({ failure: { _tag: "UpstreamFailed", port: "fulfilment" } })
  })

  it("that is wrong is reported, with what it must return", () => {
    const failures: Array<ProviderFailure> = []
    const settings = { timeoutMillis: 1, onError: (failure: ProviderFailure) => failures.push(failure) }
    Effect.runSync(
      Effect.result(withMargin(offer, (() => 2.5) as never)).pipe(
        Effect.provideService(PortSettings, settings)
      )
    )
    expect(failures).toMatchObject([
      {
        port: "fulfilment",
        operation: "margin",
        error: { message: expect.stringMatching(/such as "2\.50"/) }
      }
    ])
  })
})
