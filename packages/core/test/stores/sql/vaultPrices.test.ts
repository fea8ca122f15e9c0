import { Effect, Layer } from "effect"
import { Statement } from "effect/sql"
import { describe, expect, it } from "vitest"
import type { VaultQuery } from "../../../src/shop/goods/Vault.ts"
import { VaultItems } from "../../../src/shop/ports/VaultItems.ts"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"
import { layerSql } from "../../../src/stores/sql/stores.ts"
import { sampleVaultItem } from "../../../../testing/src/stores/records.ts"

/*
 * Ranges of prices on SQLite: wide ones are read in the order of the listing, narrow ones by the index.
 */

/** Prices 1 to 100, but 300 items in the middle are dearer: there no range is wide. */
const priceOf = (number: number): number =>
  number >= 200 && number < 500 ? 1_000 + number : 1 + (number % 100)
const count = 700

const items = Array.from({ length: count }, (_, number) =>
  sampleVaultItem(number, { price: priceOf(number), category: number % 2 === 0 ? "ios" : "career" })
)

/** Walks all pages of a search. `asked`: of each page, whether the index was asked. */
const walk = Effect.fnUntraced(function* (query: Omit<VaultQuery, "limit">) {
  const store = yield* VaultItems
  const slugs: Array<string> = []
  const asked: Array<boolean> = []
  let cursor: string | undefined
  do {
    let isAsked = false
    const noting: Statement.Transformer = (statement) =>
      Effect.sync(() => {
        isAsked ||= statement.compile()[0].includes("MATCH")
        return statement
      })
    const page = yield* Effect.provideService(
      store.search({ limit: 5, ...query, ...(cursor === undefined ? {} : { cursor }) }),
      Statement.CurrentTransformer,
      noting
    )
    slugs.push(...page!.items.map(({ slug }) => slug))
    asked.push(isAsked)
    cursor = page!.nextCursor ?? undefined
  } while (cursor !== undefined)
  return { slugs, asked }
})

const walked = (query: Omit<VaultQuery, "limit">) => {
  const filled = Effect.andThen(
    Effect.flatMap(VaultItems, (store) => Effect.forEach(items, store.put, { discard: true })),
    walk(query)
  )
  const stores = layerSql.pipe(Layer.provideMerge(SqliteClient.layer({ filename: ":memory:" })))
  return Effect.runPromise(Effect.provide(filled, stores))
}

const slugsWith = (holds: (item: (typeof items)[number]) => boolean) =>
  items.filter(holds).map(({ slug }) => slug)

describe("a range of prices on SQLite", () => {
  it("is read in the order of the listing where it is wide, and by the index where it isn't", async () => {
    const { asked, slugs } = await walked({ maxPrice: 80 })
    expect(slugs).toEqual(slugsWith(({ price }) => price <= 80))
    // The dear items are ahead of two pages, and the last page isn't full.
    expect(asked.filter(Boolean)).toHaveLength(3)
    expect(asked.length).toBeGreaterThan(50)
    expect(asked.at(-1)).toBe(true)
  })

  it("finds the same with other filters, and where it is narrow", async () => {
    const wide = await walked({ minPrice: 2, maxPrice: 90, category: "ios" })
    expect(wide.slugs).toEqual(
      slugsWith(({ category, price }) => price >= 2 && price <= 90 && category === "ios")
    )
    expect(wide.asked.filter(Boolean)).toHaveLength(2)
    const narrow = await walked({ minPrice: 40, maxPrice: 41 })
    expect(narrow.slugs).toEqual(slugsWith(({ price }) => price === 40 || price === 41))
    expect(narrow.asked.every(Boolean)).toBe(true)
  })

  it("is read by the index with words, and for one price", async () => {
    const word = await walked({ maxPrice: 80, q: "writer" })
    const one = await walked({ minPrice: 40, maxPrice: 40 })
    expect([...word.asked, ...one.asked].every(Boolean)).toBe(true)
  })
})
