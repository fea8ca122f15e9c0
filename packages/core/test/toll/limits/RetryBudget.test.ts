import { describe, expect, it } from "vitest"
import { RetryBudget } from "../../../src/toll/limits/RetryBudget.ts"
import { expectFailed, openTill, search } from "../openTill.ts"

describe("retries of a payment of unknown outcome", () => {
  it("are bounded in time: then the caller has to wait, and the facilitator is not called", async () => {
    const shop = await openTill()
    shop.facilitator.leavesPending()
    const payment = await shop.payFor(search)
    for (let time = 0; time < 15; time++)
      expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    expect(shop.facilitator.settle.calls).toHaveLength(11)
  })

  it("have a budget per payment, and a new one after its time", () => {
    const budget = new RetryBudget({ times: 2, spanMillis: 1_000 })
    const taken = [0, 1, 2, 999, 1_000].map((at) => budget.take("a", at))
    expect(taken).toEqual([true, true, false, false, true])
    expect(budget.take("b", 2)).toBe(true)
  })
})
