import type { AssistantContext, ProductQuery, SearchProduct } from "@till402/core"

/*
 * Products of the assistant's tests.
 */

/** A product; fields that don't matter are filled in. */
export const good = (
  fields: Partial<SearchProduct> & Pick<SearchProduct, "asin" | "title">
): SearchProduct => ({
  price: 45,
  currency: "USD",
  rating: 4.5,
  reviewCount: 100,
  imageUrl: null,
  productUrl: `https://marketplace.example/dp/${fields.asin}`,
  source: "marketplace_a",
  isExpedited: false,
  ...fields
})

export const anker = good({
  asin: "B000000001",
  title: "Anker Soundcore Q45 Wireless Headphones, Black",
  price: 45,
  rating: 4.7,
  reviewCount: 2310
})
export const sony = good({
  asin: "B000000002",
  title: "Sony WH-CH520 Wireless Headphones, Blue",
  price: 30,
  rating: 4.5,
  reviewCount: 900
})
export const bose = good({
  asin: "B000000003",
  title: "Bose QuietComfort Wireless Headphones",
  price: 349,
  rating: 4.8,
  reviewCount: 12_000
})

const matches = ({ price, title }: SearchProduct, { priceMax, priceMin, q }: ProductQuery): boolean =>
  q
    .toLowerCase()
    .split(" ")
    .some((word) => title.toLowerCase().includes(word)) &&
  (priceMin === undefined || (price !== null && price >= priceMin)) &&
  (priceMax === undefined || (price !== null && price <= priceMax))

/** The context of a call over given products; keeps the queries. */
export const shopOf = (products: ReadonlyArray<SearchProduct>, extra: Partial<AssistantContext> = {}) => {
  const queries: Array<ProductQuery> = []
  const context: AssistantContext = {
    signal: new AbortController().signal,
    search: async (query) => {
      queries.push(query)
      return products.filter((product) => matches(product, query))
    },
    ...extra
  }
  return { context, queries }
}
