import {
  type FacilitatorClient,
  PlacementRefused,
  Till,
  type TillOptions,
  type TokenOptions
} from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { type Chain, type LocalFacilitator, payingFetch, sampleShop } from "@till402/sandbox"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { expect, onTestFinished, vi } from "vitest"
import { mint } from "./dollarToken.ts"

type Settle = FacilitatorClient["settle"]

/** Replaces settlements by the official facilitator. */
export interface Settling {
  /** Settles refunds: payments of the host's wallet. */
  readonly refunds?: Settle
  /** Settles callers' payments. */
  readonly payments?: Settle
}

/** The payer in a payload. The host's wallet pays refunds. */
const payerIn = (payload: unknown): string =>
  (payload as { readonly payload: { readonly authorization: { readonly from: string } } }).payload
    .authorization.from

/**
 * A shop on a chain whose orders can't be delivered, with as many processes as are opened. It is paid in USDC, unless a
 * token is given.
 */
export const openShop = async (
  {
    chain,
    official,
    onFinished = onTestFinished,
    token
  }: {
    readonly chain: Chain
    readonly official: Pick<LocalFacilitator, "client">
    readonly token?: TokenOptions
    /** Of a test that runs at the same time as others. */
    readonly onFinished?: (close: () => Promise<void>) => void
  },
  settling: Settling = {}
) => {
  const fund = (account: `0x${string}`) =>
    token === undefined ? chain.mint(account, 1_000_000_000n) : mint(chain, account, 1_000_000_000n)
  const folder = await mkdtemp(join(tmpdir(), "till402-refunds-"))
  const filename = join(folder, "till.sqlite")
  const wallet = privateKeyToAccount(generatePrivateKey())
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const tills: Array<Till> = []
  onFinished(async () => {
    await Promise.all(tills.map((till) => till.dispose()))
    await rm(folder, { recursive: true, force: true })
  })
  await fund(wallet.address)
  const { fulfilment, marketplaces } = sampleShop()
  const secret = generatePrivateKey()
  const settle: Settle = (...given) => official.client.settle(...given)
  const { payments = settle, refunds = settle } = settling
  const openTill = async (options: Partial<TillOptions> = { refundWallet: wallet }) => {
    const till = Till.make({
      baseUrl: "https://shop.example",
      payTo,
      networks: [
        {
          network: "base-sepolia",
          rpcUrl: chain.rpcUrl,
          ...(token === undefined ? { finalitySeconds: 1 } : { finalitySeconds: 0, token })
        }
      ],
      facilitator: {
        verify: official.client.verify,
        settle: (payload, requirements) =>
          (payerIn(payload) === wallet.address ? refunds : payments)(payload, requirements),
        getSupported: official.client.getSupported
      },
      secret,
      // An order costs 146.40.
      refunds: { perPayerPerHour: "1000.00" },
      storage: sqlite({ filename }),
      marketplaces,
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
  await fund(buyer)
  const found = await marketplaces.marketplace_a.search(
    { q: "noise cancelling headphones", page: 1 },
    { signal: new AbortController().signal }
  )
  const payWith = (till: Till): typeof fetch =>
    payingFetch(
      privateKey,
      1_000,
      (input, init) => till.fetch(new Request(input, init)),
      token === undefined ? [] : [getAddress(token.address)]
    )
  const search = async (till: Till): Promise<void> => {
    const response = await payWith(till)("https://shop.example/x402/search?q=lamp")
    expect(response.status, await response.text()).toBe(200)
  }
  const buy = async (till: Till): Promise<string> => {
    const response = await payWith(till)("https://shop.example/x402/buy", {
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
  const untilRefunded = (till: Till, orderId: string): Promise<void> =>
    vi.waitFor(
      async () => {
        await till.orders.processNow(orderId)
        expect((await till.orders.find(orderId))?.status).toBe("refunded")
      },
      { timeout: 60_000, interval: 400 }
    )
  return { openTill, search, buy, untilRefunded, wallet, buyer, payTo, filename }
}
