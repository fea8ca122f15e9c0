import type { Product, ProductQuery, SearchProduct, UpstreamFailed, UpstreamUnavailable } from "@till402/core"
import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { maxTitle, oneLine } from "./reply/PlainText.ts"
import { meetsLimit, type PriceLimit, type StatedLimits } from "./reply/PriceLimits.ts"

/*
 * The tools of the model. They search, and nothing else.
 */

export type SearchError = UpstreamFailed | UpstreamUnavailable
/** Searches the marketplaces. */
export type Search = (query: ProductQuery) => Effect.Effect<ReadonlyArray<SearchProduct>, SearchError>

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A product as a model sees it. Titles are of strangers: bounded, in one line. */
const ProductView = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  price: Schema.NullOr(Schema.Finite),
  currency: Schema.String,
  rating: Schema.NullOr(Schema.Finite),
  reviewCount: Schema.NullOr(Schema.Finite),
  source: Schema.String
})

const Found = Schema.Struct({
  products: Schema.Array(ProductView),
  note: Schema.optionalKey(Schema.String)
})

const SearchWords = Schema.Struct({
  query: Schema.String.annotate({ description: "Search words in English, such as: wireless headphones" }),
  priceMin: optional(Schema.Finite).annotate({ description: "Lowest price in US dollars" }),
  priceMax: optional(Schema.Finite).annotate({ description: "Highest price in US dollars" }),
  brand: optional(Schema.String).annotate({ description: "Name of a brand" }),
  page: optional(Schema.Finite).annotate({ description: "Page of results, from 1" })
})
type SearchWords = typeof SearchWords.Type

const searchProducts = Tool.make("search_products", {
  description:
    "Searches both marketplaces for products. Returns those within the shopper's limits on the price, best first.",
  parameters: SearchWords,
  success: Found,
  failure: Schema.String,
  failureMode: "return"
})

const getProduct = Tool.make("get_product", {
  description: "Returns one product by its id.",
  parameters: Schema.Struct({
    id: Schema.String.annotate({ description: "An id of search_products, or a product code" })
  }),
  success: ProductView,
  failure: Schema.String,
  failureMode: "return"
})

const Tools = Toolkit.make(searchProducts, getProduct)

const maxQuery = 200
const maxBrand = 100
const maxPage = 20
/** Products of one search that a model sees. */
const shownPerSearch = 12

/** `isExpedited` belongs to search results only. */
const toProduct = (found: SearchProduct): Product => {
  const { isExpedited: _, ...product } = found
  return product
}

/** The products that the searches of one run found. Ids are the products' codes. */
export class FoundProducts {
  private readonly byId = new Map<string, Product>()
  private readonly limits: ReadonlyArray<PriceLimit>

  constructor(limits: ReadonlyArray<PriceLimit>) {
    this.limits = limits
  }

  /** Keeps a product within the limits; returns its id. */
  add(found: SearchProduct): string | undefined {
    const product = toProduct(found)
    if (!this.limits.every((limit) => meetsLimit(product, limit))) return undefined
    const rival = this.byId.get(product.asin)
    const id =
      rival === undefined || rival.source === product.source
        ? product.asin
        : `${product.source}:${product.asin}`
    if (!this.byId.has(id)) this.byId.set(id, product)
    return id
  }

  get(id: string): Product | undefined {
    return this.byId.get(id.trim())
  }

  get products(): ReadonlyArray<Product> {
    return [...this.byId.values()]
  }
}

const viewOf = (id: string, product: Product): typeof ProductView.Type => ({
  id,
  title: oneLine(product.title, maxTitle),
  price: product.price,
  currency: oneLine(product.currency, 10),
  rating: product.rating,
  reviewCount: product.reviewCount,
  source: product.source
})

const positive = (value: number | null | undefined): number | undefined =>
  value === null || value === undefined || value <= 0 ? undefined : value

/** The narrowest bounds of the model and the shopper. */
const boundsOf = (
  given: { readonly priceMin?: number | null; readonly priceMax?: number | null },
  limits: ReadonlyArray<PriceLimit>
): { readonly priceMin?: number; readonly priceMax?: number } => {
  const of = (bound: PriceLimit["bound"], own: number | null | undefined): ReadonlyArray<number> =>
    [...limits.filter((limit) => limit.bound === bound).map(({ value }) => value), own].flatMap(
      (value) => positive(value) ?? []
    )
  const lows = of("min", given.priceMin)
  const highs = of("max", given.priceMax)
  return {
    ...(lows.length === 0 ? {} : { priceMin: Math.max(...lows) }),
    ...(highs.length === 0 ? {} : { priceMax: Math.min(...highs) })
  }
}

const isContradiction = ({ priceMax = Infinity, priceMin = 0 }: ReturnType<typeof boundsOf>): boolean =>
  priceMin > priceMax

/** The searches of one run. */
export interface RunTools {
  readonly toolkit: Effect.Effect<Toolkit.WithHandler<Toolkit.Tools<typeof Tools>>>
  /** Searches as the model would. */
  readonly searchFor: (query: string) => Effect.Effect<typeof Found.Type>
  readonly found: FoundProducts
  /** The error of the last failed search, if every search failed. */
  readonly failure: () => SearchError | undefined
}

/** The tools of one run: they share its limits, its products and its number of searches. */
export const makeTools = (
  search: Search,
  { hasOtherCurrency, limits }: Pick<StatedLimits, "hasOtherCurrency" | "limits">,
  maxSearches: number
): RunTools => {
  const found = new FoundProducts(limits)
  let searches = 0
  let succeeded = false
  let failure: SearchError | undefined

  const searchOnce = Effect.fnUntraced(function* (query: ProductQuery) {
    if (searches >= maxSearches) return yield* Effect.fail("no more searches: answer with what you have")
    searches += 1
    const products = yield* Effect.tapError(search(query), (error) =>
      Effect.sync(() => {
        failure = error
      })
    ).pipe(Effect.mapError(() => "the search failed: try again, or answer with what you have"))
    succeeded = true
    return products
  })

  const searchWithin = Effect.fnUntraced(function* ({ brand, page, query, ...given }: SearchWords) {
    const q = oneLine(query, maxQuery)
    // A model's bounds would be the shopper's amount in another currency, which the reply says wasn't applied.
    const bounds = boundsOf(hasOtherCurrency ? {} : given, limits)
    if (q === "") return yield* Effect.fail("query must not be empty")
    if (isContradiction(bounds)) {
      // No search could find what meets the shopper's own limits.
      if (isContradiction(boundsOf({}, limits))) succeeded = true
      return { products: [], note: "no price can be within these limits" }
    }
    const name = oneLine(brand ?? "", maxBrand)
    const all = yield* searchOnce({
      q,
      page: Math.min(Math.max(Math.trunc(page ?? 1), 1), maxPage),
      ...bounds,
      ...(name === "" ? {} : { brand: name })
    })
    const products = all.flatMap((product) => {
      const id = found.add(product)
      return id === undefined ? [] : [viewOf(id, product)]
    })
    const omitted = all.length - products.length
    return {
      products: products.slice(0, shownPerSearch),
      ...(omitted === 0 ? {} : { note: `${omitted} products outside the shopper's limits are left out` })
    }
  })

  const handlers = Tools.toLayer({
    search_products: searchWithin,
    get_product: Effect.fnUntraced(function* ({ id }) {
      const known = found.get(id)
      if (known !== undefined) return viewOf(id.trim(), known)
      const code = oneLine(id, maxQuery).replace(/^marketplace_[ab]:/, "")
      if (code === "") return yield* Effect.fail("id must not be empty")
      const match = (yield* searchOnce({ q: code, page: 1 })).find(
        ({ asin }) => asin.toLowerCase() === code.toLowerCase()
      )
      const added = match === undefined ? undefined : found.add(match)
      return match === undefined || added === undefined
        ? yield* Effect.fail("no product within the limits has this id")
        : viewOf(added, match)
    })
  })

  return {
    toolkit: Effect.provide(Tools, handlers),
    searchFor: (query) =>
      Effect.catch(searchWithin({ query }), (note) => Effect.succeed({ products: [], note })),
    found,
    failure: () => (succeeded ? undefined : failure)
  }
}
