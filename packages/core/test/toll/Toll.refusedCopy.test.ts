import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { memory } from "../../src/stores/memory.ts"
import { Quotes } from "../../src/shop/ports/Quotes.ts"
import { buy, expectRefused, openTill } from "./openTill.ts"

/**
 * A payment for a quote that is refused, and gets its new price only when a gate opens: by verification, before its
 * claim, or as its quote is gone, after it.
 */
const refuseFirst = async (when: "before its claim" | "after its claim") => {
  const gate = Promise.withResolvers<void>()
  const refused = Promise.withResolvers<void>()
  let isRefusing = when === "after its claim"
  let waits = false
  const storage = Layer.effect(
    Quotes,
    Effect.map(Quotes, (store) =>
      Quotes.of({
        ...store,
        consume: (...args) => {
          if (!isRefusing) return store.consume(...args)
          isRefusing = false
          waits = true
          return Effect.succeed(false)
        },
        findLive: (...args) => {
          const found = store.findLive(...args)
          if (!waits) return found
          waits = false
          refused.resolve()
          return Effect.andThen(
            Effect.promise(() => gate.promise),
            found
          )
        }
      })
    )
  ).pipe(Layer.provideMerge(memory()))
  const shop = await openTill({ storage })
  if (when === "before its claim")
    shop.facilitator.verify.returnsOnce(async () => {
      waits = true
      return { isValid: false, invalidReason: "invalid_payment" }
    })
  const payment = await shop.payFor(buy)
  const first = shop.present(buy, payment)
  await refused.promise
  const copy = await shop.present(buy, payment)
  gate.resolve()
  return { shop, first: await first, copy }
}

it("a refusal doesn't claim that nothing was charged while a copy of the payment buys", async () => {
  const { copy, first, shop } = await refuseFirst("before its claim")
  expect(copy.status, copy.text).toBe(200)
  expect([first.status, first.text]).toEqual([200, copy.text])
  expect(shop.facilitator.settled).toHaveLength(1)
})

it("a copy of a payment that was refused after its claim buys nothing", async () => {
  const { copy, first, shop } = await refuseFirst("after its claim")
  expectRefused(copy, "payment_refused")
  expectRefused(first, "quote_expired")
  expect(shop.facilitator.settled).toHaveLength(0)
})
