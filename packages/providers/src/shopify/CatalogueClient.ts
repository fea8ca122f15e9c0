import type { ProductPage, ProductQuery } from "@till402/core"
import { Clock, Effect, type Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { type Answer, AnswerMalformed, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import type { AccessToken } from "./AccessToken.ts"
import { isProduct, type Reading, toSearchProduct } from "./CatalogueProduct.ts"
import { type Chain, CursorChains, notePage, totalUpTo } from "./CursorChains.ts"
import { accepted, type CatalogueFault, readRejection, readToolAnswer, toolCall } from "./JsonRpc.ts"
import { type CataloguePage, readPage, searchArguments, type SearchSettings } from "./SearchCall.ts"

/** Searches one catalogue, the global one or that of a shop. */
export interface CatalogueClient {
  readonly search: (query: ProductQuery) => Effect.Effect<ProductPage, CatalogueFault>
}

export interface CatalogueSettings extends SearchSettings {
  readonly upstream: Upstream
  /** The MCP endpoint. */
  readonly endpoint: string
  /** `undefined` for the anonymous tier. */
  readonly token: AccessToken | undefined
  readonly reading: Reading
  /** Pages past this one are empty: to get to page n, n calls may be needed. */
  readonly maxPages: number
}

/** A page without products where nothing can be. */
const emptyPage = (totalResults: number): ProductPage => ({ products: [], totalResults, hasMore: false })

/** What makes a search the same as another: its pages hang together. */
const searchKey = ({ brand, priceMax, priceMin, q }: ProductQuery): string =>
  JSON.stringify([q, brand ?? null, priceMin ?? null, priceMax ?? null])

/** Refusals after which old cursors may be the reason; how the catalogue says so is not documented. */
const mayBeTheCursor = (fault: CatalogueFault): boolean =>
  fault._tag === "CatalogueRefused" ||
  (fault._tag === "Rejected" && [400, 404, 410, 422].includes(fault.status))

export const makeCatalogueClient = (settings: CatalogueSettings): CatalogueClient => {
  const { maxPages, reading } = settings
  const ask = asking(settings)
  // Cursors are opaque and may go stale: ten minutes are more than a caller takes to turn pages.
  const chains = new CursorChains({ capacity: 500, lifetimeMillis: 600_000 })

  /** Asks for pages before `page` until its cursor is known, or that there is no such page. */
  const follow = (query: ProductQuery, chain: Chain) =>
    chain.following.withPermit(
      Effect.gen(function* () {
        while (chain.cursors.length < query.page - 1 && chain.end === undefined) {
          const page = chain.cursors.length + 1
          const { next, products, totalCount } = yield* ask(query, chain.cursors[page - 2])
          notePage(chain, page, { count: products.length, next, totalCount })
        }
      })
    )

  const turnTo = Effect.fnUntraced(function* (query: ProductQuery, chain: Chain) {
    const { page } = query
    if (page > 1) yield* follow(query, chain)
    if (page - 1 > chain.cursors.length) return emptyPage(totalUpTo(chain, page, false))
    const { next, products, totalCount } = yield* ask(query, chain.cursors[page - 2])
    const goesOn = notePage(chain, page, { count: products.length, next, totalCount })
    return {
      products: products.flatMap((product) => toSearchProduct(product, query, reading) ?? []),
      totalResults: totalUpTo(chain, page, goesOn),
      hasMore: goesOn && page < maxPages
    }
  })

  return {
    search: Effect.fnUntraced(function* (query: ProductQuery) {
      const key = searchKey(query)
      const chain = chains.of(key, yield* Clock.currentTimeMillis)
      if (query.page > maxPages) return emptyPage(totalUpTo(chain, maxPages, false))
      const hasOldCursors = query.page > 1 && chain.cursors.length > 0
      const result = yield* Effect.result(turnTo(query, chain))
      if (Result.isSuccess(result)) return result.success
      if (!hasOldCursors || !mayBeTheCursor(result.failure)) return yield* Effect.fail(result.failure)
      chains.drop(key, chain)
      return yield* turnTo(query, chains.of(key, yield* Clock.currentTimeMillis))
    })
  }
}

/** One call of `search_catalog`. */
const asking = (settings: CatalogueSettings) => {
  const { endpoint, token, upstream } = settings

  const send = (
    body: string,
    bearer: Redacted.Redacted<string> | undefined
  ): Effect.Effect<Answer, UpstreamFault> => {
    const request = HttpClientRequest.post(endpoint).pipe(
      HttpClientRequest.setHeader("accept", accepted),
      HttpClientRequest.bodyText(body, "application/json")
    )
    return upstream.call(
      bearer === undefined ? request : HttpClientRequest.bearerToken(request, bearer),
      // A search by POST, and still a search.
      { idempotent: true }
    )
  }

  /** A token may be taken back before its time: then one new one is tried. */
  const sendWithToken = Effect.fnUntraced(function* (body: string, { drop, get }: AccessToken) {
    const bearer = yield* get
    return yield* Effect.catchIf(
      send(body, bearer),
      (fault) => fault._tag === "Rejected" && fault.status === 401,
      () =>
        Effect.andThen(
          drop(bearer),
          Effect.flatMap(get, (renewed) => send(body, renewed))
        )
    )
  })

  return Effect.fnUntraced(function* (
    query: ProductQuery,
    cursor: string | undefined
  ): Effect.fn.Return<CataloguePage, CatalogueFault> {
    const body = toolCall("search_catalog", searchArguments(query, cursor, settings))
    const sending = token === undefined ? send(body, undefined) : sendWithToken(body, token)
    const answer = yield* Effect.mapError(sending, (fault) =>
      fault._tag === "CatalogueRefused" ? fault : readRejection(fault)
    )
    const page = readPage(yield* readToolAnswer(answer))
    if (page === undefined) {
      return yield* new AnswerMalformed({ upstream: upstream.name, detail: "products" })
    }
    if (page.products.length > 0 && !page.products.some(isProduct)) {
      const detail = "no product has both id and title"
      return yield* new AnswerMalformed({ upstream: upstream.name, detail })
    }
    return page
  })
}
