import { rye, type RyeOptions } from "@till402/providers/rye"
import { context, orderRequest } from "../fulfilment/orderRequest.ts"
import type { Intercepted } from "../interceptRequests.ts"
import { FakeRye } from "./fakeRye.ts"

export const apiKey = "RYE/staging-secret"
export const webhookSecret = "whsec-secret"

export { context }
export const request = orderRequest({
  name: "Ada King Byron",
  line1: "1 Test St",
  line2: "",
  city: "Durham",
  state: "NC",
  postalCode: "27701",
  country: "US",
  phone: "+15555550100"
})

/** A shop over a fake of Rye. */
export const startShop = (server: Intercepted, change: Partial<RyeOptions> = {}) => {
  const upstream = new FakeRye()
  server.use(upstream.handler())
  const open = (more: Partial<RyeOptions> = {}) =>
    rye({
      apiKey,
      webhookSecret,
      baseUrl: upstream.url,
      retries: 0,
      pollMillis: 200,
      quoteTimeoutMillis: 500,
      mutationsPerSecond: 100,
      readsPerSecond: 100,
      lookupsPerSecond: 100,
      ...change,
      ...more
    })
  const shop = open()
  const quote = (more: object = {}) => shop.quote({ ...request, ...more }, context)
  const place = (reference: string, more: object = {}, by = shop) =>
    by.place({ ...request, orderId: "order-1", reference, total: "97.35", ...more }, context)
  return { upstream, shop, open, quote, place }
}
