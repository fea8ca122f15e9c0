import { TemporarilyUnavailable } from "@till402/core"
import { Data } from "effect"
import type { UpstreamFault } from "../upstream/index.ts"
import type { QuoteRefusal } from "./FailureReason.ts"

/*
 * What can go wrong with an order of Rye's, beside faults of its service.
 */

/** The offer was not there in time. The same question later goes on waiting for the same offer. */
export class OfferNotReady extends Data.TaggedError("OfferNotReady")<{}> {
  override get message(): string {
    return "the offer was not ready in time"
  }
}

/** The intent came to nothing, for a reason that is no answer to the buyer. `code`: Rye's word. */
export class IntentFailed extends Data.TaggedError("IntentFailed")<{ readonly code: string }> {
  override get message(): string {
    return `the checkout intent failed: ${this.code}`
  }
}

/** The intent is in a state that it can't be placed from. `code`: the state. Nothing was confirmed. */
export class IntentNotPlaceable extends Data.TaggedError("IntentNotPlaceable")<{ readonly code: string }> {
  override get message(): string {
    return `the checkout intent can't be confirmed: ${this.code}`
  }
}

/** The offer costs more than was agreed, or in another currency. Nothing was confirmed. */
export class OfferChanged extends Data.TaggedError("OfferChanged")<{}> {
  override get message(): string {
    return "the offer costs more than was agreed"
  }
}

/** A confirmation was sent a moment ago and may still arrive. */
export class ConfirmationUnderWay extends Data.TaggedError("ConfirmationUnderWay")<{
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return "a confirmation may still be under way"
  }
}

/** Whether the order was placed can't be told: nobody wrote down by which intent. */
export class PlacementUnknown extends Data.TaggedError("PlacementUnknown")<{}> {
  override get message(): string {
    return "whether the order was placed is not known"
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
  | ConfirmationUnderWay
  | PlacementUnknown
  | JournalFailed
  | UpstreamFault

const offerRetryAfterSeconds = 5

/** The error as a plain function throws it: `TemporarilyUnavailable` for what passes by itself. */
export const toHostError = <E extends { readonly _tag: string; readonly message: string }>(
  error: E
): E | TemporarilyUnavailable => {
  const passing = (retryAfterSeconds?: number) =>
    Object.assign(
      new TemporarilyUnavailable({
        message: error.message,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
      }),
      { code: error._tag }
    )
  if (error._tag === "OfferNotReady") return passing(offerRetryAfterSeconds)
  if (error instanceof ConfirmationUnderWay) return passing(Math.ceil(error.retryAfterMillis / 1_000))
  return error._tag === "JournalFailed" ? passing() : error
}
