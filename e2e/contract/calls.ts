import { vaultItem } from "./samples.ts"
import { type Call } from "./till.ts"

/*
 * A valid call of each operation.
 */

export const address = {
  name: "Ada Lovelace",
  line1: "12 Analytical Row",
  city: "Portland",
  state: "OR",
  postalCode: "97201",
  country: "US"
}
export const buyBody = { shippingAddress: address, email: "ada@example.com", asin: "B0CONTRACT" }
/** 32 bytes in base58. */
export const solanaWallet = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
export const vaultBuyBody = { slug: vaultItem.slug, walletAddress: solanaWallet, email: "ada@example.com" }
/** Has the form of a purchase's id, but no purchase has it. */
export const noPurchase = "7d0c5b1a-92b4-4b43-8a3e-1f0f5a3f6b11"

export const calls = {
  search: { path: "/x402/search?q=lamp" },
  shop: { method: "POST", path: "/x402/shop", body: { message: "a lamp for my desk" } },
  buy: { method: "POST", path: "/x402/buy", body: buyBody },
  track: { path: "/x402/track?number=1Z999AA10123456784" },
  vaultSearch: { path: "/x402/vault/search" },
  vaultBuy: { method: "POST", path: "/x402/vault/buy", body: vaultBuyBody },
  vaultDownload: { path: `/x402/vault/download/${noPurchase}?downloadToken=secret` }
} satisfies Record<string, Call>

export type Operation = keyof typeof calls

let buyers = 0
/** The same purchase, for a buyer of its own: a payer's second one for the same body is refused. */
export const anotherPurchase = <Body extends object>(call: Call & { readonly body: Body }): Call => ({
  ...call,
  body: { ...call.body, email: `ada+${++buyers}@example.com` }
})
