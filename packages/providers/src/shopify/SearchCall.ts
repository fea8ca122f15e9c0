import type { ProductQuery } from "@till402/core"
import { termWith } from "../listing/Brand.ts"
import { type Fields, fieldsOf, numberOf } from "../listing/Fields.ts"
import { centsAround } from "./MinorUnits.ts"

/*
 * The tool `search_catalog`: its arguments and its response.
 * https://shopify.dev/docs/agents/catalog/global-catalog
 */

/** The buyers' market. It determines prices and offers. */
export interface Market {
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /** ISO 4217. */
  readonly currency: string
  /** IETF tag: `en`, `fr-CA`. */
  readonly language: string
}

/** Filters that apply to every query. */
export interface Selection {
  /** Only products shipped to this country (ISO 3166-1 alpha-2). */
  readonly shipsTo?: string
  readonly condition?: "new" | "secondhand"
  /** Only these shops: `gid://shopify/Shop/<digits>`. */
  readonly shopIds?: ReadonlyArray<string>
}

export interface SearchSettings {
  readonly market: Market
  readonly profileUrl: string
  /** Products requested per page, 1 to 50. */
  readonly pageSize: number
  /** `undefined` for the catalogue of one shop, which supports only the standard's filters. */
  readonly selection: Selection | undefined
}

/** A till's filters are in US dollars, the catalogue's in the currency of the context. */
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

/** The arguments of the tool. The brand is part of the query, because no filter for it is documented. */
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

/** One page of the catalogue, with unchecked products. */
export interface CataloguePage {
  readonly products: ReadonlyArray<unknown>
  /** Cursor of the next page; `undefined` on the last page, or without paging. */
  readonly next: string | undefined
  /** Of all pages, if reported. */
  readonly totalCount: number | null
}

/** Reads a page; `undefined` for a document without products. */
export const readPage = (document: Fields): CataloguePage | undefined => {
  const { pagination, products } = document
  if (!Array.isArray(products)) return undefined
  const { cursor, has_next_page, total_count } = fieldsOf(pagination)
  // Ignores a cursor on an empty page: callers would request further pages forever.
  const hasNext =
    typeof cursor === "string" && cursor !== "" && has_next_page !== false && products.length > 0
  return {
    products,
    next: hasNext ? cursor : undefined,
    totalCount: numberOf(total_count, 0, Number.MAX_SAFE_INTEGER)
  }
}
