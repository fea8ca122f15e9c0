import { wooCommerce } from "@till402/providers/woocommerce"
import { afterEach, beforeEach, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { intentFixture } from "../rye/fakeRye.ts"
import * as ryeShop from "../rye/shop.ts"
import { request as shopifyRequest, startShop as startShopify } from "../shopify-admin/shop.ts"
import { FakeWooCommerce } from "../woocommerce/fakeWooCommerce.ts"
import { request as wooRequest } from "../woocommerce/shop.ts"
import * as zincShop from "../zinc/shop.ts"
import { context } from "./orderRequest.ts"
import type { World } from "./placements.ts"

type Server = ReturnType<typeof interceptRequests>
type Worlds = Readonly<Record<string, () => Promise<World>>>

/** Answers the requests of a file's tests, whose date moves: orders are looked for again a minute later. */
export const serveWorlds = (): Server => {
  const server = interceptRequests()
  // Timers stay as they are.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
  afterEach(() => void vi.useRealTimers())
  return server
}

/** Orders at marketplaces. */
export const marketplaces = (server: Server): Worlds => ({
  rye: async () => {
    const { place, shop, upstream } = ryeShop.startShop(server)
    const { id } = upstream.put({
      ...intentFixture("2-awaiting"),
      createdAt: new Date().toISOString()
    })
    return {
      place: () => place(id),
      find: () => shop.find("order-1", { reference: id }),
      goods: () => upstream.goods.length,
      disturb: (after, reply) => {
        for (let request = 0; request < after; request++) upstream.next(/./, (act) => act())
        upstream.next(/./, reply)
      }
    }
  },
  zinc: async () => {
    const { place, shop, upstream } = zincShop.startShop(server, { retries: 1 })
    return {
      place: () => place(),
      find: () => shop.find(zincShop.orderId),
      goods: () => upstream.orders.size,
      disturb: (after, reply) => {
        for (let request = 0; request < after; request++) upstream.next(/./, (act) => act())
        upstream.next(/./, reply)
      }
    }
  }
})

const orderId = "5f0c6f6e-7a51-4a8e-9d36-0c1f7a4d2b10"

const shopify = (server: Server) => async (): Promise<World> => {
  const { place, quote, shop, upstream } = startShopify(server)
  const { reference, total } = await quote({ ...shopifyRequest })
  return {
    place: () => place(reference, total, { orderId }),
    find: () => shop.find(orderId, { ...context, reference }),
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

const ofWooCommerce = (server: Server) => async (): Promise<World> => {
  const upstream = new FakeWooCommerce()
  server.use(upstream.handler())
  const keys = { consumerKey: "ck_1", consumerSecret: "cs_1" }
  const shop = wooCommerce({ ...keys, storeUrl: upstream.store, shipping: { cents: 599 }, retries: 0 })
  const { reference, total } = await shop.quote(wooRequest, context)
  return {
    place: () => shop.place({ ...wooRequest, orderId, reference, total }, context),
    find: () => shop.find(orderId, { ...context, reference }),
    goods: () => [...upstream.orders.values()].filter(({ status }) => status !== "pending").length,
    disturb: (after, reply) => {
      for (let request = 0; request < after; request++) upstream.next(/./, (act) => act())
      upstream.next(/./, reply)
    }
  }
}

/** Orders of a host's own shop. */
export const ownShops = (server: Server): Worlds => ({
  "shopify-admin": shopify(server),
  woocommerce: ofWooCommerce(server)
})
