import { Data } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { Receipt } from "../../domain/PaymentRequired.ts"
import type { Refusal } from "./Verdict.ts"

/*
 * How a payment fails without an outcome. The caller sends the same payment again; signing a new one could pay twice.
 */

/** The payment does not buy this request after all, e.g. because its quote expired. Nothing was charged. */
export class PaymentRefused extends Data.TaggedError("PaymentRefused")<{ readonly refusal: Refusal }> {}

/** Another call or process works on a request with this payment. */
export class PaymentInProgress extends Data.TaggedError("PaymentInProgress") {}

/** It is not known yet whether the payment settled. */
export class SettlementPending extends Data.TaggedError("SettlementPending") {}

/** Too many payments of this payer, or of this service, are unsettled. Nothing was charged. */
export class PaymentsLimited extends Data.TaggedError("PaymentsLimited") {}

/**
 * What another payment of the payer is to one that repeats it. `InFlight`: it may have bought the same. `Kept`: it has, and
 * gets its response again. `Gone`: it has, and its response can't be sent again. `Different`: the client gave both the
 * same id, for different things.
 */
export type Repetition = "InFlight" | "Kept" | "Gone" | "Different"

/** The payer's earlier payment buys the same, or may do so yet. Nothing was charged for this one. */
export class RequestRepeated extends Data.TaggedError("RequestRepeated")<{
  readonly first: Charge
  readonly as: Repetition
}> {}

/** The facilitator or the chain can't be reached. Nothing was charged. */
export class VerificationUnavailable extends Data.TaggedError("VerificationUnavailable") {}

/**
 * The work of a payment that settled first isn't tried for now: it failed too many times, or too much paid work of its
 * payer was lost.
 */
export class PaidWorkLimited extends Data.TaggedError("PaidWorkLimited")<{
  readonly by: "failures" | "losses"
}> {}

/** The store failed. The payment may have settled. */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{ readonly cause: StoreError }> {}

/** The payment settled and its response is recorded, but the content that the response refers to can't be opened. */
export class ContentUnavailable<E> extends Data.TaggedError("ContentUnavailable") {
  readonly error: E
  constructor(error: E) {
    super()
    this.error = error
  }
}

/** Why the work of a payment that settled first has no response; `undefined`: a defect, which has been reported. */
export type OwedReason<E> = E | PaymentRefused | PaidWorkLimited | undefined

/** The payment settled before its work, and the work failed: retries are free until `untilMillis`. */
export class ResponseOwed<E> extends Data.TaggedError("ResponseOwed") {
  readonly reason: OwedReason<E>
  readonly receipt: Receipt
  readonly untilMillis: number
  constructor(reason: OwedReason<E>, receipt: Receipt, untilMillis: number) {
    super()
    this.reason = reason
    this.receipt = receipt
    this.untilMillis = untilMillis
  }
}

/** The errors of the toll; `E` is the error of the paid work. */
export type PaymentError<E> =
  | PaymentInProgress
  | SettlementPending
  | PaymentsLimited
  | RequestRepeated
  | VerificationUnavailable
  | PaidWorkLimited
  | StoreUnavailable
  | ContentUnavailable<E>
  | ResponseOwed<E>

/** Refuses a payment whose quote has expired, was paid before, or was replaced by a newer one: a 402. */
export const quoteExpired = new PaymentRefused({
  refusal: {
    code: "quote_expired",
    message: "the quote has expired or was paid before; nothing was charged, pay the new amount"
  }
})
