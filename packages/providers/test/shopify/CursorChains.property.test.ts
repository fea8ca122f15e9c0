import { Effect } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { shareOfRuns } from "../../../core/test/domain/seeded.ts"
import { ids } from "./catalogue.ts"
import { fakeCatalogue } from "./fakeCatalogue.ts"
import { products, names, over } from "./searchPages.ts"

describe("any catalogue that doesn't change", () => {
  const settings = fc.record({
    count: fc.nat({ max: 90 }),
    pageSize: fc.integer({ min: 1, max: 50 }),
    maxLimit: fc.integer({ min: 1, max: 50 }),
    tellsTotal: fc.boolean(),
    order: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 }),
    expiresAfter: fc.nat({ max: 12 })
  })

  it("shows each product on one page, in its order, wherever one starts to read", async () => {
    await fc.assert(
      fc.asyncProperty(settings, async ({ count, expiresAfter, maxLimit, order, pageSize, tellsTotal }) => {
        const fake = fakeCatalogue(products(count), { maxLimit, tellsTotal })
        const size = Math.min(pageSize, maxLimit)
        await Effect.runPromise(
          Effect.gen(function* () {
            const search = yield* over(fake, { pageSize, maxPages: 100 })
            let pages = 0
            const hasMoreAfter = Effect.fnUntraced(function* (page: number) {
              if (pages === expiresAfter) fake.expireCursors()
              pages += 1
              const found = yield* search({ page })
              const last = Math.min(page * size, count)
              assert.deepStrictEqual(ids(found), names((page - 1) * size + 1, last))
              assert.strictEqual(found.hasMore, page * size < count)
              assert.isAtLeast(found.totalResults, last)
              if (tellsTotal) assert.strictEqual(found.totalResults, count)
              return found.hasMore
            })
            for (const page of order) yield* hasMoreAfter(page)
            let page = 1
            while (yield* hasMoreAfter(page)) page += 1
            assert.isAtLeast(page * size, count)
          })
        )
      }),
      { numRuns: shareOfRuns(60) }
    )
  })
})
