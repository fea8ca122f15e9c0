import { report } from "./ShopEvents.ts"
import { Context, Effect, Layer, Result } from "effect"
import { type UpstreamError, UpstreamFailed, UpstreamUnavailable } from "./PortErrors.ts"
import type { SearchProduct, Source } from "../goods/Product.ts"
import type { SearchQuery, SearchResponse } from "../goods/SearchRequest.ts"
import { causeName } from "../../runtime/causeName.ts"
import { CurrentSale, type FoundProduct, type ProductSale } from "./ProductSale.ts"
import {
  type FoundPage,
  type GuardedMarketplace,
  guardedMarketplaces,
  isWithin,
  type Marketplaces,
  type ProductPage
} from "./Marketplaces.ts"

/** The merged result of a search. */
export interface SearchResult {
  readonly response: SearchResponse
  /** Marketplaces that failed or timed out; their products are missing from the response. */
  readonly missing: ReadonlyArray<Source>
}

/**
 * Searches all marketplaces as one.
 *
 * - Page n merges page n of every marketplace by rank: the first product of each, the second of each, and so on, in the
 *   order of the marketplaces; the rest of the longer pages follows. A page can therefore be short, or even empty after
 *   filtering, while more follow.
 * - `totalResults` is the sum of the marketplaces' numbers: an estimate if one of them estimates, or if prices are
 *   filtered afterwards.
 * - Where the till sells products, those that are known to be unavailable are left out, and those of another shop than
 *   `buy` buys from. The numbers stay those of the marketplaces.
 * - `hasMore` is true if any marketplace that responded has a further page.
 *
 * No state is kept between pages: a product's place depends only on its marketplace's page. As long as the marketplaces
 * don't change, the pages show each of their products once and skip none.
 */
export class Catalogue extends Context.Service<
  Catalogue,
  {
    /** The marketplaces that are queried. */
    readonly sources: ReadonlyArray<Source>
    /** Queries every marketplace concurrently. Fails only if all of them fail. */
    readonly search: (query: SearchQuery) => Effect.Effect<SearchResult, UpstreamError>
  }
>()("@till402/core/Catalogue") {
  /** The catalogue of marketplaces that have the default deadline. A slower one is skipped. */
  static readonly layer: Layer.Layer<Catalogue, never, Marketplaces> = Layer.effect(
    Catalogue,
    Effect.suspend(() => make("default"))
  )

  /** The catalogue of marketplaces that each keep a deadline of their own. */
  static readonly layerPatient: Layer.Layer<Catalogue, never, Marketplaces> = Layer.effect(
    Catalogue,
    Effect.suspend(() => make("own"))
  )
}

const make = (deadlines: "own" | "default") =>
  Effect.gen(function* () {
    const marketplaces = yield* guardedMarketplaces(deadlines)
    const sale = yield* CurrentSale
    let isCurrencyReported = false
    const reportCurrency = (source: Source): Effect.Effect<void> => {
      if (isCurrencyReported) return Effect.void
      isCurrencyReported = true
      return report(
        "Warn",
        "marketplace_foreign",
        "Searches by price leave out products that aren't sold in US dollars",
        { port: source }
      )
    }
    return {
      sources: marketplaces.map(({ source }) => source),
      search: (query: SearchQuery) =>
        Effect.flatMap(
          Effect.forEach(
            marketplaces,
            (marketplace) =>
              Effect.tap(searchOne(marketplace, query, sale), ({ result, source }) =>
                Result.isSuccess(result) && hasForeignPrice(result.success, query)
                  ? reportCurrency(source)
                  : Effect.void
              ),
            { concurrency: "unbounded" }
          ),
          (results) => merge(query, results)
        )
    }
  })

const reportForeign = (sale: ProductSale, source: Source): Effect.Effect<void> =>
  sale.takeReport()
    ? report("Warn", "marketplace_foreign", "A marketplace finds products that buy can't order", {
        port: source
      })
    : Effect.void

/** A product in the shape of the contract, without `isAvailable`. */
const inContract = (found: FoundProduct): SearchProduct => {
  if (!("isAvailable" in found)) return found
  const { isAvailable: _, ...product } = found
  return product
}

/** The products of a page that can be bought where the till sells them, in the contract's shape. */
const onSale = (
  { products, ...page }: FoundPage,
  source: Source,
  sale: ProductSale | undefined
): Effect.Effect<ProductPage> => {
  const kept = products.filter((product) => sale?.isOnSale(product) !== false).map(inContract)
  const sold = kept.filter((product) => sale?.isForeign(product) !== true)
  const found = { ...page, products: sold }
  return sale === undefined || sold.length === kept.length
    ? Effect.succeed(found)
    : Effect.as(reportForeign(sale, source), found)
}

interface MarketplaceResult {
  readonly source: Source
  readonly result: Result.Result<ProductPage, UpstreamError>
}

const searchOne = (
  { search, source }: GuardedMarketplace,
  query: SearchQuery,
  sale: ProductSale | undefined
): Effect.Effect<MarketplaceResult> =>
  search(query).pipe(
    Effect.flatMap((page) => onSale(page, source, sale)),
    Effect.tapError((error) =>
      report("Warn", "marketplace_missing", "A marketplace is missing from a search", {
        port: source,
        error: causeName(error)
      })
    ),
    Effect.result,
    Effect.map((result) => ({ source, result }))
  )

const merge = (
  query: SearchQuery,
  results: ReadonlyArray<MarketplaceResult>
): Effect.Effect<SearchResult, UpstreamError> => {
  const pages = results.flatMap(({ result }) => (Result.isSuccess(result) ? [result.success] : []))
  if (pages.length === 0 && results.length > 0) {
    return Effect.fail(
      allFailed(results.flatMap(({ result }) => (Result.isFailure(result) ? [result.failure] : [])))
    )
  }
  return Effect.succeed({
    response: {
      products: distinct(interleaved(pages.map(({ products }) => filtered(products, query)))),
      totalResults: pages.reduce((sum, page) => sum + page.totalResults, 0),
      page: query.page,
      hasMore: pages.some((page) => page.hasMore)
    },
    missing: results.flatMap(({ result, source }) => (Result.isFailure(result) ? [source] : []))
  })
}

/** One error for all marketplaces: unavailable if all are (a retry may help), else failed. */
const allFailed = (errors: ReadonlyArray<UpstreamError>): UpstreamError => {
  const cause = new AggregateError(errors, "every marketplace failed")
  if (errors.some(({ _tag }) => _tag === "UpstreamFailed")) {
    return new UpstreamFailed({ port: "marketplace", cause })
  }
  const waits = errors.flatMap((error) =>
    error._tag === "UpstreamUnavailable" && error.retryAfterSeconds !== undefined
      ? [error.retryAfterSeconds]
      : []
  )
  // One marketplace is enough for a response, so the shortest wait counts.
  return new UpstreamUnavailable({
    port: "marketplace",
    cause,
    ...(waits.length === 0 ? {} : { retryAfterSeconds: Math.min(...waits) })
  })
}

const isByPrice = ({ priceMax, priceMin }: SearchQuery): boolean =>
  priceMin !== undefined || priceMax !== undefined

const filtered = (products: ReadonlyArray<SearchProduct>, query: SearchQuery): ReadonlyArray<SearchProduct> =>
  isByPrice(query) ? products.filter((product) => matchesFilters(product, query)) : products

/** Filters are in US dollars: a price in another currency matches none. */
const matchesFilters = (product: SearchProduct, query: SearchQuery): boolean =>
  isWithin(isForeign(product) ? null : product.price, query)

const isForeign = ({ currency }: SearchProduct): boolean => currency.toUpperCase() !== "USD"

const hasForeignPrice = ({ products }: ProductPage, query: SearchQuery): boolean =>
  isByPrice(query) && products.some(isForeign)

/** Takes the lists' items in turns: `[[a1, a2, a3], [b1]]` → `[a1, b1, a2, a3]`. */
const interleaved = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => {
  if (lists.length === 1) return lists[0]!
  const merged: Array<A> = []
  const length = Math.max(0, ...lists.map((list) => list.length))
  for (let rank = 0; rank < length; rank++) {
    for (const list of lists) if (rank < list.length) merged.push(list[rank]!)
  }
  return merged
}

/** Removes duplicates, keeping the first. */
const distinct = (products: ReadonlyArray<SearchProduct>): ReadonlyArray<SearchProduct> => {
  const seen: Partial<Record<Source, Set<string>>> = {}
  return products.filter(({ asin, source }) => {
    const ofSource = (seen[source] ??= new Set())
    const isFirst = !ofSource.has(asin)
    ofSource.add(asin)
    return isFirst
  })
}
