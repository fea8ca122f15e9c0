import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FacilitatorClient, TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import type { Hash, Hex } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { beforeAll, expect, onTestFinished } from "vitest"
import type { Pair } from "../src/attack.ts"
import { openAttacker } from "../src/Attacker.ts"
import { type Call, payTo } from "../src/Calls.ts"
import { Gathering } from "../src/Gathering.ts"
import { openLedger } from "../src/Ledger.ts"
import { type LocalChain, localChainOfFile, readable } from "../src/LocalChain.ts"
import { multicall, settleCall, useNonce } from "../src/Multicall.ts"
import { openOurs } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { openReceiptReader, receiptReader } from "../src/ReceiptReader.ts"
import { sendRefunds } from "../src/RefundSender.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * One transfer shown as proof of many payments: a transaction that pays once uses up the nonces of all of them.
 */

let local: () => LocalChain
const walletMoney = 1_000_000_000n

/** Gives a test file the chain, with a wallet that sends refunds. */
export const startBatchChain = (): void => {
  local = localChainOfFile({ movesClock: true })
  beforeAll(async () => {
    await local().chain.mint(local().chain.accounts(7).address, walletMoney)
  })
}

/** How the nonces of the other payments are used up. */
type Spend = (account: PrivateKeyAccount, nonce: string) => Promise<Hex>

export const spends = {
  toSelf: (account, nonce) => useNonce(account, { to: account.address, value: 0n, nonce }),
  toPayTo: (account, nonce) => useNonce(account, { to: payTo, value: 0n, nonce }),
  split: (account, nonce) => useNonce(account, { to: payTo, value: 1n, nonce }),
  received: (account, nonce) => useNonce(account, { by: "receive", to: multicall, value: 0n, nonce })
} satisfies Record<string, Spend>

/** One transaction: the first payment in full, and the nonces of the others. */
const composeBatch = async (
  account: PrivateKeyAccount,
  [real, ...others]: ReadonlyArray<Payment>,
  spend: Spend
): Promise<ReadonlyArray<Hex>> => {
  const rest = await Promise.all(others.map(({ payload }) => spend(account, payload.authorization.nonce)))
  // In the middle, so that a rule that reads only the first or last event can't pass by accident.
  const middle = Math.floor(rest.length / 2)
  return [...rest.slice(0, middle), settleCall(real!), ...rest.slice(middle)]
}

/** A server under attack, and how it sends the refunds that it considers due. */
interface Target {
  readonly server: Server
  readonly refund: () => Promise<void>
}

type Open = (facilitator: FacilitatorClient) => Promise<Target>

const openNaive: Open = async (facilitator) => {
  const server = openReceiptReader(facilitator, local().chain)
  const refund = async () => {
    await server.watch()
    await server.refund()
  }
  return { server, refund }
}

/** Turns the limits off: only the proof may stop the attack. */
const wideOpen: TillOptions["limits"] = {
  exposurePerPayer: "100.00",
  maxExposurePerPayer: "100.00",
  lossPerHour: "1000.00",
  failedPayerMillis: 0
}

/** A till over a file. A second till over the same file sends its refunds. */
const openTill: Open = async (facilitator) => {
  const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const options: Partial<TillOptions> = {
    networks: [readable(local())],
    trustFacilitator: false,
    limits: wideOpen
  }
  const storage = () => sqlite({ filename: join(folder, "till.sqlite") })
  const server = await openOurs(facilitator, { ...options, storage: storage() })
  return {
    server,
    refund: async () => {
      const { till } = await sendRefunds(local(), () =>
        openOurs(local().facilitator.client, {
          ...options,
          storage: storage(),
          refundWallet: local().chain.accounts(7)
        })
      )
      expect(await till.ledger.check()).toMatchObject({ isBalanced: true })
    }
  }
}

export interface Attack {
  readonly call: Call
  /** Payments that one transfer is to prove. */
  readonly count: number
  readonly spend: Spend
}

const millis = 1_500

/** Signs the payments, from an account that can pay each of them. */
const prepare = async ({ server }: Target, { call, count }: Attack) => {
  const attacker = openAttacker(local())
  const visitor = visit(server)
  const price = BigInt((await visitor.challenge(call)).accepts[0]!.amount)
  const account = await attacker.fund(price * BigInt(count))
  const payments: Array<Payment> = []
  for (let made = 0; made < count; made++) payments.push(await visitor.payFor(call, { account }))
  const ledger = await openLedger(local(), [account.address], visitor)
  /** Presents all at once, then each once more when all proofs are final. */
  const presentAll = async () => {
    await Promise.all(payments.map((payment) => ledger.present(call, payment)))
    await local().pass(2)
    await Promise.all(payments.map((payment) => ledger.present(call, payment)))
  }
  return { account, attacker, ledger, payments, presentAll }
}

/** Sends the batch to the chain before the first payment is presented. */
export const presentAfterwards = async (open: Open, attack: Attack, title: string): Promise<bigint> => {
  const target = await open(local().facilitator.client)
  const { account, attacker, ledger, payments, presentAll } = await prepare(target, attack)
  await attacker.sendBatch(await composeBatch(account, payments, attack.spend))
  await presentAll()
  await target.refund()
  return ledger.profit(title)
}

/** The facilitator's response to a settlement that the batch preempted. */
type Verdict = (batch: Hash) => ReturnType<FacilitatorClient["settle"]>

export const verdicts = {
  invalidState: async (batch) => ({
    success: false,
    errorReason: "invalid_transaction_state",
    transaction: batch
  }),
  silence: () => Promise.reject(new Error("no response"))
} satisfies Record<string, Verdict>

/** Sends the batch after the payments' work, just before the facilitator settles them. */
export const frontRun = async (
  open: Open,
  attack: Attack,
  verdict: Verdict,
  title: string
): Promise<bigint> => {
  let send: () => Promise<Hash> = () => Promise.reject(new Error("not prepared"))
  let batch: Promise<Hash> | undefined
  const gathering = new Gathering(attack.count, millis)
  const target = await open({
    verify: local().facilitator.client.verify,
    settle: async () => {
      await gathering.arrive()
      batch ??= send()
      return verdict(await batch)
    }
  })
  const { account, attacker, ledger, payments, presentAll } = await prepare(target, attack)
  const composed = await composeBatch(account, payments, attack.spend)
  send = () => attacker.sendBatch(composed)
  await presentAll()
  await target.refund()
  return ledger.profit(title)
}

/** The facilitator refuses all payments at settlement; the batch is sent afterwards. */
export const moveRefused = async (open: Open, attack: Attack, title: string): Promise<bigint> => {
  const gathering = new Gathering(attack.count, millis)
  const target = await open({
    verify: local().facilitator.client.verify,
    settle: async () => {
      await gathering.arrive()
      return { success: false, errorReason: "insufficient_funds", transaction: "" }
    }
  })
  const { account, attacker, ledger, payments, presentAll } = await prepare(target, attack)
  await presentAll()
  expect(ledger.delivered()).toBe(0n)
  await attacker.sendBatch(await composeBatch(account, payments, attack.spend))
  await presentAll()
  await target.refund()
  return ledger.profit(title)
}

export interface Run {
  readonly title: string
  readonly run: (open: Open, title: string) => Promise<bigint>
  /** Money that the attacker sent to `payTo` before any payment was requested: no refund is due. */
  readonly mayLose?: bigint
}

/** Millionths of a dollar that the attacker spends on the nonces. */
const dust = 100n

/** On Till402 the attacker gains nothing, and the one real payment isn't lost. */
export const pair = (...runs: ReadonlyArray<Run>): Pair => ({
  on: receiptReader,
  lands: async () => {
    for (const { run, title } of runs) expect(await run(openNaive, `${title}, naive`)).toBeGreaterThan(0n)
  },
  fails: async () => {
    const profits: Array<bigint> = []
    for (const { run, title } of runs) profits.push(await run(openTill, title))
    for (const [index, profit] of profits.entries()) {
      const { mayLose = 0n, title } = runs[index]!
      expect(profit, title).toBeLessThanOrEqual(0n)
      expect(profit, title).toBeGreaterThanOrEqual(-mayLose - dust)
    }
  }
})
