import { Effect } from "effect"
import { describe, expect, it } from "vitest"
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
})
