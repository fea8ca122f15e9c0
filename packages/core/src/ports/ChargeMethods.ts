import type { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type {
  Charge,
  ChargesQuery,
  Claim,
  ClaimLimits,
  CompletedSettlement,
  Completion,
  Lease,
  NewCharge,
  PayerActivity,
  RecordedResponse,
  RepeatRule,
  SettledCharge,
  SettledQuery,
  Subject
} from "./Charge.ts"
import type { LedgerMethods } from "./Ledger.ts"
import type { RefundMethods } from "./Refund.ts"
import type { RefundAttemptMethods } from "./RefundAttempt.ts"

/** The methods of `Charges`. */
export interface ChargeMethods
  extends
    ClaimMethods,
    SettlementMethods,
    LeaseMethods,
    DueMethods,
    RecordMethods,
    RefundMethods,
    RefundAttemptMethods,
    LedgerMethods {}

/** The methods of `Charges` that admit a payment. */
export interface ClaimMethods {
  readonly find: (key: string) => Effect.Effect<Charge | undefined, StoreError>
  /**
   * Takes a free key. A key is also free if its charge is `claimed` with an expired lease (its process died before a
   * response was recorded), or `voided` and last held by the owner of the new lease: the new charge replaces it and
   * keeps its `claimedAfterBlock`, `refusedDigest` and `reopenings`. Of concurrent claims one wins. A charge whose refund
   * was sent is never replaced.
   *
   * Writes nothing (`Repeated`) if the payer has another charge that `limits.repeats` selects: of concurrent claims of
   * different keys one wins, in all processes. This comes after a key that is taken, and before the limits.
   *
   * Writes nothing (`Limited`) if the payer already has `maxUnsettled` other charges that are `ready` or `claimed`
   * under a running lease; nor if the new charge has an exposure, the payer has other exposure, and the sum exceeds
   * `maxExposureAtomic`. Other exposure is that of `ready` charges, of `claimed` ones under a running lease, and of
   * `voided` ones that kept theirs: work was done for them and not paid. A `ready` charge counts until 15 minutes after
   * its `validBeforeSeconds`: it can't move any more.
   */
  readonly claim: (
    charge: NewCharge,
    lease: Lease,
    nowMillis: number,
    limits: ClaimLimits
  ) => Effect.Effect<Claim, StoreError>
  /** Returns the charge that one of this key and payer would repeat: what `claim` would return as `first`. */
  readonly findRepeated: (
    charge: Pick<NewCharge, "key" | "payer">,
    rule: RepeatRule
  ) => Effect.Effect<Charge | undefined, StoreError>
  /**
   * Sums a payer's open payments up to a charge, and those settled since `sinceMillis`, on one network and asset. Open
   * are `ready` charges, until 15 minutes after their `validBeforeSeconds`, and `claimed` ones under a running lease.
   */
  readonly payerActivity: (
    charge: Pick<NewCharge, "payer" | "network" | "asset" | "key" | "createdAtMillis">,
    sinceMillis: number,
    nowMillis: number
  ) => Effect.Effect<PayerActivity, StoreError>
}

/** The methods of `Charges` that change the state of a charge. */
export interface SettlementMethods {
  /**
   * `claimed` → `ready`, by the owner of the lease, before money moves. Records the response; a charge that settles
   * first has none yet.
   */
  readonly advance: (
    key: string,
    owner: string,
    outcome: { readonly response: RecordedResponse | undefined; readonly subject: Subject | undefined }
  ) => Effect.Effect<boolean, StoreError>
  /**
   * `ready` or `voided` → `settled`, by any process: a settlement seen on the chain is a fact. With an `owner`, only
   * while that owner holds the charge. A voided charge settles only with `refundDue`, or if it settles first: it has no
   * response. A charge that was reopened after its refund was sent settles only with `refundDue`.
   *
   * If `transferLogIndex` is given, no other settled charge may have the same network, transaction and index. Payments
   * that settled without a proof have no index and are not compared.
   *
   * Appends the `settled` entry, and with `refundDue` the `refund_due` entry. If the charge has a subject and no refund
   * is due, its effect is pending from now on. `settlement` is kept while the charge awaits finality, otherwise
   * cleared. `attempts` become 0; `checkAfterMillis` becomes the earlier of `finalAfterMillis` and
   * `responseOwedUntilMillis`, or 0. The lease stays.
   *
   * If the charge was reopened after its refund was sent, that refund stays: no `refund_due` entry is appended.
   */
  readonly complete: (
    key: string,
    settlement: CompletedSettlement,
    nowMillis: number
  ) => Effect.Effect<Completion, StoreError>
  /**
   * Records the response of a charge that settled first, by the owner of the lease; it is no longer owed. `false` if it
   * isn't owed, or if a refund is due.
   */
  readonly deliver: (
    key: string,
    owner: string,
    response: RecordedResponse
  ) => Effect.Effect<boolean, StoreError>
  /** Records that the proof of a settled charge is final, by the owner of the lease; clears `settlement`. */
  readonly finalize: (key: string, owner: string) => Effect.Effect<boolean, StoreError>
  /**
   * `settled` → `ready`, by the owner of the lease, because a reorganization undid the transfer. Only while the charge
   * awaits finality and no refund is in flight (started, and not sent yet). Becomes `voided` instead if it has no
   * response, had none that expired, and doesn't settle first.
   *
   * Clears receipt, transfer, settlement time, a refund that was due, a response that was owed and a pending effect.
   * Keeps the rest: a refund that was sent, the recorded response, `settlement`, the lease, `attempts` and
   * `checkAfterMillis`. Increments `reopenings` and appends the `reversed` entry.
   */
  readonly reopen: (key: string, owner: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
  /** Records that the settlement's effect has been applied: it is no longer pending. */
  readonly markApplied: (key: string) => Effect.Effect<boolean, StoreError>
  /**
   * `claimed` or `ready` → `voided`, by the owner of the lease, because the payment was refused or its work failed.
   *
   * Ends the lease (`leaseUntilMillis` and `attempts` become 0) and clears `settlement` and response: a voided charge
   * is a small record, and if its money moves after all, a refund is due. The exposure becomes 0 unless `keepExposure`:
   * work was done and not paid. With `isRefused`, `refusedDigest` becomes the charge's `payloadDigest`.
   */
  readonly void: (
    key: string,
    owner: string,
    options: {
      readonly keepExposure: boolean
      readonly isRefused?: boolean
      readonly checkAfterMillis: number
    }
  ) => Effect.Effect<boolean, StoreError>
  /**
   * Deletes a `claimed` or `voided` charge, by the owner of the lease, because it can no longer settle. Ledger entries
   * of a settlement that was reversed stay. A charge whose refund was sent is never deleted.
   */
  readonly release: (key: string, owner: string) => Effect.Effect<boolean, StoreError>
}

/** The methods of `Charges` for leases. */
export interface LeaseMethods {
  /**
   * Takes the expired lease of an unfinished charge: one that is not settled, whose effect is pending, whose response
   * is owed, or that awaits finality.
   */
  readonly takeOver: (key: string, lease: Lease, nowMillis: number) => Effect.Effect<boolean, StoreError>
  /** Ends a lease at another time, state kept, so that the next process need not wait for it. */
  readonly yieldLease: (key: string, owner: string, untilMillis: number) => Effect.Effect<void, StoreError>
  /**
   * Ends a lease (`leaseUntilMillis` becomes 0) after a failed attempt: counts it, and sets when `unfinished` or
   * `voidedDue` returns the charge again.
   */
  readonly defer: (key: string, owner: string, checkAfterMillis: number) => Effect.Effect<void, StoreError>
}

/** The methods of `Charges` for the reconciler. */
export interface DueMethods {
  /**
   * Returns unfinished charges (see `takeOver`) whose lease has expired and whose `checkAfterMillis` has come, without
   * those of `voidedDue`. `claimed` ones come last, since nothing was recorded for them; within each group the longest
   * due come first, then by `createdAtMillis` and key. A pending effect is due since 0, whatever `checkAfterMillis`.
   */
  readonly unfinished: (nowMillis: number, limit: number) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
  /**
   * Returns voided charges without a subject, and without a refund that was sent, whose lease has expired and whose
   * `checkAfterMillis` has come, the longest due first (then by `createdAtMillis` and key). They are cleared in bulk.
   */
  readonly voidedDue: (nowMillis: number, limit: number) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
  /**
   * Deletes those of the given charges that are still voided, without a subject, a refund that was sent and a running
   * lease. Returns how many.
   */
  readonly releaseVoided: (
    keys: ReadonlyArray<string>,
    nowMillis: number
  ) => Effect.Effect<number, StoreError>
}

/** The methods of `Charges` for the host's records. */
export interface RecordMethods {
  /** Lists charges, newest first, by `createdAtMillis` and key. */
  readonly list: (query: ChargesQuery) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
  /** Lists settled charges, those that settled first come first, by `settledAtMillis` and key. Reads no response. */
  readonly listSettled: (query: SettledQuery) => Effect.Effect<ReadonlyArray<SettledCharge>, StoreError>
  /**
   * Deletes recorded responses of up to `limit` charges settled before `beforeMillis`, in any order, and records that
   * they expired. The charges stay, for the host's bookkeeping. Returns how many were changed.
   */
  readonly expire: (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
  /**
   * Counts the charges whose response can't be returned without a key of the host: their `fingerprint` begins with the
   * key's id and a colon, and they are `ready`, or owe a response until after `nowMillis`, or have one and settled at
   * `sinceMillis` or later. With `operations`, only theirs.
   */
  readonly countUnderKey: (
    keyId: string,
    operations: ReadonlyArray<string> | undefined,
    sinceMillis: number,
    nowMillis: number
  ) => Effect.Effect<number, StoreError>
}
