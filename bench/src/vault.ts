/*
 * A vault of generated items: items published a second, size on disk, the time of searches, and a page far into the
 * listing beside the second one, which has a cursor, too.
 */
import { type StoreError, type VaultItem, VaultItems, type VaultQuery } from "@till402/core/effect"
import { Effect, ManagedRuntime } from "effect"
import type { Bench } from "./Bench.ts"
import type { Database, Engine, EngineName } from "./databases.ts"
import { median, quantile } from "./quantile.ts"
import {
  categoryOf,
  insertsOf,
  itemsOf,
  makeRandom,
  priceOf,
  productTypeOf,
  vocabulary,
  wordOf
} from "./vaultItems.ts"

const times = 300
const pageSize = 30
const farPage = 100
/** As many are published; more are written as a till would have. */
const published = 10_000
/** Goals: the median of each search, at more items too, and of the far page beside the second one. */
const firstPageMillis = (count: number) => (count <= published ? 10 : 20)
const farPageRatio = 1.2

type Query = Omit<VaultQuery, "limit">
type MakeQuery = (random: () => number) => Query

/** The number of a word that few items have, and of one that many have. */
const rare = (random: () => number) => Math.floor(vocabulary * (0.8 + 0.2 * random()))
const common = (random: () => number) => Math.floor(10 * random())

const searches: ReadonlyArray<readonly [string, MakeQuery]> = [
  ["everything", () => ({})],
  ["category", (random) => ({ category: categoryOf(random) })],
  ["category and type", (random) => ({ category: categoryOf(random), productType: productTypeOf(random) })],
  [
    "a range of prices",
    (random) => {
      const minPrice = priceOf(random)
      return { minPrice, maxPrice: minPrice + 20 }
    }
  ],
  [
    "category, type and one price",
    (random) => {
      const minPrice = priceOf(random)
      return {
        category: categoryOf(random),
        productType: productTypeOf(random),
        minPrice,
        maxPrice: minPrice
      }
    }
  ],
  ["a price that nothing has", () => ({ minPrice: 900 })],
  ["rare word", (random) => ({ q: wordOf(rare(random)) })],
  ["common word", (random) => ({ q: wordOf(common(random)) })],
  ["two common words", (random) => ({ q: `${wordOf(common(random))} ${wordOf(common(random))}` })],
  ["two rare words", (random) => ({ q: `${wordOf(rare(random))} ${wordOf(rare(random))}` })],
  ["a rare and a common word", (random) => ({ q: `${wordOf(rare(random))} ${wordOf(common(random))}` })],
  [
    "common word, category, low price",
    (random) => ({ q: wordOf(common(random)), category: categoryOf(random), maxPrice: 20 })
  ],
  // No item has all words: those with most come first.
  [
    "a question of five words",
    (random) => ({
      q: `how do I ${[rare, common, rare, common, rare].map((number) => wordOf(number(random))).join(" ")}`
    })
  ],
  ["word without hits", (random) => ({ q: `nowhere${Math.floor(1e6 * random())}` })],
  ["prefix of two letters", () => ({ q: "wr" })],
  ["prefix of six letters", (random) => ({ q: wordOf(100 + Math.floor(900 * random())).slice(0, 6) })]
]

/** Searches with enough hits for a far page. */
const listings: ReadonlyArray<readonly [string, Query]> = [
  ["everything", {}],
  ["a price up to 400", { maxPrice: 400 }],
  ["prefix of two letters", { q: "wr" }]
]

const timed = Effect.fnUntraced(function* (query: Query): Effect.fn.Return<number, StoreError, VaultItems> {
  const items = yield* VaultItems
  const startMillis = performance.now()
  const page = yield* items.search({ limit: pageSize, ...query })
  if (page === undefined) return yield* Effect.die(new Error("no item has the cursor"))
  return performance.now() - startMillis
})

const publishAll = Effect.fnUntraced(function* (bench: Bench, all: Iterable<VaultItem>, count: number) {
  const items = yield* VaultItems
  const publish = (item: VaultItem) =>
    items.publish(item, { digest: item.id.replaceAll("-", "").repeat(2), size: 1_000_000 }, 1_700_000_000_000)
  const startMillis = performance.now()
  yield* Effect.forEach(all, publish, { concurrency: 64, discard: true })
  const rate = count / ((performance.now() - startMillis) / 1000)
  bench.row(`${count} items published, items a second`, [rate.toFixed(0)])
})

/** Writes the items behind those that were published. */
const writeRest = async (database: Database, count: number): Promise<void> => {
  let statements: Array<string> = []
  for (const statement of insertsOf(itemsOf(count, published), published + 1)) {
    statements.push(statement)
    if (statements.length < 50) continue
    await database.execute(statements)
    statements = []
  }
  await database.execute(statements)
}

const measureSearches = Effect.fnUntraced(function* (bench: Bench, place: string, count: number) {
  bench.table(`${place}: the first page, in milliseconds`, ["p50", "p99"])
  for (const [name, makeQuery] of searches) {
    const random = makeRandom(7)
    const taken: Array<number> = []
    for (let run = 0; run < times; run++) taken.push(yield* timed(makeQuery(random)))
    const p50 = median(taken)
    bench.row(`vault: ${name}`, [p50.toFixed(2), quantile(taken, 0.99).toFixed(2)])
    bench.promise(
      p50 < firstPageMillis(count),
      `${place}: the first page of "${name}" takes ${p50.toFixed(1)} ms`
    )
  }
})

/** Walks to the page before a page. */
const cursorOf = Effect.fnUntraced(function* (query: Query, wanted: number) {
  const items = yield* VaultItems
  let cursor: string | undefined
  for (let page = 1; page < wanted; page++) {
    const found = yield* items.search({
      limit: pageSize,
      ...query,
      ...(cursor === undefined ? {} : { cursor })
    })
    if (found?.nextCursor == null) return undefined
    cursor = found.nextCursor
  }
  return cursor
})

const measureFarPages = Effect.fnUntraced(function* (bench: Bench, place: string) {
  bench.table(`${place}: page ${farPage} beside page 2, p50 in milliseconds`, ["far", "near", "ratio"])
  for (const [name, query] of listings) {
    const nearCursor = yield* cursorOf(query, 2)
    const cursor = yield* cursorOf(query, farPage)
    if (cursor === undefined || nearCursor === undefined) {
      bench.row(`vault: ${name}: too few items`, [])
      continue
    }
    const near: Array<number> = []
    const far: Array<number> = []
    // In turns, so that both have the same load beside them.
    for (let run = 0; run < times; run++) {
      near.push(yield* timed({ ...query, cursor: nearCursor }))
      far.push(yield* timed({ ...query, cursor }))
    }
    const ratio = median(far) / median(near)
    bench.row(`vault: ${name}`, [median(far).toFixed(2), median(near).toFixed(2), ratio.toFixed(2)])
    bench.promise(
      ratio <= farPageRatio,
      `${place}: page ${farPage} of "${name}" takes ${ratio.toFixed(2)} times as long as page 2`
    )
  }
})

export const measureVault = async (
  bench: Bench,
  name: EngineName,
  { create }: Engine,
  count: number
): Promise<void> => {
  const place = `${name}, a vault of ${count} items`
  if (!bench.wants(place)) return
  const database = await create()
  const open = async <A>(work: Effect.Effect<A, StoreError, VaultItems>): Promise<void> => {
    const runtime = ManagedRuntime.make(database.open())
    try {
      await runtime.runPromise(work)
    } finally {
      await runtime.dispose()
    }
  }
  bench.table(place, ["figure"])
  await open(publishAll(bench, itemsOf(Math.min(count, published)), Math.min(count, published)))
  await writeRest(database, count)
  if (name === "PostgreSQL") await database.execute(["VACUUM ANALYZE till_vault_items"])
  bench.row("vault: MiB on disk", [((await database.bytes()) / 1024 ** 2).toFixed(0)])
  await open(Effect.andThen(measureSearches(bench, place, count), measureFarPages(bench, place)))
}
