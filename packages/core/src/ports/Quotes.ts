import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Offer } from "../domain/Order.ts"

/** An offer bound to the request it was made for. */
export interface Quote {
  readonly id: string
  /** Fingerprint of the request. */
  readonly fingerprint: string
  readonly offer: Offer
  readonly createdAtMillis: number
  /** Key of the charge that consumed it; the first payment to claim a quote consumes it. */
  readonly consumedBy: string | undefined
}

export class Quotes extends Context.Service<
  Quotes,
  {
    /**
     * Keeps a quote as the live one of its request. Where the request has a live quote already
     * (unconsumed, not lapsed at `nowMillis`), that one stays and is answered instead.
     */
    readonly put: (quote: Quote, nowMillis: number) => Effect.Effect<Quote, StoreError>
    /** The live quote of a request. */
    readonly findLive: (
      fingerprint: string,
      nowMillis: number
    ) => Effect.Effect<Quote | undefined, StoreError>
    /** Consumes a live quote for a charge, once; again for the same charge is `true` as well. */
    readonly consume: (id: string, chargeKey: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /** Undoes `consume` for a charge that came to nothing. */
    readonly restore: (chargeKey: string) => Effect.Effect<void, StoreError>
    /** Deletes quotes that lapsed before `lapsedBeforeMillis`: they carry personal data. */
    readonly expire: (lapsedBeforeMillis: number) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/Quotes") {}
