import type { MarketplaceOptions, ProductPage, ProductQuery } from "@till402/core"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { sharedSearch } from "../src/sharedSearch.ts"

const page: ProductPage = { products: [], totalResults: 0, hasMore: false }
const context = { signal: new AbortController().signal }

const start = (search: MarketplaceOptions<ProductPage>["search"] = async () => ({ ...page })) => {
  const queries: Array<ProductQuery> = []
  const shared = sharedSearch(
    {
      timeoutMillis: 16_500,
      search: (query, given) => {
        queries.push(query)
        return search(query, given)
      }
    },
    60_000
  )
  const ask = async (query: Partial<ProductQuery> = {}) =>
    shared.search({ q: "shoes", page: 1, ...query }, context)
  return { ask, queries, shared }
}

describe("a shared search", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
  afterEach(() => void vi.useRealTimers())

  it("asks the upstream once for a query, until the page is too old", async () => {
    const { ask, queries, shared } = start()
    assert.strictEqual(shared.timeoutMillis, 16_500)
    const first = await ask()
    vi.advanceTimersByTime(59_999)
    assert.strictEqual(await ask(), first)
    assert.strictEqual(queries.length, 1)
    vi.advanceTimersByTime(1)
    await ask()
    assert.strictEqual(queries.length, 2)
  })

  it("shares a page with no other query, and no failure", async () => {
    const others = [{}, { page: 2 }, { brand: "Acme" }, { priceMin: 5 }, { priceMax: 5 }, { q: "shoe" }]
    const { ask, queries } = start()
    for (const query of [...others, ...others]) await ask(query)
    assert.strictEqual(queries.length, others.length)

    const failing = start(() => Promise.reject(new Error("down")))
    for (let round = 0; round < 2; round++) {
      await failing.ask().then(
        () => assert.fail("it should have failed"),
        () => undefined
      )
    }
    assert.strictEqual(failing.queries.length, 2)
  })

  it("keeps the newest pages only", async () => {
    const { ask, queries } = start()
    for (let number = 1; number <= 501; number++) await ask({ page: number })
    await ask({ page: 501 })
    await ask({ page: 2 })
    assert.strictEqual(queries.length, 501)
    await ask({ page: 1 })
    assert.strictEqual(queries.length, 502)
  })
})
