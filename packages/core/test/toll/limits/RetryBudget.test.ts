import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { memory } from "../../../src/stores/memory.ts"
import { RetryBudget } from "../../../src/toll/limits/RetryBudget.ts"
import { expectFailed, openTill, search, track } from "../openTill.ts"

describe("retries of a payment of unknown outcome", () => {
  it("are bounded in time: then the caller has to wait, and the facilitator is not called", async () => {
    const shop = await openTill()
    shop.facilitator.leavesPending()
    const payment = await shop.payFor(search)
    for (let time = 0; time < 15; time++)
      expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    expect(shop.facilitator.settle.calls).toHaveLength(11)
  })

  it("are no unknown outcome where the work failed: the caller has to wait, and nothing is charged", async () => {
    const shop = await openTill({ limits: { lossPerHour: "100.00" } })
    shop.tracker.track.failsWith(new Error("reset by peer"))
    const payment = await shop.payFor(track)
    const responses = await Promise.all(Array.from({ length: 30 }, () => shop.present(track, payment)))
    const statuses = responses.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([502, 409]))
    expect(statuses.filter((status) => status === 502).length).toBeLessThanOrEqual(11)
    expect(shop.facilitator.settle.calls).toHaveLength(0)
  })

  it("are not used up by copies that lose the race for one", async () => {
    const gate = Promise.withResolvers<void>()
    let racers = 0
    const storage = Layer.effect(
      Charges,
      Effect.map(Charges, (store) =>
        Charges.of({
          ...store,
          takeOver: (...args) => {
            racers++
            return Effect.andThen(
              Effect.promise(() => gate.promise),
              store.takeOver(...args)
            )
          }
        })
      )
    ).pipe(Layer.provideMerge(memory()))
    const shop = await openTill({ storage })
    shop.facilitator.losesNextSettlement(false)
    const payment = await shop.payFor(search)
    expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    const copies = Array.from({ length: 30 }, () => shop.present(search, payment))
    await new Promise((resolve) => setTimeout(resolve, 50))
    gate.resolve()
    const responses = await Promise.all(copies)
    expect(responses.map(({ status }) => status)).toEqual(copies.map(() => 200))
    expect(racers).toBeGreaterThanOrEqual(30)
  })

  it("have a budget per payment, and a new one after its time", () => {
    const budget = new RetryBudget({ times: 2, spanMillis: 1_000 })
    expect(budget.isUsedUp("a", 0)).toBe(false)
    const taken = [0, 1, 2, 999, 1_000].map((at) => budget.take("a", at))
    expect(taken).toEqual([true, true, false, false, true])
    expect(budget.take("b", 2)).toBe(true)
    expect([budget.isUsedUp("b", 2), budget.take("b", 3), budget.isUsedUp("b", 3)]).toEqual([
      false,
      true,
      true
    ])
    expect([budget.isUsedUp("b", 1_001), budget.isUsedUp("b", 1_002)]).toEqual([true, false])
  })
})
