import { Context, Effect, Layer, Schema } from "effect"
import type { UpstreamError } from "../domain/Errors.ts"
import { SearchProduct, type Source } from "../domain/Product.ts"
import type { TillOptions } from "../Options.ts"
import type { MarketplaceOptions } from "../ProviderOptions.ts"
import { answerReader, nullWhereMissing } from "./HostAnswer.ts"
import { type CallSettings, hostCall } from "./HostCall.ts"

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
) {
  /**
   * Marketplaces of a host without Effect, `marketplace_a` first. A product's `source` is the
   * marketplace it came from, whatever the host says.
   *
   * @example
   * Marketplaces.fromPromise(
   *   { marketplace_a: { search: async ({ q, page }, { signal }) => fetchProducts(q, page, signal) } },
   *   { timeoutMillis: 20_000 }
   * )
   */
  static readonly fromPromise = (
    options: NonNullable<TillOptions["marketplaces"]>,
    settings: CallSettings
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
   * Marketplaces over given products, in their order: every word of `q`, and `brand`, must stand in the
   * title. A marketplace stands for each source that has a product.
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
const unsourcedProduct = Schema.Struct(unsourced)
const pageOfProducts = <P extends Schema.Constraint>(product: P) =>
  Schema.Struct({
    products: Schema.Array(product),
    totalResults: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    hasMore: Schema.Boolean
  })
const readPage = answerReader(
  pageOfProducts(unsourcedProduct),
  pageOfProducts(nullWhereMissing(unsourcedProduct))
)

const soldAt =
  (source: Source) =>
  (product: Omit<SearchProduct, "source">): SearchProduct => ({ ...product, source })

/** One marketplace of a host without Effect. */
export const marketplaceFromPromise = (
  source: Source,
  options: MarketplaceOptions,
  { timeoutMillis }: CallSettings
): Marketplace => ({
  source,
  search: (query) =>
    hostCall({
      port: "marketplace",
      timeoutMillis,
      ask: (asking) => options.search({ ...query }, asking),
      read: (answer) =>
        Effect.mapEager(readPage(answer), (page) => ({
          ...page,
          products: page.products.map(soldAt(source))
        }))
    })
})

const matches = ({ price, title }: SearchProduct, query: ProductQuery): boolean => {
  const words = `${query.q} ${query.brand ?? ""}`.toLowerCase().split(/\s+/)
  return words.every((word) => title.toLowerCase().includes(word)) && isWithin(price, query)
}

/** Whether a price in US dollars lies within the bounds that a query sets; one that isn't known does not. */
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
