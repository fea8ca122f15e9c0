import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FacilitatorClient, TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import type { PrivateKeyAccount } from "viem/accounts"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { openAttacker } from "../src/Attacker.ts"
import { blamesPayers, blamingPayers } from "../src/BlamesPayers.ts"
import { calls, type ReceivedResponse } from "../src/Calls.ts"
import { acceptingUsedNonces, oneBlockBehind } from "../src/CarelessVerify.ts"
import { expectFailed, expectRefused } from "../src/expectations.ts"
import { openFlakyRpc } from "../src/FlakyRpc.ts"
import { workDone } from "../src/Goods.ts"
import { localChainOfFile, type LocalChain, readable } from "../src/LocalChain.ts"
import { keepOurs, openOurs } from "../src/Ours.ts"
import { openOfficial } from "../src/Official.ts"
import { openReceiptReader, receiptReader } from "../src/ReceiptReader.ts"
import { standings } from "../src/Standing.ts"
import { visit, type Visitor } from "../src/Visitor.ts"

/*
 * One transfer, presented to two tills with a store each and the same `payTo`: settled at the first, then shown to the
 * second. Its payer is new to the second one, or known there.
 */

const local = localChainOfFile({ movesClock: true })
const { search } = calls
const price = 10_000n

afterEach(() => {
  vi.useRealTimers()
})

/** Lets the two seconds pass in which a till doesn't read the newest block again. */
const untilHeadIsRead = (): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2_001 })
}

/** A till that reads the chain. */
const openOnChain = (facilitator: FacilitatorClient, options: Partial<TillOptions> = {}) =>
  openOurs(facilitator, { networks: [readable(local())], trustFacilitator: false, ...options })

const expectPaid = (response: ReceivedResponse): void => expect(response.status, response.text).toBe(200)

/** Payments that a server has settled, each for its own call. */
const settleAt = async (first: Visitor, account: PrivateKeyAccount, count: number) => {
  const payments = []
  for (let made = 0; made < count; made++) {
    const payment = await first.payFor(search, { account, withoutResource: true })
    expectPaid(await first.present(search, payment))
    payments.push(payment)
  }
  untilHeadIsRead()
  return payments
}

type Careless = (chain: LocalChain) => FacilitatorClient

/** One payment settled at one naive server and served by another. */
const landsOnNaive = async (careless: Careless): Promise<void> => {
  const account = await openAttacker(local()).fund(price)
  const open = () => visit(openReceiptReader(careless(local()), local().chain))
  const before = await local().received()
  const [payment] = await settleAt(open(), account, 1)
  expectPaid(await open().present(search, payment!))
  expect((await local().received()) - before).toBe(price)
}

/** Has the payer pay once at the second till, or not at all. */
const openSecond = async (facilitator: FacilitatorClient, account: PrivateKeyAccount, isKnown: boolean) => {
  const server = await openOnChain(facilitator)
  if (isKnown)
    expectPaid(await visit(server).present(search, await visit(server).payFor(search, { account })))
  return server
}

const failsOnOurs = async (careless: Careless, count: number): Promise<void> => {
  for (const isKnown of [false, true]) {
    const account = await openAttacker(local()).fund(100n * price)
    const first = await openOnChain(local().facilitator.client)
    const second = await openSecond(careless(local()), account, isKnown)
    const entries = await second.till.ledger.list()
    for (const payment of await settleAt(visit(first), account, count))
      expectRefused(await visit(second).present(search, payment), "payment_already_used")
    await second.till.reconcile()
    expect(await second.till.ledger.list()).toEqual(entries)
    vi.useRealTimers()
  }
}

attack("a settled payment presented to another till whose facilitator accepts used nonces", {
  on: receiptReader,
  lands: () => landsOnNaive(acceptingUsedNonces),
  fails: () => failsOnOurs(acceptingUsedNonces, 2)
})

attack("a settled payment presented to another till whose facilitator's node is one block behind", {
  on: receiptReader,
  lands: () => landsOnNaive(oneBlockBehind),
  // Only the newest block is hidden from it.
  fails: () => failsOnOurs(oneBlockBehind, 1)
})

attack("a settled payment presented to another till that has just started and can't read its node", {
  on: receiptReader,
  lands: () => landsOnNaive(acceptingUsedNonces),
  fails: async () => {
    const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const first = visit(await openOnChain(local().facilitator.client))
    const facilitator = acceptingUsedNonces(local())
    for (const standing of standings) {
      const storage = () => sqlite({ filename: join(folder, `${standing}.sqlite`) })
      const account = await openAttacker(local()).fund(100n * price)
      if (standing === "known") {
        const before = await keepOurs(facilitator, {
          networks: [readable(local())],
          trustFacilitator: false,
          storage: storage()
        })
        const visitor = visit(before)
        expectPaid(await visitor.present(search, await visitor.payFor(search, { account })))
        await before.till.dispose()
      }
      const rpc = await openFlakyRpc(local().chain.rpcUrl)
      rpc.cutOff()
      const second = await openOnChain(facilitator, {
        networks: [{ ...readable(local()), rpcUrl: rpc.url }],
        storage: storage()
      })
      const entries = await second.till.ledger.list()
      const [payment] = await settleAt(first, account, 1)
      expectFailed(await visit(second).present(search, payment!), 503, "FACILITATOR_UNAVAILABLE")
      rpc.restore()
      vi.setSystemTime(Date.now() + 2_001)
      expectRefused(await visit(second).present(search, payment!), "payment_already_used")
      expect(await second.till.ledger.list()).toEqual(entries)
      vi.useRealTimers()
    }
  }
})

const payments = 8

attack("settled payments shown to another till for a refund, by a payer without money", {
  on: receiptReader,
  lands: async () => {
    const attacker = openAttacker(local())
    const account = await attacker.fund(BigInt(payments) * price)
    const first = visit(openReceiptReader(local().facilitator.client, local().chain))
    const second = openReceiptReader(local().facilitator.client, local().chain)
    await local().chain.mint(local().chain.accounts(7).address, BigInt(payments) * price)
    for (const payment of await settleAt(first, account, payments))
      await visit(second).present(search, payment)
    await second.refund()
    // Served by the first, and paid back by the second.
    expect(await local().chain.balanceOf(account.address)).toBe(BigInt(payments) * price)
  },
  fails: async () => {
    const attacker = openAttacker(local())
    const refundWallet = local().chain.accounts(7)
    await local().chain.mint(refundWallet.address, BigInt(payments) * price)
    for (const isKnown of [false, true]) {
      const account = await attacker.fund(BigInt(payments + (isKnown ? 1 : 0)) * price)
      const first = await openOnChain(local().facilitator.client)
      const facilitator = acceptingUsedNonces(local())
      let verified = 0
      const counted: FacilitatorClient = {
        ...facilitator,
        verify: (...given) => {
          verified++
          return facilitator.verify(...given)
        }
      }
      const limits = { failedPayerMillis: 0, exposurePerPayer: "1.00", unverified: 2 * payments }
      const second = await openOnChain(counted, { refundWallet, limits })
      const visitor = visit(second)
      if (isKnown) expectPaid(await visitor.present(search, await visitor.payFor(search, { account })))
      const [entries, work] = [await second.till.ledger.list(), workDone(second.goods)]
      const wallet = await local().chain.balanceOf(refundWallet.address)
      verified = 0
      const settled = await settleAt(visit(first), account, payments)
      expect(await local().chain.balanceOf(account.address)).toBe(0n)
      const presenting = settled.map((payment) => visitor.present(search, payment))
      // Each waits ten seconds for money.
      await vi.waitFor(() => expect(verified).toBe(payments))
      vi.setSystemTime(Date.now() + 11_000)
      for (const response of await Promise.all(presenting))
        expectRefused(response, "payment_already_used", "insufficient_funds")
      // What is watched is looked at, too.
      vi.setSystemTime(Date.now() + 1_000_000)
      await second.till.reconcile()
      vi.useRealTimers()
      expect(await second.till.ledger.list()).toEqual(entries)
      expect((await second.till.charges.list({ limit: 100 })).filter(({ refund }) => refund)).toEqual([])
      // The first one that is claimed: only the facilitator could know that its payer has no money.
      expect(workDone(second.goods) - work).toBeLessThanOrEqual(1)
      expect(await local().chain.balanceOf(refundWallet.address)).toBe(wallet)
    }
  }
})

it.each([-300, 300])(
  "a till whose clock is off by %i seconds refuses nobody who has paid",
  async (seconds) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1_000 })
    const { client } = local().facilitator
    /** Settles, and its response is lost. */
    const losing: FacilitatorClient = {
      ...client,
      settle: async (...given) => {
        await client.settle(...given)
        throw new Error("reset by peer")
      }
    }
    const account = await openAttacker(local()).fund(2n * price)
    const visitor = visit(await openOnChain(losing, { maxTimeoutSeconds: 600 }))
    const validBefore = String(Math.floor(Date.now() / 1_000) + 500)
    for (const _ of ["a new payer", "one who is known"]) {
      const payment = await visitor.payFor(search, {
        account,
        authorization: { validAfter: "0", validBefore }
      })
      expectPaid(await visitor.present(search, payment))
    }
  }
)

it("a payment that somebody else sends while it is verified is served", async () => {
  const { client } = local().facilitator
  /** Verifies; then somebody who saw the payment sends it, and the till reads the chain for its next call. */
  const overtaken: FacilitatorClient = {
    ...client,
    verify: async (payment, requirements) => {
      const verified = await client.verify(payment, requirements)
      await client.settle(payment, requirements)
      vi.setSystemTime(Date.now() + 2_001)
      return verified
    }
  }
  const account = await openAttacker(local()).fund(10n * price)
  const visitor = visit(await openOnChain(overtaken))
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  for (const _ of ["a new payer", "one who is known"])
    expectPaid(await visitor.present(search, await visitor.payFor(search, { account })))
})

describe("what no server can promise", () => {
  it("a till refunds a payment whose work failed there, although another till with a store of its own has served it since", async () => {
    const account = await openAttacker(local()).fund(price)
    const failing = await openOnChain(local().facilitator.client)
    failing.goods.marketplace.search.failsWith(new Error("reset by peer"))
    const before = await local().received()
    const payment = await visit(failing).payFor(search, { account, withoutResource: true })
    expect([502, 503]).toContain((await visit(failing).present(search, payment)).status)
    expectPaid(await visit(await openOnChain(local().facilitator.client)).present(search, payment))
    await local().pass(2)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000_000 })
    await failing.till.reconcile()
    const kinds = (await failing.till.ledger.list()).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(["refund_due", "settled"])
    expect((await local().received()) - before).toBe(price)
  })

  it("a till whose node is down takes a payment that another till has settled since then", async () => {
    const account = await openAttacker(local()).fund(10n * price)
    const rpc = await openFlakyRpc(local().chain.rpcUrl)
    const second = await openOnChain(acceptingUsedNonces(local()), {
      networks: [{ ...readable(local()), rpcUrl: rpc.url }]
    })
    expectPaid(await visit(second).present(search, await visit(second).payFor(search, { account })))
    rpc.cutOff()
    const [payment] = await settleAt(visit(await openOnChain(local().facilitator.client)), account, 1)
    expectFailed(await visit(second).present(search, payment!), 503, "SETTLEMENT_PENDING")
    rpc.restore()
    vi.setSystemTime(Date.now() + 2_001)
    expectPaid(await visit(second).present(search, payment!))
  })
})

/** A stranger presents payments of a payer, which another till has settled, at a second one. */
const presentCopies = async (second: Visitor, account: PrivateKeyAccount, count: number) => {
  const { track } = calls
  const first = visit(await openOnChain(local().facilitator.client))
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now(), shouldAdvanceTime: true })
  for (let copied = 0; copied < count; copied++) {
    const payment = await first.payFor(track, { account, withoutResource: true })
    expectPaid(await first.present(track, payment))
    vi.setSystemTime(Date.now() + 2_001)
    expect((await second.present(track, payment)).status).toBe(402)
  }
  return second.present(track, await second.payFor(track, { account }))
}

attack(
  "settled payments copied from the chain and presented to another till, to lock their payer out there",
  {
    on: blamesPayers,
    lands: async () => {
      const account = await openAttacker(local()).fund(20n * 520_000n)
      const second = visit(blamingPayers(await openOfficial(acceptingUsedNonces(local()))))
      expect((await presentCopies(second, account, 1)).status).toBe(429)
    },
    fails: async () => {
      for (const [standing, count] of [
        ["new", 1],
        ["known", 1],
        ["new", 4]
      ] as const) {
        const account = await openAttacker(local()).fund(20n * 520_000n)
        const second = visit(await openOnChain(acceptingUsedNonces(local())))
        if (standing === "known")
          expectPaid(await second.present(search, await second.payFor(search, { account })))
        expectPaid(await presentCopies(second, account, count))
        vi.useRealTimers()
      }
    }
  }
)
