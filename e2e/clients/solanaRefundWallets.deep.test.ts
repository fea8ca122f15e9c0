import { generateKeyPairSigner } from "@solana/kit"
import { memoryTransferJournal } from "@till402/providers/solana-refunds"
import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { fund, refundsOn, refundSigner } from "./solanaRefundShop.ts"
import { expectPaidDespite, fastSlots, nextWallet, openWalletShop } from "./solanaRefundWalletShop.ts"

/*
 * Several refund wallets on one store, on a local Solana chain, each with a journal of its own: every refund is paid
 * once. And a node that hides what it has seen.
 */

let chain: SolanaChain
let official: LocalSolanaFacilitator
beforeAll(async () => {
  chain = await startSolanaChain(fastSlots)
  official = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await official?.stop()
  await chain?.stop()
})
beforeEach(() => chain.dropTransactions(false))

/** A node that says something else about transactions than the second node. */
const nodeThat =
  (change: (status: unknown) => unknown): typeof fetch =>
  async (input, init) => {
    const body = init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : String(init?.body)
    const isSecond = String(input instanceof Request ? input.url : input).includes("localhost")
    if (isSecond || !body.includes("getSignatureStatuses")) return fetch(input, init)
    const { result } = (await (await fetch(input, init)).json()) as {
      readonly result: { readonly value: ReadonlyArray<object | null> }
    }
    return Response.json({ jsonrpc: "2.0", id: 1, result: { ...result, value: result.value.map(change) } })
  }
const hiding = nodeThat(() => null)
const withoutFinality = nodeThat((status) =>
  status === null ? null : Object.assign({}, status, { confirmationStatus: "confirmed" })
)

describe("a refund on Solana that two wallets of one store can pay", () => {
  it("is paid once by tills that race", async () => {
    const shop = await openWalletShop({ chain, official })
    const tills = await Promise.all(
      (["first", "second", "first", "second"] as const).map((wallet) => shop.openTill(wallet))
    )
    await expect.poll(() => shop.statusOf(...tills), { timeout: 60_000, interval: 50 }).toBe("refunded")
    await shop.expectPaidOnce()
  })

  it("is recorded where the wallet was replaced while it waited for finality", async () => {
    const shop = await openWalletShop({ chain, official })
    const before = await shop.openTill("first", withoutFinality)
    const isPaid = async () => {
      await shop.statusOf(before)
      return shop.paidBy("first")
    }
    await expect.poll(isPaid, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0n)
    await before.till.dispose()
    const waiting = await shop.openTill("second", withoutFinality)
    expect(await shop.statusOf(waiting)).toBe("refund_due")
    await waiting.till.dispose()
    const after = await shop.openTill("second")
    await expect.poll(() => shop.statusOf(after)).toBe("refunded")
    expect(await shop.paidBy("second")).toBe(0n)
    await shop.expectPaidOnce()
  })

  it("is paid by the new wallet only once the old one's transaction has expired", async () => {
    const shop = await openWalletShop({ chain, official })
    const before = await shop.openTill("first")
    chain.dropTransactions(true)
    const attempts = async () => {
      await shop.statusOf(before)
      return before.journal.attempts().length
    }
    await expect.poll(attempts, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0)
    await before.till.dispose()
    const after = await shop.openTill("second")
    const codes = async () => {
      await shop.statusOf(after)
      return after.events.map(({ code }) => code)
    }
    await expect.poll(codes, { timeout: 60_000, interval: 20 }).toContain("refund_of_other_wallet")
    expect(await shop.paidBy("second")).toBe(0n)
    chain.dropTransactions(false)
    await expect.poll(() => shop.statusOf(after)).toBe("refunded")
    expect(await shop.paidBy("first")).toBe(0n)
    await shop.expectPaidOnce()
  })

  it("is paid once although a stranger uses its memo, for the same amount to the same payer", async () => {
    await expectPaidDespite({ chain, official }, 20)
  })
})

describe("a node that hides a transaction, and claims to have all blocks", () => {
  const transfer = async () => {
    const payee = (await generateKeyPairSigner()).address
    await chain.mint(payee, 0n)
    await fund(chain)
    return { key: payee, payee, asset: chain.usdc.mint, amountAtomic: 10_000n }
  }
  const untilExpired = async () => {
    chain.advance(300)
  }

  it("has the refund found by the second node", async () => {
    const journal = memoryTransferJournal()
    const refunds = await refundsOn(chain.rpcUrl, { journal, fetch: hiding })
    const given = await transfer()
    await refunds.refund(given)
    await untilExpired()
    expect(await refunds.refund(given)).toEqual({
      status: "sent",
      transaction: journal.attempts()[0]!.signature
    })
    expect(await chain.balanceOf(given.payee)).toBe(10_000n)
  })

  it("leaves the refund to an operator without a second node", async () => {
    const journal = memoryTransferJournal()
    const refunds = await refundsOn(chain.rpcUrl, { journal, fetch: hiding, secondRpcUrl: undefined })
    const given = await transfer()
    await refunds.refund(given)
    await untilExpired()
    await expect(refunds.refund(given)).rejects.toMatchObject({ _tag: "TransferUncertain" })
    expect(journal.attempts()).toHaveLength(1)
    expect(await chain.balanceOf(given.payee)).toBe(10_000n)
  })

  it("is sent again without a second node where the first transaction failed in a final block", async () => {
    const given = await transfer()
    const journal = memoryTransferJournal()
    const number = nextWallet()
    await fund(chain, given.amountAtomic, number)
    const signer = await refundSigner(number)
    const spend = await refundsOn(chain.rpcUrl, { signer })
    let isSpent = false
    // The wallet's money is gone before its transaction lands.
    const late: typeof fetch = async (input, init) => {
      const body = init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : String(init?.body)
      if (!body.includes("sendTransaction")) return fetch(input, init)
      if (!isSpent) await spend.refund({ ...given, key: "another refund" })
      isSpent = true
      const unchecked = body.replace('"encoding":"base64"', '"encoding":"base64","skipPreflight":true')
      return fetch(input, { ...init, body: unchecked })
    }
    const refunds = await refundsOn(chain.rpcUrl, { signer, journal, fetch: late, secondRpcUrl: undefined })
    const underfunded = () =>
      refunds.refund(given).then(
        ({ status }) => status,
        ({ _tag }) => _tag
      )
    await expect.poll(underfunded).toBe("WalletUnderfunded")
    await fund(chain, given.amountAtomic, number)
    await expect.poll(async () => (await refunds.refund(given)).status).toBe("sent")
    expect(journal.attempts()).toHaveLength(2)
    expect(await chain.balanceOf(given.payee)).toBe(2n * given.amountAtomic)
  })

  it("can't be its own second node", async () => {
    await expect(refundsOn(chain.rpcUrl, { secondRpcUrl: chain.rpcUrl })).rejects.toThrow(
      "secondRpcUrl must be another node"
    )
  })
})

describe("a stranger who uses a thousand memos of refunds", () => {
  // A blockhash lives for fifteen seconds: a busy machine needs longer than three for a payment.
  let chain: SolanaChain
  let official: LocalSolanaFacilitator
  beforeAll(async () => {
    chain = await startSolanaChain({ slotMillis: 100, finalitySlots: 0 })
    official = await startSolanaFacilitator({ chain })
  })
  afterAll(async () => {
    await official?.stop()
    await chain?.stop()
  })

  it("keeps no refund on Solana from being paid", async () => {
    await expectPaidDespite({ chain, official }, 1_000)
  })
})
