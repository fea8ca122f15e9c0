import { assert, describe, it } from "@effect/vitest"
import type { ProductPage, ProductQuery } from "@till402/core"
import { Effect } from "effect"
import { filledPages } from "../../src/listing/FilledPages.ts"
import { within } from "../upstream/virtualTime.ts"
import { documentedProducts } from "../amazon/providers.ts"

const [product] = documentedProducts

/** An upstream whose pages have products where `full` says so; each search takes `millis`. */
const upstreamOf = (full: ReadonlyArray<boolean>, millis = 0) => {
  const read: Array<number> = []
  const search = ({ page }: ProductQuery): Effect.Effect<ProductPage> => {
    read.push(page)
    return Effect.as(Effect.sleep(millis), {
      products:
        full[page - 1] === true && product !== undefined ? [{ ...product, title: `page ${page}` }] : [],
      totalResults: 9,
      hasMore: page < full.length
    })
  }
  return { read, search }
}

const titlesOf = ({ products }: ProductPage) => products.map(({ title }) => title)

describe("filled pages", () => {
  it.effect("show each product once and skip none, page after page", () =>
    Effect.gen(function* () {
      const { search } = upstreamOf([false, true, true, false, false, true, true])
      const find = filledPages(search, 7_500)
      const shown: Array<string> = []
      for (let page = 1, hasMore = true; hasMore; page++) {
        const found = yield* within(find({ q: "shoes", page }))
        if (found._tag === "Failure") return assert.fail("the search should have succeeded")
        shown.push(...titlesOf(found.success))
        hasMore = found.success.hasMore
      }
      assert.deepStrictEqual(shown, ["page 2", "page 3", "page 6", "page 7"])
    })
  )

  it.effect("skip nothing in another process, or for another search", () =>
    Effect.gen(function* () {
      const { read, search } = upstreamOf([false, true, true])
      yield* within(filledPages(search, 7_500)({ q: "shoes", page: 1 }))
      yield* within(filledPages(search, 7_500)({ q: "shoes", page: 2 }))
      const find = filledPages(search, 7_500)
      yield* within(find({ q: "shoes", page: 1, priceMax: 10 }))
      yield* within(find({ q: "shoes", page: 2, priceMax: 11 }))
      assert.deepStrictEqual(read, [1, 2, 2, 1, 2, 2])
    })
  )

  it.effect("take no further page for which there is no time", () =>
    Effect.gen(function* () {
      const { read, search } = upstreamOf([false, false, true], 4_000)
      const found = yield* within(filledPages(search, 7_500)({ q: "shoes", page: 1 }))
      assert.deepStrictEqual(read, [1])
      assert.deepInclude(found, { success: { products: [], totalResults: 9, hasMore: true } })
    })
  )
})
