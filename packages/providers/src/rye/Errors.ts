import type {
  AddressNotServed,
  ProductNotFound,
  ProductUnavailable,
  TemporarilyUnavailable
} from "@till402/core"
import { Data } from "effect"
import { temporarily } from "../fulfilment/PlacementOutcome.ts"
import type { UpstreamFault } from "../upstream/index.ts"

/** Errors that refuse a quote. */
export type QuoteRefusal = ProductNotFound | ProductUnavailable | AddressNotServed

/** The offer was not ready in time. A later request continues to wait for the same offer. */
export class OfferNotReady extends Data.TaggedError("OfferNotReady")<{}> {
  override get message(): string {
    return "the offer was not ready in time"
  }
}

/** The intent failed, for a reason that doesn't concern the buyer. `code`: Rye's code. */
export class IntentFailed extends Data.TaggedError("IntentFailed")<{ readonly code: string }> {
  override get message(): string {
    return `the checkout intent failed: ${this.code}`
  }
}

/** The intent is in a state that can't be confirmed. `code`: the state. Nothing was confirmed. */
export class IntentNotPlaceable extends Data.TaggedError("IntentNotPlaceable")<{ readonly code: string }> {
  override get message(): string {
    return `the checkout intent can't be confirmed: ${this.code}`
  }
}

/** The offer costs more than agreed, or is in another currency. Nothing was confirmed. */
export class OfferChanged extends Data.TaggedError("OfferChanged")<{}> {
  override get message(): string {
    return "the offer costs more than agreed"
  }
}

/** A confirmation was sent recently and may still arrive. */
export class ConfirmationInFlight extends Data.TaggedError("ConfirmationInFlight")<{
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return "a confirmation may be in flight"
  }
}

/** Whether the order was placed is unknown: its intent was not recorded. */
export class PlacementUnknown extends Data.TaggedError("PlacementUnknown")<{}> {
  override get message(): string {
    return "whether the order was placed is unknown"
  }
}

/** The intents of the last 24 hours are used up. Nothing was sent. */
export class IntentBudgetSpent extends Data.TaggedError("IntentBudgetSpent")<{
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return "the account's checkout intents of the last 24 hours are used up"
  }
}

/** Rye is placing as many orders of the account as it does at once. Nothing was paid or confirmed. */
export class TooManyOrders extends Data.TaggedError("TooManyOrders")<{
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return "Rye is placing as many orders as it does at once"
  }
}

/** The drawdown balance is lower than the price, or used up. Nothing was confirmed. */
export class BalanceTooLow extends Data.TaggedError("BalanceTooLow")<{}> {
  override get message(): string {
    return "the drawdown balance is too low"
  }
}

/** Drawdown is not enabled for the account. Nothing was sent. */
export class DrawdownDisabled extends Data.TaggedError("DrawdownDisabled")<{}> {
  override get message(): string {
    return "drawdown is not enabled for the account"
  }
}

/** The journal of placements failed. Nothing was confirmed. */
export class JournalFailed extends Data.TaggedError("JournalFailed")<{ readonly cause: unknown }> {
  override get message(): string {
    return "the journal of placements failed"
  }
}

export type RyeError =
  | QuoteRefusal
  | OfferNotReady
  | IntentFailed
  | IntentNotPlaceable
  | OfferChanged
  | IntentBudgetSpent
  | TooManyOrders
  | BalanceTooLow
  | DrawdownDisabled
  | ConfirmationInFlight
  | PlacementUnknown
  | JournalFailed
  | UpstreamFault

const offerRetryAfterSeconds = 5

const temporary: ReadonlySet<string> = new Set<RyeError["_tag"]>([
  "JournalFailed",
  "BalanceTooLow",
  "DrawdownDisabled"
])

/** The error as a plain function throws it: `TemporarilyUnavailable` for temporary errors. */
export const toHostError = <E extends { readonly _tag: string; readonly message: string }>(
  error: E
): E | TemporarilyUnavailable => {
  if (error._tag === "OfferNotReady") return temporarily(error, offerRetryAfterSeconds)
  if (
    error instanceof ConfirmationInFlight ||
    error instanceof IntentBudgetSpent ||
    error instanceof TooManyOrders
  ) {
    return temporarily(error, Math.ceil(error.retryAfterMillis / 1_000))
  }
  return temporary.has(error._tag) ? temporarily(error) : error
}
