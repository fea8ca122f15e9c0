import { AddressNotServed, ProductNotFound, ProductUnavailable, TemporarilyUnavailable } from "@till402/core"
import { Data } from "effect"
import type { UpstreamFault } from "../upstream/index.ts"

/*
 * What can go wrong with an order of Zinc's, beside faults of its service.
 */

/** Zinc tells no tax and no delivery before it buys, and no allowance was set for them. */
export class QuotesNotOffered extends Data.TaggedError("QuotesNotOffered")<{}> {
  override get message(): string {
    return "Zinc gives no quotes: set allowance, or quote elsewhere and place here"
  }
}

/** Zinc is still looking the product up. */
export class ListingNotReady extends Data.TaggedError("ListingNotReady")<{}> {
  override get message(): string {
    return "the product was not looked up in time"
  }
}

/** The wallet at Zinc can't pay for the order. Nothing was placed. `code`: Zinc's word. */
export class WalletShort extends Data.TaggedError("WalletShort")<{ readonly code: string }> {
  override get message(): string {
    return "the wallet at Zinc can't pay for the order"
  }
}

/** What was agreed is no amount that an order can be placed for. Nothing was placed. */
export class TotalUnusable extends Data.TaggedError("TotalUnusable")<{}> {
  override get message(): string {
    return "the agreed total is no amount to place an order for"
  }
}

/** An order was sent a moment ago and may still arrive. */
export class OrderUnderWay extends Data.TaggedError("OrderUnderWay")<{ readonly retryAfterMillis: number }> {
  override get message(): string {
    return "an order may still be under way"
  }
}

/** Zinc's list of orders could not be read to its end, and the order was not in what was. */
export class PlacementUnknown extends Data.TaggedError("PlacementUnknown")<{}> {
  override get message(): string {
    return "whether the order was placed is not known"
  }
}

/** Zinc has the order, but under which of its own ids can't be told. It is not placed again. */
export class ReferenceUnknown extends Data.TaggedError("ReferenceUnknown")<{}> {
  override get message(): string {
    return "the order was placed under an id that is not known"
  }
}

/** What is no id of Zinc's. */
export class ReferenceMalformed extends Data.TaggedError("ReferenceMalformed")<{}> {
  override get message(): string {
    return "the reference is not an order's id"
  }
}

export type OrderRefusal = ProductNotFound | ProductUnavailable | AddressNotServed

export type ZincError =
  | OrderRefusal
  | QuotesNotOffered
  | ListingNotReady
  | WalletShort
  | TotalUnusable
  | OrderUnderWay
  | PlacementUnknown
  | ReferenceUnknown
  | ReferenceMalformed
  | UpstreamFault

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
      { code: error instanceof WalletShort ? error.code : error._tag }
    )
  if (error instanceof OrderUnderWay) return passing(Math.ceil(error.retryAfterMillis / 1_000))
  return error._tag === "ListingNotReady" || error._tag === "WalletShort" ? passing() : error
}
