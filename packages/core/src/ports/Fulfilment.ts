import { Context, type Effect } from "effect"
import type {
  AddressNotServed,
  ProductNotFound,
  ProductUnavailable,
  UpstreamError
} from "../domain/Errors.ts"
import type { Offer, ProductReference, ShippingAddress } from "../domain/Order.ts"

/** What is to be quoted: one product to one address. */
export interface QuoteRequest {
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  readonly email: string
}

/** A paid order to be placed upstream. */
export interface Placement extends QuoteRequest {
  /** Idempotency key: placing the same order twice must place it once. */
  readonly orderId: string
  readonly offer: Offer
}

/** Why a product can't be quoted. */
export type QuoteRefusal = ProductNotFound | ProductUnavailable | AddressNotServed

/** Quotes products with tax and shipping, and places paid orders. */
export class Fulfilment extends Context.Service<
  Fulfilment,
  {
    readonly quote: (request: QuoteRequest) => Effect.Effect<Offer, QuoteRefusal | UpstreamError>
    /** Answers the upstream's own reference of the order. */
    readonly place: (placement: Placement) => Effect.Effect<{ readonly reference: string }, UpstreamError>
  }
>()("@till402/core/Fulfilment") {}
