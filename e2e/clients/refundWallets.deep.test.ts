import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { Effect } from "effect"
import type { Hex } from "viem"
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext, vi } from "vitest"
import { placeMulticall, transferCall } from "./drain.ts"
import type { Settling } from "./refundShop.ts"
import {
  batch,
  expectPaidDespite,
  newAccount,
  nonceOf,
  openWalletShop,
  orderPrice
} from "./refundWalletShop.ts"

/*
 * Several refund wallets on one store, on a real chain: each refund is paid once, by one of them. In npm test, the
 * attacks on refund wallets have the same.
 */

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

/** Moves the clocks of the chain and of the tills forward. */
const pass = async (seconds: number): Promise<void> => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1_000 })
  await chain.client.increaseTime({ seconds })
  await chain.client.mine({ blocks: 1 })
}
afterEach(() => {
  vi.useRealTimers()
})

const openShop = ({ onTestFinished }: TestContext, settling: Settling = {}) =>
  openWalletShop({ chain, official, onFinished: onTestFinished }, settling)

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
    await batch(chain, calls)
    expect(await chain.balanceOf(payer)).toBe(200n)
  })
})

describe.concurrent("a refund that two wallets of one store can pay", () => {
  it("is paid once by tills that race", async (context) => {
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
      { timeout: 60_000, interval: 400 }
    )
    await shop.expectPaidOnce(seller)
  })

  it("is recorded where the wallet was replaced while it waited for finality", async (context) => {
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
  })

  it("is paid once although a stranger uses its nonce, for the same amount to the same payer", async ({
    onTestFinished
  }) => {
    await expectPaidDespite({ chain, official, onFinished: onTestFinished }, 20)
  })
})

describe("what a host takes out of a refund wallet", () => {
  it("is listed by the check of the ledger, is no fault, and stops no refunds", async (context) => {
    const shop = await openShop(context)
    const seller = await shop.openTill({})
    const orderId = await shop.buy(seller)
    await shop.untilDue(seller, orderId)
    // A till looks for due refunds when it starts: by then, the payment is final.
    await pass(3)
    const till = await shop.openTill({ refundWallet: shop.wallet })
    await shop.untilRefunded(till, orderId)
    const rest = funds - orderPrice
    const owner = newAccount().address
    const validBefore = Math.floor(Date.now() / 1_000) + 3_600
    await batch(chain, [
      await transferCall(chain, shop.wallet, { to: owner, value: rest, nonce: nonceOf("own"), validBefore })
    ])
    // The till's clock has stood since `pass`, and what it checks ends now: by then, the chain's has overtaken it.
    vi.setSystemTime((Number((await chain.client.getBlock()).timestamp) + 1) * 1_000)
    const found = await till.ledger.check({ chain: true, to: new Date(Date.now() + 60_000) })
    expect(found).toMatchObject({ isBalanced: true, refunds: 1, faults: [] })
    expect(found.chain?.otherOutflows).toMatchObject({
      transfers: 1,
      first: [{ wallet: shop.wallet.address.toLowerCase(), to: owner.toLowerCase(), amountAtomic: rest }],
      unreadNetworks: []
    })
    expect((await till.refunds.status()).stopped).toBeUndefined()
  })
})

/** Here the chain's clock runs ahead: payments signed afterwards would have expired. */
describe("a refund whose wallet is replaced before it is sent", () => {
  it("is paid by the new wallet only once the old one's authorization has expired", async (context) => {
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
    const { timestamp } = await chain.client.getBlock()
    const validBefore = Number(timestamp) + 100
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
    await vi.waitFor(() => expect(codes).toContain("refund_of_other_wallet"), { timeout: 60_000 })
    expect(await shop.paidBy(shop.other)).toBe(0n)
    await pass(200)
    await vi.waitFor(
      async () => {
        const fresh = await shop.openTill({ refundWallet: shop.other })
        await fresh.orders.processNow(orderId)
        expect((await fresh.orders.find(orderId))?.status).toBe("refunded")
      },
      { timeout: 60_000, interval: 400 }
    )
    expect(await shop.paidBy(shop.wallet)).toBe(0n)
    await shop.expectPaidOnce(till)
  })
})

it("a refund is paid although a stranger uses a thousand nonces of refunds", async () => {
  await expectPaidDespite({ chain, official }, 1_000)
}, 240_000)
