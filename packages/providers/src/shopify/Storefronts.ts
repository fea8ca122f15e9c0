import type { ProductPage, ProductQuery } from "@till402/core"
import { Effect, Result } from "effect"
import { isUnavailable, TimedOut } from "../upstream/index.ts"
import type { CatalogueClient } from "./CatalogueClient.ts"
import type { CatalogueFault } from "./JsonRpc.ts"

/** Reports a shop that is missing from a search; `reason` is a code such as `HTTP_503` or `TimedOut`. */
export type OnShopMissing = (shop: string, reason: string) => Effect.Effect<void>

/** One shop with its own catalogue. */
export interface Storefront {
  /** Name of its upstream. */
  readonly name: string
  readonly client: CatalogueClient
}

/**
 * Several shops as one catalogue: the same page of each, with alternating products (the first of each, the
 * second of each, …). Failing and slow shops are skipped; the search fails only if all of them do.
 */
export const mergeStorefronts = (
  storefronts: ReadonlyArray<Storefront>,
  settings: { readonly timeoutMillis: number; readonly onShopMissing: OnShopMissing }
): CatalogueClient => ({
  search: Effect.fnUntraced(function* (query: ProductQuery) {
    const results = yield* Effect.forEach(
      storefronts,
      (storefront) => Effect.result(searchOne(storefront, query, settings)),
      { concurrency: storefronts.length }
    )
    const pages = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
    const faults = results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
    if (pages.length === 0 && faults.length > 0) return yield* Effect.fail(worstOf(faults))
    return mergePages(pages)
  })
})

/** A permanent fault, if there is one. */
const worstOf = (faults: ReadonlyArray<CatalogueFault>): CatalogueFault =>
  faults.find((fault) => fault._tag === "CatalogueRefused" || !isUnavailable(fault)) ?? faults[0]!

const searchOne = (
  { client, name }: Storefront,
  query: ProductQuery,
  { onShopMissing, timeoutMillis }: Parameters<typeof mergeStorefronts>[1]
): Effect.Effect<ProductPage, CatalogueFault> =>
  client.search(query).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMillis,
      orElse: () => Effect.fail<CatalogueFault>(new TimedOut({ upstream: name, timeoutMillis }))
    }),
    Effect.tapError((fault) =>
      onShopMissing(name, "code" in fault && fault.code !== undefined ? fault.code : fault._tag)
    )
  )

/** `[[a1, a2, a3], [b1]]` → `[a1, b1, a2, a3]`. */
export const mergePages = (pages: ReadonlyArray<ProductPage>): ProductPage => {
  const length = Math.max(0, ...pages.map(({ products }) => products.length))
  const ranks = Array.from({ length }, (_, rank) => rank)
  return {
    products: ranks.flatMap((rank) => pages.flatMap(({ products }) => products[rank] ?? [])),
    totalResults: pages.reduce((sum, page) => sum + page.totalResults, 0),
    hasMore: pages.some((page) => page.hasMore)
  }
}
