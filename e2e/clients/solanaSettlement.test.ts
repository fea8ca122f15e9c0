import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  solanaPayingFetch,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { openSolanaShop, origin, recordingPayments, refusalOf, searchUrl, trackUrl } from "./solanaShop.ts"

/*
 * A facilitator that fails or lies between payment and receipt, on a local Solana chain: no paid order is lost, no
 * unpaid one is placed, and no second payment is requested while the first may still move.
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

const lost = (): never => {
  throw new Error("connection reset")
}

/** A shop, and the first payment for a route as its client sent it. */
const presenting = async (
  shop: Awaited<ReturnType<typeof openSolanaShop>>,
  url: string,
  init?: RequestInit
) => {
  const { payments, recording } = recordingPayments(shop.send)
  const first = await solanaPayingFetch(chain, shop.payer, 1_000, recording)(url, init)
  const headers = { "content-type": "application/json", "payment-signature": payments[0]! }
  return { first, payments, again: () => shop.send(url, { ...init, headers }) }
}

describe("a settlement whose response is lost", () => {
  it("counts when the chain shows the payment's own transaction", async () => {
    const shop = await openSolanaShop(
      { chain, official },
      {
        settle: async (payload, requirements) => {
          await official.client.settle(payload, requirements)
          return lost()
        }
      }
    )
    const { again, first } = await presenting(shop, `${origin}/x402/buy`, shop.order)
    expect(first.status, await first.clone().text()).toBe(200)
    const text = await first.text()
    expect(await (await again()).text()).toBe(text)
    const [charge] = await shop.till.charges.list()
    expect(await shop.received()).toBe(charge!.amountAtomic)
    expect(shop.shop.orders).toHaveLength(1)
  })

  it("stays open while the payment can still move, and is void once its blockhash has expired", async () => {
    let settlements = 0
    const shop = await openSolanaShop(
      { chain, official },
      {
        settle: (payload, requirements) =>
          ++settlements <= 3 ? lost() : official.client.settle(payload, requirements)
      }
    )
    const { again, first } = await presenting(shop, searchUrl)
    expect(first.status).toBe(503)
    chain.advance(100)
    const retried = await again()
    expect([retried.status, settlements]).toEqual([503, 2])
    // The chain is ahead of the till's clock: too early to give up, and too late to move.
    chain.advance(300)
    expect((await again()).status).toBe(503)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 115_000 })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    expect(await refusalOf(await again())).toBe("payment_expired")
    expect(await shop.received()).toBe(0n)
    expect((await shop.pay(searchUrl)).status).toBe(200)
    expect(await shop.received()).toBe(10_000n)
  })

  it("is settled again by a retry, and moves once", async () => {
    let settlements = 0
    const shop = await openSolanaShop(
      { chain, official },
      {
        settle: (payload, requirements) =>
          ++settlements === 1 ? lost() : official.client.settle(payload, requirements)
      }
    )
    const { again, first } = await presenting(shop, trackUrl)
    expect(first.status).toBe(503)
    expect((await again()).status).toBe(200)
    expect((await again()).status).toBe(200)
    expect([settlements, await shop.received()]).toEqual([2, 520_000n])
  })
})

describe("a facilitator that lies", () => {
  it("can't pass off one transfer as another, of the same amount between the same accounts", async () => {
    const transactions: Array<string> = []
    const shop = await openSolanaShop(
      { chain, official },
      {
        settle: async (payload, requirements) => {
          if (transactions.length > 0) return { success: true, transaction: transactions[0]! }
          const settled = await official.client.settle(payload, requirements)
          transactions.push(settled.transaction)
          return settled
        }
      }
    )
    const { slug } = shop.vaultItem
    const buy = (email: string) =>
      shop.pay(`${origin}/x402/vault/buy`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ slug, walletAddress: shop.payer.address, email })
      })
    expect((await buy("ada@example.com")).status).toBe(200)
    const received = await shop.received()
    expect((await buy("grace@example.com")).status).toBe(503)
    expect(await shop.received()).toBe(received)
    const charges = await shop.till.charges.list()
    expect(charges.map(({ state }) => state).sort()).toEqual(["ready", "settled"])
  })

  it("can't make up a transaction", async () => {
    const shop = await openSolanaShop(
      { chain, official },
      { settle: async () => ({ success: true, transaction: "5".repeat(87) }) }
    )
    expect((await shop.pay(`${origin}/x402/buy`, shop.order)).status).toBe(503)
    expect(await shop.received()).toBe(0n)
  })
})

describe("the reconciler", () => {
  it("settles what a call left open, without the caller", async () => {
    let settlements = 0
    const shop = await openSolanaShop(
      { chain, official },
      {
        settle: async (payload, requirements) => {
          if (++settlements === 1) return lost()
          await official.client.settle(payload, requirements)
          return lost()
        }
      }
    )
    const { again, first } = await presenting(shop, trackUrl)
    expect(first.status).toBe(503)
    expect(await shop.till.reconcile()).toEqual({ settled: 1, pending: 0 })
    expect(await shop.received()).toBe(520_000n)
    expect((await again()).status).toBe(200)
    expect(settlements).toBe(2)
  })
})

describe("a fork that loses", () => {
  it("undoes a settlement, and the payment is open again", async () => {
    const shop = await openSolanaShop({ chain, official })
    const undo = chain.checkpoint()
    expect((await shop.pay(`${origin}/x402/buy`, shop.order)).status).toBe(200)
    expect(await shop.received()).toBeGreaterThan(0n)
    undo()
    expect(await shop.received()).toBe(0n)
    chain.advance(100)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25_000 })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    await shop.till.reconcile()
    expect(shop.events.map(({ code }) => code)).toContain("settlement_undone")
    expect(await shop.till.charges.list()).toMatchObject([{ state: "ready", transaction: undefined }])
  })

  it("leaves a settlement alone once its block is final", async () => {
    const shop = await openSolanaShop({ chain, official })
    expect((await shop.pay(`${origin}/x402/buy`, shop.order)).status).toBe(200)
    chain.advance(100)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25_000 })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    await shop.till.reconcile()
    expect(shop.events.map(({ code }) => code)).not.toContain("settlement_undone")
    expect(await shop.till.charges.list()).toMatchObject([{ state: "settled" }])
  })
})
