import type {
  AddressNotServed,
  ProductNotFound,
  ProductUnavailable,
  TemporarilyUnavailable
} from "@till402/core"
import { Data } from "effect"
import type { UpstreamFault } from "../upstream/index.ts"

/** The quote is gone, was paid under another order, or costs more than agreed. Nothing was placed. */
export class OrderNotPlaceable extends Data.TaggedError("OrderNotPlaceable")<{ readonly code: string }> {
  override get message(): string {
    return `the order can't be placed: ${this.code}`
  }
}

/** The order was sent, so it can't be canceled. Nothing was changed. `status`: the shop's. */
export class OrderNotCancelable extends Data.TaggedError("OrderNotCancelable")<{ readonly status: string }> {
  override get message(): string {
    return `the order can't be canceled: its status is ${this.status}`
  }
}

export type WooCommerceError =
  | ProductNotFound
  | ProductUnavailable
  | AddressNotServed
  | OrderNotPlaceable
  | OrderNotCancelable
  | TemporarilyUnavailable
  | UpstreamFault
