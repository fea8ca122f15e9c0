import { type FacilitatorClient, PlacementRefused, Till, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import {
  type Chain,
  type LocalFacilitator,
  payingFetch,
  sampleShop,
  startChain,
  startFacilitator
} from "@till402/sandbox"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseAbi } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"

/*
 * Refunds on a real chain: what an order that came to nothing was paid goes back to its payer, once, whatever the
 * facilitator answers, whoever dies, and however many processes see to it.
 */

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain()
  official = await startFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

type Settle = FacilitatorClient["settle"]

/** Who pays in a payload: refunds are paid by the host's wallet. */
const payerIn = (payload: unknown): string =>
  (payload as { readonly payload: { readonly authorization: { readonly from: string } } }).payload
    .authorization.from

/** A shop that sells what it can't deliver, of as many processes as are asked for. */
const openShop = async (refunds: Settle = (...asked) => official.client.settle(...asked)) => {
  const folder = await mkdtemp(join(tmpdir(), "till402-refunds-"))
  const wallet = privateKeyToAccount(generatePrivateKey())
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const tills: Array<Till> = []
  onTestFinished(async () => {
    await Promise.all(tills.map((till) => till.dispose()))
    await rm(folder, { recursive: true, force: true })
  })
  await chain.mint(wallet.address, 1_000_000_000n)
  const { fulfilment, marketplaces } = sampleShop()
  const secret = generatePrivateKey()
  const openTill = async (options: Pick<TillOptions, "refundWallet"> = { refundWallet: wallet }) => {
    const till = Till.make({
      baseUrl: "https://shop.example",
      payTo,
      networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
      facilitator: {
        verify: official.client.verify,
        settle: (payload, requirements) =>
          payerIn(payload) === wallet.address
            ? refunds(payload, requirements)
            : official.client.settle(payload, requirements),
        getSupported: official.client.getSupported
      },
      secret,
      storage: sqlite({ filename: join(folder, "till.sqlite") }),
      fulfilment: {
        quote: fulfilment.quote,
        place: () => Promise.reject(new PlacementRefused({ reason: "out_of_stock" }))
      },
      onEvent: () => undefined,
      ...options
    })
    tills.push(till)
    await till.ready
    return till
  }
  const privateKey = generatePrivateKey()
  const buyer = privateKeyToAccount(privateKey).address
  await chain.mint(buyer, 1_000_000_000n)
  const found = await marketplaces.marketplace_a.search(
    { q: "noise cancelling headphones", page: 1 },
    { signal: new AbortController().signal }
  )
  const buy = async (till: Till): Promise<string> => {
    const pay = payingFetch(privateKey, 1_000, (input, init) => till.fetch(new Request(input, init)))
    const response = await pay("https://shop.example/x402/buy", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        asin: found.products[0]!.asin,
        email: "ada@example.com",
        shippingAddress: {
          name: "Ada Lovelace",
          line1: "12 Analytical Way",
          city: "San Francisco",
          state: "CA",
          postalCode: "94105",
          country: "US"
        }
      })
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { readonly orderId: string }).orderId
  }
  const expectRefunded = async (till: Till, orderId: string): Promise<void> => {
    await vi.waitFor(
      async () => {
        await till.orders.hurry(orderId)
        expect((await till.orders.find(orderId))?.status).toBe("refunded")
      },
      { timeout: 15_000, interval: 100 }
    )
    const refunded = (await till.ledger.list()).find(({ kind }) => kind === "refunded")
    const balances = {
      buyer: await chain.balanceOf(buyer),
      payTo: await chain.balanceOf(payTo),
      wallet: await chain.balanceOf(wallet.address)
    }
    expect(balances).toEqual({
      buyer: 1_000_000_000n,
      payTo: refunded!.amountAtomic,
      wallet: 1_000_000_000n - refunded!.amountAtomic
    })
    expect(refunded!.transaction).toMatch(/^0x[0-9a-f]{64}$/)
    expect((await till.ledger.check()).faults).toEqual([])
  }
  return { openTill, buy, expectRefunded, wallet, buyer, payTo }
}

describe("a refund that is sent, recorded, and sent again where its answer was lost", () => {
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

describe("the refund of an order that can't be placed", () => {
  it("reaches the payer, to the atomic unit", async () => {
    const shop = await openShop()
    const till = await shop.openTill()
    await shop.expectRefunded(till, await shop.buy(till))
  })

  it("is sent once by processes that see to it at the same time", { timeout: 40_000 }, async () => {
    const shop = await openShop()
    const first = await shop.openTill({})
    const orderId = await shop.buy(first)
    await vi.waitFor(async () => expect((await first.orders.find(orderId))?.status).toBe("refund_due"))
    const others = await Promise.all([shop.openTill(), shop.openTill(), shop.openTill()])
    await Promise.all(others.map((till) => till.orders.hurry(orderId)))
    await shop.expectRefunded(others[0]!, orderId)
  })

  it("is found on the chain where its answer was lost, and not sent again", { timeout: 40_000 }, async () => {
    let sent = 0
    const shop = await openShop(async (...asked) => {
      sent++
      await official.client.settle(...asked)
      throw new Error("connection reset")
    })
    const till = await shop.openTill()
    await shop.expectRefunded(till, await shop.buy(till))
    expect(sent).toBe(1)
  })

  it("is not taken for sent on the facilitator's word alone", { timeout: 40_000 }, async () => {
    let lies = 2
    const shop = await openShop(async (payload, requirements) =>
      lies-- > 0
        ? { success: true, transaction: `0x${"ab".repeat(32)}`, network: requirements.network }
        : official.client.settle(payload, requirements)
    )
    const till = await shop.openTill()
    await shop.expectRefunded(till, await shop.buy(till))
    expect(lies).toBeLessThan(0)
  })
})
