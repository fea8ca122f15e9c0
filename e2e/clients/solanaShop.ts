import { type FacilitatorClient, memory, Till, type TillEvent, type TillOptions } from "@till402/core"
import { sampleShop } from "@till402/sandbox"
import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  type SolanaChainOptions,
  solanaPayingFetch,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { createHash, randomUUID } from "node:crypto"
import { expect, onTestFinished } from "vitest"

type Wallet = Awaited<ReturnType<SolanaChain["wallets"]>>

/** A local chain, and the official facilitator on it. */
export interface SolanaRail {
  readonly chain: SolanaChain
  readonly official: LocalSolanaFacilitator
}

export const startSolanaRail = async (
  options?: SolanaChainOptions
): Promise<SolanaRail & { readonly stop: () => Promise<void> }> => {
  const chain = await startSolanaChain(options)
  try {
    const official = await startSolanaFacilitator({ chain })
    const stop = async () => {
      await official.stop()
      await chain.stop()
    }
    return { chain, official, stop }
  } catch (cause) {
    await chain.stop()
    throw cause
  }
}

let wallets = 100
/** A wallet that no other test of this file has. */
export const nextWallet = (chain: SolanaChain): Promise<Wallet> => chain.wallets(++wallets)

/** A till on Base Sepolia and a local Solana chain, and a payer with 1,000 USDC. */
export const openSolanaShop = async (
  { chain, official }: SolanaRail,
  { settle, ...options }: Partial<TillOptions> & { readonly settle?: FacilitatorClient["settle"] } = {}
) => {
  const shop = sampleShop()
  const { fulfilment, marketplaces, tracker, vault, vaultItems } = shop
  const payee = await nextWallet(chain)
  const payer = await nextWallet(chain)
  await chain.mint(payee.address, 0n)
  await chain.mint(payer.address, 1_000_000_000n)
  const events: Array<TillEvent> = []
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: [
      { network: "base-sepolia", rpcUrl: "http://127.0.0.1:9" },
      { network: "solana-devnet", payTo: payee.address, rpcUrl: chain.rpcUrl }
    ],
    facilitator: { ...official.client, settle: settle ?? official.client.settle },
    secret: createHash("sha256").update(randomUUID()).digest("hex"),
    limits: { failedPayerMillis: 0 },
    storage: memory(),
    fulfilment,
    marketplaces,
    tracker,
    vault,
    onEvent: (event) => {
      events.push(event)
    },
    ...options
  })
  onTestFinished(() => till.dispose())
  await till.ready
  for (const item of vaultItems) await till.vault.put(item)
  const found = await marketplaces.marketplace_a.search(
    { q: "noise cancelling headphones", page: 1 },
    { signal: new AbortController().signal }
  )
  const send: typeof fetch = (input, init) => till.fetch(new Request(input, init))
  return {
    till,
    shop,
    events,
    payee,
    payer,
    send,
    vaultItem: vaultItems[0]!,
    order: orderOf(found.products[0]!.asin),
    pay: solanaPayingFetch(chain, payer, 1_000, send),
    /** Atomic units that the payee has received. */
    received: () => chain.balanceOf(payee.address)
  }
}

const orderOf = (asin: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    asin,
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

export const origin = "https://shop.example"
export const trackUrl = `${origin}/x402/track?number=1Z999AA10123456784`
export const searchUrl = `${origin}/x402/search?q=headphones`

/** The first request of a paying client that carries a payment: its URL, and the payment's header. */
export const recordingPayments = (send: typeof fetch) => {
  const payments: Array<string> = []
  const recording: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    const payment = request.headers.get("payment-signature") ?? request.headers.get("x-payment")
    if (payment !== null) payments.push(payment)
    return send(request)
  }
  return { payments, recording }
}

export const decoded = (header: string | null): Record<string, unknown> =>
  JSON.parse(Buffer.from(header ?? "", "base64").toString())

/** The code of a refusal in the body of a 402. */
export const refusalOf = async (response: Response): Promise<string> => {
  expect(response.status).toBe(402)
  const { error } = (await response.json()) as { readonly error: string }
  return error.split(":")[0]!
}
