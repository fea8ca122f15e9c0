import { TemporarilyUnavailable } from "@till402/core"
import { Data } from "effect"
import type { TreasuryError } from "../treasury/Treasury.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import type { QuoteRefusal } from "./Quote.ts"

/*
 * What can go wrong with an order of Crossmint's, beside faults of its service.
 */

/** The quote costs another amount now than was agreed. Nothing was paid. */
export class QuoteChanged extends Data.TaggedError("QuoteChanged")<{}> {
  override get message(): string {
    return "the order costs another amount now than was agreed"
  }
}

/** Crossmint did not finish a quote in time. */
export class QuoteNotReady extends Data.TaggedError("QuoteNotReady")<{}> {
  override get message(): string {
    return "the quote was not ready in time"
  }
}

/** A treasury of the host's own failed with an error of its own. `code`: the name of that error. */
export class TreasuryFailed extends Data.TaggedError("TreasuryFailed")<{
  readonly code: string
  readonly cause: unknown
}> {
  override get message(): string {
    return "the treasury failed"
  }
}

/** What a treasury rejects with, as far as we know it. */
export type TreasuryRejection = TreasuryError | TreasuryFailed | TemporarilyUnavailable

export type CrossmintError = QuoteRefusal | QuoteChanged | QuoteNotReady | TreasuryRejection | UpstreamFault

const treasuryTags: ReadonlySet<string> = new Set<TreasuryRejection["_tag"]>([
  "PaymentRefused",
  "PaymentLapsed",
  "TreasuryShort",
  "FeesTooHigh",
  "TreasuryBusy",
  "PaymentPending",
  "PaymentFailed",
  "SigningFailed",
  "JournalFailed",
  "TreasuryFailed",
  "TemporarilyUnavailable"
])

/** What a treasury rejected with; a host's own may reject with anything. */
export const treasuryRejection = (cause: unknown): TreasuryRejection => {
  if (cause instanceof Error && "_tag" in cause && treasuryTags.has(String(cause._tag))) {
    return cause as TreasuryRejection
  }
  const code = cause instanceof Error && /^\w{1,60}$/.test(cause.name) ? cause.name : typeof cause
  return new TreasuryFailed({ code, cause })
}

/** What passes by itself: the same call does later. */
const passing: ReadonlySet<string> = new Set<CrossmintError["_tag"]>([
  "QuoteNotReady",
  "TreasuryShort",
  "FeesTooHigh",
  "TreasuryBusy",
  "PaymentPending",
  "JournalFailed"
])

/** The error as a plain function throws it: `TemporarilyUnavailable` for what passes by itself. */
export const toHostError = <E extends { readonly _tag: string; readonly message: string }>(
  error: E
): E | TemporarilyUnavailable =>
  passing.has(error._tag)
    ? Object.assign(new TemporarilyUnavailable({ message: error.message }), { code: error._tag })
    : error
