import { TemporarilyUnavailable } from "@till402/core"
import { Data } from "effect"
import type { TreasuryRejection } from "../treasury/TreasuryErrors.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import type { QuoteRefusal } from "./Quote.ts"

/** The quote's price changed since it was agreed. Nothing was paid. */
export class QuoteChanged extends Data.TaggedError("QuoteChanged")<{}> {
  override get message(): string {
    return "the order's price changed since it was agreed"
  }
}

/** Crossmint did not finish a quote in time. */
export class QuoteNotReady extends Data.TaggedError("QuoteNotReady")<{}> {
  override get message(): string {
    return "the quote was not ready in time"
  }
}

/** Crossmint credits the order to another transaction than the treasury's. An operator must look at both. */
export class OtherPayment extends Data.TaggedError("OtherPayment")<{}> {
  override get message(): string {
    return "Crossmint credits the order to another transaction"
  }
}

/** Crossmint accepted the report of a payment, but has not seen the payment yet. */
export class PaymentNotSeen extends Data.TaggedError("PaymentNotSeen")<{}> {
  override get message(): string {
    return "Crossmint has not seen the payment yet"
  }
}

export type CrossmintError =
  | QuoteRefusal
  | QuoteChanged
  | QuoteNotReady
  | OtherPayment
  | PaymentNotSeen
  | TreasuryRejection
  | UpstreamFault

const temporary: ReadonlySet<string> = new Set<CrossmintError["_tag"]>([
  "QuoteNotReady",
  "PaymentNotSeen",
  "TreasuryUnderfunded",
  "FeesTooHigh",
  "TreasuryBusy",
  "PaymentPending",
  "JournalFailed"
])

/** The error as a plain function throws it: `TemporarilyUnavailable` for temporary errors. */
export const toHostError = <E extends { readonly _tag: string; readonly message: string }>(
  error: E
): E | TemporarilyUnavailable =>
  temporary.has(error._tag)
    ? Object.assign(new TemporarilyUnavailable({ message: error.message }), { code: error._tag })
    : error
