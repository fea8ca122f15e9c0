import { wooCommerce } from "@till402/providers/woocommerce"
import { afterEach, beforeEach, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { request as shopifyRequest, startShop as startShopify } from "../shopify-admin/shop.ts"
import { FakeWooCommerce } from "../woocommerce/fakeWooCommerce.ts"
import { context } from "./orderRequest.ts"
import { itPlacesOnce, type World } from "./placements.ts"

/*
 * The same certainty about the orders of a host's own shop.
 */

const server = interceptRequests()
// Orders are looked for again a minute later: the date moves, timers stay as they are.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

const orderId = "5f0c6f6e-7a51-4a8e-9d36-0c1f7a4d2b10"

const shopify = async (): Promise<World> => {
  const { place, quote, shop, upstream } = startShopify(server)
  const { reference, total } = await quote({ ...shopifyRequest })
  return {
    place: () => place(reference, total, { orderId }),
    find: async () => (await shop.find(orderId, { ...context, reference })) ?? undefined,
    goods: () => upstream.orders.size,
    disturb: (after, reply) => {
      for (let request = 0; request < after; request++) upstream.next(/./, (act) => act())
      upstream.next(/./, async (act) => {
        let isTaken = false
        const response = reply(() => {
          isTaken = true
          return new Response()
        })
        if (isTaken) await act()
        return response
      })
    }
  }
}

const ofWooCommerce = async (): Promise<World> => {
  const upstream = new FakeWooCommerce()
  server.use(upstream.handler())
  const keys = { consumerKey: "ck_1", consumerSecret: "cs_1" }
  const shop = wooCommerce({ ...keys, storeUrl: upstream.store, shipping: { cents: 599 }, retries: 0 })
  const { reference, total } = await shop.quote(shopifyRequest, context)
  return {
    place: () => shop.place({ ...shopifyRequest, orderId, reference, total }, context),
    find: async () => (await shop.find(orderId, { ...context, reference })) ?? undefined,
    goods: () => [...upstream.orders.values()].filter(({ status }) => status !== "pending").length,
    disturb: (after, reply) => {
      for (let request = 0; request < after; request++) upstream.next(/./, (act) => act())
      upstream.next(/./, reply)
    }
  }
}

itPlacesOnce({ "shopify-admin": shopify, woocommerce: ofWooCommerce })
