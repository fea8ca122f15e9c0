import type { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/** A refund: due for a payment without a response (or without goods), then sent. */
export type Refund =
  | {
      readonly _tag: "Due"
      /** When `startRefund` allowed it to be sent; from then on it counts as sent against every limit. */
      readonly startedAtMillis: number | undefined
    }
  | {
      readonly _tag: "Sent"
      /** Hash of the transaction that sent it. */
      readonly transaction: string
    }

/** Limits on the refunds of one payer. */
export interface RefundLimit {
  /** Refunds started at or after this time count. */
  readonly sinceMillis: number
  /** Bound on their sum, the new one included; atomic units in decimal digits. */
  readonly maxAtomic: string
}

/**
 * The result of `startRefund`.
 *
 * `OverLimit`: the payer's refunds in the window would exceed the limit. `ExceedsReceived`: they would exceed what the
 * ledger records as paid, so the ledger is wrong; takes precedence over `OverLimit`.
 */
export type RefundStart =
  | { readonly _tag: "Started" }
  | { readonly _tag: "NotDue" }
  | { readonly _tag: "OverLimit" }
  | { readonly _tag: "ExceedsReceived" }

/** Why and since when refunds are stopped until an operator resumes them. */
export interface RefundStop {
  readonly reason: string
  readonly atMillis: number
}

/** The methods of `Charges` for refunds. */
export interface RefundMethods {
  /**
   * Marks a settled charge without a refund as due for one, whatever else is pending; clears a response that was owed.
   * Appends the `refund_due` entry. With an `owner`, only while that owner holds the charge: a process that was slow
   * must not refund what another one has delivered since.
   */
  readonly markRefundDue: (
    key: string,
    nowMillis: number,
    owner: string | undefined
  ) => Effect.Effect<boolean, StoreError>
  /**
   * Allows a refund that is due to be sent; the step after it moves money. A refund that was started before is
   * `Started` again, whatever the limit.
   *
   * Atomic over concurrent refunds of one payer: the sum of those started in the window, on any network, never exceeds
   * the limit; the sum of all that were started or sent never exceeds the ledger's settled entries (less reversed ones)
   * of that payer, network and asset.
   */
  readonly startRefund: (
    key: string,
    limit: RefundLimit,
    nowMillis: number
  ) => Effect.Effect<RefundStart, StoreError>
  /** Records that a refund which is due has been sent. Appends the `refunded` entry. */
  readonly recordRefund: (
    key: string,
    transaction: string,
    nowMillis: number
  ) => Effect.Effect<boolean, StoreError>
  /**
   * As `recordRefund`, for a refund that an operator sent by other means. `false` also where the wallet may be sending
   * it: it was started, and refunds have not been stopped since `stoppedBeforeMillis` or earlier.
   */
  readonly recordManualRefund: (
    key: string,
    transaction: string,
    stoppedBeforeMillis: number,
    nowMillis: number
  ) => Effect.Effect<boolean, StoreError>
  /**
   * Appends another `refunded` entry for a charge whose refund was recorded with another transaction: money went back
   * twice. Its `round` is one above that of the charge's last `refunded` entry. The charge stays as it is. `false`
   * where no refund was sent, or the transaction is entered already.
   */
  readonly recordFurtherRefund: (
    key: string,
    transaction: string,
    nowMillis: number
  ) => Effect.Effect<boolean, StoreError>
  /** Returns why refunds are stopped, for all processes; `undefined`: they are not. */
  readonly refundStop: () => Effect.Effect<RefundStop | undefined, StoreError>
  /** Stops refunds until `resumeRefunds`. Keeps the first reason; `false` where they were already stopped. */
  readonly stopRefunds: (reason: string, nowMillis: number) => Effect.Effect<boolean, StoreError>
  /** Resumes refunds; `false` where they were not stopped. */
  readonly resumeRefunds: () => Effect.Effect<boolean, StoreError>
}
