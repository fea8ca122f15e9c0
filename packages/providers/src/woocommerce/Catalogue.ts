import type { ProductPage, ProductQuery, SearchProduct } from "@till402/core"
import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { isOfBrand, termWith } from "../listing/Brand.ts"
import { countOf, type Fields, fieldsOf, priceOf, ratingOf, textOf, urlOf } from "../listing/Fields.ts"
import { readJson, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import type { WooCommerceConfig } from "./Options.ts"

/*
 * Search of the shop's goods. Products with variations are left out: which variation is meant, a search can't say.
 */

const pageSize = 20
const readProducts = readJson(Schema.Array(Schema.Unknown))

const idOf = ({ id }: Fields): string | null =>
  typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? `${id}` : null

/** The page of a product, with the id that `buy` takes as its variant. */
const pageOf = (permalink: unknown, id: string): string | null => {
  const address = urlOf(permalink)
  if (address === null) return null
  const page = new URL(address)
  page.searchParams.set("variant", id)
  return page.href
}

const toProduct = (document: unknown, currency: string): SearchProduct | undefined => {
  const fields = fieldsOf(document)
  const [id, title] = [idOf(fields), textOf(fields["name"])]
  if (id === null || title === null) return undefined
  const { images } = fields
  const reviewCount = countOf(fields["rating_count"])
  return {
    asin: id,
    title,
    price: priceOf(fields["price"]),
    currency,
    // Without ratings, the shop reports an average of zero.
    rating: reviewCount === 0 ? null : ratingOf(fields["average_rating"]),
    reviewCount,
    imageUrl: urlOf(fieldsOf(Array.isArray(images) ? images[0] : undefined)["src"]),
    productUrl: pageOf(fields["permalink"], id),
    source: "marketplace_b",
    isExpedited: false
  }
}

const isWithin = (price: number | null, { priceMax, priceMin }: ProductQuery): boolean =>
  (priceMin === undefined || (price !== null && price >= priceMin)) &&
  (priceMax === undefined || (price !== null && price <= priceMax))

export const makeSearch =
  (upstream: Upstream, { api, consumerKey, consumerSecret, currency }: WooCommerceConfig) =>
  (query: ProductQuery): Effect.Effect<ProductPage, UpstreamFault> => {
    const { brand = "", page, priceMax, priceMin, q } = query
    const request = HttpClientRequest.get(`${api}/products`).pipe(
      HttpClientRequest.setUrlParams({
        search: termWith(q, brand),
        page,
        per_page: pageSize,
        status: "publish",
        stock_status: "instock",
        type: "simple",
        ...(priceMin === undefined ? {} : { min_price: priceMin }),
        ...(priceMax === undefined ? {} : { max_price: priceMax })
      }),
      HttpClientRequest.setHeader("accept", "application/json"),
      HttpClientRequest.basicAuth(Redacted.value(consumerKey), Redacted.value(consumerSecret))
    )
    return Effect.gen(function* () {
      const response = yield* upstream.call(request)
      const found = yield* readProducts(response)
      const products = found.flatMap((document) => toProduct(document, currency) ?? [])
      const pages = countOf(response.headers["x-wp-totalpages"]) ?? page
      return {
        products: products
          .filter(({ title }) => brand.trim() === "" || isOfBrand({ title, brand: null }, brand.trim()))
          .filter(({ price }) => isWithin(price, query)),
        totalResults: Math.max(countOf(response.headers["x-wp-total"]) ?? 0, found.length),
        hasMore: found.length > 0 && page < pages
      }
    })
  }
