import type { ProductPage, ProductQuery, SearchProduct } from "@till402/core"
import { Clock, Effect } from "effect"
import { isOfBrand, termWith } from "../listing/Brand.ts"
import { priceOf, textOf, urlOf } from "../listing/Fields.ts"
import { type Chain, CursorChains, recordPage, totalUpTo } from "../shopify/CursorChains.ts"
import type { AdminApi } from "./AdminApi.ts"
import { findProducts, type ProductDocument } from "./Documents.ts"
import type { AdminFault } from "./Errors.ts"
import type { ShopifyAdminConfig } from "./Options.ts"

/*
 * Search of the goods that the shop shows in its online store. Shopify pages by cursor, the till by number.
 */

const pageSize = 20
/** Page n may need n calls. */
const maxPages = 20

/** Connectives of Shopify's search syntax. An `or` could add goods that the filters exclude. */
const connectives: ReadonlySet<string> = new Set(["and", "or", "not"])

/** Words without the operators of Shopify's search syntax. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "" && !connectives.has(word))
    .join(" ")

/** The search in Shopify's syntax: https://shopify.dev/docs/api/usage/search-syntax. */
export const searchText = ({ brand, priceMax, priceMin, q }: ProductQuery): string =>
  [
    wordsOf(termWith(q, brand)),
    "status:active",
    "published_status:published",
    ...(priceMin === undefined ? [] : [`price:>=${priceMin}`]),
    ...(priceMax === undefined ? [] : [`price:<=${priceMax}`])
  ].join(" ")

interface Reading {
  readonly currency: string
  readonly shopUrl: string
}

/** A product that the shop sells, by its first variant that is available within the bounds. */
export const toProduct = (
  document: ProductDocument,
  { priceMax, priceMin }: ProductQuery,
  { currency, shopUrl }: Reading
): SearchProduct | undefined => {
  const variant = document.variants.nodes.find(({ availableForSale, price }) => {
    const amount = priceOf(price)
    if (!availableForSale || amount === null) return false
    return (priceMin === undefined || amount >= priceMin) && (priceMax === undefined || amount <= priceMax)
  })
  if (document.status !== "ACTIVE" || typeof document.publishedAt !== "string") return undefined
  const title = textOf(document.title)
  const id = /\/(\d{1,20})$/.exec(variant?.id ?? "")?.[1]
  if (variant === undefined || title === null || id === undefined) return undefined
  const page = new URL(
    urlOf(document.onlineStoreUrl) ?? `${shopUrl}/products/${encodeURIComponent(document.handle)}`
  )
  // `buy` takes it as the variant.
  page.searchParams.set("variant", id)
  return {
    asin: id,
    title: document.hasOnlyDefaultVariant ? title : `${title} – ${variant.title}`,
    price: priceOf(variant.price),
    currency,
    rating: null,
    reviewCount: null,
    imageUrl: urlOf(document.featuredMedia?.preview?.image?.url),
    productUrl: page.href,
    source: "marketplace_b",
    isExpedited: false
  }
}

export const makeSearch = ({ query: run }: AdminApi, { shopUrl }: ShopifyAdminConfig) => {
  // Ten minutes are longer than a caller takes between pages.
  const chains = new CursorChains({ capacity: 500, lifetimeMillis: 600_000 })

  const fetchPage = Effect.fnUntraced(function* (text: string, chain: Chain, page: number) {
    const after = chain.cursors[page - 2] ?? null
    const { products, productsCount, shop } = yield* run(findProducts, {
      query: text,
      first: pageSize,
      after
    })
    const { endCursor, hasNextPage } = products.pageInfo
    const hasNext = recordPage(chain, page, {
      count: products.nodes.length,
      next: hasNextPage ? (endCursor ?? undefined) : undefined,
      totalCount: productsCount?.count ?? null
    })
    return { documents: products.nodes, currency: shop.currencyCode, hasNext }
  })

  /** Requests earlier pages until the cursor of `page` is known, or the last page is reached. */
  const follow = (text: string, chain: Chain, page: number) =>
    chain.following.withPermit(
      Effect.gen(function* () {
        while (chain.cursors.length < page - 1 && chain.end === undefined) {
          yield* fetchPage(text, chain, chain.cursors.length + 1)
        }
      })
    )

  return Effect.fnUntraced(function* (query: ProductQuery): Effect.fn.Return<ProductPage, AdminFault> {
    const { brand = "", page } = query
    const text = searchText(query)
    const chain = chains.of(text, yield* Clock.currentTimeMillis)
    if (page > 1 && page <= maxPages) yield* follow(text, chain, page)
    if (page > maxPages || page - 1 > chain.cursors.length) {
      return { products: [], totalResults: totalUpTo(chain, page, { hasMore: false }), hasMore: false }
    }
    const { currency, documents, hasNext } = yield* fetchPage(text, chain, page)
    const ofBrand = documents.filter(
      ({ title, vendor }) => brand.trim() === "" || isOfBrand({ title, brand: textOf(vendor) }, brand.trim())
    )
    return {
      products: ofBrand.flatMap((document) => toProduct(document, query, { currency, shopUrl }) ?? []),
      totalResults: totalUpTo(chain, page, { hasMore: hasNext }),
      hasMore: hasNext && page < maxPages
    }
  })
}
