import { describe, expect, it, vi } from "vitest"
import { NoTrackingInfo, TemporarilyUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import {
  type ReceivedResponse,
  buy,
  type Call,
  expectFailed,
  expectRefused,
  openTill,
  receiptOf,
  search,
  track,
  vaultBuy,
  vaultSearch,
  workDone,
  withoutExample
} from "../openTill.ts"

describe("work that fails costs nothing, and the same payment works afterwards", () => {
  const failures: ReadonlyArray<readonly [string, unknown, number, string]> = [
    ["any error of a provider", new Error("reset by peer"), 502, "TRACKING_PROVIDER_ERROR"],
    ["a thrown value that is no error", "nothing", 502, "TRACKING_PROVIDER_ERROR"],
    ["down for now", new TemporarilyUnavailable({ message: "" }), 503, "TRACKING_PROVIDER_UNAVAILABLE"]
  ]
  it.each(failures)("%s", async (_, thrown, status, code) => {
    const shop = await openTill()
    shop.tracker.track.failsOnceWith(thrown)
    const payment = await shop.payFor(track)
    expectFailed(await shop.present(track, payment), status, code)
    expect(shop.facilitator.settle.calls).toHaveLength(0)
    expect((await shop.till.charges.list()).map(({ state }) => state)).toEqual(["voided"])
    expect((await shop.present(track, payment)).status).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("no information yet, for which the upstream isn't asked again at once", async () => {
    const shop = await openTill()
    shop.tracker.track.failsOnceWith(new NoTrackingInfo({ message: "not yet" }))
    const payment = await shop.payFor(track)
    for (let time = 0; time < 2; time++)
      expectFailed(await shop.present(track, payment), 404, "NO_TRACKING_INFO")
    expect(shop.tracker.track.calls).toHaveLength(1)
    const other = { path: "/x402/track?number=9400100000000000000000" }
    expect((await shop.present(other, await shop.payFor(other))).status).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("a response that breaks the contract", async () => {
    const shop = await openTill()
    shop.tracker.track.returnsOnce({ number: "1" } as never)
    const payment = await shop.payFor(track)
    expectFailed(await shop.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    expect((await shop.present(track, payment)).status).toBe(200)
  })

  it("a provider that is too slow", async () => {
    const shop = await openTill({ upstreamTimeoutMillis: 50 })
    shop.tracker.track.hangsOnce()
    const payment = await shop.payFor(track)
    expectFailed(await shop.present(track, payment), 503, "TRACKING_PROVIDER_UNAVAILABLE")
    expect((await shop.present(track, payment)).status).toBe(200)
  })

  it("copies that waited while the first one failed: the next one runs", async () => {
    const shop = await openTill()
    shop.tracker.track.delays(30).failsOnceWith(new Error("reset by peer"))
    const payment = await shop.payFor(track)
    const responses = await Promise.all(Array.from({ length: 5 }, () => shop.present(track, payment)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 502])
    expect(shop.tracker.track.calls).toHaveLength(2)
    expect(shop.facilitator.settled).toHaveLength(1)
  })
})

describe("verification", () => {
  it("that finds the payment invalid: 402 with the reason, nothing runs", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    shop.facilitator.rejectsVerification("insufficient_funds")
    const payment = await shop.payFor(search)
    expectRefused(await shop.present(search, payment), "insufficient_funds")
    expect([workDone(shop), shop.facilitator.settle.calls.length]).toEqual([0, 0])
    shop.facilitator.verify.reset()
    expect((await shop.present(search, payment)).status).toBe(200)
  })

  it("whose reason is free text of the facilitator: never repeated", async () => {
    const shop = await openTill()
    shop.facilitator.rejectsVerification("balance of 0xabc is 0; <b>pay</b>")
    expectRefused(await shop.present(search, await shop.payFor(search)), "invalid_payment")
  })

  const unanswered: ReadonlyArray<readonly [string, (shop: Awaited<ReturnType<typeof openTill>>) => void]> = [
    ["throws", ({ facilitator }) => facilitator.verify.failsOnceWith(new Error("refused"))],
    ["returns nonsense", ({ facilitator }) => facilitator.verify.returnsOnce({ ok: 1 } as never)]
  ]
  it.each(unanswered)("that %s: 503, nothing runs, the payment can be retried", async (_, breakIt) => {
    const shop = await openTill()
    breakIt(shop)
    const payment = await shop.payFor(search)
    const response = await shop.present(search, payment)
    expectFailed(response, 503, "FACILITATOR_UNAVAILABLE")
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
    expect([workDone(shop), shop.facilitator.settle.calls.length]).toEqual([0, 0])
    expect((await shop.present(search, payment)).status).toBe(200)
  })
})

describe("settlement that is refused before anything was sent", () => {
  const paid: ReadonlyArray<readonly [string, Call, string]> = [
    ["search", search, "Canvas tote bag"],
    ["track", track, "InTransit"],
    ["buy", buy, "orderId"],
    ["vault buy", vaultBuy, "downloadToken"]
  ]
  it.each(paid)("of %s: 402 with the reason, the response is withheld", async (_, call, withheld) => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    shop.facilitator.rejectsSettlement("insufficient_funds")
    const payment = await shop.payFor(call)
    const refused = await shop.present(call, payment)
    expectRefused(refused, "insufficient_funds")
    expect(withoutExample(refused)).not.toContain(withheld)
    expect((await shop.till.charges.list()).map(({ state }) => state)).toEqual(["voided"])
    shop.facilitator.settle.reset()
    // Its caller has read that nothing was charged, and may have signed another one.
    for (const other of [call, paid[0]![1]])
      expectRefused(await shop.present(other, payment), "payment_refused")
  })

  it("abandons the order, places nothing, and leaves its quote to the next payment", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    shop.facilitator.rejectsSettlement("insufficient_funds")
    const challenge = await shop.challenge(buy)
    expectRefused(await shop.present(buy, await shop.payFor(buy)), "insufficient_funds")
    expect((await shop.till.orders.list()).map(({ status }) => status)).toEqual(["abandoned"])
    expect([shop.fulfilment.place.calls.length, shop.mailer.sent.length]).toEqual([0, 0])
    expect(await shop.challenge(buy)).toEqual(challenge)
    shop.facilitator.settle.reset()
    expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
    await vi.waitFor(async () => {
      const statuses = (await shop.till.orders.list()).map(({ status }) => status)
      expect(statuses.sort()).toEqual(["abandoned", "placed"])
    })
  })
})

const expectPending = (response: ReceivedResponse): void => {
  expectFailed(response, 503, "SETTLEMENT_PENDING")
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(response.headers.get("payment-required")).toBeNull()
}

describe("settlement of unknown outcome", () => {
  const paid: ReadonlyArray<readonly [string, Call]> = [
    ["search", search],
    ["track", track],
    ["buy", buy],
    ["vault buy", vaultBuy]
  ]
  it.each(paid)("of %s: never a fresh 402 while the money may have moved", async (_, call) => {
    const shop = await openTill()
    shop.facilitator.losesNextSettlement(true)
    const payment = await shop.payFor(call)
    expectPending(await shop.present(call, payment))
    const work = workDone(shop)
    // The nonce is used now, by this very payment or by a cancellation: still unknown.
    for (let time = 0; time < 3; time++) expectPending(await shop.present(call, payment))
    expect(await shop.till.reconcile()).toEqual({ settled: 0, pending: 1 })
    expect([workDone(shop), shop.facilitator.settled.length]).toEqual([work, 1])
    expect((await shop.till.charges.list()).map(({ state }) => state)).toEqual(["ready"])
    expect((await shop.till.orders.list()).filter(({ status }) => status !== "awaiting_payment")).toEqual([])
    expect(shop.mailer.sent).toEqual([])
  })

  it.each(paid)(
    "of %s that had not moved: the same payment settles and gets its response",
    async (_, call) => {
      const shop = await openTill()
      shop.facilitator.losesNextSettlement(false)
      const payment = await shop.payFor(call)
      expectPending(await shop.present(call, payment))
      const work = workDone(shop)
      const responses = await Promise.all(Array.from({ length: 10 }, () => shop.present(call, payment)))
      // A copy that comes while another one finishes it may have to retry, but is never refused or charged again.
      for (const { status } of responses) expect([200, 409]).toContain(status)
      const response = responses.find(({ status }) => status === 200)
      expect(receiptOf(response!).transaction).toBe(shop.facilitator.settled[0]!.transaction)
      expect(shop.facilitator.settled).toHaveLength(1)
      expect(shop.facilitator.settle.calls).toHaveLength(2)
      if (call !== buy) expect(workDone(shop)).toBe(work)
      expect((await shop.present(call, payment)).text).toBe(response!.text)
    }
  )

  it("is finished by the reconciler, and the payer gets the response", async () => {
    const shop = await openTill()
    shop.facilitator.losesNextSettlement(false)
    const payment = await shop.payFor(buy)
    expectPending(await shop.present(buy, payment))
    expect(await shop.till.reconcile()).toEqual({ settled: 1, pending: 0 })
    expect(await shop.till.reconcile()).toEqual({ settled: 0, pending: 0 })
    await vi.waitFor(async () => {
      expect((await shop.till.orders.list()).map(({ status }) => status)).toEqual(["placed"])
    })
    expect((await shop.present(buy, payment)).status).toBe(200)
    expect([shop.facilitator.settled.length, shop.fulfilment.orders.size]).toEqual([1, 1])
  })

  it("is also unknown if the transaction was sent but not confirmed", async () => {
    const shop = await openTill()
    shop.facilitator.leavesPending()
    const payment = await shop.payFor(search)
    expectPending(await shop.present(search, payment))
    expectPending(await shop.present(search, payment))
  })

  const openEnded = ["invalid_transaction_state", "duplicate_settlement", "nonce_already_used", "oops", ""]
  it.each(openEnded)("is also unknown if the facilitator responds %j", async (errorReason) => {
    const shop = await openTill()
    shop.facilitator.rejectsSettlement(errorReason)
    expectPending(await shop.present(search, await shop.payFor(search)))
  })

  it("is also unknown if a refusal names a transaction", async () => {
    const shop = await openTill()
    shop.facilitator.settle.returns({
      success: false,
      errorReason: "insufficient_funds",
      transaction: `0x${"12".repeat(32)}`
    })
    expectPending(await shop.present(search, await shop.payFor(search)))
  })

  it("is also unknown if a success names no transaction", async () => {
    const shop = await openTill()
    shop.facilitator.settle.returns({ success: true, transaction: "" })
    expectPending(await shop.present(search, await shop.payFor(search)))
  })

  it("stays with its request: the payment buys nothing else", async () => {
    const shop = await openTill()
    shop.facilitator.losesNextSettlement(true)
    const payment = await shop.payFor(search, { withoutResource: true })
    expectPending(await shop.present(search, payment))
    expectRefused(await shop.present(vaultSearch, payment), "payment_already_used")
  })

  it("is never refused later: a definite refusal of the second attempt doesn't cover the first", async () => {
    const shop = await openTill()
    shop.facilitator.losesNextSettlement(true)
    const payment = await shop.payFor(buy)
    expectPending(await shop.present(buy, payment))
    shop.facilitator.rejectsSettlement("insufficient_funds")
    expectPending(await shop.present(buy, payment))
    expect((await shop.till.orders.list()).map(({ status }) => status)).toEqual(["awaiting_payment"])
  })
})
