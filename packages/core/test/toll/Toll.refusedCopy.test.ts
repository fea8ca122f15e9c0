import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { memory } from "../../src/ports/memory/memory.ts"
import { Quotes } from "../../src/ports/Quotes.ts"
import { buy, openTill } from "./openTill.ts"

/** Stores in which the first payment finds its quote gone, and gets its new price only when a gate opens. */
const contestedQuotes = () => {
  const gate = Promise.withResolvers<void>()
  const refused = Promise.withResolvers<void>()
  let isFirst = true
  const storage = Layer.effect(
    Quotes,
    Effect.map(Quotes, (store) =>
      Quotes.of({
        ...store,
        consume: (...args) => {
          if (!isFirst) return store.consume(...args)
          isFirst = false
          refused.resolve()
          return Effect.succeed(false)
        },
        findLive: (...args) => {
          const found = store.findLive(...args)
          // The first lookup after the refusal is that of the refused call.
          return isFirst || !waits ? found : Effect.andThen(held(), found)
        }
      })
    )
  ).pipe(Layer.provideMerge(memory()))
  let waits = true
  const held = () => {
    waits = false
    return Effect.promise(() => gate.promise)
  }
  return { storage, gate, refused }
}

it("a refusal doesn't claim that nothing was charged while a copy of the payment buys", async () => {
  const { gate, refused, storage } = contestedQuotes()
  const shop = await openTill({ storage })
  const payment = await shop.payFor(buy)
  const first = shop.present(buy, payment)
  await refused.promise
  const copy = await shop.present(buy, payment)
  expect(copy.status, copy.text).toBe(200)
  gate.resolve()
  const response = await first
  expect([response.status, response.text]).toEqual([200, copy.text])
  expect(shop.facilitator.settled).toHaveLength(1)
})
