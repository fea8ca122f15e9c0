import { shopifyAdmin, type ShopifyAdminOptions } from "@till402/providers/shopify-admin"
import { HttpResponse } from "msw"
import { context, orderRequest } from "../fulfilment/orderRequest.ts"
import type { Intercepted } from "../interceptRequests.ts"
import { FakeShopifyAdmin } from "./fakeShopifyAdmin.ts"

export const settings = { shop: "northwind.myshopify.com", accessToken: "shpat_secret", retries: 0 }

export const bag = (variantId: string) =>
  ({
    source: "marketplace_b",
    productUrl: `https://northwind.example/products/tote-${variantId}?variant=${variantId}`,
    variantId
  }) as const

export const request = {
  ...orderRequest({
    name: "Ada Byron",
    line1: "1 Test St",
    line2: "Flat 2",
    city: "Durham",
    state: "NC",
    postalCode: "27701",
    country: "US",
    phone: "+15555550100"
  }),
  product: bag("71")
}
export const orderId = "5f0c6f6e-7a51-4a8e-9d36-0c1f7a4d2b10"

/** A response of the Admin API that refuses an operation. */
export const refusedWith = (code: string, extensions: object = {}) =>
  HttpResponse.json({ errors: [{ message: "refused", extensions: { code } }], extensions })

/** A shop over a fake of its Admin API. */
export const startShop = (server: Intercepted, change: Partial<ShopifyAdminOptions> = {}) => {
  const upstream = new FakeShopifyAdmin()
  server.use(upstream.handler())
  const open = () => shopifyAdmin({ ...settings, ...change })
  const shop = open()
  const quote = (more: object = {}) => shop.quote({ ...request, ...more }, context)
  const place = (reference: string, total: string, more: object = {}) =>
    shop.place({ ...request, orderId, reference, total, ...more }, context)
  const placed = async () => {
    const offer = await quote()
    return (await place(offer.reference, offer.total)).reference
  }
  const sent = (operation: string) => upstream.received.filter((each) => each.operation === operation)
  return { upstream, open, shop, quote, place, placed, sent }
}
