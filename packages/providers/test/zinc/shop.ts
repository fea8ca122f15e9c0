import { zinc, type ZincOptions } from "@till402/providers/zinc"
import { context, orderRequest } from "../fulfilment/orderRequest.ts"
import type { Intercepted } from "../interceptRequests.ts"
import { FakeZinc } from "./fakeZinc.ts"

export const apiKey = "zn_test_secret"
export const webhookSecret = "zn_whsec_secret"
export const orderId = "5f0c6f6e-7a51-4a8e-9d36-0c1f7a4d2b10"

export { context }
export const request = orderRequest({
  name: "Ada Byron",
  line1: "1 Test St",
  city: "Durham",
  state: "NC",
  postalCode: "27701",
  country: "US",
  phone: "5555550100"
})

/** A shop over a fake of Zinc. */
export const startShop = (server: Intercepted, change: Partial<ZincOptions> = {}) => {
  const upstream = new FakeZinc()
  server.use(upstream.handler())
  const open = (more: Partial<ZincOptions> = {}) =>
    zinc({ apiKey, webhookSecret, baseUrl: upstream.url, retries: 0, ...change, ...more })
  const shop = open()
  const quote = (more: object = {}) => shop.quote({ ...request, ...more }, context)
  const place = (more: object = {}, by = shop) =>
    by.place({ ...request, orderId, reference: "elsewhere", total: "120.00", ...more }, context)
  return { upstream, shop, open, quote, place }
}
