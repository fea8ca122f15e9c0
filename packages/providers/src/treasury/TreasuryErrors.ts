import { TemporarilyUnavailable } from "@till402/core"
import { Data } from "effect"
import type { Hex } from "./Hex.ts"
import type { RefusalReason } from "./Transfer.ts"

/** The prepared transaction is not the agreed transfer. Nothing was signed. */
export class PaymentRefused extends Data.TaggedError("PaymentRefused")<{
  /** `reference_taken`: it was paid under another key. */
  readonly reason: RefusalReason | "reference_taken"
}> {
  override get message(): string {
    return `the prepared transaction was not signed: ${this.reason}`
  }
  get code(): string {
    return this.reason
  }
}

/** It is too late to pay. Nothing was signed. */
export class PaymentExpired extends Data.TaggedError("PaymentExpired")<{}> {
  override get message(): string {
    return "the quote expires too soon to be paid"
  }
}

/** The account has too little money. Nothing was signed. */
export class TreasuryUnderfunded extends Data.TaggedError("TreasuryUnderfunded")<{}> {
  override get message(): string {
    return "the treasury has too little money for the payment"
  }
}

/** The transaction's fees are above the host's limit. Nothing was signed. */
export class FeesTooHigh extends Data.TaggedError("FeesTooHigh")<{}> {
  override get message(): string {
    return "the chain's fees are above the treasury's limit"
  }
}

/** Too many other payments come first. Nothing was signed for this one. */
export class TreasuryBusy extends Data.TaggedError("TreasuryBusy")<{}> {
  override get message(): string {
    return "too many payments are waiting in the treasury"
  }
}

/** Signed and sent, but not on the chain yet. Retry with the same key. */
export class PaymentPending extends Data.TaggedError("PaymentPending")<{ readonly transaction: Hex }> {
  override get message(): string {
    return "the payment is not on the chain yet"
  }
}

/** The transaction was reverted or replaced. No money moved, and none will. */
export class PaymentFailed extends Data.TaggedError("PaymentFailed")<{ readonly transaction: Hex }> {
  override get message(): string {
    return "the payment was reverted by the chain, or replaced by another transaction"
  }
}

/** The account did not sign. Nothing was sent. `code`: the name of its error. */
export class SigningFailed extends Data.TaggedError("SigningFailed")<{ readonly code: string }> {
  override get message(): string {
    return "the treasury's account did not sign"
  }
}

/** The journal could not be read or written. Nothing is sent without a record. */
export class JournalFailed extends Data.TaggedError("JournalFailed")<{ readonly code: string }> {
  override get message(): string {
    return "the treasury's journal could not be read or written"
  }
}

/** Another error of the treasury. `code`: its name. */
export class TreasuryFailed extends Data.TaggedError("TreasuryFailed")<{
  readonly code: string
  readonly cause: unknown
}> {
  override get message(): string {
    return "the treasury failed"
  }
}

/** Errors of the treasury of this package, without faults of its node. */
export type TreasuryError =
  | PaymentRefused
  | PaymentExpired
  | TreasuryUnderfunded
  | FeesTooHigh
  | TreasuryBusy
  | PaymentPending
  | PaymentFailed
  | SigningFailed
  | JournalFailed

/** Errors of any treasury. */
export type TreasuryRejection = TreasuryError | TreasuryFailed | TemporarilyUnavailable

const rejections = {
  PaymentRefused,
  PaymentExpired,
  TreasuryUnderfunded,
  FeesTooHigh,
  TreasuryBusy,
  PaymentPending,
  PaymentFailed,
  SigningFailed,
  JournalFailed,
  TreasuryFailed,
  TemporarilyUnavailable
}
const tags: ReadonlySet<string> = new Set(Object.keys(rejections))

/** By tag: an error may come from another copy of this package. */
const isRejection = (cause: unknown): cause is TreasuryRejection =>
  cause instanceof Error && "_tag" in cause && tags.has(String(cause._tag))

/** The error of a treasury. A treasury of the host may reject with anything. */
export const treasuryRejection = (cause: unknown): TreasuryRejection => {
  if (isRejection(cause)) return cause
  const code = cause instanceof Error && /^\w{1,60}$/.test(cause.name) ? cause.name : typeof cause
  return new TreasuryFailed({ code, cause })
}
