import type { Receipt } from "../domain/PaymentRequired.ts"
import type { Refund } from "./Refund.ts"

/*
 * A charge: the record of one payment for one request. Amounts are atomic units in decimal digits; times with the
 * suffix `Millis` are milliseconds since the epoch.
 */

/** The effect of a settlement besides the response, e.g. an order or a purchase. Opaque to the toll. */
export interface Subject {
  readonly kind: string
  readonly id: string
}

/**
 * The response of a charge, as it is sent and replayed.
 *
 * An `Encrypted` body is encrypted under the host secret, `withHeaders` if it contains the headers too. A `Reference`
 * body isn't stored: its operation opens it again.
 */
export interface RecordedResponse {
  readonly status: number
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body:
    | { readonly _tag: "Plain"; readonly text: string }
    | {
        readonly _tag: "Encrypted"
        readonly keyId: string
        readonly base64: string
        readonly withHeaders?: true
      }
    | { readonly _tag: "Reference"; readonly reference: string }
}

/** What is recorded of a payment when it is claimed. */
export interface NewCharge {
  /** Names what was signed: `chain:asset:payer:nonce`. Compared exactly, letter case included. */
  readonly key: string
  /** Digest of the signed payload, signature included: a replay must present the same payload. */
  readonly payloadDigest: string
  /** Keyed digest of method, route and canonical input, prefixed by the key's id. */
  readonly fingerprint: string
  /** The operation that is paid for: `search`, `buy`, … */
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  /** Address of the stablecoin's contract. */
  readonly asset: string
  /** Address, on EVM in lower case, so that one payer has one spelling. Letter case counts on Solana. */
  readonly payer: string
  /** Address that receives the payment. */
  readonly payTo: string
  /** The price that was agreed. */
  readonly amountAtomic: string
  /** When the authorization expires, in seconds since the epoch; on Solana an estimate. */
  readonly validBeforeSeconds: number
  /** Version of the payment header; decides which receipt header the response carries. */
  readonly x402Version: 1 | 2
  /** What another settlement attempt needs, as JSON; encrypted if the response is. Empty once final or voided. */
  readonly settlement: string
  /**
   * Value of the work done before this payment settles: what the host loses if it never does. `"0"` if the work costs
   * nothing before settlement, or is done after it. Below 2^63.
   */
  readonly exposureAtomic: string
  /** Whether the payment settles before the work; from settlement on, the response is owed. */
  readonly settlesFirst: boolean
  /**
   * Keyed digest of what it buys, in whatever words it was requested, prefixed by the key's id: see `ClaimLimits.repeats`.
   * Empty if its payer may want it any number of times.
   */
  readonly repeatKey: string
  /** The id that the client gave the payment, if it guards repeats; empty if none. */
  readonly paymentId: string
  readonly createdAtMillis: number
  /**
   * The newest block that the host's node had shown when the payment was presented, as text that only the toll reads;
   * empty if none.
   * A transfer in this block or before it is not this payment's.
   */
  readonly claimedAfterBlock: string
}

/**
 * The state of a charge.
 *
 * - `claimed`: work is in progress, nothing has settled.
 * - `ready`: the response is recorded; the money may or may not have moved.
 * - `settled`: paid.
 * - `voided`: the payment was refused or its work failed. It is watched until the authorization can no longer move, and
 *   becomes `settled` if it does.
 *
 * A charge that settles first is `ready` without a response, and `settled` while the response is owed.
 */
export type ChargeState = "claimed" | "ready" | "settled" | "voided"

/** A charge as stored. */
export interface Charge extends NewCharge {
  readonly state: ChargeState
  /** The holder of the lease: a name that is unique to each call. */
  readonly leaseOwner: string
  /** When the lease expires. */
  readonly leaseUntilMillis: number
  /** Attempts to learn its outcome that failed. */
  readonly attempts: number
  /** When the next attempt is due. */
  readonly checkAfterMillis: number
  /** From `ready` on, until it expires. */
  readonly response: RecordedResponse | undefined
  /** When the recorded response was deleted because it had expired. */
  readonly responseExpiredAtMillis: number | undefined
  readonly subject: Subject | undefined
  /** Whether it has settled and the effect on its subject is still to be applied: an outbox of one. */
  readonly effectPending: boolean
  /** From `settled` on. */
  readonly receipt: Receipt | undefined
  /**
   * Index of the token's `Transfer` event in its block, if the chain proved the settlement. Network, transaction and
   * index identify one transfer, and one transfer settles one charge.
   */
  readonly transferLogIndex: number | undefined
  /** The facilitator whose report alone settled it, if that is so and it has a name. */
  readonly reportedBy: string | undefined
  /** Whether a reorganization of the chain could still undo its transfer, which is then checked once more. */
  readonly awaitsFinality: boolean
  /**
   * `payloadDigest` of the payment under this key that was refused last, empty if none. Its caller has read that nothing
   * was charged, so it buys nothing any more.
   */
  readonly refusedDigest: string
  /** Settlements that a reorganization has undone. */
  readonly reopenings: number
  /** Until when the caller can still request the response, for a charge that settled before its work. */
  readonly responseOwedUntilMillis: number | undefined
  readonly settledAtMillis: number | undefined
  /** From `settled` on, if a refund is due or was sent. */
  readonly refund: Refund | undefined
}

/**
 * Which earlier charges a new one would repeat: those of its payer that are `named` so, however old, and those with one
 * of these repeat keys that were created at or after `sinceMillis`. One that is voided, or whose refund is due or was
 * sent, doesn't count.
 */
export interface RepeatRule {
  /** Those of what is bought, under each key of the host; none if its caller buys it again on purpose. */
  readonly repeatKeys: ReadonlyArray<string>
  readonly sinceMillis: number
  /** The operation, and the id that the client gave the payment, if it did. */
  readonly named?: Pick<NewCharge, "operation" | "paymentId"> | undefined
}

/** Bounds on the unfinished charges of one payer, shared by all processes. */
export interface ClaimLimits {
  /** Number of charges, the new one included. */
  readonly maxUnsettled: number
  /** Sum of their `exposureAtomic`, the new one included. Doesn't apply to a payer's only exposure. */
  readonly maxExposureAtomic: string
  /** Refuses a charge that repeats another one; without it, none is refused for that. */
  readonly repeats?: RepeatRule | undefined
}

/**
 * The result of `claim`.
 *
 * `Existing`: the key is taken. `Repeated`: the charge repeats `first`, the newest of those that are named so, else of
 * those with a repeat key; nothing was written. `Limited`: the payer has reached a limit and nothing was written; by `charges` if too
 * many are unsettled (or if both limits are reached), by `exposure` if their value is too high.
 */
export type Claim =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Existing"; readonly charge: Charge }
  | { readonly _tag: "Repeated"; readonly first: Charge }
  | { readonly _tag: "Limited"; readonly by: "charges" | "exposure" }

/** A settlement, as `complete` records it. */
export interface CompletedSettlement {
  readonly receipt: Receipt
  /** Index of the `Transfer` event that proves it; `undefined` if only a facilitator reported it. */
  readonly transferLogIndex: number | undefined
  /** The facilitator that reported it, if nothing else proves it. */
  readonly reportedBy?: string | undefined
  /** Whether the payment must be refunded, because no response can be returned for it. Then none is owed. */
  readonly refundDue: boolean
  /** Only while this owner holds the charge: another process may have recorded a response for it since. */
  readonly owner?: string | undefined
  /** When a provisional proof is checked again; `undefined`: the proof is final, or there is none. */
  readonly finalAfterMillis: number | undefined
  /** Until when the caller can request the response, for a charge that settles before its work. */
  readonly responseOwedUntilMillis: number | undefined
}

/**
 * The result of `complete`.
 *
 * `NotOpen`: the charge is not in a state that can settle. `TransferTaken`: it is, but the same transfer has settled
 * another charge; nothing was written.
 */
export type Completion =
  | { readonly _tag: "Completed" }
  | { readonly _tag: "NotOpen" }
  | { readonly _tag: "TransferTaken" }

/** A payer's unfinished and recent payments on one network and asset. */
export interface PayerActivity {
  /**
   * Sum of the amounts of the payer's charges that are `ready`, or `claimed` under a running lease, and were claimed
   * no later than the given charge (by `createdAtMillis`, then key), itself included.
   */
  readonly openAtomic: string
  /** Sum of the amounts settled since the given time without a refund, over the latest 200. */
  readonly settledAtomic: string
}

/** The right to work on a charge for a time. */
export interface Lease {
  /** A name that is unique to each call. */
  readonly owner: string
  readonly untilMillis: number
}

/** Selects a page of charges. */
export interface ChargesQuery {
  /** Charges in the page. */
  readonly limit: number
  /** Only charges in this state. */
  readonly state?: ChargeState
  /** Only charges whose refund is due and not sent yet. */
  readonly isRefundDue?: boolean
  /** Only charges of this payer, as it is stored. */
  readonly payer?: string
  /** Only charges that this transaction has settled. */
  readonly transaction?: string
  /** Only charges whose client named their payments so. */
  readonly paymentId?: string
  /** Only charges that bought a subject of this kind. */
  readonly subjectKind?: string
  /** The last charge of the previous page. */
  readonly before?: { readonly createdAtMillis: number; readonly key: string }
}

/** A settled charge as an audit reads it: without its response, which may be large. */
export interface SettledCharge extends Pick<
  Charge,
  | "key"
  | "network"
  | "asset"
  | "payer"
  | "payTo"
  | "amountAtomic"
  | "validBeforeSeconds"
  | "reopenings"
  | "receipt"
  | "transferLogIndex"
  | "reportedBy"
  | "responseOwedUntilMillis"
  | "refund"
> {
  readonly settledAtMillis: number
  /** Whether its response is recorded, or was until it expired. */
  readonly hasResponse: boolean
}

/** Selects a page of settled charges. */
export interface SettledQuery {
  /** Charges in the page. */
  readonly limit: number
  /** Only charges settled at or after this time. */
  readonly fromMillis?: number
  /** Only charges settled before this time. */
  readonly beforeMillis?: number
  /** Only these charges. */
  readonly chargeKeys?: ReadonlyArray<string>
  /** The last charge of the previous page. */
  readonly after?: Pick<SettledCharge, "settledAtMillis" | "key">
}
