import { crossmint, type CrossmintOptions } from "@till402/providers/crossmint"
import { context, orderRequest } from "../fulfilment/orderRequest.ts"
import type { Intercepted } from "../interceptRequests.ts"
import { account, startTreasury } from "../treasury/treasuries.ts"
import { FakeCrossmint, payees } from "./fakeCrossmint.ts"

export const apiKey = "sk_staging_secret"

export { context }
export const request = orderRequest({
  name: "Ada Lovelace",
  line1: "1 Main St",
  line2: "",
  city: "Springfield",
  state: "IL",
  postalCode: "62701",
  country: "US",
  phone: "+15550100"
})

/** A shop over a fake of Crossmint, with a treasury on a fake chain. */
export const startShop = (server: Intercepted, change: Partial<CrossmintOptions> = {}) => {
  const { journal, node, paying } = startTreasury()
  const upstream = new FakeCrossmint(node, account.address)
  server.use(node.handler(), upstream.handler())
  const open = (more: Partial<CrossmintOptions> = {}) =>
    crossmint({
      apiKey,
      payees,
      treasury: paying,
      baseUrl: upstream.api,
      retries: 0,
      pollMillis: 500,
      quoteTimeoutMillis: 700,
      ...change,
      ...more
    })
  const shop = open()
  const quote = (more: object = {}) => shop.quote({ ...request, ...more }, context)
  const place = async (orderId = "order-1", more: object = {}, by = shop) => {
    const reference = upstream.orders.keys().next().value ?? (await quote()).reference
    return by.place({ ...request, orderId, reference, total: "97.35", ...more }, context)
  }
  return { journal, node, upstream, shop, open, quote, place, paying }
}
