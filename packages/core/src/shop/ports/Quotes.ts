import { Context, Effect, Layer } from "effect"
import { StoreError } from "../../domain/Errors.ts"
import type { Offer } from "../goods/Order.ts"

/** An offer, bound to the request that it was made for. */
export interface Quote {
  /** UUID. */
  readonly id: string
  /** Keyed digest of the request, prefixed by the key's id. */
  readonly fingerprint: string
  readonly offer: Offer
  readonly createdAtMillis: number
  /** Key of the charge that consumed it: the first payment to claim it. */
  readonly consumedBy: string | undefined
}

/** Stores quotes. Each method is one atomic step. */
export class Quotes extends Context.Service<
  Quotes,
  {
    /**
     * Stores a quote as the live one of its request. If the request already has a live quote (unconsumed, not expired
     * at `nowMillis`), returns that one instead.
     */
    readonly put: (quote: Quote, nowMillis: number) => Effect.Effect<Quote, StoreError>
    /** Finds the live quote of a request. */
    readonly findLive: (
      fingerprint: string,
      nowMillis: number
    ) => Effect.Effect<Quote | undefined, StoreError>
    /** Finds the unexpired quote of this request that a charge has consumed: its retry continues with it. */
    readonly findConsumed: (
      fingerprint: string,
      chargeKey: string,
      nowMillis: number
    ) => Effect.Effect<Quote | undefined, StoreError>
    /**
     * Consumes a live quote for a charge. Idempotent for the same charge; `false` for any other, and for a quote that
     * has expired at `nowMillis`.
     */
    readonly consume: (id: string, chargeKey: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /**
     * Undoes `consume` for a charge that failed. If the request has another quote since, this one stays consumed.
     */
    readonly restore: (chargeKey: string) => Effect.Effect<void, StoreError>
    /**
     * Deletes up to `limit` quotes that expired before `expiredBeforeMillis`, in any order, since they hold personal
     * data; returns how many.
     */
    readonly expire: (expiredBeforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
    /**
     * Counts the live quotes (unconsumed, not expired at `nowMillis`) that can't be found without a key of the host: their
     * `fingerprint` begins with the key's id and a colon.
     */
    readonly countUnderKey: (keyId: string, nowMillis: number) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/Quotes") {
  /** Quotes in memory. */
  static readonly layerMemory: Layer.Layer<Quotes> = Layer.sync(Quotes, () => {
    const quotes = new Map<string, Quote>()
    const unconsumed = (fingerprint: string): Quote | undefined =>
      Array.from(quotes.values()).find(
        (quote) => quote.fingerprint === fingerprint && quote.consumedBy === undefined
      )
    const live = (fingerprint: string, nowMillis: number): Quote | undefined => {
      const quote = unconsumed(fingerprint)
      return quote !== undefined && quote.offer.expiresAtMillis > nowMillis ? quote : undefined
    }
    return Quotes.of({
      put: (quote, nowMillis) =>
        Effect.suspend(() => {
          const existing = unconsumed(quote.fingerprint)
          if (existing !== undefined && existing.offer.expiresAtMillis > nowMillis)
            return Effect.succeed(existing)
          if (quotes.has(quote.id)) {
            const cause = new Error(`there is a quote ${quote.id} already`)
            return Effect.fail(new StoreError({ operation: "quotes.put", cause }))
          }
          if (existing !== undefined) quotes.delete(existing.id)
          quotes.set(quote.id, quote)
          return Effect.succeed(quote)
        }),
      findLive: (fingerprint, nowMillis) => Effect.sync(() => live(fingerprint, nowMillis)),
      findConsumed: (fingerprint, chargeKey, nowMillis) =>
        Effect.sync(() =>
          Array.from(quotes.values())
            .filter(
              (quote) =>
                quote.fingerprint === fingerprint &&
                quote.consumedBy === chargeKey &&
                quote.offer.expiresAtMillis > nowMillis
            )
            .sort(longestLivedFirst)
            .at(0)
        ),
      consume: (id, chargeKey, nowMillis) =>
        Effect.sync(() => {
          const quote = quotes.get(id)
          if (quote === undefined || quote.offer.expiresAtMillis <= nowMillis) return false
          if (quote.consumedBy !== undefined && quote.consumedBy !== chargeKey) return false
          quotes.set(id, { ...quote, consumedBy: chargeKey })
          return true
        }),
      restore: (chargeKey) =>
        Effect.sync(() => {
          const consumed = Array.from(quotes.values()).filter((quote) => quote.consumedBy === chargeKey)
          for (const quote of consumed.sort(longestLivedFirst)) {
            if (unconsumed(quote.fingerprint) === undefined)
              quotes.set(quote.id, { ...quote, consumedBy: undefined })
          }
        }),
      expire: (expiredBeforeMillis, limit) =>
        Effect.sync(() => {
          const before = quotes.size
          for (const { id, offer } of quotes.values()) {
            if (before - quotes.size >= limit) break
            if (offer.expiresAtMillis < expiredBeforeMillis) quotes.delete(id)
          }
          return before - quotes.size
        }),
      countUnderKey: (keyId, nowMillis) =>
        Effect.sync(() => Array.from(quotes.values()).filter(isLiveUnder(keyId, nowMillis)).length)
    })
  })
}

const isLiveUnder =
  (keyId: string, nowMillis: number) =>
  ({ consumedBy, fingerprint, offer }: Quote): boolean =>
    consumedBy === undefined && offer.expiresAtMillis > nowMillis && fingerprint.startsWith(`${keyId}:`)

const longestLivedFirst = (left: Quote, right: Quote): number =>
  right.offer.expiresAtMillis - left.offer.expiresAtMillis || (left.id > right.id ? -1 : 1)
