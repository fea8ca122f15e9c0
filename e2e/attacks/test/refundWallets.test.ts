import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { usdcAbi } from "@till402/sandbox"
import { type Hex, keccak256, parseEventLogs, stringToHex } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { openAttacker } from "../src/Attacker.ts"
import { calls, usdc } from "../src/Calls.ts"
import { localChainOfFile, readable } from "../src/LocalChain.ts"
import { settleCall, useNonce } from "../src/Multicall.ts"
import { openOurs, type Ours } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { isUsed } from "../src/ReceiptReader.ts"
import { sendRefunds } from "../src/RefundSender.ts"
import { openSettlesFirst } from "../src/SettlesFirst.ts"
import { visit } from "../src/Visitor.ts"

/*
 * Refunds of one store, with more than one wallet that can pay them, and strangers who use their nonces.
 */

const local = localChainOfFile({ movesClock: true })
const price = 520_000n
const owedResponseMillis = 600_000
const leaseMillis = 200_000
const refundsByNonce = "a hand-rolled server that knows a refund by its nonce"

afterEach(() => {
  vi.useRealTimers()
})

const nonceOf = (chargeKey: string): Hex => keccak256(stringToHex(`till402 refund ${chargeKey}`))
const account = () => openAttacker(local()).fund(2n * price)
const newWallet = () => openAttacker(local()).fund(10n * price)

/** A payment that a naive server has settled for work that failed. Returns its payer. */
const oweNaive = async (): Promise<PrivateKeyAccount> => {
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

attack("a refund that two refund wallets of one store can pay", {
  on: refundsByNonce,
  lands: async () => {
    const payer = await oweNaive()
    const nonce = nonceOf("the payment")
    const before = await local().chain.balanceOf(payer.address)
    // A former rule of Till402: a refund is sent while its nonce is unused. Each wallet has nonces of its own.
    for (const wallet of [await newWallet(), await newWallet()]) {
      const authorization = { from: wallet.address, nonce } as Parameters<typeof isUsed>[1]
      for (let time = 0; time < 2; time++)
        if (!(await isUsed(local().chain, authorization)))
          await openAttacker(local()).send(await useNonce(wallet, { to: payer.address, value: price, nonce }))
    }
    expect((await local().chain.balanceOf(payer.address)) - before).toBe(2n * price)
  },
  fails: async () => {
    for (const isKnown of [false, true]) {
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
      vi.useRealTimers()
    }
  }
})

/** What strangers send under the nonce of a refund, nothing to themselves or the whole amount to the payer. */
const uses = [
  { isKnown: false, value: 0n },
  { isKnown: true, value: price }
]

attack("a refund whose nonce a stranger uses", {
  on: refundsByNonce,
  lands: async () => {
    const payer = await oweNaive()
    const nonce = nonceOf("another payment")
    const before = await local().chain.balanceOf(payer.address)
    const stranger = await account()
    await openAttacker(local()).send(await useNonce(stranger, { to: stranger.address, value: 0n, nonce }))
    // Looks for the nonce in the events of the token.
    const logs = await local().chain.client.getLogs({ address: usdc, fromBlock: 0n })
    const used = parseEventLogs({ abi: usdcAbi, eventName: "AuthorizationUsed", logs })
    const isSent = used.some(({ args }) => args.nonce === nonce)
    if (!isSent)
      await openAttacker(local()).send(
        await useNonce(await newWallet(), { to: payer.address, value: price, nonce })
      )
    expect((await local().chain.balanceOf(payer.address)) - before).toBe(0n)
  },
  fails: async () => {
    for (const { isKnown, value } of uses) {
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
      vi.useRealTimers()
    }
  }
})

/**
 * One payment fails at tills with a store of their own each, and one of these wallets each. Then its payer settles it
 * without them. Returns what the payer has in the end.
 */
const failAtEach = async (wallets: ReadonlyArray<PrivateKeyAccount>): Promise<bigint> => {
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

it("two tills with a store of their own each and one refund wallet refund a payment once", async () => {
  const wallet = await newWallet()
  expect(await failAtEach([wallet, wallet])).toBe(price)
})

describe("what no server can promise", () => {
  it("two tills with a store and a refund wallet of their own each both refund a payment that failed at both", async () => {
    expect(await failAtEach([await newWallet(), await newWallet()])).toBe(2n * price)
  })
})
