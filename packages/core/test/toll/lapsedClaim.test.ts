import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { memory } from "../../src/memory.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { type Call, buy, expectRefused, openTill, search } from "./openTill.ts"

/**
 * Stores whose leases lapse as soon as they are given, and whose first answer is recorded when it is told to be: by
 * the test, or by who is about to take its charge over.
 */
const slowStores = (options: { readonly recordsBeforeTakeOver?: boolean } = {}) => {
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const recorded = Promise.withResolvers<void>()
  const storage = Layer.effect(
    Charges,
    Effect.map(Charges, (store) => {
      let isFirst = true
      return Charges.of({
        ...store,
        claim: (charge, lease, nowMillis, limit) =>
          store.claim(charge, { ...lease, untilMillis: nowMillis }, nowMillis, limit),
        advance: (...args) => {
          if (!isFirst) return store.advance(...args)
          isFirst = false
          reached.resolve()
          return Effect.promise(() => gate.promise).pipe(
            Effect.andThen(store.advance(...args)),
            Effect.tap(() => Effect.sync(() => recorded.resolve()))
          )
        },
        takeOver: (...args) =>
          options.recordsBeforeTakeOver === true
            ? Effect.promise(() => {
                gate.resolve()
                return recorded.promise
              }).pipe(Effect.andThen(store.takeOver(...args)))
            : store.takeOver(...args)
      })
    })
  ).pipe(Layer.provideMerge(memory()))
  return { storage, gate, reached }
}

const anotherSearch: Call = { ...search, path: "/x402/search?q=lamp" }

/*
 * A copy of a payment meets a claim whose lease has lapsed, while whoever made it is only slow. To be told
 * "nothing was charged, pay the new amount" and then be charged by the slow one would be to pay twice.
 */
describe("a lapsed claim whose worker is slow, not dead", () => {
  it("is taken from it: the copy buys with the same quote, and the slow one moves no money", async () => {
    const { gate, reached, storage } = slowStores()
    const shop = await openTill({ storage })
    const payment = await shop.payFor(buy)
    const slow = shop.present(buy, payment)
    await reached.promise
    const copy = await shop.present(buy, payment)
    expect(copy.status, copy.text).toBe(200)
    gate.resolve()
    // The slow one finds the charge in other hands, and says to come again.
    expect((await slow).status).toBe(409)
    expect((await shop.present(buy, payment)).text).toBe(copy.text)
    expect(shop.facilitator.settled).toHaveLength(1)
    await expect.poll(() => shop.fulfilment.orders.size).toBe(1)
    const statuses = (await shop.till.orders.list()).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual(["abandoned", "placed"])
  })

  it("gives its answer to nobody who asks for something else", async () => {
    const { reached, storage } = slowStores({ recordsBeforeTakeOver: true })
    const shop = await openTill({ storage })
    const payment = await shop.payFor(search)
    const slow = shop.present(search, payment)
    await reached.promise
    const other = await shop.present(anotherSearch, payment)
    expectRefused(other, "payment_already_used")
    expect((await slow).status).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(1)
  })
})
