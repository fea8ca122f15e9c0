import { describe, expect, it, onTestFinished, vi } from "vitest"
import { TemporarilyUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import { sampleTrackResult } from "../../../../testing/src/samples.ts"
import { sharedDatabase } from "../../stores/sql/keptInMemory.ts"
import {
  type ReceivedResponse,
  challengeOf,
  expectFailed,
  expectRefused,
  jsonOf,
  openTill,
  receiptOf,
  search,
  track,
  workDone
} from "../openTill.ts"

const settlement = { track: "before-work" } as const

/** An error of work that was paid for: the same request can be retried with the payment. */
const expectOwed = (response: ReceivedResponse, status: number, code: string): void => {
  expectFailed(response, status, code)
  const { details, message } = jsonOf(response) as { details: { owedUntil: string }; message: string }
  expect(message).toMatch(/payment has settled\. Retry the same request with the same payment until/)
  expect(message).not.toContain("Nothing was charged")
  expect(Date.parse(details.owedUntil)).toBeGreaterThan(0)
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
}

const atTime = (millis: number): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: millis })
  onTestFinished(() => void vi.useRealTimers())
}

describe("a payment that settles before its work", () => {
  it("is announced by the flow of its offers, and by no other's", async () => {
    const shop = await openTill({ settlement })
    const flowOf = async (call: typeof track) =>
      challengeOf(await shop.send(call)).accepts.map(({ extra }) => extra["paymentFlow"])
    expect(await flowOf(track)).toEqual(["upfront"])
    expect(await flowOf(search)).toEqual([undefined])
  })

  it("settles first, then has its work done, once, and is replayed afterwards", async () => {
    const shop = await openTill({ settlement })
    const order: Array<string> = []
    shop.tracker.track.returns(async (query) => {
      order.push(`work after ${shop.facilitator.settled.length} settlements`)
      return sampleTrackResult(query.number)
    })
    const payment = await shop.payFor(track)
    const response = await shop.present(track, payment)
    expect(response.status, response.text).toBe(200)
    expect(receiptOf(response).transaction).toBe(shop.facilitator.settled[0]!.transaction)
    expect((await shop.present(track, payment)).text).toBe(response.text)
    expect(order).toEqual(["work after 1 settlements"])
    expect(await shop.till.ledger.check()).toMatchObject({ isBalanced: true, settledCharges: 1, refunds: 0 })
  })

  it("that is refused has no work done", async () => {
    const shop = await openTill({ settlement })
    shop.facilitator.rejectsSettlement("insufficient_funds")
    expectRefused(await shop.present(track, await shop.payFor(track)), "insufficient_funds")
    expect(workDone(shop)).toBe(0)
  })

  it("whose settlement is unknown has no work done until it is known", async () => {
    const shop = await openTill({ settlement })
    shop.facilitator.losesNextSettlement(false)
    const payment = await shop.payFor(track)
    expectFailed(await shop.present(track, payment), 503, "SETTLEMENT_PENDING")
    expect(workDone(shop)).toBe(0)
    expect((await shop.present(track, payment)).status).toBe(200)
    expect([workDone(shop), shop.facilitator.settled.length]).toEqual([1, 1])
  })

  it("is settled by the reconciler where no chain can be read, and its response is owed from then on", async () => {
    const shop = await openTill({ settlement })
    shop.facilitator.losesNextSettlement(false)
    const payment = await shop.payFor(track)
    expectFailed(await shop.present(track, payment), 503, "SETTLEMENT_PENDING")
    expect(await shop.till.reconcile()).toEqual({ settled: 1, pending: 0 })
    expect(workDone(shop)).toBe(0)
    expect((await shop.present(track, payment)).status).toBe(200)
    expect([workDone(shop), shop.facilitator.settled.length]).toEqual([1, 1])
  })

  it("can be retried while the work fails, and isn't charged again", async () => {
    const shop = await openTill({ settlement })
    shop.tracker.track
      .failsOnceWith(new Error("reset by peer"))
      .failsOnceWith(new TemporarilyUnavailable({ message: "busy" }))
    const payment = await shop.payFor(track)
    expectOwed(await shop.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    expectOwed(await shop.present(track, payment), 503, "TRACKING_PROVIDER_UNAVAILABLE")
    const response = await shop.present(track, payment)
    expect(response.status, response.text).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(1)
    expect(await shop.till.ledger.check()).toMatchObject({ isBalanced: true })
  })

  it("retries work that keeps failing a bounded number of times", async () => {
    const shop = await openTill({ settlement })
    shop.tracker.track.failsWith(new Error("reset by peer"))
    const payment = await shop.payFor(track)
    for (let time = 0; time < 3; time++)
      expectOwed(await shop.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    expectOwed(await shop.present(track, payment), 429, "RATE_LIMITED")
    expect([workDone(shop), shop.facilitator.settled.length]).toEqual([3, 1])
  })

  it.each([0, 1])(
    "is one of 64 at once that are all served, of a payer who has paid for %s before",
    async (paid) => {
      const shop = await openTill({ settlement })
      for (let before = 0; before < paid; before++)
        expect((await shop.present(track, await shop.payFor(track))).status).toBe(200)
      shop.tracker.track.delays(20)
      const payments = await Promise.all(Array.from({ length: 64 }, () => shop.payFor(track)))
      const responses = await Promise.all(payments.map((payment) => shop.present(track, payment)))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
      expect(shop.facilitator.settled).toHaveLength(64 + paid)
    }
  )

  it("returns its response to no other request", async () => {
    const shop = await openTill({
      settlement: { track: "before-work", search: "before-work" },
      prices: { search: "0.52" }
    })
    shop.tracker.track.failsOnceWith(new Error("reset by peer"))
    const payment = await shop.payFor(track, { withoutResource: true })
    expectOwed(await shop.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    expectRefused(await shop.present(search, payment), "payment_already_used")
    expect((await shop.present(track, payment)).status).toBe(200)
  })

  it("has its work done by one of many retries at a time", async () => {
    const shop = await openTill({ settlement })
    shop.tracker.track.failsOnceWith(new Error("reset by peer")).delays(30)
    const payment = await shop.payFor(track)
    expectOwed(await shop.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    const responses = await Promise.all(Array.from({ length: 20 }, () => shop.present(track, payment)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(workDone(shop)).toBe(2)
  })

  it("is refunded once its response was owed for too long", async () => {
    const start = Date.UTC(2026, 2, 2, 12)
    atTime(start)
    const shop = await openTill({ settlement, owedResponseMillis: 60_000 })
    shop.tracker.track.failsWith(new Error("reset by peer"))
    const payment = await shop.payFor(track)
    expectOwed(await shop.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    vi.setSystemTime(start + 59_999)
    await shop.till.reconcile()
    expect((await shop.till.charges.list())[0]!.refund).toBeUndefined()
    vi.setSystemTime(start + 60_000)
    // Too late, even before the refund is recorded.
    expectRefused(await shop.present(track, payment), "payment_refund_due")
    await shop.till.reconcile()
    expect((await shop.till.charges.list())[0]!.refund).toBe("due")
    expectRefused(await shop.present(track, payment), "payment_refund_due")
    expect((await shop.till.ledger.list()).map(({ kind }) => kind).toSorted()).toEqual([
      "refund_due",
      "settled"
    ])
    expect(await shop.till.ledger.check()).toMatchObject({ isBalanced: true, refunds: 1 })
  })

  it("is owed its response across processes", async () => {
    const { storage } = sharedDatabase()
    const first = await openTill({ settlement, storage: storage() })
    first.tracker.track.failsWith(new Error("reset by peer"))
    const payment = await first.payFor(track)
    expectOwed(await first.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    const second = await openTill({
      settlement,
      storage: storage(),
      facilitator: first.facilitator
    })
    expect((await second.present(track, payment)).status).toBe(200)
    expect(first.facilitator.settled).toHaveLength(1)
  })
})
