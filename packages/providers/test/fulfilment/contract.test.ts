import { fulfilmentTests, type FulfilmentUnderTest } from "@till402/testing"
import { WooCommerce, wooCommerce } from "@till402/providers/woocommerce"
import { memoryPlacementJournal } from "@till402/providers/rye"
import { Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpResponse } from "msw"
import { describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { request as ryeRequest, startShop as startRye } from "../rye/shop.ts"
import { startShop as startShopifyAdmin, request as shopifyRequest } from "../shopify-admin/shop.ts"
import { FakeWooCommerce } from "../woocommerce/fakeWooCommerce.ts"
import { request as zincRequest, startShop as startZinc } from "../zinc/shop.ts"

/*
 * The published contract of fulfilment, for each provider over the fake of its upstream.
 */

const server = interceptRequests()

const lost = (act: () => Response) => {
  act()
  return HttpResponse.error()
}
const refused = () => HttpResponse.error()

const rye = (): FulfilmentUnderTest => {
  const { open, shop, upstream } = startRye(server, { placements: memoryPlacementJournal() })
  return {
    fulfilment: shop,
    request: ryeRequest,
    restart: open,
    charges: () => upstream.goods.map(() => "97.35"),
    disturb: (what) => upstream.next(/confirm$/, what === "lost" ? lost : refused),
    cancel: (reference) => {
      const intent = upstream.intents.get(reference)
      if (intent !== undefined) Object.assign(intent, { state: "failed", failureReason: { code: "unknown" } })
    }
  }
}

const zinc = (): FulfilmentUnderTest => {
  const { open, shop, upstream } = startZinc(server, {
    allowance: { taxBasisPoints: 1_000, shippingCents: 999 }
  })
  const feeCents = 100
  return {
    fulfilment: shop,
    request: zincRequest,
    restart: open,
    // The most that Zinc may spend, and its fee.
    charges: () =>
      upstream.received
        .filter(({ method, path }) => method === "POST" && path === "/orders")
        .slice(0, upstream.orders.size)
        .map(({ body }) => (((body as { max_price: number }).max_price + feeCents) / 100).toFixed(2)),
    disturb: (what) => upstream.next(/^POST \/orders$/, what === "lost" ? lost : refused),
    cancel: (reference) => {
      const order = [...upstream.orders.values()].find(({ id }) => id === reference)
      if (order !== undefined) order.status = "cancelled_by_retailer"
    }
  }
}

const overFetch = FetchHttpClient.layer.pipe(
  // Effect remembers the first `fetch` it sees, which may be one of before msw listened here.
  Layer.provide(Layer.succeed(FetchHttpClient.Fetch, (input, init) => fetch(input, init)))
)

const ofWooCommerce = (kind: "functions" | "layer") => (): FulfilmentUnderTest => {
  const upstream = new FakeWooCommerce()
  server.use(upstream.handler())
  const settings = { storeUrl: upstream.store, shipping: { cents: 599 }, retries: 0 }
  const open = () =>
    kind === "functions"
      ? wooCommerce({ ...settings, consumerKey: "ck_1", consumerSecret: "cs_1" })
      : WooCommerce.layer({
          ...settings,
          consumerKey: Redacted.make("ck_1"),
          consumerSecret: Redacted.make("cs_1")
        }).pipe(Layer.provide(overFetch))
  const productUrl = "https://shop.example/product/tote-71/?variant=71"
  return {
    fulfilment: open(),
    request: { ...zincRequest, product: { source: "marketplace_b", productUrl, variantId: "71" } },
    restart: open,
    charges: () =>
      [...upstream.orders.values()].flatMap(({ status, total }) => (status === "processing" ? [total] : [])),
    disturb: (what) => upstream.next(/^PUT/, what === "lost" ? lost : refused),
    cancel: (reference) => {
      const order = upstream.orders.get(Number(reference))
      if (order !== undefined) order.status = "cancelled"
    }
  }
}

const ofShopify = (): FulfilmentUnderTest => {
  const { open, shop, upstream } = startShopifyAdmin(server)
  return {
    fulfilment: shop,
    request: shopifyRequest,
    restart: open,
    charges: () => [...upstream.orders.values()].map(({ total }) => total),
    disturb: (what) =>
      upstream.next(/^CompleteDraft$/, async (act) => {
        if (what === "lost") await act()
        return HttpResponse.error()
      }),
    cancel: (reference) => {
      const order = upstream.orders.get(reference)
      if (order !== undefined) {
        Object.assign(order, { cancelledAt: "2026-11-20T10:00:00Z", cancelReason: "STAFF" })
      }
    }
  }
}

describe.each<[string, () => FulfilmentUnderTest]>([
  ["rye", rye],
  ["zinc", zinc],
  ["woocommerce", ofWooCommerce("functions")],
  ["woocommerce as a layer", ofWooCommerce("layer")],
  ["shopify-admin", ofShopify]
])("%s", (_name, start) => {
  for (const { name, run } of fulfilmentTests(start)) it(name, run)
})
