import { operation } from "@till402/core"
import { type Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { describe, expect, it, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { type ReceivedResponse, type Call, calls } from "../src/Calls.ts"
import { expectFailed, expectRefused } from "../src/expectations.ts"
import { type FlakyRpc, openFlakyRpc } from "../src/FlakyRpc.ts"
import { type Mode, modes } from "../src/HostileFacilitator.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { type Payment } from "../src/Payments.ts"
import { visit } from "../src/Visitor.ts"
import {
  local,
  facilitatorIn,
  optionsOf,
  type OursOnChain,
  openOursOnChain,
  movedSince,
  effectful,
  startLocalChain
} from "./tillsOnChain.ts"

startLocalChain()

/*
 * Facilitators and payers that fail or lie, on a real chain. The harm: two effects for one payment, an effect without
 * money, or money without a response.
 */

const amountOf = ({ accepted }: Payment): bigint => BigInt(accepted.amount)

const expectPending = (response: ReceivedResponse): void => {
  expectFailed(response, 503, "SETTLEMENT_PENDING")
  expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
  expect(response.headers.get("payment-required")).toBeNull()
}

/** The naive server takes the money, does the work and requests a new payment: a client that trusts it pays twice. */
const expectPaidTwice = async (mode: Mode): Promise<void> => {
  const hostile = await facilitatorIn(mode)
  const server = openOfficial(hostile.client)
  const visitor = visit(server)
  const before = await local().received()
  const payments: Array<Payment> = []
  for (let time = 0; time < 2; time++) {
    const payment = await visitor.payFor(calls.buy)
    payments.push(payment)
    expect((await visitor.present(calls.buy, payment)).status).toBe(402)
    await hostile.idle()
  }
  expect(await movedSince(before)).toBe(amountOf(payments[0]!) * 2n)
  expect(server.goods.fulfilment.orders.size).toBe(2)
  // The payer never gets a response either.
  expect((await visitor.present(calls.buy, payments[0]!)).status).toBe(402)
}

/** The money moves once, with one response and one effect, whatever happened in between. */
const expectSettledOnce = async (
  { hostile, visitor }: OursOnChain,
  call: Call,
  first: (response: ReceivedResponse) => void | Promise<void> = () => undefined
): Promise<void> => {
  const before = await local().received()
  const payment = await visitor.payFor(call)
  let response = await visitor.present(call, payment)
  await first(response)
  if (response.status !== 200) {
    expectPending(response)
    await hostile.idle()
    response = await visitor.present(call, payment)
  }
  expect(response.status, response.text).toBe(200)
  expect(response.headers.get("payment-response")).not.toBeNull()
  expect((await visitor.present(call, payment)).text).toBe(response.text)
  await hostile.idle()
  expect(await movedSince(before)).toBe(amountOf(payment))
}

/** The records of a till after one call of each of the three. */
const expectInOrder = async ({ server: { goods, till } }: OursOnChain): Promise<void> => {
  await vi.waitFor(() => expect(goods.fulfilment.orders.size).toBe(1))
  expect([goods.tracker.track.calls.length, goods.fulfilment.place.calls.length]).toEqual([1, 1])
  expect((await till.charges.list()).map(({ state }) => state)).toEqual(["settled", "settled", "settled"])
  expect((await till.ledger.list()).map(({ kind }) => kind)).toEqual(["settled", "settled", "settled"])
  expect(await till.ledger.check()).toMatchObject({ isBalanced: true })
}

const expectAllSettledOnce = async (
  mode: Mode,
  first?: (response: ReceivedResponse) => void
): Promise<void> => {
  const ours = await openOursOnChain(mode)
  for (const call of effectful) await expectSettledOnce(ours, call, first)
  await expectInOrder(ours)
}

describe("a clean facilitator", () => {
  it("gets a response from both, once for each payment", async () => {
    const hostile = await facilitatorIn(modes.clean)
    const naive = openOfficial(hostile.client)
    const visitor = visit(naive)
    expect((await visitor.present(calls.buy, await visitor.payFor(calls.buy))).status).toBe(200)
    expect(naive.goods.fulfilment.orders.size).toBe(1)
    await expectAllSettledOnce(modes.clean, ({ status }) => expect(status).toBe(200))
  })
})

attack("a facilitator that takes the money and never responds", {
  on: official,
  lands: () => expectPaidTwice(modes.silent),
  fails: () => expectAllSettledOnce(modes.silent)
})

attack("a facilitator that responds with 5xx after settling", {
  on: official,
  lands: () => expectPaidTwice(modes.broken),
  // The chain is queried immediately.
  fails: () => expectAllSettledOnce(modes.broken, ({ status }) => expect(status).toBe(200))
})

attack("a facilitator that settles twice and reports the second outcome", {
  on: official,
  lands: async () => {
    await expectPaidTwice(modes.duplicate)
    await expectPaidTwice(modes.duplicateByName)
  },
  fails: async () => {
    await expectAllSettledOnce(modes.duplicate, ({ status }) => expect(status).toBe(200))
    await expectAllSettledOnce(modes.duplicateByName, ({ status }) => expect(status).toBe(200))
  }
})

attack("a facilitator that settles after the server has given up", {
  on: official,
  lands: () => expectPaidTwice(modes.slow),
  fails: () => expectAllSettledOnce(modes.slow, expectPending)
})

attack("a settlement of unknown outcome while the chain can't be read", {
  on: official,
  // It doesn't read the chain at all.
  lands: () => expectPaidTwice(modes.broken),
  fails: async () => {
    const rpc: FlakyRpc = await openFlakyRpc(local().chain.rpcUrl)
    const ours = await openOursOnChain(modes.broken, rpc.url)
    // A till whose node has shown no block yet takes no payment: one that is refused has it read.
    const [account, { visitor }] = [privateKeyToAccount(generatePrivateKey()), ours]
    expect((await visitor.present(calls.track, await visitor.payFor(calls.track, { account }))).status).toBe(
      402
    )
    for (const call of effectful) {
      rpc.cutOff()
      await expectSettledOnce(ours, call, async (response) => {
        expectPending(response)
        const [newest] = await ours.server.till.charges.list({ limit: 1 })
        expect(newest!.state).toBe("ready")
        expect(ours.server.goods.fulfilment.orders.size).toBe(call === calls.vaultBuy ? 1 : 0)
        // The till can't find out by itself either.
        expect(await ours.server.till.reconcile()).toEqual({ settled: 0, pending: 1 })
        rpc.restore()
      })
      if (call === calls.buy) await vi.waitFor(() => expect(ours.server.goods.fulfilment.orders.size).toBe(1))
    }
    expect(rpc.refusals()).toBeGreaterThanOrEqual(effectful.length)
    await expectInOrder(ours)
  }
})

attack("a facilitator that lies about a settlement", {
  on: official,
  lands: async () => {
    const server = openOfficial((await facilitatorIn(modes.lying)).client)
    const visitor = visit(server)
    const before = await local().received()
    expect((await visitor.present(calls.buy, await visitor.payFor(calls.buy))).status).toBe(200)
    expect([server.goods.fulfilment.orders.size, await movedSince(before)]).toEqual([1, 0n])
  },
  fails: async () => {
    const { hostile, server, visitor } = await openOursOnChain(modes.lying)
    const before = await local().received()
    const bought = [calls.buy, calls.vaultBuy]
    const payments = await Promise.all(bought.map((call) => visitor.payFor(call)))
    // Concurrently, since each call queries the chain several times for its transaction.
    const presentAll = () => Promise.all(bought.map((call, index) => visitor.present(call, payments[index]!)))
    for (const response of await presentAll()) expectPending(response)
    expect(await movedSince(before)).toBe(0n)
    expect([server.goods.fulfilment.place.calls.length, server.goods.mailer.sent.length]).toEqual([0, 0])
    // The same payments, once they are really settled.
    hostile.become(modes.clean)
    for (const { status } of await presentAll()) expect(status).toBe(200)
    expect(await movedSince(before)).toBe(payments.reduce((sum, payment) => sum + amountOf(payment), 0n))
    await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
    expect(await server.till.ledger.check()).toMatchObject({ isBalanced: true })
  }
})

/** A route of the host's own for 50 dollars, over a facilitator in some mode. */
const openReport = async (mode: Mode) => {
  const hostile = await facilitatorIn(mode)
  const server = await openOurs(optionsOf(hostile), {
    networks: [{ network: "base-sepolia", rpcUrl: local().chain.rpcUrl }],
    trustFacilitator: false,
    operations: [
      operation({
        id: "report",
        method: "GET",
        path: "/report",
        description: "A report",
        price: "50.00",
        work: () => ({ pages: 50 })
      })
    ]
  })
  return { hostile, visitor: visit(server) }
}

const report: Call = { path: "/report" }

attack("a facilitator that lies about a large payment for a route of the host's own", {
  on: official,
  lands: async () => {
    const server = openOfficial((await facilitatorIn(modes.lying)).client)
    const visitor = visit(server)
    const before = await local().received()
    expect((await visitor.present(calls.track, await visitor.payFor(calls.track))).status).toBe(200)
    expect(await movedSince(before)).toBe(0n)
  },
  fails: async () => {
    const { hostile, visitor } = await openReport(modes.lying)
    const before = await local().received()
    const payment = await visitor.payFor(report)
    expectPending(await visitor.present(report, payment))
    expect(await movedSince(before)).toBe(0n)
    // The same payment, once it is really settled.
    hostile.become(modes.clean)
    expect((await visitor.present(report, payment)).text).toBe('{"pages":50}')
    expect(await movedSince(before)).toBe(amountOf(payment))
  }
})

describe("what no server can promise", () => {
  it("a cheap route trusts the facilitator's report, until the chain has shown that it is false", async () => {
    const { hostile, server, visitor } = await openOursOnChain(modes.lying)
    const before = await local().received()
    expect((await visitor.present(calls.track, await visitor.payFor(calls.track))).status).toBe(200)
    expect(await movedSince(before)).toBe(0n)
    // The ledger has it with its transaction, and the charge its facilitator, for comparison with the chain.
    const [entry] = await server.till.ledger.list()
    const transaction: Hex = `0x${"ab".repeat(32)}`
    expect(entry).toMatchObject({ kind: "settled", transaction })
    const [charge] = await server.till.charges.list()
    expect(charge).toMatchObject({ transaction, reportedBy: new URL(hostile.url).host })
  })

  it("without an `rpcUrl`, nobody notices a refused payment that settles", async () => {
    const treacherous: Mode = async (payment, requirements, honest) => {
      await honest(payment, requirements)
      return { status: 200, document: { success: false, errorReason: "insufficient_funds", transaction: "" } }
    }
    const hostile = await facilitatorIn(treacherous)
    const server = await openOurs(optionsOf(hostile), { networks: ["base-sepolia"] })
    const visitor = visit(server)
    const before = await local().received()
    const payment = await visitor.payFor(calls.track)
    expectRefused(await visitor.present(calls.track, payment), "insufficient_funds")
    expect(await movedSince(before)).toBe(amountOf(payment))
    expect(await server.till.reconcile()).toEqual({ settled: 0, pending: 0 })
    expect(await server.till.ledger.list()).toEqual([])
  })
})
