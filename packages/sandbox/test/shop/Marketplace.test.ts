import type { ProductQuery, SearchProduct } from "@till402/core"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { SearchProduct as SearchProductSchema } from "../../../core/src/shop/goods/Product.ts"
import { catalogue, generalCatalogue, storefrontCatalogue } from "../../src/shop/Catalogue.ts"
import { sampleShop } from "../../src/shop/index.ts"

const { marketplaces } = sampleShop()
const context = { signal: new AbortController().signal }

const search = (
  query: Partial<ProductQuery> & { readonly q: string },
  source: "marketplace_a" | "marketplace_b"
) => marketplaces[source].search({ page: 1, ...query }, context)

const allPages = async (query: { readonly q: string }, source: "marketplace_a" | "marketplace_b") => {
  const products: Array<SearchProduct> = []
  for (let page = 1; ; page++) {
    const response = await search({ ...query, page }, source)
    products.push(...response.products)
    if (!response.hasMore) return { products, totalResults: response.totalResults, pages: page }
  }
}

describe("the sample catalogue", () => {
  it("has more than 200 valid products on both marketplaces, each with a unique identifier", () => {
    expect(generalCatalogue.length).toBeGreaterThan(120)
    expect(storefrontCatalogue.length).toBeGreaterThan(60)
    expect(new Set(catalogue.map(({ product }) => product.asin)).size).toBe(catalogue.length)
    const decode = Schema.decodeUnknownSync(SearchProductSchema, { onExcessProperty: "error" })
    for (const { product } of catalogue) expect(decode(product)).toEqual(product)
  })

  it("names products as each marketplace does", () => {
    for (const { product } of generalCatalogue) {
      expect(product.asin).toMatch(/^B0[0-9A-Z]{8}$/)
      expect([null, `https://marketplace.example/dp/${product.asin}`]).toContain(product.productUrl)
      expect(product.source).toBe("marketplace_a")
    }
    for (const { product, variants } of storefrontCatalogue) {
      expect(product.asin).toMatch(/^gid:\/\/shop\/p\/\d{13}$/)
      if (product.productUrl !== null) {
        expect(product.productUrl).toMatch(
          /^https:\/\/[a-z-]+\.example\/products\/[a-z0-9-]+\?variant=\d{14}$/
        )
        expect(new URL(product.productUrl).searchParams.get("variant")).toBe(variants[0].id)
      }
      expect(product.source).toBe("marketplace_b")
    }
  })

  it("omits every nullable field in a few products", () => {
    for (const field of ["price", "rating", "reviewCount", "imageUrl", "productUrl"] as const) {
      const missing = catalogue.filter(({ product }) => product[field] === null).length
      expect(missing, field).toBeGreaterThan(0)
      expect(missing, field).toBeLessThan(catalogue.length / 5)
    }
  })
})

describe("search", () => {
  it("says which products are out of stock, so that a till which sells them leaves them out", async () => {
    const soldOut = catalogue.filter(({ variants: [variant] }) => !variant.inStock)
    expect(soldOut.length).toBeGreaterThan(2)
    for (const { product } of catalogue) {
      const { products } = await allPages({ q: product.title }, product.source)
      const found = products.find(({ asin }) => asin === product.asin)
      const isSoldOut = soldOut.some((listing) => listing.product === product)
      expect(found, product.title).toEqual(isSoldOut ? { ...product, isAvailable: false } : product)
    }
  })

  it("requires every word, in any order, ignoring case and diacritics", async () => {
    const found = await search({ q: "GRINDER cafe lumiere" }, "marketplace_a")
    expect(found.totalResults).toBe(2)
    for (const { title } of found.products) expect(title).toContain("Café Lumière Burr Coffee Grinder")
    expect((await search({ q: "grinder submarine" }, "marketplace_a")).totalResults).toBe(0)
  })

  it("matches singular, plural and prefixes, categories and keywords", async () => {
    const titles = async (q: string) =>
      (await search({ q }, "marketplace_a")).products.map(({ title }) => title)
    expect(await titles("headphone")).toEqual(await titles("headphones"))
    expect((await titles("thermomet"))[0]).toContain("Thermometer")
    expect((await titles("jogging shoe"))[0]).toContain("Running Shoes")
  })

  it("finds nothing without words", async () => {
    expect(await search({ q: "?!" }, "marketplace_a")).toEqual({
      products: [],
      totalResults: 0,
      hasMore: false
    })
  })

  it("filters by price inclusively and excludes products without a price", async () => {
    const range = { q: "headphones", priceMin: 49.95, priceMax: 119.95 }
    const { products } = await search(range, "marketplace_a")
    const prices = products.map(({ price }) => price)
    expect(prices).toContain(49.95)
    expect(prices).toContain(119.95)
    for (const price of prices) expect(price! >= 49.95 && price! <= 119.95).toBe(true)
    expect((await search({ q: "beard care" }, "marketplace_a")).products[0]?.price).toBeNull()
    expect((await search({ q: "beard care", priceMin: 0.01 }, "marketplace_a")).totalResults).toBe(0)
  })

  it("filters by the whole brand", async () => {
    const { products, totalResults } = await search({ q: "kitchen", brand: "café lumiere" }, "marketplace_a")
    expect(totalResults).toBe(4)
    for (const { title } of products) expect(title).toMatch(/^Café Lumière/)
    expect((await search({ q: "kitchen", brand: "Café" }, "marketplace_a")).totalResults).toBe(0)
  })

  it.each(["marketplace_a", "marketplace_b"] as const)(
    "pages %s without repeating or skipping",
    async (source) => {
      const { pages, products, totalResults } = await allPages({ q: "gift" }, source)
      expect(pages).toBe(Math.ceil(totalResults / 10))
      expect(pages).toBeGreaterThan(1)
      expect(products).toHaveLength(totalResults)
      expect(new Set(products.map(({ asin }) => asin)).size).toBe(totalResults)
      const beyond = await search({ q: "gift", page: pages + 1 }, source)
      expect(beyond).toEqual({ products: [], totalResults, hasMore: false })
    }
  )

  it("returns the same results every time, products in stock first", async () => {
    const first = await search({ q: "auralis q45" }, "marketplace_a")
    expect(
      await sampleShop().marketplaces.marketplace_a.search({ q: "auralis q45", page: 1 }, context)
    ).toEqual(first)
    expect(first.products.at(-1)?.title).toContain("Midnight Blue")
  })
})
