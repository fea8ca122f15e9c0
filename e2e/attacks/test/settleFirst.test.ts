import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FacilitatorClient, TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { afterEach, beforeAll, expect, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { openAttacker } from "../src/Attacker.ts"
import { calls, searchFor } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { localChainOfFile, readable } from "../src/LocalChain.ts"
import { optimistic, openOptimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import { sendRefunds } from "../src/RefundSender.ts"
import { openSettlesFirst, settlesFirst } from "../src/SettlesFirst.ts"
import { visit } from "../src/Visitor.ts"

/*
 * Settlement before the work: no unpaid work is done, and a paid response is delivered or refunded.
 */

const local = localChainOfFile({ movesClock: true })
const price = 520_000n
const owedResponseMillis = 60_000
/** How long a call holds its charge at most. */
const leaseMillis = 250_000

afterEach(() => {
  vi.useRealTimers()
})

beforeAll(async () => {
  await local().chain.mint(local().chain.accounts(7).address, 10_000_000n)
})

const upfront = (): Partial<TillOptions> => ({
  networks: [readable(local())],
  trustFacilitator: false,
  settlement: { track: "before-work" },
  owedResponseMillis
})

/** A facilitator that takes the money and never responds. */
const silent = (): FacilitatorClient => ({
  verify: local().facilitator.client.verify,
  settle: async (payment, requirements) => {
    await local().facilitator.client.settle(payment, requirements)
    throw new Error("no response")
  }
})
const lying = (): FacilitatorClient => ({
  verify: local().facilitator.client.verify,
  settle: async () => ({ success: true, transaction: `0x${"ab".repeat(32)}` })
})
const account = () => openAttacker(local()).fund(price)

attack("work that starts before its payment is on the chain", {
  on: optimistic,
  lands: async () => {
    const server = openOptimistic(lying())
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.track, { account: await account() })
    const before = await local().received()
    expect((await visitor.present(calls.track, payment)).status).toBe(200)
    expect((await local().received()) - before).toBe(0n)
  },
  fails: async () => {
    for (const facilitator of [local().facilitator.client, silent(), lying()]) {
      const server = await openOurs(facilitator, upfront())
      const visitor = visit(server)
      const { extra } = (await visitor.challenge(calls.track)).accepts[0]!
      expect(extra["paymentFlow"]).toBe("upfront")
      expect((await visitor.challenge(calls.search)).accepts[0]!.extra).not.toHaveProperty("paymentFlow")
      const before = await local().received()
      const atWork: Array<bigint> = []
      const { track } = server.goods.tracker
      track.returnsOnce(async (query) => {
        atWork.push((await local().received()) - before)
        return track(query, { signal: new AbortController().signal })
      })
      const payment = await visitor.payFor(calls.track, { account: await account() })
      const response = await visitor.present(calls.track, payment)
      // Whatever the facilitator responds, the money is on the chain when the work starts.
      expect(atWork).toEqual(response.status === 200 ? [price] : [])
    }
  }
})

attack("a payment kept for work that fails", {
  on: settlesFirst,
  lands: async () => {
    const server = openSettlesFirst(local().facilitator.client)
    const visitor = visit(server)
    const before = await local().received()
    server.goods.tracker.track.failsOnceWith(new Error("reset by peer"))
    const payment = await visitor.payFor(calls.track, { account: await account() })
    expect((await visitor.present(calls.track, payment)).status).toBe(500)
    // The money is gone, and the same payment buys nothing.
    expect((await visitor.present(calls.track, payment)).status).toBe(402)
    expect((await local().received()) - before).toBe(price)
  },
  fails: async () => {
    const server = await openOurs(local().facilitator.client, upfront())
    const visitor = visit(server)
    const before = await local().received()
    server.goods.tracker.track.failsOnceWith(new Error("reset by peer"))
    const payment = await visitor.payFor(calls.track, { account: await account() })
    const failed = await visitor.present(calls.track, payment)
    expect([502, 503]).toContain(failed.status)
    // The response is due only to the request that was paid.
    expectRefused(await visitor.present(searchFor("tote"), payment), "payment_already_used")
    expectRefused(
      await visitor.present({ path: "/x402/track?number=99999" }, payment),
      "payment_already_used"
    )
    const response = await visitor.present(calls.track, payment)
    expect([response.status, response.text]).toEqual([200, expect.stringContaining("1Z999AA10123456784")])
    expect((await visitor.present(calls.track, payment)).text).toBe(response.text)
    expect(server.goods.tracker.track.calls).toHaveLength(2)
    expect((await local().received()) - before).toBe(price)
    expect((await server.till.ledger.list()).map(({ kind }) => kind)).toEqual(["settled"])
  }
})

attack("a payment kept for work that never succeeds", {
  on: settlesFirst,
  lands: async () => {
    const server = openSettlesFirst(local().facilitator.client)
    const visitor = visit(server)
    server.goods.tracker.track.failsWith(new Error("reset by peer"))
    const payer = await account()
    const payment = await visitor.payFor(calls.track, { account: payer })
    expect((await visitor.present(calls.track, payment)).status).toBe(500)
    expect(await local().chain.balanceOf(payer.address)).toBe(0n)
  },
  fails: async () => {
    const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const options = () => ({ ...upfront(), storage: sqlite({ filename: join(folder, "till.sqlite") }) })
    const server = await openOurs(local().facilitator.client, options())
    const visitor = visit(server)
    server.goods.tracker.track.failsWith(new Error("reset by peer"))
    const payer = await account()
    const payment = await visitor.payFor(calls.track, { account: payer })
    for (let time = 0; time < 3; time++)
      expect([502, 503]).toContain((await visitor.present(calls.track, payment)).status)
    expect(await local().chain.balanceOf(payer.address)).toBe(0n)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + owedResponseMillis + leaseMillis })
    await server.till.reconcile()
    expect((await server.till.charges.list()).map(({ refund }) => refund)).toEqual(["due"])
    const second = await sendRefunds(local(), () =>
      openOurs(local().facilitator.client, { ...options(), refundWallet: local().chain.accounts(7) })
    )
    expect((await second.till.charges.list()).map(({ refund }) => refund)).toEqual(["sent"])
    expect(await local().chain.balanceOf(payer.address)).toBe(price)
    expectRefused(await visit(second).present(calls.track, payment), "payment_refund_due")
    expect(await second.till.ledger.check()).toMatchObject({ isBalanced: true })
  }
})
