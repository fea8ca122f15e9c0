import type { ProductQuery } from "@till402/core"
import { termWith } from "../listing/Brand.ts"
import { type Fields, fieldsOf, numberOf } from "../listing/fields.ts"
import { centsAround } from "./MinorUnits.ts"

/*
 * `search_catalog`: its arguments, and the page it answers with.
 * https://shopify.dev/docs/agents/catalog/global-catalog
 */

/** Where the buyers are; tells prices and what is offered. */
export interface Market {
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /** ISO 4217. */
  readonly currency: string
  /** IETF tag: `en`, `fr-CA`. */
  readonly language: string
}

/** Which products are asked for, whatever the query. */
export interface Selection {
  /** Only what ships to this country (ISO 3166-1 alpha-2). */
  readonly shipsTo?: string
  readonly condition?: "new" | "secondhand"
  /** Only these shops: `gid://shopify/Shop/<digits>`. */
  readonly shopIds?: ReadonlyArray<string>
}

export interface SearchSettings {
  readonly market: Market
  readonly profileUrl: string
  /** Products asked of one page, 1 to 50. */
  readonly pageSize: number
  /** `undefined` for the catalogue of one shop, which takes the standard's filters alone. */
  readonly selection: Selection | undefined
}

/** Filters are in US dollars, the catalogue's in the currency of the context. */
const priceFilter = (query: ProductQuery, { currency }: Market) => {
  const bounds = centsAround(query)
  return currency === "USD" && Object.keys(bounds).length > 0 ? { price: bounds } : {}
}

const selectionFilters = ({ condition, shipsTo, shopIds }: Selection) => ({
  available: true,
  ...(shipsTo === undefined ? {} : { ships_to: { country: shipsTo } }),
  ...(condition === undefined ? {} : { condition: [condition] }),
  ...(shopIds === undefined || shopIds.length === 0 ? {} : { shop_ids: shopIds })
})

/** The arguments of the tool. The brand goes into the query: there is no filter for it that is documented. */
export const searchArguments = (
  query: ProductQuery,
  cursor: string | undefined,
  { market, pageSize, profileUrl, selection }: SearchSettings
): Fields => {
  const filters = {
    ...(selection === undefined ? {} : selectionFilters(selection)),
    ...priceFilter(query, market)
  }
  return {
    meta: { "ucp-agent": { profile: profileUrl } },
    catalog: {
      query: termWith(query.q, query.brand),
      context: {
        address_country: market.country,
        currency: market.currency,
        language: market.language
      },
      ...(Object.keys(filters).length === 0 ? {} : { filters }),
      pagination: { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }
    }
  }
}

/** One page as the catalogue gives it, products unread. */
export interface CataloguePage {
  readonly products: ReadonlyArray<unknown>
  /** Leads to the next page; `undefined` on the last one, and where the catalogue doesn't page. */
  readonly next: string | undefined
  /** Of all pages, where the catalogue says. */
  readonly totalCount: number | null
}

/** `undefined` for a document without products. */
export const readPage = (document: Fields): CataloguePage | undefined => {
  const { pagination, products } = document
  if (!Array.isArray(products)) return undefined
  const { cursor, has_next_page, total_count } = fieldsOf(pagination)
  // A catalogue that promises more after an empty page would have its callers turn pages for ever.
  const goesOn = typeof cursor === "string" && cursor !== "" && has_next_page !== false && products.length > 0
  return {
    products,
    next: goesOn ? cursor : undefined,
    totalCount: numberOf(total_count, 0, Number.MAX_SAFE_INTEGER)
  }
}
