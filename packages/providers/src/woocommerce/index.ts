import { Effect, Redacted } from "effect"
import { toThrownPlacement } from "../fulfilment/PlacementOutcome.ts"
import { makeWithFetch, toPromise, toThrown, isUpstreamFault } from "../upstream/index.ts"
import type { WooCommerceError } from "./Errors.ts"
import type { WooCommerceFulfilment, WooCommerceOptions } from "./Options.ts"
import { makeParts } from "./WooCommerce.ts"

/*
 * The goods of one WooCommerce shop (https://developer.woocommerce.com/docs/apis/rest-api/v3/), sold by a till.
 */

export type { OrderRequest } from "../fulfilment/Buyer.ts"
export type { RefundNote } from "../fulfilment/RefundNote.ts"
export type * from "../upstream/UpstreamSettings.ts"
export type {
  WooCommerceFulfilment,
  WooCommerceLayerOptions,
  WooCommerceOptions,
  WooCommerceSettings,
  WooCommerceShipping
} from "./Options.ts"
export { OrderNotCancelable, OrderNotPlaceable, type WooCommerceError } from "./Errors.ts"
export type { WooCommercePlacement } from "./Placing.ts"
export { WooCommerce, type WooCommerceClient } from "./WooCommerce.ts"

const toHostError = (error: WooCommerceError) => (isUpstreamFault(error) ? toThrown(error) : error)

/**
 * A WooCommerce shop as the fulfilment of a till.
 *
 * @throws ConfigurationError for an unusable key, address or setting
 * @example
 * import { wooCommerce } from "@till402/providers/woocommerce"
 *
 * const fulfilment = wooCommerce({
 *   storeUrl: "https://shop.example",
 *   consumerKey: process.env["WOOCOMMERCE_KEY"]!,
 *   consumerSecret: process.env["WOOCOMMERCE_SECRET"]!,
 *   shipping: { cents: 599 }
 * })
 * // the till's options: { fulfilment, marketplaces: { marketplace_b: fulfilment.marketplace } }
 */
export const wooCommerce = ({
  consumerKey,
  consumerSecret,
  fetch,
  ...options
}: WooCommerceOptions): WooCommerceFulfilment => {
  const { attempt, cancel, countries, find, noteRefund, quote, search, status, usage } = makeWithFetch(
    makeParts({
      ...options,
      consumerKey: Redacted.make(consumerKey),
      consumerSecret: Redacted.make(consumerSecret)
    }),
    fetch
  )
  return {
    countries,
    quote: (request, { signal }) => toPromise(quote(request), signal),
    place: (order, { signal }) =>
      toPromise(
        Effect.mapError(attempt(order), (failed) => toThrownPlacement(failed, toHostError)),
        signal
      ),
    placesOnce: true,
    find: (orderId, { reference, signal }) => toPromise(find(orderId, reference), signal),
    status: (reference, context) => toPromise(status(reference), context?.signal),
    cancel: (reference, note) => toPromise(cancel(reference, note), undefined),
    noteRefund: (reference, refund) => toPromise(noteRefund(reference, refund), undefined),
    marketplace: { search: (query, context) => toPromise(search(query), context.signal) },
    usage
  }
}
