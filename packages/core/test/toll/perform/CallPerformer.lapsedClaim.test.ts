import { Effect, Layer } from "effect"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { memory } from "../../../src/stores/memory.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { sampleTrackResult } from "../../../../testing/src/samples.ts"
import {
  type Call,
  buy,
  expectFailed,
  expectRefused,
  openTill,
  search,
  track,
  trackingNumber
} from "../openTill.ts"

/**
 * Stores whose leases lapse at once, and whose first response is recorded on a signal: of the test, or of the call that
 * is about to take its charge over.
 */
const slowStores = (
  options: {
    readonly recordsAtOnce?: true
    readonly recordsBeforeTakeOver?: boolean
    readonly stopsAfterVoid?: boolean
  } = {}
) => {
  const gate = Promise.withResolvers<void>()
  const voided = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
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
          if (!isFirst || options.recordsAtOnce) return store.advance(...args)
          isFirst = false
          reached.resolve()
          return Effect.promise(() => gate.promise).pipe(
            Effect.andThen(store.advance(...args)),
            Effect.tap(() => Effect.sync(() => recorded.resolve()))
          )
        },
        void: (...args) => {
          if (options.stopsAfterVoid !== true) return store.void(...args)
          return Effect.tap(store.void(...args), () => {
            voided.resolve()
            return Effect.promise(() => goOn.promise)
          })
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
  return { storage, gate, reached, voided, goOn }
}

const anotherSearch: Call = { ...search, path: "/x402/search?q=lamp" }

/*
 * A copy of a payment finds a claim whose lease has lapsed, while its holder is only slow. A caller who reads "nothing
 * was charged, pay the new amount" and is then charged by the slow holder would pay twice.
 */
describe("a lapsed claim whose holder is slow, not dead", () => {
  it("is taken over: the copy buys with the same quote, and the slow holder moves no money", async () => {
    const { gate, reached, storage } = slowStores()
    const shop = await openTill({ storage })
    const payment = await shop.payFor(buy)
    const slow = shop.present(buy, payment)
    await reached.promise
    const copy = await shop.present(buy, payment)
    expect(copy.status, copy.text).toBe(200)
    gate.resolve()
    // The slow holder has lost its lease: its caller has to retry.
    expect((await slow).status).toBe(409)
    expect((await shop.present(buy, payment)).text).toBe(copy.text)
    expect(shop.facilitator.settled).toHaveLength(1)
    await expect.poll(() => shop.fulfilment.orders.size).toBe(1)
    const statuses = (await shop.till.orders.list()).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual(["abandoned", "placed"])
  })

  it("returns its response to no other request", async () => {
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

  it("whose work comes too late gets the response that a copy recorded, as every retry does", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const { storage } = slowStores({ recordsAtOnce: true })
    const shop = await openTill({ storage })
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    let works = 0
    shop.tracker.track.returns(async () => {
      const work = ++works
      if (work === 1) {
        begun.resolve()
        await gate.promise
      }
      return { ...sampleTrackResult(trackingNumber), statusDescription: `work ${work}` }
    })
    const payment = await shop.payFor(track)
    const slow = shop.present(track, payment)
    await begun.promise
    shop.facilitator.losesNextSettlement(false)
    expectFailed(await shop.present(track, payment), 503, "SETTLEMENT_PENDING")
    // The payment has expired.
    vi.setSystemTime(Date.now() + 600_000)
    gate.resolve()
    const response = await slow
    expect([response.status, response.text]).toEqual([200, expect.stringContaining("work 2")])
    expect((await shop.present(track, payment)).text).toBe(response.text)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("isn't reported as free by a call that took it over and was suspended, while a copy bought", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const { gate, goOn, reached, storage, voided } = slowStores({ stopsAfterVoid: true })
    const shop = await openTill({ storage })
    const payment = await shop.payFor(search)
    const slow = shop.present(search, payment)
    await reached.promise
    const stopped = shop.present(search, payment)
    await voided.promise
    const copy = await shop.present(search, payment)
    expect(copy.status, copy.text).toBe(200)
    // By now the payment would leave too little time for the work.
    vi.setSystemTime(Date.now() + 115_000)
    goOn.resolve()
    const response = await stopped
    expect([response.status, response.text]).toEqual([200, copy.text])
    gate.resolve()
    await slow
    expect(shop.facilitator.settled).toHaveLength(1)
  })
})

it("is looked up again before a refusal, if the store was slow or the machine was suspended", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
  onTestFinished(() => void vi.useRealTimers())
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let looks = 0
  const storage = Layer.effect(
    Charges,
    Effect.map(Charges, (store) =>
      Charges.of({
        ...store,
        find: (key) =>
          // A refusal depends on the second lookup: it is slow, and finds the payment settled by a copy.
          ++looks === 2
            ? Effect.tap(store.find(key), () => {
                reached.resolve()
                return Effect.promise(() => gate.promise)
              })
            : store.find(key)
      })
    )
  ).pipe(Layer.provideMerge(memory()))
  const shop = await openTill({ storage })
  const payment = await shop.payFor(search)
  // Refused for its time: the clock is behind when the copy is judged.
  vi.setSystemTime(Date.now() + 115_000)
  const refused = shop.present(search, payment)
  await reached.promise
  vi.setSystemTime(Date.now() - 115_000)
  const copy = await shop.present(search, payment)
  expect(copy.status, copy.text).toBe(200)
  vi.setSystemTime(Date.now() + 116_000)
  gate.resolve()
  const response = await refused
  expect([response.status, response.text]).toEqual([200, copy.text])
})
