import type { ProductPage, ProductQuery } from "@till402/core"
import { Clock, Effect, type Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  type UpstreamResponse,
  ResponseMalformed,
  type Upstream,
  type UpstreamFault
} from "../upstream/index.ts"
import type { AccessToken } from "./AccessToken.ts"
import { isProduct, type Reading, toSearchProduct } from "./CatalogueProduct.ts"
import { type Chain, CursorChains, recordPage, totalUpTo } from "./CursorChains.ts"
import { accepted, type CatalogueFault, readRejection, readToolResponse, toolCall } from "./JsonRpc.ts"
import { type CataloguePage, readPage, searchArguments, type SearchSettings } from "./SearchCall.ts"

/** Searches one catalogue: the global one, or that of a shop. */
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
  /** Later pages are empty. Page n may need n calls. */
  readonly maxPages: number
}

/** A page without products. */
const emptyPage = (totalResults: number): ProductPage => ({ products: [], totalResults, hasMore: false })

/** The key of a search, which its pages share. */
const searchKey = ({ brand, priceMax, priceMin, q }: ProductQuery): string =>
  JSON.stringify([q, brand ?? null, priceMin ?? null, priceMax ?? null])

/** Whether old cursors may have caused the refusal. How the catalogue reports them is not documented. */
const mayBeTheCursor = (fault: CatalogueFault): boolean =>
  fault._tag === "CatalogueRefused" ||
  (fault._tag === "Rejected" && [400, 404, 410, 422].includes(fault.status))

export const makeCatalogueClient = (settings: CatalogueSettings): CatalogueClient => {
  const { maxPages, reading } = settings
  const searchPage = makeSearchCall(settings)
  // Cursors may expire. Ten minutes are longer than a caller takes between pages.
  const chains = new CursorChains({ capacity: 500, lifetimeMillis: 600_000 })

  /** Requests earlier pages until the cursor of `page` is known, or the last page is reached. */
  const follow = (query: ProductQuery, chain: Chain) =>
    chain.following.withPermit(
      Effect.gen(function* () {
        while (chain.cursors.length < query.page - 1 && chain.end === undefined) {
          const page = chain.cursors.length + 1
          const { next, products, totalCount } = yield* searchPage(query, chain.cursors[page - 2])
          recordPage(chain, page, { count: products.length, next, totalCount })
        }
      })
    )

  const openPage = Effect.fnUntraced(function* (query: ProductQuery, chain: Chain) {
    const { page } = query
    if (page > 1) yield* follow(query, chain)
    if (page - 1 > chain.cursors.length) return emptyPage(totalUpTo(chain, page, { hasMore: false }))
    const { next, products, totalCount } = yield* searchPage(query, chain.cursors[page - 2])
    const hasNext = recordPage(chain, page, { count: products.length, next, totalCount })
    return {
      products: products.flatMap((product) => toSearchProduct(product, query, reading) ?? []),
      totalResults: totalUpTo(chain, page, { hasMore: hasNext }),
      hasMore: hasNext && page < maxPages
    }
  })

  return {
    search: Effect.fnUntraced(function* (query: ProductQuery) {
      const key = searchKey(query)
      const chain = chains.of(key, yield* Clock.currentTimeMillis)
      if (query.page > maxPages) return emptyPage(totalUpTo(chain, maxPages, { hasMore: false }))
      const hasOldCursors = query.page > 1 && chain.cursors.length > 0
      const result = yield* Effect.result(openPage(query, chain))
      if (Result.isSuccess(result)) return result.success
      if (!hasOldCursors || !mayBeTheCursor(result.failure)) return yield* Effect.fail(result.failure)
      chains.drop(key, chain)
      return yield* openPage(query, chains.of(key, yield* Clock.currentTimeMillis))
    })
  }
}

/** One call of `search_catalog`. */
const makeSearchCall = (settings: CatalogueSettings) => {
  const { endpoint, token, upstream } = settings

  const send = (
    body: string,
    bearer: Redacted.Redacted<string> | undefined
  ): Effect.Effect<UpstreamResponse, UpstreamFault> => {
    const request = HttpClientRequest.post(endpoint).pipe(
      HttpClientRequest.setHeader("accept", accepted),
      HttpClientRequest.bodyText(body, "application/json")
    )
    return upstream.call(
      bearer === undefined ? request : HttpClientRequest.bearerToken(request, bearer),
      // A search may be sent twice, although it is a POST.
      { idempotent: true }
    )
  }

  /** Retries once with a new token, because a token may be revoked early. */
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
    const response = yield* Effect.mapError(sending, (fault) =>
      fault._tag === "CatalogueRefused" ? fault : readRejection(fault)
    )
    const page = readPage(yield* readToolResponse(response))
    if (page === undefined) {
      return yield* new ResponseMalformed({ upstream: upstream.name, detail: "products" })
    }
    if (page.products.length > 0 && !page.products.some(isProduct)) {
      const detail = "no product has both id and title"
      return yield* new ResponseMalformed({ upstream: upstream.name, detail })
    }
    return page
  })
}
