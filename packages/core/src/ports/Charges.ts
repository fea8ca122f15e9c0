import { Context, type Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Receipt } from "../domain/PaymentRequired.ts"
import { makeMemoryCharges } from "./MemoryCharges.ts"

/** What a charge sets off besides its answer: an order or a purchase, by id. */
export interface Subject {
  readonly kind: "order" | "purchase"
  readonly id: string
}

/**
 * The answer of a charge, as it goes out and as it is given again.
 * `sealed` bodies are encrypted under the host secret; `reopen` bodies are not kept but opened anew.
 */
export interface RecordedAnswer {
  readonly status: number
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body:
    | { readonly _tag: "Plain"; readonly text: string }
    | { readonly _tag: "Sealed"; readonly keyId: string; readonly base64: string }
    | { readonly _tag: "Reopen"; readonly slug: string }
}

/** What is recorded of a payment when it is claimed. */
export interface NewCharge {
  /** What was signed: `chain:asset:payer:nonce`. */
  readonly key: string
  /** Digest of the signed payload, signature included: a replay must present the same. */
  readonly payloadDigest: string
  /** Keyed digest of method, route and canonical input, prefixed by the key's id. */
  readonly fingerprint: string
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  /** In lower case: one payer, one spelling. */
  readonly payer: string
  readonly payTo: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  /** Seconds since the epoch after which the authorization is void. */
  readonly validBeforeSeconds: number
  /** The version of the payment header: which receipt header the answer carries. */
  readonly x402Version: 1 | 2
  /** What settling again needs, as JSON; encrypted where the answer is. Empty once settled for good, or voided. */
  readonly settlement: string
  /**
   * Value of the work that is done before this payment settles, in atomic units: what the host loses if it never
   * does. `"0"` where the work costs nothing before settlement, or is done after it. Below 2^63.
   */
  readonly exposureAtomic: string
  /** The payment settles before the work: from settlement on, the response is owed. */
  readonly settlesFirst: boolean
  readonly createdAtMillis: number
  /** When the payment was claimed, where no verification had shown that its money had not moved; else 0. */
  readonly unverifiedSinceMillis: number
}

/**
 * `claimed`: work is under way, nothing settled. `ready`: the response is recorded, the money may or may not
 * have moved. `settled`: paid. `voided`: nothing is due for it, since the payment was refused or its work
 * failed; it is watched until the authorization can no longer move, and becomes `settled` if it does.
 * A charge that settles first is `ready` without a response, and `settled` while the response is owed.
 */
export type ChargeState = "claimed" | "ready" | "settled" | "voided"

/** Money that moved and has no answer (or no goods) to show for it: owed back to the payer, then sent. */
export type Refund =
  | {
      readonly _tag: "Due"
      /** When `startRefund` allowed it to be sent; from then on it counts as sent against every limit. */
      readonly startedAtMillis: number | undefined
    }
  | { readonly _tag: "Sent"; readonly transaction: string }

/** A charge as the store holds it. */
export interface Charge extends NewCharge {
  readonly state: ChargeState
  /** Who works on it, until when: milliseconds since the epoch. */
  readonly leaseOwner: string
  readonly leaseUntilMillis: number
  /** How often its outcome was looked for in vain, and when it is looked for next. */
  readonly attempts: number
  readonly checkAfterMillis: number
  /** From `ready` on. Absent once its time is over. */
  readonly answer: RecordedAnswer | undefined
  /** When the recorded answer was deleted because its time was over. */
  readonly answerExpiredAtMillis: number | undefined
  readonly subject: Subject | undefined
  /** Settled, and what that sets off for its subject has yet to happen: an outbox of one. */
  readonly effectPending: boolean
  /** From `settled` on. */
  readonly receipt: Receipt | undefined
  /**
   * Index of the token's `Transfer` event in its block, where the chain proved the settlement. Network, transaction
   * and index name one transfer, and one transfer settles one charge.
   */
  readonly transferLogIndex: number | undefined
  /** Settled by a transfer that a reorganization of the chain could still undo. It is checked once more. */
  readonly awaitsFinality: boolean
  /** Times that a settlement was undone by a reorganization. */
  readonly reopenings: number
  /** Settled before its work, and its response isn't recorded yet: until when the caller can still get it. */
  readonly responseOwedUntilMillis: number | undefined
  readonly settledAtMillis: number | undefined
  /** From `settled` on, where one is owed. One that was sent stays when the charge is reopened. */
  readonly refund: Refund | undefined
}

/** Bounds on the unfinished charges of one payer, shared by all processes. */
export interface ClaimLimits {
  /** Charges, the new one included. */
  readonly maxUnsettled: number
  /** Sum of their `exposureAtomic`, the new one included. A payer without other exposure is always below it. */
  readonly maxExposureAtomic: string
}

/**
 * The result of `claim`. `Limited`: the payer has reached a limit; nothing was written. `charges`: too many are
 * unsettled. `exposure`: their value is too high for now. Where both limits are reached it is `charges`.
 */
export type Claim =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Existing"; readonly charge: Charge }
  | { readonly _tag: "Limited"; readonly by: "charges" | "exposure" }

/** A settlement, as `complete` records it. */
export interface CompletedSettlement {
  readonly receipt: Receipt
  /** Of the `Transfer` event that proves it; `undefined` where only a facilitator reported it. */
  readonly transferLogIndex: number | undefined
  readonly refundDue: boolean
  /** When a provisional proof is checked again; `undefined`: the proof is final, or there is none. */
  readonly finalAfterMillis: number | undefined
  /** For a charge that settles before its work: how long the response can still be requested. */
  readonly responseOwedUntilMillis: number | undefined
}

/**
 * The result of `complete`. `NotOpen`: the charge is not in a state that can settle, whatever the transfer.
 * `TransferTaken`: it is, but the same transfer has settled another charge; nothing was written.
 */
export type Completion =
  | { readonly _tag: "Completed" }
  | { readonly _tag: "NotOpen" }
  | { readonly _tag: "TransferTaken" }

/** A payer's unfinished and recent business on one network and asset. Atomic units, in decimal digits. */
export interface PayerStanding {
  /**
   * Sum of the amounts of the payer's charges that are `ready`, or `claimed` under a running lease, and were claimed
   * no later than the given charge (by `createdAtMillis`, then key), itself included.
   */
  readonly openAtomic: string
  /** Sum of the amounts settled since the given time without a refund; of the latest 200 at most. */
  readonly settledAtomic: string
}

/** Limits on the refunds of one payer. */
export interface RefundLimit {
  /** Refunds started at or after this time count. */
  readonly sinceMillis: number
  /** Their sum, the new one included; atomic units, in decimal digits. */
  readonly maxAtomic: string
}

/**
 * The result of `startRefund`. `OverLimit`: the payer's refunds in the window would exceed the limit.
 * `ExceedsReceived`: the payer's refunds would exceed what the ledger says they paid; the ledger is wrong. Checked
 * first: a refund that exceeds both is `ExceedsReceived`.
 */
export type RefundStart =
  | { readonly _tag: "Started" }
  | { readonly _tag: "NotDue" }
  | { readonly _tag: "OverLimit" }
  | { readonly _tag: "ExceedsReceived" }

/** Why and since when no refunds are sent until an operator resumes them. */
export interface RefundStop {
  readonly reason: string
  readonly atMillis: number
}

/** Who holds a charge: a unique name per call, and until when. */
export interface Lease {
  readonly owner: string
  readonly untilMillis: number
}

/**
 * What a ledger entry records: money came in, is owed back, was sent back. `reversed`: a reorganization undid the
 * settlement, and with it the refund that was due, if any. A refund that was sent counts for the next round too.
 */
export type LedgerKind = "settled" | "refund_due" | "refunded" | "reversed"

/** One line of the books. Appended in the same step as the fact that it records, never changed or deleted. */
export interface LedgerEntry {
  readonly kind: LedgerKind
  readonly chargeKey: string
  readonly atMillis: number
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly payTo: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  /** The transaction that moved the money, of `settled`, `reversed` and `refunded`. */
  readonly transaction: string | undefined
  /** Of the transfer that proves a `settled` (or the `reversed` one); `undefined` where no chain was read. */
  readonly transferLogIndex: number | undefined
  /**
   * How many settlements of this key were reversed before: 0 for the first settlement and its refund (and its
   * reversal), 1 for the second. Entries outlive their charge: a released key that is claimed again counts on.
   */
  readonly round: number
}

/** The entries of one kind, day, operation and network, summed. */
export interface LedgerTotal {
  /** UTC: `2026-11-21`. */
  readonly day: string
  readonly operation: string
  readonly network: string
  readonly asset: string
  readonly kind: LedgerKind
  readonly count: number
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
}

export interface ChargesQuery {
  readonly limit: number
  readonly state?: ChargeState
  /** Only charges whose refund is due and not sent yet. */
  readonly isOwed?: boolean
  /** The last charge of the page before. */
  readonly before?: { readonly createdAtMillis: number; readonly key: string }
  /** Only charges settled at or after the first and before the second. */
  readonly settledFromMillis?: number
  readonly settledBeforeMillis?: number
}

export interface EntriesQuery {
  readonly limit: number
  /** The last entry of the page before. */
  readonly before?: Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind" | "round">
  /** Only entries made at or after the first and before the second. */
  readonly fromMillis?: number
  readonly beforeMillis?: number
  /** Only entries of these charges. */
  readonly chargeKeys?: ReadonlyArray<string>
  /** CAIP-2: only entries of this network. */
  readonly network?: string
  /** In lower case: only entries of this payer. */
  readonly payer?: string
}

/**
 * Charges by key, and the ledger of what they moved. Each verb is one atomic step (a compare-and-set,
 * never get-then-set) that answers whether it took effect: `false` means that somebody else holds the
 * charge or it is past that state.
 */
export class Charges extends Context.Service<
  Charges,
  {
    readonly find: (key: string) => Effect.Effect<Charge | undefined, StoreError>
    /**
     * Takes a free key. Free is also a key whose charge is `claimed` with a lapsed lease (its process died before a
     * response was recorded), or `voided` and last held by the owner of the new lease: the new charge replaces it and
     * keeps its `unverifiedSinceMillis` and `reopenings`. Of concurrent claims one wins. A charge whose refund was sent
     * is never replaced.
     *
     * Takes nothing (`Limited`) where the payer already has `maxUnsettled` other charges that are `ready` or
     * `claimed` under a running lease; nor where the new charge has an exposure, the payer has other exposure, and
     * the sum exceeds `maxExposureAtomic`. Other exposure is that of `ready` charges, of `claimed` ones under a running
     * lease, and of `voided` ones that kept theirs: work was done for them, and nobody paid.
     */
    readonly claim: (
      charge: NewCharge,
      lease: Lease,
      nowMillis: number,
      limits: ClaimLimits
    ) => Effect.Effect<Claim, StoreError>
    /** What a payer has open up to a charge, and has settled since `sinceMillis`, on one network and asset. */
    readonly payerStanding: (
      charge: Pick<NewCharge, "payer" | "network" | "asset" | "key" | "createdAtMillis">,
      sinceMillis: number,
      nowMillis: number
    ) => Effect.Effect<PayerStanding, StoreError>
    /**
     * `claimed` → `ready`, by the owner of the lease, before money moves. Records the response; a charge that settles
     * first has none yet.
     */
    readonly advance: (
      key: string,
      owner: string,
      outcome: { readonly answer: RecordedAnswer | undefined; readonly subject: Subject | undefined }
    ) => Effect.Effect<boolean, StoreError>
    /**
     * `ready` or `voided` → `settled`, by any process: a settlement seen on the chain is a fact. A voided charge settles
     * only with `refundDue`, or where it settles first: it has no response.
     *
     * Where `transferLogIndex` is given, no other settled charge may have the same network, transaction and index.
     * Payments that settled without a proof have no index and are not compared.
     *
     * Appends the `settled` entry, and with `refundDue` the `refund_due` entry. Where the charge has a subject and no
     * refund is due, its effect is pending from now on. `settlement` is kept while the charge awaits finality, else
     * cleared. `attempts` become 0; `checkAfterMillis` becomes the earlier of `finalAfterMillis` and
     * `responseOwedUntilMillis`, or 0. The lease stays.
     *
     * Where the charge was reopened after its refund was sent, that refund stays: no `refund_due` entry is made, no
     * response is owed and no effect is pending, whatever the settlement says.
     */
    readonly complete: (
      key: string,
      settlement: CompletedSettlement,
      nowMillis: number
    ) => Effect.Effect<Completion, StoreError>
    /**
     * Records the response of a charge that settled first, by the owner of the lease: the response is not owed any more.
     * `false` where it isn't owed, or a refund is due.
     */
    readonly deliver: (
      key: string,
      owner: string,
      answer: RecordedAnswer
    ) => Effect.Effect<boolean, StoreError>
    /** The proof of a settled charge is final, says the owner of the lease: `settlement` is cleared. */
    readonly finalize: (key: string, owner: string) => Effect.Effect<boolean, StoreError>
    /**
     * `settled` → `ready` (`voided` where it has no response, and had none that expired, and doesn't settle first), by the
     * owner of the lease, where the charge awaits finality and no refund is under way (started, and not sent yet):
     * a reorganization undid its transfer. Receipt, transfer, settlement time, a refund that was due, a response that
     * was owed and a pending effect are cleared; the rest stays: a refund that was sent, the recorded response,
     * `settlement`, the lease, `attempts` and `checkAfterMillis`. `reopenings` grows by one. Appends the `reversed` entry.
     */
    readonly reopen: (key: string, owner: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /** The settlement's effect has been applied: it is not pending any more. */
    readonly markApplied: (key: string) => Effect.Effect<boolean, StoreError>
    /**
     * `claimed` or `ready` → `voided`, by the owner of the lease, which ends (`leaseUntilMillis` becomes 0, as
     * do `attempts`): the payment was refused or its work failed. `settlement` and response are cleared: a voided charge is a small
     * record, and if its money moves after all, a refund is due. The exposure becomes 0 unless `keepExposure`: work was
     * done, and the payer did not pay for it.
     */
    readonly void: (
      key: string,
      owner: string,
      options: {
        readonly keepExposure: boolean
        readonly checkAfterMillis: number
      }
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Deletes a `claimed` or `voided` charge, by the owner of the lease: nothing can come of it any more. Ledger entries
     * of a settlement that was reversed stay. A charge whose refund was sent is never deleted.
     */
    readonly release: (key: string, owner: string) => Effect.Effect<boolean, StoreError>
    /**
     * Voided charges without a subject and without a refund that was sent, whose lease has lapsed and whose
     * `checkAfterMillis` has come, the longest due first (then by `createdAtMillis` and key). `unfinished` leaves them
     * out: they are cleared in bulk.
     */
    readonly voidedDue: (nowMillis: number, limit: number) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
    /**
     * Deletes those of the given charges that are still voided, without a subject or a refund that was sent, and under no
     * running lease. Returns how many.
     */
    readonly releaseVoided: (
      keys: ReadonlyArray<string>,
      nowMillis: number
    ) => Effect.Effect<number, StoreError>
    /**
     * Takes the lapsed lease of a charge that is unfinished: not settled, its effect is pending, its response is owed, or
     * it awaits finality.
     */
    readonly takeOver: (key: string, lease: Lease, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /** Ends a lease at another time, state kept, so that the next process need not wait for it. */
    readonly yieldLease: (key: string, owner: string, untilMillis: number) => Effect.Effect<void, StoreError>
    /**
     * Ends a lease (`leaseUntilMillis` becomes 0) after a fruitless attempt: counts it, and sets when `unfinished` or
     * `voidedDue` shows the charge again.
     */
    readonly defer: (key: string, owner: string, checkAfterMillis: number) => Effect.Effect<void, StoreError>
    /**
     * Unfinished charges (see `takeOver`) whose lease has lapsed and whose `checkAfterMillis` has come, without those of
     * `voidedDue`. `claimed` ones come after all others: nothing was recorded for them.
     * Among each, the longest due first, then by `createdAtMillis` and key. An effect that is pending is due since 0,
     * whatever `checkAfterMillis` says.
     */
    readonly unfinished: (
      nowMillis: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
    /** Newest first, by `createdAtMillis` and key. */
    readonly list: (query: ChargesQuery) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
    /**
     * Deletes recorded responses of charges settled before `beforeMillis`, at most `limit` of them (in any order), and
     * notes that they expired; the charges themselves are the host's books and stay. Returns how many were changed.
     */
    readonly expire: (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
    /**
     * A settled charge without a refund → one is due, whatever else is pending; a response that was owed no longer is.
     * Appends the `refund_due` entry.
     */
    readonly oweRefund: (key: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /**
     * Allows a refund that is due to be sent, once: the step after it moves money. A refund that was started before is
     * `Started` again, whatever the limit. Atomic over concurrent refunds of one payer: the sum of those started in the
     * window, on any network, never exceeds the limit; the sum of all that were started or sent never exceeds what the
     * ledger's settled entries (less reversed ones) of that payer, network and asset add up to.
     */
    readonly startRefund: (
      key: string,
      limit: RefundLimit,
      nowMillis: number
    ) => Effect.Effect<RefundStart, StoreError>
    /** A refund that is due → sent. Appends the `refunded` entry. */
    readonly recordRefund: (
      key: string,
      transaction: string,
      nowMillis: number
    ) => Effect.Effect<boolean, StoreError>
    /** Why refunds are stopped, for all processes; `undefined`: they are not. */
    readonly refundStop: () => Effect.Effect<RefundStop | undefined, StoreError>
    /** Stops refunds until `resumeRefunds`. The first reason stays; `false` where they were stopped already. */
    readonly stopRefunds: (reason: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /** Lets refunds be sent again. `false` where they were not stopped. */
    readonly resumeRefunds: () => Effect.Effect<boolean, StoreError>
    /** The ledger, newest first, by `atMillis`, charge key, kind and round. */
    readonly entries: (query: EntriesQuery) => Effect.Effect<ReadonlyArray<LedgerEntry>, StoreError>
    /** Sums of the entries made at or after the first and before the second, by day, operation, network, asset, kind. */
    readonly totals: (
      fromMillis: number,
      beforeMillis: number
    ) => Effect.Effect<ReadonlyArray<LedgerTotal>, StoreError>
  }
>()("@till402/core/Charges") {
  /** Charges in memory: one thread runs each verb whole, so each is atomic. */
  static readonly layerMemory: Layer.Layer<Charges> = Layer.sync(Charges, () =>
    Charges.of(makeMemoryCharges())
  )
}
