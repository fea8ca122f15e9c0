import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { BoundedMap } from "@till402/core/effect"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { intentLifetimeMillis } from "./Offer.ts"

/*
 * Intents whose offer was not ready in time. Rye may need minutes for an offer and allows few intents a day,
 * so a repeated request continues to wait for the same intent. Keyed by a digest: requests contain addresses.
 */

const capacity = 500

/** Shorter than an intent's lifetime, so that a resumed intent can still be bought. */
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
  private readonly kept = new BoundedMap<string, UnfinishedOffer>(capacity)

  /** Removes and returns the unfinished intent of the same request, if any. */
  take(request: OrderRequest, now: number): UnfinishedOffer | undefined {
    const key = keyOf(request)
    const offer = this.kept.get(key)
    this.kept.delete(key)
    return offer !== undefined && now < offer.createdAt + keptMillis ? offer : undefined
  }

  put(request: OrderRequest, offer: UnfinishedOffer): void {
    this.kept.set(keyOf(request), offer)
  }
}
