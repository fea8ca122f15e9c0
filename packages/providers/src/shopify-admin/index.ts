import { Effect, Redacted } from "effect"
import { toThrownPlacement } from "../fulfilment/PlacementOutcome.ts"
import { makeWithFetch, toPromise } from "../upstream/index.ts"
import { type ShopifyAdminError, toHostError } from "./Errors.ts"
import type { ShopifyAdminFulfilment, ShopifyAdminOptions } from "./Options.ts"
import { makeParts } from "./ShopifyAdmin.ts"

/*
 * The goods of a Shopify shop of your own, sold by a till, through the Admin API:
 * https://shopify.dev/docs/api/admin-graphql.
 */

export type { OrderRequest } from "../fulfilment/Buyer.ts"
export type { RefundNote } from "../fulfilment/RefundNote.ts"
export type * from "../upstream/UpstreamSettings.ts"
export { DraftNotReady, OrderNotPlaceable, type ShopifyAdminError, ShopRefused } from "./Errors.ts"
export type {
  ShopifyAdminFulfilment,
  ShopifyAdminLayerOptions,
  ShopifyAdminOptions,
  ShopifyAdminSettings,
  ShopifyAdminShipping
} from "./Options.ts"
export type { ShopifyAdminPlacement } from "./Placing.ts"
export { ShopifyAdmin, type ShopifyAdminClient } from "./ShopifyAdmin.ts"

const redacted = (secret: string | undefined): Redacted.Redacted<string> | undefined =>
  secret === undefined ? undefined : Redacted.make(secret)

const run = <A>(call: Effect.Effect<A, ShopifyAdminError>, signal?: AbortSignal): Promise<A> =>
  toPromise(Effect.mapError(call, toHostError), signal)

/**
 * A Shopify shop of your own as the fulfilment of a till.
 *
 * A quote is a draft order; placing an order completes it, and the shop marks it as paid.
 *
 * @throws ConfigurationError for an unusable key, domain or setting
 * @example
 * import { shopifyAdmin } from "@till402/providers/shopify-admin"
 *
 * const fulfilment = shopifyAdmin({
 *   shop: "northwind.myshopify.com",
 *   accessToken: process.env["SHOPIFY_ADMIN_ACCESS_TOKEN"]!
 * })
 * // the till's options: { fulfilment, marketplaces: { marketplace_b: fulfilment.marketplace } }
 */
export const shopifyAdmin = ({
  accessToken,
  clientSecret,
  fetch,
  ...options
}: ShopifyAdminOptions): ShopifyAdminFulfilment => {
  const { attempt, cancel, find, noteRefund, quote, search, status, usage } = makeWithFetch(
    makeParts({ ...options, accessToken: redacted(accessToken), clientSecret: redacted(clientSecret) }),
    fetch
  )
  return {
    quote: (request, { signal }) => run(quote(request), signal),
    place: (order, { signal }) =>
      toPromise(
        Effect.mapError(attempt(order), (failed) => toThrownPlacement(failed, toHostError)),
        signal
      ),
    placesOnce: true,
    find: (orderId, { reference, signal }) => run(find(orderId, reference), signal),
    status: (reference, context) => run(status(reference), context?.signal),
    cancel: (reference, note) => run(cancel(reference, note)),
    noteRefund: (reference, refund) => run(noteRefund(reference, refund)),
    marketplace: { search: (query, { signal }) => run(search(query), signal) },
    usage
  }
}
