import { assert, describe, it } from "vitest"
import { context } from "../fulfilment/orderRequest.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { refusedWith, startShop } from "./shop.ts"

const server = interceptRequests()

const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

describe("the goods of a Shopify shop", () => {
  it("are found page by page, with the variant that buy takes", async () => {
    const { sent, shop, upstream } = start()
    for (let id = 100; id < 140; id++) upstream.put(id)
    upstream.put(200, { title: "Mug" })
    const first = await shop.marketplace.search({ q: "Tote", page: 1 }, context)
    assert.deepStrictEqual([first.products.length, first.totalResults, first.hasMore], [20, 42, true])
    assert.deepStrictEqual(first.products[0], {
      asin: "71",
      title: "Tote bag 71",
      price: 20,
      currency: "USD",
      rating: null,
      reviewCount: null,
      imageUrl: "https://cdn.example/tote-71.jpg",
      productUrl: "https://northwind.example/products/tote-71?variant=71",
      source: "marketplace_b",
      isExpedited: false
    })
    const third = await shop.marketplace.search({ q: "Tote", page: 3 }, context)
    assert.deepStrictEqual([third.products.length, third.hasMore], [2, false])
    // Page 2 was read for its cursor, which page 3 needs.
    assert.strictEqual(sent("FindProducts").length, 3)
    const beyond = await shop.marketplace.search({ q: "Tote", page: 9 }, context)
    assert.deepStrictEqual([beyond.products.length, beyond.hasMore], [0, false])
  })

  it("are filtered by price, brand and stock, and words can't add filters", async () => {
    const { sent, shop, upstream } = start()
    upstream.put(73, { vendor: "Acme" })
    upstream.put(74, { vendor: "Acme", price: "90.00" })
    upstream.put(75, { vendor: "Acme", availableForSale: false })
    const { products } = await shop.marketplace.search(
      { q: "tote OR status:draft", brand: "Acme", priceMax: 50, page: 1 },
      context
    )
    assert.deepStrictEqual(products, [])
    assert.strictEqual(
      sent("FindProducts")[0]!.variables["query"],
      "acme tote status draft status:active published_status:published price:<=50"
    )
    const found = await shop.marketplace.search({ q: "tote", brand: "Acme", priceMax: 50, page: 1 }, context)
    assert.deepStrictEqual(
      found.products.map(({ asin }) => asin),
      ["73"]
    )
  })

  it("are only those that the shop sells, whatever Shopify returns", async () => {
    const { shop, upstream } = start()
    upstream.put(71, { status: "DRAFT" })
    upstream.put(72, { publishedAt: null })
    upstream.put(73)
    upstream.filters = false
    const { products } = await shop.marketplace.search({ q: "tote", page: 1 }, context)
    assert.deepStrictEqual(
      products.map(({ asin }) => asin),
      ["73"]
    )
  })

  it("are taken from the next page if none of a page is for sale", async () => {
    const { sent, shop, upstream } = start()
    upstream.filters = false
    for (const id of [71, 72, ...Array.from({ length: 18 }, (_, index) => 100 + index)]) {
      upstream.put(id, { publishedAt: null })
    }
    upstream.put(200)
    const found = await shop.marketplace.search({ q: "tote", page: 1 }, context)
    assert.deepStrictEqual([found.products.map(({ asin }) => asin), found.hasMore], [["200"], false])
    assert.strictEqual(sent("FindProducts").length, 2)
  })

  it("can't be searched without the right to", async () => {
    const { shop, upstream } = start()
    upstream.next(/FindProducts/, () => refusedWith("ACCESS_DENIED"))
    const search = shop.marketplace.search({ q: "tote", page: 1 }, context)
    assert.deepInclude(await rejectionOf(search), { _tag: "ShopRefused", code: "ACCESS_DENIED" })
  })
})
