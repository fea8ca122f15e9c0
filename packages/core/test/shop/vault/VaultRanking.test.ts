import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { searchTermsOf } from "../../../src/shop/goods/SearchTerms.ts"
import { isMatch, searchStepsOf } from "../../../src/shop/goods/VaultRanking.ts"
import { VaultItems } from "../../../src/shop/ports/VaultItems.ts"
import { catalogue } from "./questions/catalogue.ts"
import { nonsense, questions } from "./questions/questions.ts"

/** The slugs of the first page of each query. */
const searchAll = (queries: ReadonlyArray<string>, limit = 5) =>
  Effect.gen(function* () {
    const items = yield* VaultItems
    for (const item of catalogue) yield* items.put(item)
    const found: Array<ReadonlyArray<string>> = []
    for (const q of queries) found.push((yield* items.search({ q, limit }))!.items.map(({ slug }) => slug))
    return found
  }).pipe(Effect.provide(VaultItems.layerMemory), Effect.runPromise)

describe("a vault of 200 items", () => {
  it("has 200 items with slugs of their own", () => {
    expect(new Set(catalogue.map(({ slug }) => slug)).size).toBe(200)
  })

  it("shows a right item among the first five for nine of ten questions", async () => {
    const found = await searchAll(questions.map(([question]) => question))
    const missed = questions.flatMap(([question, right], index) =>
      found[index]!.some((slug) => right.includes(slug)) ? [] : [`${question}: ${found[index]!.join(", ")}`]
    )
    expect(questions).toHaveLength(40)
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(4)
  })

  it("finds nothing for nonsense", async () => {
    expect(await searchAll(nonsense)).toEqual(nonsense.map(() => []))
  })

  it("shows the items of earlier steps first, whatever a page holds", async () => {
    const queries = questions.map(([question]) => question)
    const ranked = queries.map((q) =>
      searchStepsOf(q)!.flatMap((step) => catalogue.filter((item) => isMatch(searchTermsOf(item), step)))
    )
    expect(ranked.filter((items) => items.length > 3).length).toBeGreaterThan(20)
    for (const limit of [1, 3, 10]) {
      const expected = ranked.map((items) => items.slice(0, limit).map(({ slug }) => slug))
      expect(await searchAll(queries, limit), `pages of ${limit}`).toEqual(expected)
    }
  })
})
