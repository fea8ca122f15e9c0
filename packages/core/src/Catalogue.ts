import { Cause, Context, Effect, Layer, Result } from "effect"
import { type UpstreamError, UpstreamFailed, UpstreamUnavailable } from "./domain/Errors.ts"
import type { SearchProduct, Source } from "./domain/Product.ts"
import type { SearchQuery, SearchResponse } from "./domain/Search.ts"
import { causeName, pastDeadline } from "./ports/HostCall.ts"
import { isWithin, type Marketplace, Marketplaces, type ProductPage } from "./ports/Marketplace.ts"

/** What a search found. */
export interface Findings {
  readonly response: SearchResponse
  /** Marketplaces that failed or were too slow: their products are not in the response. */
  readonly missing: ReadonlyArray<Source>
}

/**
 * All marketplaces as one.
 *
 * - Page n is page n of every marketplace, merged by rank: the first of each, the second of each, …, in the
 *   order of the marketplaces; what is left of the longer ones follows. So the size of a page is the sum of
 *   the marketplaces' own, less what the filters take; it may be short, even empty, while there is more.
 * - `totalResults` is the sum of what the marketplaces say: an estimate where one of them estimates, and
 *   where prices or brands are sifted afterwards.
 * - `hasMore` says that a marketplace which answered has a further page. One that is missing is not spoken for.
 *
 * While the marketplaces don't change, the pages hold each of their products once and skip none: no state
 * is kept between pages, and the place of a product depends on its marketplace's page alone.
 */
export class Catalogue extends Context.Service<
  Catalogue,
  {
    /**
     * Asks every marketplace at once. Products come in turns (the first of each, the second of each, …),
     * each product once; `totalResults` is the sum. Fails only when no marketplace answered.
     */
    readonly search: (query: SearchQuery) => Effect.Effect<Findings, UpstreamError>
  }
>()("@till402/core/Catalogue") {
  /**
   * `timeoutMillis`: deadline of each marketplace; a slower one is left out. Without it, each marketplace
   * keeps a deadline of its own.
   */
  static readonly layer = (options: {
    readonly timeoutMillis?: number
  }): Layer.Layer<Catalogue, never, Marketplaces> =>
    Layer.effect(
      Catalogue,
      Effect.map(Marketplaces, (marketplaces) => ({
        search: (query: SearchQuery) => {
          const askings = marketplaces.map((marketplace) => askOne(marketplace, query, options.timeoutMillis))
          return askings.length === 1
            ? Effect.flatMap(askings[0]!, (answer) => merge(query, [answer]))
            : Effect.flatMap(Effect.all(askings, { concurrency: "unbounded" }), (answers) =>
                merge(query, answers)
              )
        }
      }))
    )
}

interface Answer {
  readonly source: Source
  readonly result: Result.Result<ProductPage, UpstreamError>
}

const within = <A>(asking: Effect.Effect<A, UpstreamError>, timeoutMillis: number) =>
  Effect.timeoutOrElse(asking, {
    duration: timeoutMillis,
    orElse: () => Effect.fail(pastDeadline("marketplace", timeoutMillis))
  })

const askOne = (
  { search, source }: Marketplace,
  query: SearchQuery,
  timeoutMillis: number | undefined
): Effect.Effect<Answer> => {
  const asking = search(query)
  return Effect.matchCauseEffect(timeoutMillis === undefined ? asking : within(asking, timeoutMillis), {
    onSuccess: (page) => Effect.succeed({ source, result: Result.succeed(page) }),
    onFailure: (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
      const failure = Cause.squash(cause)
      const error =
        failure instanceof UpstreamFailed || failure instanceof UpstreamUnavailable
          ? failure
          : // A defect in one marketplace must not take the other's results with it.
            new UpstreamFailed({ port: "marketplace", cause: failure })
      return Effect.as(
        Effect.logWarning("A marketplace is missing from a search", source, causeName(error)),
        { source, result: Result.fail(error) }
      )
    }
  })
}

const merge = (
  query: SearchQuery,
  answers: ReadonlyArray<Answer>
): Effect.Effect<Findings, UpstreamError> => {
  const pages = answers.flatMap(({ result }) => (Result.isSuccess(result) ? [result.success] : []))
  if (pages.length === 0 && answers.length > 0) {
    return Effect.fail(
      noneAnswered(answers.flatMap(({ result }) => (Result.isFailure(result) ? [result.failure] : [])))
    )
  }
  return Effect.succeed({
    response: {
      products: distinct(inTurns(pages.map(({ products }) => sifted(products, query)))),
      totalResults: pages.reduce((sum, page) => sum + page.totalResults, 0),
      page: query.page,
      hasMore: pages.some((page) => page.hasMore)
    },
    missing: answers.flatMap(({ result, source }) => (Result.isFailure(result) ? [source] : []))
  })
}

/** Unavailable if all are (trying again helps), else failed. */
const noneAnswered = (errors: ReadonlyArray<UpstreamError>): UpstreamError => {
  const cause = new AggregateError(errors, "no marketplace answered")
  if (errors.some(({ _tag }) => _tag === "UpstreamFailed")) {
    return new UpstreamFailed({ port: "marketplace", cause })
  }
  const waits = errors.flatMap((error) =>
    error._tag === "UpstreamUnavailable" && error.retryAfterSeconds !== undefined
      ? [error.retryAfterSeconds]
      : []
  )
  // One marketplace is enough for an answer, so the shortest wait is the one to name.
  return new UpstreamUnavailable({
    port: "marketplace",
    cause,
    ...(waits.length === 0 ? {} : { retryAfterSeconds: Math.min(...waits) })
  })
}

const sifted = (products: ReadonlyArray<SearchProduct>, query: SearchQuery): ReadonlyArray<SearchProduct> =>
  query.priceMin === undefined && query.priceMax === undefined
    ? products
    : products.filter((product) => fits(product, query))

/** Filters are in US dollars: a price in another currency can't be said to lie within them. */
const fits = ({ currency, price }: SearchProduct, query: SearchQuery): boolean =>
  isWithin(currency.toUpperCase() === "USD" ? price : null, query)

/** `[[a1, a2, a3], [b1]]` → `[a1, b1, a2, a3]`. */
const inTurns = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => {
  if (lists.length === 1) return lists[0]!
  const merged: Array<A> = []
  const length = Math.max(0, ...lists.map((list) => list.length))
  for (let rank = 0; rank < length; rank++) {
    for (const list of lists) if (rank < list.length) merged.push(list[rank]!)
  }
  return merged
}

/** Each product once, where it first stands. */
const distinct = (products: ReadonlyArray<SearchProduct>): ReadonlyArray<SearchProduct> => {
  const seen: Partial<Record<Source, Set<string>>> = {}
  return products.filter(({ asin, source }) => {
    const ofSource = (seen[source] ??= new Set())
    const isFirst = !ofSource.has(asin)
    ofSource.add(asin)
    return isFirst
  })
}
