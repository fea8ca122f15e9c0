import { fakeFacilitator } from "@till402/testing"
import type { PrivateKeyAccount } from "viem/accounts"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { freshAccount } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { clockAhead } from "../src/ClockAhead.ts"
import { openOurs } from "../src/Ours.ts"
import { openRetriesOwed, retriesOwed } from "../src/RetriesOwed.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * Work that is paid first, fails on purpose, and is refunded: the upstream may bill each try.
 */

type Open = (facilitator: ReturnType<typeof fakeFacilitator>) => Promise<Server> | Server

const openSettlesFirst: Open = (facilitator) =>
  openOurs(facilitator, { settlement: { track: "before-work" } })

interface Plan {
  /** One payment for each; an account may be named several times. */
  readonly accounts: ReadonlyArray<PrivateKeyAccount>
  /** Successful calls that each account pays for before. */
  readonly paidBefore: number
  /** Calls of the upstream that are in progress at once. */
  readonly atOnce: number
}

/**
 * Pays for work at once, which fails after all of it has begun, and presents each payment three more times. Returns the
 * number of tries.
 */
const failPaidWork = async (server: Server, { accounts, atOnce, paidBefore }: Plan): Promise<number> => {
  const visitor = visit(server)
  const { track } = server.goods.tracker
  const pay = (account: PrivateKeyAccount) => visitor.payFor(calls.track, { account })
  for (const account of new Set(accounts))
    for (let paid = 0; paid < paidBefore; paid++)
      expect((await visitor.present(calls.track, await pay(account))).status).toBe(200)
  const before = track.calls.length
  const gate = Promise.withResolvers<never>()
  track.returns(() => gate.promise)
  const all = await Promise.all(accounts.map(pay))
  let ended = 0
  const presented = all.map((payment) => visitor.present(calls.track, payment).finally(() => ended++))
  await vi.waitFor(() => expect(track.calls.length - before).toBe(atOnce))
  // The others wait for room, and give up.
  const others = all.length - atOnce
  await clockAhead(vi.waitFor(() => expect(ended).toBe(others), { timeout: 60_000 }))
  gate.reject(new Error("no such shipment"))
  await Promise.all(presented)
  for (let round = 0; round < 3; round++)
    await clockAhead(Promise.all(all.map((payment) => visitor.present(calls.track, payment))))
  return track.calls.length - before
}

const payments = 6

/** Six payments by one key. */
const failForOne = async (open: Open, plan: Omit<Plan, "accounts">): Promise<number> => {
  const account = freshAccount()
  const accounts = Array.from({ length: payments }, () => account)
  return failPaidWork(await open(fakeFacilitator()), { ...plan, accounts })
}

attack("paid work that fails again and again, and is refunded", {
  on: retriesOwed,
  lands: async () => {
    for (const paidBefore of [0, 2])
      expect(await failForOne(openRetriesOwed, { paidBefore, atOnce: payments })).toBe(payments * 4)
  },
  fails: async () => {
    // A tenth of 20.00, and what the payer has paid. The other payments are not settled.
    for (const paidBefore of [0, 2]) {
      const atOnce = 3 + paidBefore
      expect(await failForOne(openSettlesFirst, { paidBefore, atOnce })).toBe(atOnce)
    }
  }
})

const keys = 44

/** The documented budget, and the price of a call. */
const lossPerHour = 20_000_000
const price = 520_000
/** After this time, a used up budget has room for a call. */
const refillMillis = Math.ceil((price / lossPerHour) * 3_600_000)

/** One payment by each of many keys; returns how much was tried, and how a newcomer is served a moment later. */
const failForMany = async (open: Open, plan: Omit<Plan, "accounts">) => {
  const startMillis = Date.now()
  const server = await open(fakeFacilitator())
  const accounts = Array.from({ length: keys }, freshAccount)
  const tried = await failPaidWork(server, { ...plan, accounts })
  const allowed = Math.floor((lossPerHour * (1 + (Date.now() - startMillis) / 3_600_000)) / price)
  server.goods.tracker.track.reset()
  if (vi.isFakeTimers()) vi.setSystemTime(Date.now() + refillMillis)
  const visitor = visit(server)
  const payment = await visitor.payFor(calls.track, { account: freshAccount() })
  const { status } = await clockAhead(visitor.present(calls.track, payment))
  return { allowed, tried, status }
}

attack("paid work that fails for many keys at once, to use up the budget of new payers", {
  on: retriesOwed,
  lands: async () => {
    for (const paidBefore of [0, 1]) {
      const { tried } = await failForMany(openRetriesOwed, { paidBefore, atOnce: keys })
      expect(tried).toBe(keys * 4)
    }
  },
  fails: async () => {
    // 38 calls of 0.52 are within 20.00, which refill over an hour.
    const fresh = await failForMany(openSettlesFirst, { paidBefore: 0, atOnce: 38 })
    expect(fresh.tried).toBeLessThanOrEqual(fresh.allowed)
    expect(fresh.status).toBe(200)
    // Each of these keys loses what it has paid first.
    const known = await failForMany(openSettlesFirst, { paidBefore: 1, atOnce: keys })
    expect(known.tried).toBeLessThanOrEqual(keys + known.allowed)
    expect(known.status).toBe(200)
  }
})
