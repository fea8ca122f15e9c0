import type { TillOptions } from "@till402/core"
import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { type Address, address, type Instruction } from "@solana/kit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { attack } from "../src/attack.ts"
import { buyOf, type Call, calls, requestOf } from "../src/Calls.ts"
import { openOurs } from "../src/Ours.ts"
import { composePayment, reencoded } from "../src/SolanaPayments.ts"
import { openOrderBook, openOrderShop, rules, type SeenPayment, solanaOrders } from "../src/SolanaSigner.ts"

/*
 * Attacks on orders by payments on Solana: with the memo that the 402 of `buy` names, without one, and with a transaction
 * that pays for something else.
 */

let chain: SolanaChain
let official: LocalSolanaFacilitator
beforeAll(async () => {
  chain = await startSolanaChain()
  official = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

let wallets = 600
const memoProgram = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
const memo = (text: string): Instruction => ({
  programAddress: memoProgram,
  data: new TextEncoder().encode(text)
})

/** A payer with money, a payee and a fee payer, whom no other attack knows. */
const openScene = async () => {
  const [payer, payee, feePayer] = await Promise.all(
    Array.from({ length: 3 }, () => chain.wallets(++wallets))
  )
  if (payer === undefined || payee === undefined || feePayer === undefined)
    throw new Error("three wallets were asked for")
  const source = await chain.mint(payer.address, 100_000_000n)
  const destination = await chain.mint(payee.address, 0n)
  chain.airdrop(feePayer.address)
  const compose = (signer: string, amount: bigint, ...memos: ReadonlyArray<string>) =>
    composePayment(chain, {
      payer,
      feePayer: signer as Address,
      amount,
      source,
      destination,
      mint: chain.usdc.mint,
      more: memos.map(memo)
    })
  return { payee, feePayer, destination, compose, received: () => chain.balanceOf(payee.address) }
}

type Scene = Awaited<ReturnType<typeof openScene>>

/** The order of a thief: the same product at the same price, to another address. */
const other = buyOf("B000000001", { ...Object(calls.buy.body).shippingAddress, name: "Mallory" })

/** A till on Solana, whose facilitator is the official one. */
const openTill = async ({ payee }: Scene, options: Partial<TillOptions> = {}) => {
  const { fetch, goods } = await openOurs(official.client, {
    networks: [{ network: "solana-devnet", payTo: payee.address, rpcUrl: chain.rpcUrl }],
    payTo: payee.address,
    trustFacilitator: false,
    limits: { failedPayerMillis: 0, exposurePerPayer: "100.00", maxExposurePerPayer: "100.00" },
    ...options
  })
  const quote = async (call: Call) => {
    const { accepts } = (await (await fetch(requestOf(call))).json()) as {
      accepts: ReadonlyArray<{ maxAmountRequired: string; extra: { memo: string } }>
    }
    return { amount: BigInt(accepts[0]!.maxAmountRequired), memo: accepts[0]!.extra.memo }
  }
  const present = async (transaction: string, call: Call) => {
    const payment = { x402Version: 1, scheme: "exact", network: "solana-devnet", payload: { transaction } }
    const header = Buffer.from(JSON.stringify(payment)).toString("base64")
    const response = await fetch(requestOf(call, { "x-payment": header }))
    return { status: response.status, text: await response.text() }
  }
  const orders = async () => {
    await expect.poll(() => goods.fulfilment.orders.size, { timeout: 60_000 }).toBeGreaterThan(0)
    return goods.fulfilment.orders.size
  }
  return { goods, orders, present, quote }
}

const price = 5_000_000n

const rightTransfer = ({ destination }: Scene, payment: SeenPayment) =>
  rules.amount(payment, price) &&
  rules.mint(payment, chain.usdc.mint) &&
  rules.program(payment) &&
  rules.destination(payment, destination)

attack("a payment on Solana without a memo for two orders of one price", {
  on: solanaOrders,
  lands: async () => {
    const scene = await openScene()
    // Its memo binds a payment to its order, where there is one.
    const buy = openOrderShop({
      chain,
      feePayer: scene.feePayer,
      accepts: (payment, order) =>
        rightTransfer(scene, payment) && payment.memos.every((text) => text === order)
    })
    const payment = await scene.compose(scene.feePayer.address, price)
    expect([await buy(payment, "1"), await buy(payment, "2")]).toEqual([true, true])
    expect(await scene.received()).toBe(price)
  },
  fails: async () => {
    const scene = await openScene()
    const { orders, present, quote } = await openTill(scene)
    const { amount } = await quote(calls.buy)
    expect((await quote(other)).amount).toBe(amount)
    const payment = await scene.compose(official.feePayer, amount)
    const both = await Promise.all([present(payment, calls.buy), present(payment, other)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 402])
    const bought = both[0]!.status === 200 ? calls.buy : other
    const unbought = bought === other ? calls.buy : other
    // Later, too, as anyone reads it on the chain; a retry of its payer gets the same response.
    const stolen = await present(reencoded(payment), unbought)
    expect([stolen.status, stolen.text]).toEqual([402, expect.stringContaining("payment_already_used")])
    expect(await present(payment, bought)).toEqual(both.find(({ status }) => status === 200))
    expect([await orders(), await scene.received()]).toEqual([1, amount])
  }
})

attack("a payment on Solana with the memo of another's quote", {
  on: solanaOrders,
  lands: async () => {
    const scene = await openScene()
    const buy = openOrderShop({
      chain,
      feePayer: scene.feePayer,
      // Clients put what they like in a memo, so it reads none.
      accepts: (payment) => rightTransfer(scene, payment)
    })
    // The thief is faster with it than its payer.
    const payment = await scene.compose(scene.feePayer.address, price, "order of Ada")
    expect(await buy(payment, "order of Mallory")).toBe(true)
  },
  fails: async () => {
    const scene = await openScene()
    const { goods, orders, present, quote } = await openTill(scene)
    const { amount, memo: named } = await quote(calls.buy)
    await quote(other)
    const payment = await scene.compose(official.feePayer, amount, named)
    const stolen = await present(payment, other)
    expect([stolen.status, stolen.text]).toEqual([402, expect.stringContaining("payload_memo_mismatch")])
    expect(goods.fulfilment.orders.size).toBe(0)
    expect((await present(payment, calls.buy)).status).toBe(200)
    expect([await orders(), await scene.received()]).toEqual([1, amount])
  }
})

attack("a transaction of a payer on Solana, to learn what they have bought", {
  on: solanaOrders,
  lands: async () => {
    const scene = await openScene()
    const shop = openOrderBook()
    shop.sold(await scene.compose(scene.feePayer.address, price), "the order of Ada")
    // Public on the chain, to somebody else: not signed for this shop.
    const payment = await scene.compose(official.feePayer, 1n)
    expect(await shop.repeats(payment, "the order of Ada")).toBe(true)
  },
  fails: async () => {
    const scene = await openScene()
    const { present, quote } = await openTill(scene)
    const { amount } = await quote(calls.buy)
    const bought = await present(await scene.compose(official.feePayer, amount), calls.buy)
    expect(bought.status).toBe(200)
    for (const signer of [scene.feePayer.address, official.feePayer]) {
      const told = await present(await scene.compose(signer, 1n), calls.buy)
      expect(told.status).toBe(402)
      expect(told.text).not.toMatch(/DUPLICATE_ORDER|x402-status/)
    }
    expect(await scene.received()).toBe(amount)
  }
})

describe("what no server can promise", () => {
  it("a payment on Solana without a memo buys the first request that presents it", async () => {
    const scene = await openScene()
    const { present, quote } = await openTill(scene)
    const { amount } = await quote(calls.buy)
    await quote(other)
    const payment = await scene.compose(official.feePayer, amount)
    expect((await present(payment, other)).status).toBe(200)
    expect((await present(payment, calls.buy)).status).toBe(402)
    expect(await scene.received()).toBe(amount)
  })
})
