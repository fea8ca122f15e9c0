import type { CallContext } from "../../runtime/Deadline.ts"
import { Context, Effect, Layer, Schema } from "effect"
import type { UpstreamError } from "./Errors.ts"
import { SearchProduct, type Source } from "../goods/Product.ts"
import { responseReader, missingAsNull } from "../../ports/HostResponse.ts"
import { hostCall } from "./HostCall.ts"
import type { CallSettings } from "../../ports/ProviderFailure.ts"
import type { Sparse } from "../../ports/Sparse.ts"

/** A request for one page of one marketplace. */
export interface ProductQuery {
  /** Search words, 1 to 500 characters. */
  readonly q: string
  /** Lowest price, in US dollars; above zero. */
  readonly priceMin?: number
  /** Highest price, in US dollars; not below `priceMin`. */
  readonly priceMax?: number
  /** Brand name, up to 200 characters. */
  readonly brand?: string
  /** Number of the page, from 1. */
  readonly page: number
}

/** One page of one marketplace, best first. */
export interface ProductPage {
  readonly products: ReadonlyArray<SearchProduct>
  /** Products that match in this marketplace; may be its estimate. */
  readonly totalResults: number
  /** Whether a further page exists. */
  readonly hasMore: boolean
}

/** A marketplace that can be searched. */
export interface Marketplace {
  readonly source: Source
  readonly search: (query: ProductQuery) => Effect.Effect<ProductPage, UpstreamError>
}

/** The marketplaces that search and the assistant query: one or both. */
export class Marketplaces extends Context.Service<Marketplaces, ReadonlyArray<Marketplace>>()(
  "@till402/core/Marketplaces"
) {
  /**
   * Marketplaces from a host's async functions, `marketplace_a` first. A product's `source` is always the marketplace
   * that returned it; a `source` in the host's data is ignored.
   *
   * @example
   * Marketplaces.fromPromise(
   *   { marketplace_a: { search: async ({ q, page }, { signal }) => fetchProducts(q, page, signal) } },
   *   { timeoutMillis: 20_000 }
   * )
   */
  static readonly fromPromise = (
    options: MarketplacesOptions,
    settings: MarketplaceCallSettings
  ): Layer.Layer<Marketplaces> => {
    const { marketplace_a, marketplace_b } = options
    return Layer.succeed(Marketplaces, [
      ...(marketplace_a === undefined
        ? []
        : [marketplaceFromPromise("marketplace_a", marketplace_a, settings)]),
      ...(marketplace_b === undefined
        ? []
        : [marketplaceFromPromise("marketplace_b", marketplace_b, settings)])
    ])
  }

  /**
   * Marketplaces from services that each search one marketplace. Give at most one per `source`.
   *
   * @example
   * import { Marketplaces } from "@till402/core/effect"
   * import { Canopy } from "@till402/providers/canopy"
   * import { Shopify } from "@till402/providers/shopify"
   * import { Layer } from "effect"
   *
   * const marketplaces = Marketplaces.layerOf(Canopy, Shopify).pipe(
   *   Layer.provide([Canopy.layerConfig(), Shopify.layerConfig()])
   * )
   */
  static readonly layerOf = <Identifiers extends ReadonlyArray<unknown>>(
    ...services: { readonly [index in keyof Identifiers]: Context.Key<Identifiers[index], Marketplace> }
  ): Layer.Layer<Marketplaces, never, Identifiers[number]> => {
    const keys: ReadonlyArray<Context.Key<Identifiers[number], Marketplace>> = services
    return Layer.effect(Marketplaces, Effect.all(keys))
  }

  /**
   * Marketplaces over given products, in their order. A product matches if its title contains every word of `q` and of
   * `brand`. There is one marketplace for each source that has a product.
   */
  static readonly layerMemory = (
    products: ReadonlyArray<SearchProduct>,
    options: { readonly pageSize?: number } = {}
  ): Layer.Layer<Marketplaces> =>
    Layer.succeed(
      Marketplaces,
      Array.from(new Set(products.map(({ source }) => source)))
        .sort()
        .map((source) => ({
          source,
          search: (query: ProductQuery) =>
            Effect.sync(() =>
              pageOf(
                products.filter((product) => product.source === source && matches(product, query)),
                query.page,
                options.pageSize ?? 20
              )
            )
        }))
    )
}

const { source: _source, ...unsourced } = SearchProduct.fields
const readPage = responseReader(
  Schema.Struct({
    products: Schema.Array(missingAsNull(Schema.Struct(unsourced))),
    totalResults: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    hasMore: Schema.Boolean
  })
)

const soldAt =
  (source: Source) =>
  (product: Omit<SearchProduct, "source">): SearchProduct => ({ ...product, source })

/** How marketplaces are called. `timeoutMillis` is for those without a deadline of their own. */
export interface MarketplaceCallSettings extends CallSettings {
  /** The longest deadline that a marketplace can have; default: `timeoutMillis`. */
  readonly longestMillis?: number | undefined
}

const timeoutOf = ({ timeoutMillis }: MarketplaceOptions, settings: MarketplaceCallSettings): number =>
  Math.min(timeoutMillis ?? settings.timeoutMillis, settings.longestMillis ?? settings.timeoutMillis)

/** One marketplace from a host's async function. */
export const marketplaceFromPromise = (
  source: Source,
  options: MarketplaceOptions,
  callSettings: MarketplaceCallSettings
): Marketplace => {
  const settings = { ...callSettings, timeoutMillis: timeoutOf(options, callSettings) }
  return {
    source,
    search: (query) =>
      hostCall({
        port: "marketplace",
        operation: "search",
        settings,
        call: (context) => options.search({ ...query }, context),
        read: (response) =>
          Effect.mapEager(readPage(response), (page) => ({
            ...page,
            products: page.products.map(soldAt(source))
          }))
      }).pipe(Effect.withSpan("Marketplaces.search", { attributes: { source } }))
  }
}

const matches = ({ price, title }: SearchProduct, query: ProductQuery): boolean => {
  const words = `${query.q} ${query.brand ?? ""}`.toLowerCase().split(/\s+/)
  return words.every((word) => title.toLowerCase().includes(word)) && isWithin(price, query)
}

/** Whether a price in US dollars is within the bounds of a query; an unknown price is within none. */
export const isWithin = (
  price: number | null,
  { priceMax, priceMin }: Pick<ProductQuery, "priceMin" | "priceMax">
): boolean =>
  (priceMin === undefined || (price !== null && price >= priceMin)) &&
  (priceMax === undefined || (price !== null && price <= priceMax))

const pageOf = (found: ReadonlyArray<SearchProduct>, page: number, pageSize: number): ProductPage => ({
  products: found.slice((page - 1) * pageSize, page * pageSize),
  totalResults: found.length,
  hasMore: found.length > page * pageSize
})

/** A product as a host's marketplace returns it: nullable fields may be left out, and `source` is ignored. */
export type MarketplaceProduct = Sparse<Omit<SearchProduct, "source">> & {
  readonly source?: Source | undefined
}

/** One page as a host's marketplace returns it, best first. */
export interface MarketplacePage extends Omit<ProductPage, "products"> {
  readonly products: ReadonlyArray<MarketplaceProduct>
}

/** Searches one marketplace. Throw `TemporarilyUnavailable` for a 503; any other throw is a 502. */
export interface MarketplaceOptions<Page extends MarketplacePage = MarketplacePage> {
  readonly search: (query: ProductQuery, context: CallContext) => Promise<Page>
  /**
   * Deadline of one search in milliseconds, up to nine tenths of `upstreamTimeoutMillis`. Default: 8 seconds, or half of
   * `upstreamTimeoutMillis` if that is less. The assistant's searches have the default.
   */
  readonly timeoutMillis?: number | undefined
}

/** The marketplaces to search: one or both. */
export interface MarketplacesOptions {
  /** The general marketplace. */
  readonly marketplace_a?: MarketplaceOptions
  /** The storefront platform. */
  readonly marketplace_b?: MarketplaceOptions
}
