import { wooCommerce, type WooCommerceOptions } from "@till402/providers/woocommerce"
import { context, orderRequest } from "../fulfilment/orderRequest.ts"
import type { Intercepted } from "../interceptRequests.ts"
import { FakeWooCommerce } from "./fakeWooCommerce.ts"

const keys = { consumerKey: "ck_secret", consumerSecret: "cs_secret" }
export const settings = { ...keys, storeUrl: "https://shop.example", shipping: { cents: 599 }, retries: 0 }

export const bag = (variantId: string) =>
  ({
    source: "marketplace_b",
    productUrl: `https://shop.example/product/tote/?variant=${variantId}`,
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

/** A shop over a fake of its API. */
export const startShop = (server: Intercepted, change: Partial<WooCommerceOptions> = {}) => {
  const upstream = new FakeWooCommerce()
  server.use(upstream.handler())
  const open = () => wooCommerce({ ...settings, ...change })
  const shop = open()
  const quote = (more: object = {}) => shop.quote({ ...request, ...more }, context)
  const place = (reference: string, total: string, more: object = {}) =>
    shop.place({ ...request, orderId, reference, total, ...more }, context)
  const payments = () => upstream.received.filter(({ method }) => method === "PUT").length
  return { upstream, open, shop, quote, place, payments }
}
