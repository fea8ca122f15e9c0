import type { Till } from "@till402/core"
import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { parseAbi } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from "vitest"
import { openShop as openShopOn, type Settling } from "./refundShop.ts"

/*
 * Refunds on a real chain: the payment of a failed order goes back to its payer exactly once, whatever the facilitator
 * responds, whichever process dies, and however many processes work on it.
 */

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 1 })
  official = await startFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

const openShop = async ({ onTestFinished }: TestContext, refunds?: Settling["refunds"]) => {
  const shop = await openShopOn(
    { chain, official, onFinished: onTestFinished },
    refunds === undefined ? {} : { refunds }
  )
  const expectRefunded = async (till: Till, orderId: string): Promise<void> => {
    await shop.untilRefunded(till, orderId)
    const refunded = (await till.ledger.list()).find(({ kind }) => kind === "refunded")
    const balances = {
      buyer: await chain.balanceOf(shop.buyer),
      payTo: await chain.balanceOf(shop.payTo),
      wallet: await chain.balanceOf(shop.wallet.address)
    }
    expect(balances).toEqual({
      buyer: 1_000_000_000n,
      payTo: refunded!.amountAtomic,
      wallet: 1_000_000_000n - refunded!.amountAtomic
    })
    expect(refunded!.transaction).toMatch(/^0x[0-9a-f]{64}$/)
    const check = await till.ledger.check({ chain: true })
    expect(check.faults).toEqual([])
    expect(check.chain).toMatchObject({ provenEntries: 1, transfers: 1, foreignTransfers: 0 })
  }
  return { ...shop, expectRefunded }
}

describe("a refund that is sent, recorded, and resent when its response was lost", () => {
  it("pays twice as a plain transfer", async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const buyer = privateKeyToAccount(generatePrivateKey()).address
    await chain.mint(account.address, 1_000n)
    await chain.client.setBalance({ address: account.address, value: 10n ** 18n })
    let recorded: string | undefined
    let isLost = true
    const refund = async (): Promise<void> => {
      if (recorded !== undefined) return
      const hash = await chain.client.writeContract({
        account,
        chain: chain.client.chain,
        address: chain.usdc,
        abi: parseAbi(["function transfer(address to, uint256 value) returns (bool)"]),
        functionName: "transfer",
        args: [buyer, 100n]
      })
      await chain.client.waitForTransactionReceipt({ hash })
      if (isLost) {
        isLost = false
        throw new Error("connection reset")
      }
      recorded = hash
    }
    await refund().catch(refund)
    expect(await chain.balanceOf(buyer)).toBe(200n)
  })
})

describe.concurrent("the refund of an order that can't be placed", () => {
  it("reaches the payer, to the atomic unit", async (context) => {
    const shop = await openShop(context)
    const till = await shop.openTill()
    await shop.expectRefunded(till, await shop.buy(till))
  })

  it("is sent once by processes that work on it at the same time", async (context) => {
    const shop = await openShop(context)
    const first = await shop.openTill({})
    const orderId = await shop.buy(first)
    await vi.waitFor(async () => expect((await first.orders.find(orderId))?.status).toBe("refund_due"))
    const others = await Promise.all([shop.openTill(), shop.openTill(), shop.openTill()])
    await Promise.all(others.map((till) => till.orders.processNow(orderId)))
    await shop.expectRefunded(others[0]!, orderId)
  })

  it("is found on the chain when its response was lost, and not resent", async (context) => {
    let sent = 0
    const shop = await openShop(context, async (...given) => {
      sent++
      await official.client.settle(...given)
      throw new Error("connection reset")
    })
    const till = await shop.openTill()
    await shop.expectRefunded(till, await shop.buy(till))
    expect(sent).toBe(1)
  })

  it("does not count as sent on the facilitator's response alone", async (context) => {
    let lies = 2
    const shop = await openShop(context, async (payload, requirements) =>
      lies-- > 0
        ? { success: true, transaction: `0x${"ab".repeat(32)}`, network: requirements.network }
        : official.client.settle(payload, requirements)
    )
    const till = await shop.openTill()
    await shop.expectRefunded(till, await shop.buy(till))
    expect(lies).toBeLessThan(0)
  })
})
