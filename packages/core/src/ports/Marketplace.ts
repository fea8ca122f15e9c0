import { Context, type Effect } from "effect"
import type { UpstreamError } from "../domain/Errors.ts"
import type { SearchProduct, Source } from "../domain/Product.ts"

/** One page asked of one marketplace; prices in US dollars. */
export interface ProductQuery {
  readonly q: string
  readonly priceMin?: number
  readonly priceMax?: number
  readonly brand?: string
  /** From 1. */
  readonly page: number
}

/** One page of one marketplace, best first. */
export interface ProductPage {
  readonly products: ReadonlyArray<SearchProduct>
  /** How many products match in this marketplace, as far as it says. */
  readonly totalResults: number
  readonly hasMore: boolean
}

/** A marketplace that can be searched. */
export interface Marketplace {
  readonly source: Source
  readonly search: (query: ProductQuery) => Effect.Effect<ProductPage, UpstreamError>
}

/** The marketplaces that search and the assistant ask: one or both. */
export class Marketplaces extends Context.Service<Marketplaces, ReadonlyArray<Marketplace>>()(
  "@till402/core/Marketplaces"
) {}
