import type { CallContext } from "../../runtime/Deadline.ts"
import { Context, Effect, Layer, Schema, SchemaTransformation } from "effect"
import type { TemporarilyUnavailable, UpstreamError } from "./PortErrors.ts"
import { ProductText, SearchProduct, type Source } from "../goods/Product.ts"
import { responseReader, missingAsNull } from "../../ports/HostResponse.ts"
import { fromOptions, fromPromise, guarded, PortSettings } from "./PortGuard.ts"
import type { CallSettings } from "../../ports/ProviderFailure.ts"
import type { FoundProduct } from "./ProductSale.ts"
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

/** A marketplace that can be searched. See `MarketplaceOptions`. */
export interface Marketplace<Page extends MarketplacePage = MarketplacePage> {
  readonly source: Source
  readonly search: (query: ProductQuery) => Effect.Effect<Page, TemporarilyUnavailable | UpstreamError>
  readonly timeoutMillis?: number | undefined
}

/** The marketplaces that search and the assistant query: one or both. */
export class Marketplaces extends Context.Service<Marketplaces, ReadonlyArray<Marketplace>>()(
  "@till402/core/Marketplaces"
) {
  /**
   * Marketplaces from a host's async functions, `marketplace_a` first.
   *
   * @example
   * Marketplaces.layerPromise({
   *   marketplace_a: { search: async ({ q, page }, { signal }) => fetchProducts(q, page, signal) }
   * })
   */
  static readonly layerPromise = ({
    marketplace_a,
    marketplace_b
  }: MarketplacesOptions): Layer.Layer<Marketplaces> =>
    Layer.succeed(Marketplaces, [
      ...(marketplace_a === undefined ? [] : [marketplaceOf("marketplace_a", marketplace_a)]),
      ...(marketplace_b === undefined ? [] : [marketplaceOf("marketplace_b", marketplace_b)])
    ])

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
}

const { source: _source, ...unsourced } = SearchProduct.fields
const unsourcedProduct = Schema.Struct({
  ...unsourced,
  asin: ProductText,
  title: ProductText
})
const emptyAsNull = (field: typeof SearchProduct.fields.imageUrl) =>
  Schema.NullOr(Schema.String).pipe(
    Schema.decodeTo(
      field,
      SchemaTransformation.transform({ decode: (text) => text || null, encode: (text) => text })
    )
  )
/** Addresses as hosts may leave them out: some write an empty text. */
export const sparseAddresses = {
  imageUrl: emptyAsNull(SearchProduct.fields.imageUrl),
  productUrl: emptyAsNull(SearchProduct.fields.productUrl)
}
const availability = { isAvailable: Schema.optional(Schema.NullOr(Schema.Boolean)) }
const pageOfProducts = <P extends Schema.Constraint>(product: P) =>
  Schema.Struct({
    products: Schema.Array(product),
    totalResults: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    hasMore: Schema.Boolean
  })
const readPage = responseReader(
  pageOfProducts(Schema.Struct({ ...unsourcedProduct.fields, ...availability })),
  pageOfProducts(
    Schema.Struct({
      ...missingAsNull(Schema.Struct({ ...unsourcedProduct.fields, ...sparseAddresses })).fields,
      ...availability
    })
  )
)

const marketplaceOf = (source: Source, options: MarketplaceOptions): Marketplace =>
  fromOptions<Marketplace>(options, {
    source,
    timeoutMillis: options.timeoutMillis,
    search: (query) => fromPromise((context) => options.search({ ...query }, context))
  })

const defaultTimeoutMillis = 8_000
/** The part of the till's deadline that a marketplace's own may take: the rest is for the response. */
const longestShare = 9 / 10

/** A page as a marketplace returned it, checked. */
export interface FoundPage extends Omit<ProductPage, "products"> {
  readonly products: ReadonlyArray<FoundProduct>
}

/** A marketplace whose calls are guarded. */
export interface GuardedMarketplace {
  readonly source: Source
  readonly search: (query: ProductQuery) => Effect.Effect<FoundPage, UpstreamError>
}

/** The deadline of a marketplace that has none of its own. */
const defaultDeadline = ({ timeoutMillis }: CallSettings): number =>
  Math.min(defaultTimeoutMillis, timeoutMillis / 2)

/**
 * The marketplaces as the till calls them, each with a deadline of its own, or with the default one. A product's `source`
 * is always the marketplace that returned it; a `source` in the host's data is ignored.
 */
export const guardedMarketplaces = (deadlines: "own" | "default") =>
  Effect.gen(function* () {
    const settings = yield* PortSettings
    const longestMillis =
      deadlines === "own" ? settings.timeoutMillis * longestShare : defaultDeadline(settings)
    const given = yield* Marketplaces
    // What is no list is named by the check of ports.
    return (Array.isArray(given) ? given : []).map((marketplace: Marketplace): GuardedMarketplace => ({
      source: marketplace.source,
      search: (query) =>
        guarded(
          {
            ...settings,
            timeoutMillis: Math.min(marketplace.timeoutMillis ?? defaultDeadline(settings), longestMillis)
          },
          {
            port: "marketplace",
            span: "Marketplaces.search",
            attributes: { source: marketplace.source },
            read: (response) =>
              Effect.map(readPage(response), (page) => ({
                ...page,
                products: page.products.map((product) => ({ ...product, source: marketplace.source }))
              }))
          },
          () => marketplace.search(query)
        )
    }))
  })

/** Whether a price in US dollars is within the bounds of a query; an unknown price is within none. */
export const isWithin = (
  price: number | null,
  { priceMax, priceMin }: Pick<ProductQuery, "priceMin" | "priceMax">
): boolean =>
  (priceMin === undefined || (price !== null && price >= priceMin)) &&
  (priceMax === undefined || (price !== null && price <= priceMax))

/** A product as a host's marketplace returns it: nullable fields may be left out, and `source` is ignored. */
export type MarketplaceProduct = Sparse<Omit<SearchProduct, "source">> & {
  readonly source?: Source | undefined
  /**
   * Whether it can be bought now, if you know it. Where `buy` is served, a search leaves out products for which it is
   * `false`. Not part of the response.
   */
  readonly isAvailable?: boolean | null | undefined
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
