import { describe, expect, it, onTestFinished, vi } from "vitest"
import { PayerMemory } from "../../src/toll/PayerMemory.ts"
import { RetryBudget } from "../../src/toll/RetryBudget.ts"
import { expectFailed, expectRefused, openTill, search, track, workDone } from "./openTill.ts"
import { otherPayer } from "./wallet.ts"

const paymentsFor = (shop: Awaited<ReturnType<typeof openTill>>, count: number) =>
  Promise.all(Array.from({ length: count }, () => shop.payFor(search)))

describe("unsettled payments of one payer", () => {
  it("are bounded: more of them wait for room, and none is refused", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 3 } })
    let running = 0
    let most = 0
    shop.marketplace.search.answers(async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return { products: [], totalResults: 0, hasMore: false }
    })
    const payments = await paymentsFor(shop, 7)
    const answers = await Promise.all(payments.map((payment) => shop.present(search, payment)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from(payments, () => 200))
    expect(most).toBeLessThanOrEqual(3)
    expect(shop.facilitator.settled).toHaveLength(7)
  })

  it("wait for a bounded time: then a 429, nothing charged, and the payment is good a moment later", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    const gate = Promise.withResolvers<void>()
    shop.marketplace.search.answersOnce(async () => {
      await gate.promise
      return { products: [], totalResults: 0, hasMore: false }
    })
    const [first, second] = await paymentsFor(shop, 2)
    const running = shop.present(search, first!)
    await vi.waitFor(() => expect(shop.marketplace.search.calls).toHaveLength(1))
    const waiting = shop.present(search, second!)
    await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(2))
    vi.setSystemTime(Date.now() + 11_000)
    const limited = await waiting
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
    shop.marketplace.search.answersOnce(async () => {
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
    shop.facilitator.slow(30)
    const payment = await shop.payFor(search)
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.present(search, payment)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(shop.facilitator.settled).toHaveLength(1)
    expect(shop.facilitator.verify.calls).toHaveLength(1)
  })
})

it("copies of one payment that wait are bounded: the rest is told to come again", async () => {
  const shop = await openTill()
  shop.facilitator.slow(100)
  const payment = await shop.payFor(search)
  const answers = await Promise.all(Array.from({ length: 200 }, () => shop.present(search, payment)))
  const waited = answers.filter(({ status }) => status === 200)
  expect(waited.length).toBeGreaterThanOrEqual(64)
  for (const answer of answers) if (answer.status !== 200) expectFailed(answer, 409, "PAYMENT_IN_PROGRESS")
  expect(new Set(waited.map(({ text }) => text)).size).toBe(1)
  expect(shop.facilitator.settled).toHaveLength(1)
})

describe("a payer who could not pay", () => {
  it("is refused for a moment without anybody being asked", async () => {
    const shop = await openTill({ limits: { payerMemoryMillis: 60_000 } })
    shop.facilitator.finds("insufficient_funds")
    expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    expectRefused(await shop.present(track, await shop.payFor(track)), "insufficient_funds")
    expect([workDone(shop), shop.facilitator.verify.calls.length]).toEqual([0, 1])
  })

  it("is remembered as well where settlement told", async () => {
    const shop = await openTill({ limits: { payerMemoryMillis: 60_000 } })
    shop.facilitator.rejects("insufficient_funds")
    expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    const work = workDone(shop)
    expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    expect(workDone(shop)).toBe(work)
    const theirs = await shop.payFor(search, { account: otherPayer })
    shop.facilitator.settle.reset()
    expect((await shop.present(search, theirs)).status).toBe(200)
  })

  const refusal = { code: "insufficient_funds", message: "" }

  it("is forgotten after its time, and one in ten thousand at the latest", () => {
    const memory = new PayerMemory(1_000)
    memory.note("0xa", refusal, 0)
    expect([memory.recall("0xa", 999), memory.recall("0xa", 1_000)]).toEqual([refusal, undefined])
    memory.note("0xa", refusal, 0)
    for (let payer = 0; payer < 10_000; payer++) memory.note(`0x${payer}`, refusal, 0)
    expect([memory.recall("0xa", 1), memory.recall("0x9999", 1)]).toEqual([undefined, refusal])
  })

  it("is remembered for an empty account alone, not for a payment that was wrong", () => {
    const memory = new PayerMemory(1_000)
    memory.note("0xa", { code: "invalid_payload", message: "" }, 0)
    expect(memory.recall("0xa", 0)).toBeUndefined()
  })
})

describe("taking up a payment of unknown outcome", () => {
  it("is bounded in its time: then the caller is told to wait, and nobody is asked", async () => {
    const shop = await openTill()
    shop.facilitator.leavesPending()
    const payment = await shop.payFor(search)
    for (let time = 0; time < 15; time++)
      expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    expect(shop.facilitator.settle.calls).toHaveLength(11)
  })

  it("has a budget for each payment, and a new one after its time", () => {
    const budget = new RetryBudget({ times: 2, spanMillis: 1_000 })
    const taken = [0, 1, 2, 999, 1_000].map((at) => budget.take("a", at))
    expect(taken).toEqual([true, true, false, false, true])
    expect(budget.take("b", 2)).toBe(true)
  })
})
