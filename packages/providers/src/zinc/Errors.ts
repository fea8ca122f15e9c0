import type {
  AddressNotServed,
  ProductNotFound,
  ProductUnavailable,
  TemporarilyUnavailable
} from "@till402/core"
import { Data } from "effect"
import { temporarily } from "../fulfilment/PlacementOutcome.ts"
import type { UpstreamFault } from "../upstream/index.ts"

/** Zinc reports tax and delivery only after a purchase, and no allowance is set for them. */
export class QuotesNotOffered extends Data.TaggedError("QuotesNotOffered")<{}> {
  override get message(): string {
    return "Zinc can't quote: set allowance, or quote with another provider and place with Zinc"
  }
}

/** Zinc is still looking the product up. */
export class ListingNotReady extends Data.TaggedError("ListingNotReady")<{}> {
  override get message(): string {
    return "Zinc is still looking up the product"
  }
}

/** The wallet at Zinc can't pay for the order. Nothing was placed. `code`: Zinc's code, or `WalletTooLow`. */
export class WalletUnderfunded extends Data.TaggedError("WalletUnderfunded")<{ readonly code: string }> {
  override get message(): string {
    return "the wallet at Zinc can't pay for the order"
  }
}

/** The agreed total is not a usable amount. Nothing was placed. */
export class TotalUnusable extends Data.TaggedError("TotalUnusable")<{}> {
  override get message(): string {
    return "the agreed total is not a usable amount"
  }
}

/** An order was sent recently and may still arrive. */
export class OrderInFlight extends Data.TaggedError("OrderInFlight")<{ readonly retryAfterMillis: number }> {
  override get message(): string {
    return "an order may be in flight"
  }
}

/** Zinc's list of orders could not be read completely, and the read part lacks the order. */
export class PlacementUnknown extends Data.TaggedError("PlacementUnknown")<{}> {
  override get message(): string {
    return "whether the order was placed is unknown"
  }
}

/** Zinc has the order under an unknown id. It is not placed again. */
export class ReferenceUnknown extends Data.TaggedError("ReferenceUnknown")<{}> {
  override get message(): string {
    return "the order was placed under an unknown id"
  }
}

/** The reference is not an id of Zinc. */
export class ReferenceMalformed extends Data.TaggedError("ReferenceMalformed")<{}> {
  override get message(): string {
    return "the reference is not an id of an order"
  }
}

export type OrderRefusal = ProductNotFound | ProductUnavailable | AddressNotServed

export type ZincError =
  | OrderRefusal
  | QuotesNotOffered
  | ListingNotReady
  | WalletUnderfunded
  | TotalUnusable
  | OrderInFlight
  | PlacementUnknown
  | ReferenceUnknown
  | ReferenceMalformed
  | UpstreamFault

/** The error as a plain function throws it: `TemporarilyUnavailable` for temporary errors. */
export const toHostError = <E extends { readonly _tag: string; readonly message: string }>(
  error: E
): E | TemporarilyUnavailable => {
  if (error instanceof OrderInFlight) return temporarily(error, Math.ceil(error.retryAfterMillis / 1_000))
  return error._tag === "ListingNotReady" || error._tag === "WalletUnderfunded" ? temporarily(error) : error
}
