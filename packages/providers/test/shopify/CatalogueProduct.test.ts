import { SearchProduct } from "@till402/core/effect"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { ids } from "./catalogue.ts"
import { productDocument, variantDocument } from "./fakeCatalogue.ts"
import { server, fixture, respondWith, products, search } from "./respondingCatalogue.ts"

interceptRequests(server)

describe("a product of the catalogue", () => {
  it("is read as the contract's", async () => {
    respondWith(fixture("search-catalog.response"))
    assert.deepStrictEqual(await search(), {
      products: [
        {
          asin: "gid://shopify/p/6dVbTest0001",
          title: "Northwind Trail Shoe",
          price: 89,
          currency: "USD",
          rating: 4.7,
          reviewCount: 212,
          imageUrl: "https://cdn.shopify.com/s/files/1/test/shoe.jpg",
          productUrl: "https://northwind.example/products/trail-shoe?variant=40183717920813",
          source: "marketplace_b",
          isExpedited: false
        }
      ],
      totalResults: 143,
      hasMore: true
    })
  })

  it("has null for missing fields, and can't be bought without a page", async () => {
    respondWith(products({ id: "gid://shopify/p/1", title: "Bare", variants: [{}] }))
    assert.deepStrictEqual<ReadonlyArray<object>>((await search()).products, [
      {
        asin: "gid://shopify/p/1",
        title: "Bare",
        price: null,
        currency: "USD",
        rating: null,
        reviewCount: null,
        imageUrl: null,
        productUrl: null,
        source: "marketplace_b",
        isExpedited: false,
        isAvailable: false
      }
    ])
  })

  it("has its price in units of the currency", async () => {
    const priced = [
      { amount: 8900, currency: "USD" },
      { amount: 8900, currency: "JPY" },
      { amount: 8905, currency: "KWD" },
      { amount: 5, currency: "usd" },
      { amount: 0, currency: "EUR" },
      { amount: "1999", currency: "GBP" },
      { amount: 19.99, currency: "USD" },
      { amount: -1, currency: "USD" },
      { amount: null, currency: "USD" },
      { currency: "dollars" }
    ]
    respondWith(products(...priced.map((price, index) => productDocument(index, {}, { price }))))
    const page = await search()
    assert.deepStrictEqual(
      page.products.map(({ currency, price }) => [price, currency]),
      [
        [89, "USD"],
        [8900, "JPY"],
        [8.905, "KWD"],
        [0.05, "USD"],
        [0, "EUR"],
        [19.99, "GBP"],
        [null, "USD"],
        [null, "USD"],
        [null, "USD"],
        [null, "USD"]
      ]
    )
  })

  it("has its rating out of five", async () => {
    const ratings = [
      { value: 4.7, scale_max: 5, count: 3 },
      { value: 8.7, scale_max: 10 },
      { value: 93, scale_min: 0, scale_max: 100 },
      { value: 4.5 },
      { value: 7, scale_max: 5 },
      { value: 3, scale_max: 0 },
      { value: "good", scale_max: 5 },
      { value: -1, scale_max: 5 },
      null
    ]
    respondWith(products(...ratings.map((rating, index) => productDocument(index, { rating }))))
    assert.deepStrictEqual(
      (await search()).products.map(({ rating }) => rating),
      [4.7, 4.35, 4.65, 4.5, null, null, null, null, null]
    )
  })

  it("is the first variant that can be bought, with its own price, page and picture", async () => {
    const soldOut = variantDocument(1, { availability: { available: false, status: "out_of_stock" } })
    const pictured = variantDocument(2, {
      price: { amount: 2500, currency: "USD" },
      media: [
        { type: "video", url: "https://cdn.shopify.com/film.mp4" },
        { type: "image", url: "https://cdn.shopify.com/second.jpg" }
      ]
    })
    respondWith(
      products(
        productDocument(1, { variants: [soldOut, pictured, variantDocument(3)] }),
        productDocument(2, { variants: [soldOut] }),
        productDocument(3, { variants: [] })
      )
    )
    const page = await search()
    assert.deepStrictEqual(ids(page), ["test1"])
    assert.deepInclude(page.products[0]!, {
      price: 25,
      productUrl: "https://northwind.example/products/product-2?variant=2",
      imageUrl: "https://cdn.shopify.com/second.jpg"
    })
  })

  it("has a page that names the variant, whether the catalogue's does or not", async () => {
    const at = (id: string, url: unknown, product: Record<string, unknown> = {}) =>
      productDocument(1, product, { id, url: url as string })
    const variant = "gid://shopify/ProductVariant/77?shop=1"
    respondWith(
      products(
        at(variant, "https://a.example/products/x"),
        at(variant, "https://a.example/products/x?variant=77&_gsid=abc"),
        at(variant, "https://a.example/products/x?variant=1"),
        at(variant, undefined, { url: "https://a.example/products/y" }),
        at("unknown", "https://a.example/products/x?variant=88"),
        at("unknown", "https://a.example/products/x"),
        at(variant, "javascript:alert(1)"),
        at(variant, 7)
      )
    )
    assert.deepStrictEqual(
      (await search()).products.map(({ productUrl }) => productUrl),
      [
        "https://a.example/products/x?variant=77",
        "https://a.example/products/x?variant=77&_gsid=abc",
        "https://a.example/products/x?variant=77",
        "https://a.example/products/y?variant=77",
        "https://a.example/products/x?variant=88",
        "https://a.example/products/x",
        null,
        null
      ]
    )
  })

  it("passes a price filter only by a variant in dollars within it", async () => {
    const priced = (amount: number, currency = "USD") =>
      variantDocument(amount, { price: { amount, currency } })
    respondWith(
      products(
        productDocument(1, { variants: [priced(999), priced(1500), priced(1600)] }),
        productDocument(2, { variants: [priced(1000)] }),
        productDocument(3, { variants: [priced(2001)] }),
        productDocument(4, { variants: [priced(1500, "EUR")] }),
        productDocument(5, { variants: [variantDocument(5, { price: {} })] }),
        productDocument(6, { variants: [priced(2000)] })
      )
    )
    const page = await search({ priceMin: 10, priceMax: 20 })
    assert.deepStrictEqual(ids(page), ["test1", "test2", "test6"])
    assert.deepStrictEqual(
      page.products.map(({ price }) => price),
      [15, 10, 20]
    )
    assert.deepStrictEqual(ids(await search({ priceMin: 20.005 })), ["test3"])
    assert.strictEqual((await search()).products.length, 6)
  })

  it("passes a brand filter by its brand, else by its title or its seller's name", async () => {
    const by = (name: string) => ({ seller: { name } })
    respondWith(
      products(
        productDocument(1, { title: "Tree Runner", brand: "Northwind" }),
        productDocument(2, { title: "Laces for Northwind shoes", brand: "Zephyr" }),
        productDocument(3, { title: "Tree Runner" }, by("Northwind")),
        productDocument(4, { title: "Northwind Runner" }, by("All the Shoes")),
        productDocument(5, { title: "Tree Runner" }, by("Northwinders"))
      )
    )
    assert.deepStrictEqual(ids(await search({ brand: "northwind" })), ["test1", "test3", "test4"])
  })

  it("may have unknown fields and values", async () => {
    respondWith(
      products(
        productDocument(
          1,
          { hologram: { of: ["the", "product"] }, options: "none", tags: { new: true } },
          {
            availability: { available: true, status: "on_the_moon" },
            media: [{ type: "hologram", url: "https://cdn.shopify.com/h" }],
            price: { amount: 1000, currency: "USD", mood: "bright" }
          }
        )
      )
    )
    const { products: found } = await search()
    assert.isTrue(found.every(Schema.is(SearchProduct)))
    assert.deepInclude(found[0]!, { price: 10, imageUrl: "https://cdn.shopify.com/1.jpg" })
  })

  it("is dropped without an id or title, and doesn't fail the search", async () => {
    respondWith(products(null, "ad", { id: 7, title: "x" }, { id: "x", title: " " }, productDocument(1)))
    const page = await search()
    assert.deepStrictEqual(ids(page), ["test1"])
    assert.strictEqual(page.totalResults, 5)
  })
})
