import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { Effect, Redacted } from "effect"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { memoryPlacementJournal, type PlacementJournal } from "./PlacementJournal.ts"

/*
 * Buyers with an earlier order, for whom a part of the day's intents is reserved. A buyer is an email with an address,
 * so knowing a buyer's email is not enough. Stored as a digest under the account's key.
 */

type Buyer = Pick<OrderRequest, "email" | "shippingAddress">

export interface Buyers {
  /** The digest of a buyer with an earlier order; `undefined` for anyone else, and if the journal fails. */
  readonly find: (buyer: Buyer) => Effect.Effect<string | undefined>
  /** Records a buyer. If the journal fails, the buyer has no part in the reserve. */
  readonly record: (buyer: Buyer) => Effect.Effect<void>
}

const plain = (text: string): string => text.trim().toLowerCase()

export const makeBuyers = (journal: PlacementJournal, apiKey: Redacted.Redacted<string>): Buyers => {
  const memory = memoryPlacementJournal()
  const recordBuyer = journal.recordBuyer ?? memory.recordBuyer
  const hasBought = journal.hasBought ?? memory.hasBought
  const key = utf8ToBytes(Redacted.value(apiKey))
  const digestOf = ({ email, shippingAddress: { line1, postalCode } }: Buyer): string =>
    bytesToHex(hmac(sha256, key, utf8ToBytes(JSON.stringify([email, line1, postalCode].map(plain)))))
  const orElse = <A>(call: () => Promise<A>, otherwise: A): Effect.Effect<A> =>
    Effect.orElseSucceed(Effect.tryPromise({ try: call, catch: () => "failed" as const }), () => otherwise)
  return {
    find: (buyer) => {
      const digest = digestOf(buyer)
      return Effect.map(
        orElse(async () => (await hasBought?.(digest)) === true, false),
        (known) => (known ? digest : undefined)
      )
    },
    record: (buyer) => orElse(async () => await recordBuyer?.(digestOf(buyer)), undefined)
  }
}
