import {
  type AddressNotServed,
  type ProductNotFound,
  type ProductUnavailable,
  TemporarilyUnavailable
} from "@till402/core"
import { Data } from "effect"
import { isUpstreamFault, toThrown, type UpstreamFault } from "../upstream/index.ts"

/** The shop refused a request. `code`: Shopify's, such as `ACCESS_DENIED`, or the mutation that had a user error. */
export class ShopRefused extends Data.TaggedError("ShopRefused")<{ readonly code: string }> {
  override get message(): string {
    return `the shop refused a request: ${this.code}`
  }
}

/** The shop is still computing the draft order's prices. Nothing was placed. */
export class DraftNotReady extends Data.TaggedError("DraftNotReady")<{}> {
  override get message(): string {
    return "the shop is still computing the order's prices"
  }
}

/** The quote is gone, was paid under another order, or costs more than agreed. Nothing was placed. */
export class OrderNotPlaceable extends Data.TaggedError("OrderNotPlaceable")<{ readonly code: string }> {
  override get message(): string {
    return `the order can't be placed: ${this.code}`
  }
}

/** The errors of a call to the Admin API. */
export type AdminFault = UpstreamFault | ShopRefused

export type ShopifyAdminError =
  | ProductNotFound
  | ProductUnavailable
  | AddressNotServed
  | DraftNotReady
  | OrderNotPlaceable
  | TemporarilyUnavailable
  | AdminFault

const draftRetrySeconds = 2

/** The error as a plain function throws it: `TemporarilyUnavailable` for temporary errors. */
export const toHostError = (error: ShopifyAdminError) => {
  if (isUpstreamFault(error)) return toThrown(error)
  if (error._tag !== "DraftNotReady") return error
  return new TemporarilyUnavailable({ message: error.message, retryAfterSeconds: draftRetrySeconds })
}
