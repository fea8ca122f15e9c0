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
  /** What settling again needs, as JSON; encrypted where the answer is. Empty once settled. */
  readonly settlement: string
  readonly createdAtMillis: number
}

/**
 * `claimed`: work is under way, nothing settled. `ready`: the answer stands, the money may or may not
 * have moved. `settled`: paid. `voided`: nothing is due for it, since the payment was refused or its work
 * failed; it is watched until the authorization can no longer move, and becomes `settled` if it does.
 */
export type ChargeState = "claimed" | "ready" | "settled" | "voided"

/** Money that moved and has no answer (or no goods) to show for it: owed back to the payer, then sent. */
export type Refund = { readonly _tag: "Due" } | { readonly _tag: "Sent"; readonly transaction: string }

/** A charge as the store holds it. */
export interface Charge extends NewCharge {
  readonly state: ChargeState
  /** When this payment was first presented: `createdAtMillis` of the first claim of its key. */
  readonly firstClaimedAtMillis: number
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
  readonly settledAtMillis: number | undefined
  /** From `settled` on, where one is owed. */
  readonly refund: Refund | undefined
}

/**
 * What `claim` found. `Limited`: the payer has as many unsettled charges as are allowed; nothing was
 * written.
 */
export type Claim =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Existing"; readonly charge: Charge }
  | { readonly _tag: "Limited" }

/** Who holds a charge: a unique name per call, and until when. */
export interface Lease {
  readonly owner: string
  readonly untilMillis: number
}

/** What a ledger entry says: money came in, is owed back, was sent back. */
export type LedgerKind = "settled" | "refund_due" | "refunded"

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
  /** The transaction that moved the money, of `settled` and `refunded`. */
  readonly transaction: string | undefined
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
  readonly before?: Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind">
  /** Only entries made at or after the first and before the second. */
  readonly fromMillis?: number
  readonly beforeMillis?: number
  /** Only entries of these charges. */
  readonly chargeKeys?: ReadonlyArray<string>
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
     * Takes a free key. Free is also a key whose charge is `claimed` with a lapsed lease (its process
     * died before an answer stood), or `voided` and last held by the very owner of the new lease: the new
     * charge replaces it and keeps its `firstClaimedAtMillis`. Of any number of racers one wins. Where the payer
     * has `maxUnsettled` other charges that are `ready` or under a running claim, nothing is taken.
     */
    readonly claim: (
      charge: NewCharge,
      lease: Lease,
      nowMillis: number,
      maxUnsettled: number
    ) => Effect.Effect<Claim, StoreError>
    /** `claimed` → `ready`, by the owner of the lease: records the answer before money moves. */
    readonly advance: (
      key: string,
      owner: string,
      outcome: { readonly answer: RecordedAnswer; readonly subject: Subject | undefined }
    ) => Effect.Effect<boolean, StoreError>
    /**
     * `ready` or `voided` → `settled`, by anyone: a settlement seen is a fact. A voided charge whose answer was
     * dropped settles with `refundDue` alone: nothing else could come of it. What settling again needs is
     * forgotten. Appends the `settled` entry, and with `refundDue` the `refund_due` entry as well. Where the
     * charge has a subject and no refund is due, its effect is pending from now on. Attempts begin anew; the lease stays.
     */
    readonly complete: (
      key: string,
      settlement: { readonly receipt: Receipt; readonly refundDue: boolean },
      nowMillis: number
    ) => Effect.Effect<boolean, StoreError>
    /** What the settlement sets off has happened: it is not pending any more. */
    readonly markApplied: (key: string) => Effect.Effect<boolean, StoreError>
    /**
     * `claimed` or `ready` → `voided`, by the owner of the lease, which ends (`leaseUntilMillis` becomes 0, as
     * do `attempts`): the payment was refused or its work failed. The answer is dropped unless it is kept for the case that the money moves after all.
     */
    readonly void: (
      key: string,
      owner: string,
      options: { readonly keepAnswer: boolean; readonly checkAfterMillis: number }
    ) => Effect.Effect<boolean, StoreError>
    /** Deletes a `claimed` or `voided` charge, by the owner of the lease: nothing can come of it any more. */
    readonly release: (key: string, owner: string) => Effect.Effect<boolean, StoreError>
    /** Takes the lapsed lease of a charge that is unfinished: not settled, or its effect is pending. */
    readonly takeOver: (key: string, lease: Lease, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /** Ends a lease at another time, state kept, so that whoever comes next need not wait it out. */
    readonly yieldLease: (key: string, owner: string, untilMillis: number) => Effect.Effect<void, StoreError>
    /**
     * Ends a lease (`leaseUntilMillis` becomes 0) after an attempt in vain: counts it, and says when
     * `unfinished` shows the charge again.
     */
    readonly defer: (key: string, owner: string, checkAfterMillis: number) => Effect.Effect<void, StoreError>
    /**
     * Charges that are not settled or whose effect is pending, whose lease has lapsed and whose
     * `checkAfterMillis` has come, the longest due first: what dead processes left, and what is watched.
     */
    readonly unfinished: (
      nowMillis: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
    /** Newest first, by `createdAtMillis` and key. */
    readonly list: (query: ChargesQuery) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
    /**
     * Deletes recorded answers of charges settled before `beforeMillis`, at most `limit` of them (whichever),
     * and notes that they expired; the charges themselves are the host's books and stay. Answers how many
     * were touched.
     */
    readonly expire: (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
    /** A settled charge without a refund → one is due, whatever else is pending. Appends the `refund_due` entry. */
    readonly oweRefund: (key: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /** A refund that is due → sent. Appends the `refunded` entry. */
    readonly recordRefund: (
      key: string,
      transaction: string,
      nowMillis: number
    ) => Effect.Effect<boolean, StoreError>
    /** The ledger, newest first, by `atMillis`, charge key and kind. */
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
