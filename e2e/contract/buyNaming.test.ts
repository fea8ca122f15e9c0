import type { TillOptions } from "@till402/core"
import { describe, expect, it } from "vitest"
import { buyBody, calls } from "./calls.ts"
import { buyResponse, expectFault, expectPaidFault } from "./expectations.ts"
import { openShop } from "./till.ts"

/*
 * What is bought is what was named. The host names the general marketplace: pages of other hosts are a storefront's, by
 * their variant, or a 400.
 */

const { asin: _, ...unnamed } = buyBody
const buyCall = (body: unknown) => ({ method: "POST", path: "/x402/buy", body })
const page = "https://www.amazon.com/Walnut-Lamp/dp/B0CONTRACT"
const storePage = "https://lights.example/dp/B0CONTRACT"

/** A shop whose fulfilment buys at amazon.com. */
const openUsShop = async () => {
  const { calls: seen, ...base } = await openShop()
  const { quote, place } = base.script
  const fulfilment: NonNullable<TillOptions["fulfilment"]> = {
    generalMarketplace: { hosts: ["amazon.com"], country: "US" },
    quote: (request, context) => {
      seen.quote.push(request)
      return quote(request, context)
    },
    place
  }
  const shop = await openShop({ options: { fulfilment } })
  return { ...shop, calls: seen }
}

describe("POST /x402/buy: a product that is named", () => {
  it.each([
    ["by its page", { productUrl: page }, { source: "marketplace_a", asin: "B0CONTRACT" }],
    ["by its code", { asin: "B0CONTRACT" }, { source: "marketplace_a", asin: "B0CONTRACT" }],
    [
      "by a storefront's page with a path like the marketplace's",
      { productUrl: storePage, variantId: "41" },
      { source: "marketplace_b", productUrl: storePage, variantId: "41" }
    ]
  ])("%s is the one that is quoted", async (_name, naming, product) => {
    const shop = await openUsShop()
    await buyResponse(shop, buyCall({ ...unnamed, ...naming }))
    expect(shop.calls.quote).toMatchObject([{ product }])
  })

  it("by a variant is a storefront's, also where the host names no marketplace", async () => {
    const shop = await openShop()
    await buyResponse(shop, buyCall({ ...unnamed, productUrl: storePage, variantId: "41" }))
    expect(shop.calls.quote).toMatchObject([{ product: { source: "marketplace_b", variantId: "41" } }])
  })

  it.each([
    ["a page of another country's shop", { productUrl: page.replace(".com", ".de") }, "productUrl"],
    ["a page of another marketplace", { productUrl: "https://www.ebay.com/dp/B0CONTRACT" }, "productUrl"],
    ["a code and a foreign page", { asin: "B0CONTRACT", productUrl: storePage }, "productUrl"],
    ["the marketplace's page and a variant", { productUrl: page, variantId: "41" }, "variantId"],
    ["the marketplace's page of no product", { productUrl: "https://www.amazon.com/gp/cart" }, "productUrl"]
  ])("by %s is a 400, and nothing is quoted", async (_name, naming, path) => {
    const shop = await openUsShop()
    const call = buyCall({ ...unnamed, ...naming })
    await expectFault(shop, await shop.send(call), path)
    expect(shop.calls.quote).toEqual([])
    await expectPaidFault(shop, call, path, calls.buy)
  })
})
