import type { ProductPage, ProductQuery } from "@till402/core"
import { BoundedMap } from "@till402/core/effect"
import { Clock, Effect, Option, Result } from "effect"

/*
 * Filters that are applied after a search may leave a page empty although the upstream has more. Its caller would pay
 * for nothing, so such a page is filled from the next pages of the upstream.
 */

/** Pages of the upstream that one page may take. Each may cost quota. */
const maxUpstreamPages = 3

/** Searches whose later pages start at another page of the upstream. */
const capacity = 10_000

const isEmptied = ({ hasMore, products }: ProductPage): boolean => products.length === 0 && hasMore

const keyOf = ({ brand, page, priceMax, priceMin, q }: ProductQuery): string =>
  JSON.stringify([page, q, brand ?? null, priceMin ?? null, priceMax ?? null])

/**
 * A search that fills emptied pages, within a deadline.
 *
 * Page n starts at page n of the upstream, or after the pages that the pages before it took. The latter is remembered in
 * this process only. Without it, products may be repeated, but none is skipped. If a page can't be filled, it stays empty
 * and `hasMore` is the upstream's.
 */
export const filledPages = <E>(
  search: (query: ProductQuery) => Effect.Effect<ProductPage, E>,
  deadlineMillis: number
): ((query: ProductQuery) => Effect.Effect<ProductPage, E>) => {
  const starts = new BoundedMap<string, number>(capacity)

  return Effect.fnUntraced(function* (query: ProductQuery) {
    const startedAt = yield* Clock.currentTimeMillis
    let upstreamPage = starts.get(keyOf(query)) ?? query.page
    let page = yield* search({ ...query, page: upstreamPage })
    for (let taken = 1; taken < maxUpstreamPages && isEmptied(page); taken++) {
      const passed = (yield* Clock.currentTimeMillis) - startedAt
      // A further page takes about as long as one did.
      if (passed + passed / taken > deadlineMillis) break
      const further = yield* search({ ...query, page: upstreamPage + 1 }).pipe(
        Effect.timeoutOption(Math.max(1, deadlineMillis - passed)),
        Effect.result
      )
      if (Result.isFailure(further) || Option.isNone(further.success)) break
      page = further.success.value
      upstreamPage += 1
    }
    if (page.hasMore && upstreamPage !== query.page) {
      starts.set(keyOf({ ...query, page: query.page + 1 }), upstreamPage + 1)
    }
    return page
  })
}
