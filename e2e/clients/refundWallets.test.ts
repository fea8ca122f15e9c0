import { Charges } from "@till402/core/effect"
import { sqlite } from "@till402/core/sqlite"
import type { Till } from "@till402/core"
import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { Effect } from "effect"
import { type Hex, keccak256, multicall3Abi, stringToHex } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from "vitest"
import { multicall, placeMulticall, transferCall } from "./drain.ts"
import { openShop as openShopOn, type Settling } from "./refundShop.ts"

/*
 * Several refund wallets on one store, on a real chain: each refund is paid once, by one of them.
 */

const orderPrice = 146_400_000n
const funds = 1_000_000_000n

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 1 })
  official = await startFacilitator({ chain })
  await placeMulticall(chain)
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

const newAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

const openShop = async ({ onTestFinished }: TestContext, settling: Settling = {}) => {
  const shop = await openShopOn({ chain, official, onFinished: onTestFinished }, settling)
  const other = newAccount()
  await chain.mint(other.address, funds)
  const paidBy = async ({ address }: { readonly address: Hex }) => funds - (await chain.balanceOf(address))
  /** All of the money: the buyer has it back, and one wallet has paid it. */
  const expectPaidOnce = async (till: Till) => {
    expect(await chain.balanceOf(shop.buyer)).toBe(funds)
    expect((await paidBy(shop.wallet)) + (await paidBy(other))).toBe(orderPrice)
    const sent = (await till.ledger.list()).filter(({ kind }) => kind === "refunded")
    expect(sent).toHaveLength(1)
    expect((await till.ledger.check({ chain: true })).faults).toEqual([])
  }
  const untilDue = (till: Till, orderId: string) =>
    vi.waitFor(async () => expect((await till.orders.find(orderId))?.status).toBe("refund_due"), {
      timeout: 10_000
    })
  const inStore = <A, E>(use: (charges: Charges["Service"]) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(Effect.provide(Charges.use(use), sqlite({ filename: shop.filename })))
  /** The refund that is due. */
  const due = async () => {
    const [charge] = await inStore((charges) => charges.list({ limit: 1, isRefundDue: true }))
    return charge!
  }
  return { ...shop, other, paidBy, expectPaidOnce, untilDue, inStore, due }
}

const nonceOf = (chargeKey: string): Hex => keccak256(stringToHex(`till402 refund ${chargeKey}`))

describe("two wallets that sign a refund under one nonce", () => {
  it("both pay it: a nonce is one of its wallet", async () => {
    const payer = newAccount().address
    const wallets = [newAccount(), newAccount()]
    const validBefore = Math.floor(Date.now() / 1_000) + 3_600
    const calls: Array<Hex> = []
    for (const wallet of wallets) {
      await chain.mint(wallet.address, 100n)
      calls.push(
        await transferCall(chain, wallet, { to: payer, value: 100n, nonce: nonceOf("key"), validBefore })
      )
    }
    await batch(calls)
    expect(await chain.balanceOf(payer)).toBe(200n)
  })
})

/** Sends calls of the token in one transaction, from an account that has only gas. */
const batch = async (calls: ReadonlyArray<Hex>): Promise<void> => {
  const account = newAccount()
  await chain.client.setBalance({ address: account.address, value: 10n ** 20n })
  const hash = await chain.client.writeContract({
    account,
    chain: chain.client.chain,
    address: multicall,
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((callData) => ({ target: chain.usdc, allowFailure: false, callData }))]
  })
  expect((await chain.client.waitForTransactionReceipt({ hash })).status).toBe("success")
}

describe.concurrent("a refund that two wallets of one store can pay", () => {
  it("is paid once by tills that race", { timeout: 60_000 }, async (context) => {
    const shop = await openShop(context)
    const seller = await shop.openTill({})
    const orderId = await shop.buy(seller)
    await shop.untilDue(seller, orderId)
    const wallets = [shop.wallet, shop.other, shop.wallet, shop.other]
    const tills = await Promise.all(wallets.map((refundWallet) => shop.openTill({ refundWallet })))
    await vi.waitFor(
      async () => {
        await Promise.all(tills.map((till) => till.orders.processNow(orderId)))
        expect((await seller.orders.find(orderId))?.status).toBe("refunded")
      },
      { timeout: 30_000, interval: 100 }
    )
    await shop.expectPaidOnce(seller)
  })

  it(
    "is recorded where the wallet was replaced while it waited for finality",
    { timeout: 60_000 },
    async (context) => {
      let settled: (() => void) | undefined
      const isSettled = new Promise<void>((resolve) => (settled = resolve))
      const shop = await openShop(context, {
        refunds: async (...given) => {
          const settlement = await official.client.settle(...given)
          settled!()
          return settlement
        }
      })
      const networks = [{ network: "base-sepolia" as const, rpcUrl: chain.rpcUrl, finalitySeconds: 8 }]
      const before = await shop.openTill({ refundWallet: shop.wallet, networks })
      const orderId = await shop.buy(before)
      await isSettled
      await before.dispose()
      const after = await shop.openTill({ refundWallet: shop.other, networks })
      expect((await after.orders.find(orderId))?.status).toBe("refund_due")
      await shop.untilRefunded(after, orderId)
      expect(await shop.paidBy(shop.other)).toBe(0n)
      await shop.expectPaidOnce(after)
    }
  )

  it(
    "is paid by the new wallet only once the old one's authorization has expired",
    { timeout: 60_000 },
    async (context) => {
      const submitted: Array<Parameters<typeof official.client.settle>> = []
      const shop = await openShop(context, {
        refunds: async (...given) => {
          submitted.push(given)
          throw new Error("connection reset")
        }
      })
      const seller = await shop.openTill({})
      const orderId = await shop.buy(seller)
      await shop.untilDue(seller, orderId)
      const { amountAtomic, key } = await shop.due()
      // The old wallet's till has recorded its attempt, and has stopped.
      const validBefore = Math.floor(Date.now() / 1_000) + 6
      await shop.inStore((charges) =>
        Effect.gen(function* () {
          yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: amountAtomic }, Date.now())
          expect(
            yield* charges.recordRefundAttempt({
              chargeKey: key,
              refundNumber: 1,
              sequence: 1,
              wallet: shop.wallet.address.toLowerCase(),
              amountAtomic,
              nonce: nonceOf(key),
              notBefore: 0,
              validBefore,
              atMillis: Date.now()
            })
          ).toBe(true)
        })
      )
      const codes: Array<string> = []
      const till = await shop.openTill({
        refundWallet: shop.other,
        onEvent: ({ code }) => codes.push(code)
      })
      await till.orders.processNow(orderId)
      await vi.waitFor(() => expect(codes).toContain("refund_of_other_wallet"), { timeout: 5_000 })
      expect(await shop.paidBy(shop.other)).toBe(0n)
      await vi.waitFor(
        async () => {
          const fresh = await shop.openTill({ refundWallet: shop.other })
          await fresh.orders.processNow(orderId)
          expect((await fresh.orders.find(orderId))?.status).toBe("refunded")
        },
        { timeout: 40_000, interval: 1_000 }
      )
      const { timestamp } = await chain.client.getBlock()
      expect(Number(timestamp)).toBeGreaterThan(validBefore)
      expect(await shop.paidBy(shop.wallet)).toBe(0n)
      await shop.expectPaidOnce(till)
    }
  )

  it(
    "is paid although a stranger burns its nonce, and a thousand others",
    { timeout: 60_000 },
    async (context) => {
      const shop = await openShop(context)
      const seller = await shop.openTill({})
      const orderId = await shop.buy(seller)
      await shop.untilDue(seller, orderId)
      const { key } = await shop.due()
      const stranger = newAccount()
      const validBefore = Math.floor(Date.now() / 1_000) + 3_600
      const nonces = [nonceOf(key), ...Array.from({ length: 999 }, (_, index) => nonceOf(`${key}${index}`))]
      const burns = await Promise.all(
        nonces.map((nonce) =>
          transferCall(chain, stranger, { to: stranger.address, value: 0n, nonce, validBefore })
        )
      )
      for (let from = 0; from < burns.length; from += 250) await batch(burns.slice(from, from + 250))
      const till = await shop.openTill({ refundWallet: shop.wallet })
      await shop.untilRefunded(till, orderId)
      expect((await till.refunds.status()).stopped).toBeUndefined()
      await shop.expectPaidOnce(till)
    }
  )
})
