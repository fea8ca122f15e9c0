import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { intentLifetimeMillis } from "./Offer.ts"

/*
 * Intents whose offer was not ready in time. Rye may need minutes for one and gives few a day, so who asks
 * again goes on waiting for the one there is. Kept by a digest: the request holds an address.
 */

const capacity = 500

/** Kept for less than an intent lives, so that what is taken up again can still be bought. */
const keptMillis = intentLifetimeMillis - 15 * 60_000

const keyOf = ({ email, product, shippingAddress }: OrderRequest): string => {
  const { city, country, line1, line2, name, phone, postalCode, state } = shippingAddress
  const named = product.source === "marketplace_a" ? [product.asin] : [product.productUrl, product.variantId]
  const parts = [named, name, line1, line2 ?? "", city, state, postalCode, country, phone ?? "", email]
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts))))
}

export interface UnfinishedOffer {
  readonly reference: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** The unfinished intents of one process. */
export class UnfinishedOffers {
  private readonly kept = new Map<string, UnfinishedOffer>()

  /** Takes the unfinished intent of the same request out, if there is one. */
  take(request: OrderRequest, now: number): UnfinishedOffer | undefined {
    const key = keyOf(request)
    const offer = this.kept.get(key)
    this.kept.delete(key)
    return offer !== undefined && now < offer.createdAt + keptMillis ? offer : undefined
  }

  put(request: OrderRequest, offer: UnfinishedOffer): void {
    const key = keyOf(request)
    this.kept.delete(key)
    this.kept.set(key, offer)
    const [oldest] = this.kept.keys()
    if (this.kept.size > capacity && oldest !== undefined) this.kept.delete(oldest)
  }
}
