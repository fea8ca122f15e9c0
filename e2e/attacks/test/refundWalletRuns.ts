import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { type Hex, keccak256, stringToHex } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { afterEach, expect, onTestFinished, vi } from "vitest"
import { openAttacker } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { type LocalChain, localChainOfFile, readable } from "../src/LocalChain.ts"
import { settleCall, useNonce } from "../src/Multicall.ts"
import { openOurs, type Ours } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { sendRefunds } from "../src/RefundSender.ts"
import { openSettlesFirst } from "../src/SettlesFirst.ts"
import { visit } from "../src/Visitor.ts"

/*
 * Refunds of one store, with more than one wallet that can pay them, and strangers who use their nonces.
 */

export const price = 520_000n
const owedResponseMillis = 600_000
const leaseMillis = 200_000

export let local: () => LocalChain
/** Starts the chain of a test file, which calls this once. */
export const startRefundChain = (): void => {
  local = localChainOfFile({ movesClock: true })
  afterEach(() => {
    vi.useRealTimers()
  })
}

export const nonceOf = (chargeKey: string): Hex => keccak256(stringToHex(`till402 refund ${chargeKey}`))
export const account = () => openAttacker(local()).fund(2n * price)
export const newWallet = () => openAttacker(local()).fund(10n * price)

/** A payment that a naive server has settled for work that failed. Returns its payer. */
export const oweNaive = async (): Promise<PrivateKeyAccount> => {
  const server = openSettlesFirst(local().facilitator.client)
  server.goods.tracker.track.failsWith(new Error("reset by peer"))
  const payer = await account()
  const visitor = visit(server)
  const payment = await visitor.payFor(calls.track, { account: payer })
  expect((await visitor.present(calls.track, payment)).status).toBe(500)
  return payer
}

/** Opens a till over a file. With a wallet, it sends refunds. */
const tillsOverFile = async () => {
  const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return (refundWallet?: PrivateKeyAccount) => {
    const options: Partial<TillOptions> = {
      networks: [readable(local())],
      trustFacilitator: false,
      settlement: { track: "before-work" },
      owedResponseMillis,
      storage: sqlite({ filename: join(folder, "till.sqlite") }),
      ...(refundWallet === undefined ? {} : { refundWallet })
    }
    return openOurs(local().facilitator.client, options)
  }
}

/** The same at a till that has no refund wallet, by a new payer or by one who has been served. */
const oweAtOurs = async (openTill: Awaited<ReturnType<typeof tillsOverFile>>, isKnown: boolean) => {
  const server = await openTill()
  const { goods, till } = server
  const payer = await account()
  const visitor = visit(server)
  const present = async () =>
    visitor.present(calls.track, await visitor.payFor(calls.track, { account: payer }))
  if (isKnown) expect((await present()).status).toBe(200)
  goods.tracker.track.failsWith(new Error("reset by peer"))
  expect([502, 503]).toContain((await present()).status)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + owedResponseMillis + leaseMillis })
  await till.reconcile()
  const due = (await till.ledger.list()).filter(({ kind }) => kind === "refund_due")
  expect(due).toHaveLength(1)
  await till.dispose()
  const before = await local().chain.balanceOf(payer.address)
  return { payer, chargeKey: due[0]!.chargeKey, before }
}

/** Two wallets of one store pay a refund, whose payer is new or has been served before. */
export const payByTwo = async (isKnown: boolean): Promise<void> => {
  const openTill = await tillsOverFile()
  const { before, payer } = await oweAtOurs(openTill, isKnown)
  const wallets = [await newWallet(), await newWallet()]
  let other: Ours | undefined
  const { till } = await sendRefunds(local(), async () => {
    await other?.till.dispose()
    const [ours, second] = await Promise.all(wallets.map(openTill))
    other = second
    return ours!
  })
  expect((await local().chain.balanceOf(payer.address)) - before).toBe(price)
  const left = await Promise.all(wallets.map(({ address }) => local().chain.balanceOf(address)))
  expect(left.reduce((sum, balance) => sum + balance, 0n)).toBe(19n * price)
  expect((await till.ledger.list()).filter(({ kind }) => kind === "refunded")).toHaveLength(1)
  expect(await till.ledger.check({ chain: true })).toMatchObject({ isBalanced: true })
}

/** A stranger sends that value under the nonce of a refund: nothing to itself, or the whole amount to the payer. */
export const payDespite = async ({
  isKnown,
  value
}: {
  readonly isKnown: boolean
  readonly value: bigint
}): Promise<void> => {
  const openTill = await tillsOverFile()
  const { before, chargeKey, payer } = await oweAtOurs(openTill, isKnown)
  const [stranger, wallet] = [await account(), await newWallet()]
  const to = value === 0n ? stranger.address : payer.address
  await openAttacker(local()).send(await useNonce(stranger, { to, value, nonce: nonceOf(chargeKey) }))
  const { till } = await sendRefunds(local(), () => openTill(wallet))
  expect((await local().chain.balanceOf(payer.address)) - before).toBe(price + value)
  expect(await local().chain.balanceOf(wallet.address)).toBe(9n * price)
  expect((await till.refunds.status()).stopped).toBeUndefined()
  const check = await till.ledger.check({ chain: true })
  expect(check).toMatchObject({ isBalanced: true, chain: { otherOutflows: { transfers: 0 } } })
}

/**
 * One payment fails at tills with a store of their own each, and one of these wallets each. Then its payer settles it
 * without them. Returns what the payer has in the end.
 */
export const failAtEach = async (wallets: ReadonlyArray<PrivateKeyAccount>): Promise<bigint> => {
  const payer = await openAttacker(local()).fund(price)
  let payment: Payment | undefined
  const tills = []
  for (const refundWallet of wallets) {
    const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const open = () =>
      openOurs(local().facilitator.client, {
        networks: [readable(local())],
        trustFacilitator: false,
        storage: sqlite({ filename: join(folder, "till.sqlite") }),
        refundWallet
      })
    const server = await open()
    server.goods.tracker.track.failsWith(new Error("reset by peer"))
    const visitor = visit(server)
    payment ??= await visitor.payFor(calls.track, { account: payer, withoutResource: true })
    expect([502, 503]).toContain((await visitor.present(calls.track, payment)).status)
    tills.push({ open, till: server.till })
  }
  await openAttacker(local()).send(settleCall(payment!))
  await local().pass(2)
  for (const { open, till } of tills) {
    // The payment has expired by then.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 250_000 })
    await till.reconcile()
    expect((await till.ledger.list({ limit: 2 })).map(({ kind }) => kind)).toContain("refund_due")
    vi.useRealTimers()
    await till.dispose()
    await sendRefunds(local(), open)
  }
  return local().chain.balanceOf(payer.address)
}
