import type { MarketplaceOptions, ProductPage } from "@till402/core"
import { expect, type Steps } from "./StagingScript.ts"

const text = (value: unknown): boolean => typeof value === "string" && value !== ""
const orNull = (value: unknown, holds: (value: unknown) => boolean): boolean => value === null || holds(value)
const amount = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0
const https = (value: unknown): boolean =>
  typeof value === "string" && URL.parse(value)?.protocol === "https:"

const checkPage = ({ hasMore, products, totalResults }: ProductPage): void => {
  expect(typeof hasMore === "boolean", "hasMore is not a boolean")
  expect(Number.isInteger(totalResults) && totalResults >= 0, "totalResults is not a count")
  for (const product of products) {
    expect(text(product.asin) && text(product.title), "a product has no code or no title")
    expect(
      orNull(product.price, amount) && orNull(product.rating, amount),
      "a price or rating is not a number"
    )
    expect(/^[A-Z]{3}$/.test(product.currency), "a currency is not a code")
    expect(orNull(product.productUrl, https) && orNull(product.imageUrl, https), "an address is not https")
  }
}

const share = (page: ProductPage, has: (product: ProductPage["products"][number]) => boolean): string =>
  `${page.products.filter(has).length} of ${page.products.length}`

/** Searches for a common product and fetches the second page. */
export const search = async (
  steps: Steps,
  { search: searchPage }: MarketplaceOptions<ProductPage>,
  q: string
): Promise<void> => {
  const first = await steps.take(
    "search",
    async (context) => {
      const page = await searchPage({ q, page: 1 }, context)
      checkPage(page)
      expect(page.products.length > 0, "nothing was found")
      expect(
        page.products.some(({ price }) => price !== null),
        "no product has a price"
      )
      return page
    },
    (page) =>
      `${page.totalResults} results; with a price ${share(page, ({ price }) => price !== null)}, ` +
      `with a picture ${share(page, ({ imageUrl }) => imageUrl !== null)}`
  )
  if (!first.hasMore) return steps.skip("second page", "there is no second page")
  await steps.take(
    "second page",
    async (context) => {
      const page = await searchPage({ q, page: 2 }, context)
      checkPage(page)
      const known = new Set(first.products.map(({ asin }) => asin))
      expect(
        page.products.length === 0 || page.products.some(({ asin }) => !known.has(asin)),
        "it repeats the first"
      )
      return page
    },
    ({ products }) => `${products.length} products`
  )
  await steps.take(
    "price filter",
    async (context) => {
      const { products } = await searchPage({ q, page: 1, priceMin: 10, priceMax: 20 }, context)
      expect(
        products.every(({ price }) => price !== null && price >= 10 && price <= 20),
        "a product is outside the bounds"
      )
      return products
    },
    (products) => `${products.length} products`
  )
}
