import { Effect, Layer } from "effect"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { NoTrackingInfo } from "../../../src/shop/ports/PortErrors.ts"
import { memory } from "../../../src/stores/memory.ts"
import { expectFailed, openTill, search, track, workDone } from "../openTill.ts"
import { otherPayer } from "../wallet.ts"

/** Awaits a call that waits for room, while the clock runs ahead. */
const pastPatience = async <A>(waiting: Promise<A>): Promise<A> => {
  const running = new Set([waiting])
  const end = () => running.delete(waiting)
  waiting.then(end, end)
  while (running.size > 0) {
    vi.setSystemTime(Date.now() + 1_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return waiting
}

const paymentsFor = (shop: Awaited<ReturnType<typeof openTill>>, count: number) =>
  Promise.all(Array.from({ length: count }, () => shop.payFor(search)))

describe("failed work whose cost is known", () => {
  const unknown = (costUsd: number) => new NoTrackingInfo({ message: "Nobody knows it.", costUsd })
  const trackOf = (number: number) => ({ path: `/x402/track?number=RANDOM${number}` })

  /** Presents look-ups of random numbers until one has to wait. */
  const lookUp = async (shop: Awaited<ReturnType<typeof openTill>>, most: number) => {
    const statuses: Array<number> = []
    for (let number = 0; number < most && statuses.at(-1) !== 429; number++) {
      const call = trackOf(number)
      const { status } = await pastPatience(shop.present(call, await shop.payFor(call)))
      statuses.push(status)
    }
    return { statuses, sent: shop.tracker.track.calls.length }
  }

  it("counts at its cost: a tenth of the budget for one payer", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const shop = await openTill({ limits: { lossPerHour: "20.00" } })
    shop.tracker.track.failsWith(unknown(0.25))
    const { sent, statuses } = await lookUp(shop, 20)
    expect(statuses.filter((status) => status === 404).length).toBe(sent)
    // 2.00 in all: 0.52 must be free at each call, of which 0.25 stays lost.
    expect(sent).toBe(6)
    const reports = () => shop.events.filter(({ code }) => code === "callers_limited").length
    expect(reports()).toBe(1)
    await lookUp(shop, 1)
    expect(reports()).toBe(1)
  })

  it("counts nothing if it cost nothing", async () => {
    const shop = await openTill({ limits: { lossPerHour: "1.04" } })
    shop.tracker.track.failsWith(unknown(0))
    const { statuses } = await lookUp(shop, 12)
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 404))
  })

  it("counts for the host also if its payer has paid here before", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const shop = await openTill({ limits: { lossPerHour: "5.20" } })
    for (let time = 0; time < 2; time++)
      expect((await shop.present(track, await shop.payFor(track))).status).toBe(200)
    const before = shop.tracker.track.calls.length
    shop.tracker.track.failsWith(unknown(0.52))
    const { sent } = await lookUp(shop, 20)
    // What they have paid covers two, which count for the host, too: their share of three calls has one more.
    expect(sent - before).toBe(3)
  })
})

describe("unsettled payments of one payer", () => {
  it("are bounded: more of them wait for room, and none is refused", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 3 } })
    let running = 0
    let most = 0
    shop.marketplace.search.returns(async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return { products: [], totalResults: 0, hasMore: false }
    })
    const payments = await paymentsFor(shop, 7)
    const responses = await Promise.all(payments.map((payment) => shop.present(search, payment)))
    expect(responses.map(({ status }) => status)).toEqual(Array.from(payments, () => 200))
    expect(most).toBeLessThanOrEqual(3)
    expect(shop.facilitator.settled).toHaveLength(7)
  })

  it("wait for a bounded time: then a 429, nothing charged, and the payment is good a moment later", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    const gate = Promise.withResolvers<void>()
    shop.marketplace.search.returnsOnce(async () => {
      await gate.promise
      return { products: [], totalResults: 0, hasMore: false }
    })
    const [first, second] = await paymentsFor(shop, 2)
    const running = shop.present(search, first!)
    await vi.waitFor(() => expect(shop.marketplace.search.calls).toHaveLength(1))
    const waiting = shop.present(search, second!)
    const limited = await pastPatience(waiting)
    expect(shop.facilitator.verify.calls).toHaveLength(1)
    expectFailed(limited, 429, "RATE_LIMITED")
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0)
    gate.resolve()
    expect((await running).status).toBe(200)
    expect((await shop.present(search, second!)).status).toBe(200)
    expect(workDone(shop)).toBe(2)
  })

  it("are theirs alone: another payer is served meanwhile", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    const gate = Promise.withResolvers<void>()
    shop.marketplace.search.returnsOnce(async () => {
      await gate.promise
      return { products: [], totalResults: 0, hasMore: false }
    })
    const [mine, more] = await paymentsFor(shop, 2)
    const theirs = await shop.payFor(search, { account: otherPayer })
    const running = shop.present(search, mine!)
    await vi.waitFor(() => expect(shop.marketplace.search.calls).toHaveLength(1))
    const waiting = shop.present(search, more!)
    expect((await shop.present(search, theirs)).status).toBe(200)
    gate.resolve()
    expect([(await running).status, (await waiting).status]).toEqual([200, 200])
  })

  it("count while their outcome is unknown", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    shop.facilitator.losesNextSettlement(false)
    const [first, second] = await paymentsFor(shop, 2)
    expectFailed(await shop.present(search, first!), 503, "SETTLEMENT_PENDING")
    const waiting = shop.present(search, second!)
    await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(2))
    expect(workDone(shop)).toBe(1)
    expect((await shop.present(search, first!)).status).toBe(200)
    expect((await waiting).status).toBe(200)
  })

  it("do not count copies of one payment", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    shop.facilitator.delays(30)
    const payment = await shop.payFor(search)
    const responses = await Promise.all(Array.from({ length: 20 }, () => shop.present(search, payment)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(shop.facilitator.settled).toHaveLength(1)
    expect(shop.facilitator.verify.calls).toHaveLength(1)
  })
})

/** A database that loses a charge, with its power, while its work fails. */
const forgetful = () =>
  Layer.effect(
    Charges,
    Effect.map(Charges, (store) =>
      Charges.of({
        ...store,
        void: (key, owner, options) =>
          store.void(key, owner, options).pipe(Effect.andThen(store.release(key, owner)), Effect.as(false))
      })
    )
  ).pipe(Layer.provideMerge(memory()))

describe("work of a call that lost its charge", () => {
  it("counts as lost before the call works again", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
    onTestFinished(() => void vi.useRealTimers())
    // The price of two calls.
    const shop = await openTill({ storage: forgetful(), limits: { lossPerHour: "1.04" } })
    shop.tracker.track.failsWith(new Error("reset by peer"))
    const limited = await pastPatience(shop.present(track, await shop.payFor(track)))
    expectFailed(limited, 429, "RATE_LIMITED")
    // The second would leave nothing of the half for newcomers.
    expect(shop.tracker.track.calls).toHaveLength(1)
  })
})
