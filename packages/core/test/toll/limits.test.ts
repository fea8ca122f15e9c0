import { describe, expect, it } from "vitest"
import { PayerMemory } from "../../src/toll/PayerMemory.ts"
import { RetryBudget } from "../../src/toll/RetryBudget.ts"
import { expectFailed, expectRefused, openTill, search, track, workDone } from "./openTill.ts"
import { otherPayer } from "./wallet.ts"

const paymentsFor = (shop: Awaited<ReturnType<typeof openTill>>, count: number) =>
  Promise.all(Array.from({ length: count }, () => shop.payFor(search)))

describe("unsettled payments of one payer", () => {
  it("are bounded: one more is a 429, before anybody is asked for it, and is good a moment later", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 3 } })
    shop.facilitator.slow(50)
    const payments = await paymentsFor(shop, 5)
    const answers = await Promise.all(payments.map((payment) => shop.present(search, payment)))
    const limited = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(limited).toHaveLength(2)
    for (const answer of limited) {
      expectFailed(answer, 429, "RATE_LIMITED")
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    }
    expect([workDone(shop), shop.facilitator.verify.calls.length]).toEqual([3, 3])
    for (const [index, { status }] of answers.entries())
      if (status === 429) expect((await shop.present(search, payments[index]!)).status).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(5)
  })

  it("are theirs alone: another payer is served", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    shop.facilitator.slow(50)
    const [mine, more, theirs] = [
      await shop.payFor(search),
      await shop.payFor(search),
      await shop.payFor(search, { account: otherPayer })
    ]
    const answers = await Promise.all([mine, more, theirs].map((payment) => shop.present(search, payment)))
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 200])
  })

  it("count while their outcome is unknown", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    shop.facilitator.losesNextSettlement(false)
    const first = await shop.payFor(search)
    expectFailed(await shop.present(search, first), 503, "SETTLEMENT_PENDING")
    const second = await shop.payFor(search)
    expectFailed(await shop.present(search, second), 429, "RATE_LIMITED")
    expect((await shop.present(search, first)).status).toBe(200)
    expect((await shop.present(search, second)).status).toBe(200)
  })

  it("do not count copies of one payment", async () => {
    const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
    shop.facilitator.slow(30)
    const payment = await shop.payFor(search)
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.present(search, payment)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(shop.facilitator.settled).toHaveLength(1)
  })
})

it("unsettled payments of all payers are bounded too", async () => {
  const shop = await openTill({ limits: { unsettled: 2 } })
  shop.facilitator.slow(50)
  const payments = [
    ...(await paymentsFor(shop, 2)),
    await shop.payFor(search, { account: otherPayer }),
    await shop.payFor(search, { account: otherPayer })
  ]
  const answers = await Promise.all(payments.map((payment) => shop.present(search, payment)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429])
  // What has ended makes room again.
  for (const [index, { status }] of answers.entries())
    if (status === 429) expect((await shop.present(search, payments[index]!)).status).toBe(200)
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
