/*
 * The vault with a million generated items, on SQLite and PostgreSQL: items published a second, size on disk, the time of
 * searches, and a page far into the listing beside the first one. Exits with 1 if a goal is missed.
 *
 *   npm run bench -- vault [--counts 1000000] [--stores SQLite,PostgreSQL] [--publish 20000] [--times 300]
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import {
  type StoreError,
  type Stores,
  type VaultItem,
  VaultItems,
  type VaultQuery
} from "@till402/core/effect"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { startPostgres } from "@till402/test-postgres"
import { Effect, type Layer, ManagedRuntime } from "effect"
import { median } from "./load.ts"
import { categoryOf, itemsOf, makeRandom, priceOf, productTypeOf, vocabulary, wordOf } from "./vaultItems.ts"

const { values: options } = parseArgs({
  options: {
    counts: { type: "string", default: "1000000" },
    stores: { type: "string", default: "SQLite,PostgreSQL" },
    publish: { type: "string", default: "20000" },
    times: { type: "string", default: "300" }
  }
})
const times = Number(options.times)
const pageSize = 30
const farPage = 10_000
/** Goals: the median of each search, and of the far page beside the first one. */
const firstPageMillis = 10
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

const misses: Array<string> = []
const check = (isMet: boolean, text: string): string => {
  if (!isMet) misses.push(text)
  return isMet ? "" : "  MISSED"
}

const shown = (millis: number): string => millis.toFixed(2).padStart(9)
const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((left, right) => left - right)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ]!

const timed = Effect.fnUntraced(function* (query: Query): Effect.fn.Return<number, StoreError, VaultItems> {
  const items = yield* VaultItems
  const startMillis = performance.now()
  const page = yield* items.search({ limit: pageSize, ...query })
  if (page === undefined) return yield* Effect.die(new Error("no item has the cursor"))
  return performance.now() - startMillis
})

/** The next items of a generator, which goes on afterwards. */
const next = function* (all: Iterator<VaultItem, void>, count: number): Generator<VaultItem> {
  for (let number = 0; number < count; number++) {
    const { done, value } = all.next()
    if (done === true) return
    yield value
  }
}

/** Puts most of the items, which is faster, and publishes the last ones with their archives. */
const fill = Effect.fnUntraced(function* (count: number) {
  const items = yield* VaultItems
  const all = itemsOf(count)
  const publish = (item: VaultItem) =>
    items.publish(item, { digest: item.id.replaceAll("-", "").repeat(2), size: 1_000_000 }, 1_700_000_000_000)
  const published = Math.min(count, Number(options.publish))
  const store = Effect.fnUntraced(function* (
    name: string,
    number: number,
    write: (item: VaultItem) => Effect.Effect<unknown, StoreError>
  ) {
    const startMillis = performance.now()
    yield* Effect.forEach(next(all, number), write, { concurrency: 64, discard: true })
    const seconds = (performance.now() - startMillis) / 1000
    const rate = Math.round(number / seconds)
    console.log(`  ${number} items ${name} in ${seconds.toFixed(0)} s, ${rate} a second`)
  })
  if (count > published) yield* store("put", count - published, items.put)
  yield* store("published", published, publish)
})

const measureSearches = Effect.fnUntraced(function* (place: string) {
  console.log(`  ${"first page of".padEnd(36)}${"p50".padStart(9)}${"p99".padStart(9)}  in milliseconds`)
  for (const [name, makeQuery] of searches) {
    const random = makeRandom(7)
    const taken: Array<number> = []
    for (let run = 0; run < times; run++) taken.push(yield* timed(makeQuery(random)))
    const p50 = median(taken)
    const miss = check(
      p50 < firstPageMillis,
      `${place}: the first page of "${name}" takes ${p50.toFixed(1)} ms`
    )
    console.log(`  ${name.padEnd(36)}${shown(p50)}${shown(percentile(taken, 0.99))}${miss}`)
  }
})

/** Walks to the page before the far one. */
const cursorOfFarPage = Effect.fnUntraced(function* (query: Query) {
  const items = yield* VaultItems
  let cursor: string | undefined
  for (let page = 1; page < farPage; page++) {
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

const measureFarPages = Effect.fnUntraced(function* (place: string) {
  for (const [name, query] of listings) {
    const cursor = yield* cursorOfFarPage(query)
    if (cursor === undefined) {
      console.log(`  ${name}: too few items for page ${farPage}`)
      continue
    }
    const first: Array<number> = []
    const far: Array<number> = []
    // In turns, so that both have the same load beside them.
    for (let run = 0; run < times; run++) {
      first.push(yield* timed(query))
      far.push(yield* timed({ ...query, cursor }))
    }
    const ratio = median(far) / median(first)
    const text = `page ${farPage} of "${name}" takes ${ratio.toFixed(2)} times as long as page 1`
    const miss = check(ratio <= farPageRatio, `${place}: ${text}`)
    console.log(`  ${text}: p50 ${median(far).toFixed(2)} and ${median(first).toFixed(2)} ms${miss}`)
  }
})

const runWith = async (
  place: string,
  storage: Layer.Layer<Stores, unknown>,
  count: number,
  bytes: () => Promise<number>
): Promise<void> => {
  const runtime = ManagedRuntime.make(storage)
  try {
    await runtime.runPromise(fill(count))
    console.log(`  ${((await bytes()) / 1024 ** 2).toFixed(0)} MiB on disk`)
    await runtime.runPromise(Effect.andThen(measureSearches(place), measureFarPages(place)))
  } finally {
    await runtime.dispose()
  }
}

const runOnSqlite = async (place: string, count: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "till-vault-"))
  try {
    await runWith(place, sqlite({ filename: join(folder, "till.sqlite") }), count, async () =>
      readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const runOnPostgres = async (place: string, count: number): Promise<void> => {
  const cluster = await startPostgres({ durable: true })
  try {
    const url = await cluster.createDatabase()
    await runWith(place, postgres({ url }), count, () => cluster.databaseBytes(url))
  } finally {
    await cluster.stop()
  }
}

for (const store of options.stores.split(","))
  for (const count of options.counts.split(",").map(Number)) {
    const place = `${store}, ${count} items`
    console.log(place)
    await (store === "SQLite" ? runOnSqlite(place, count) : runOnPostgres(place, count))
  }
for (const miss of misses) console.error(`missed: ${miss}`)
process.exitCode = misses.length === 0 ? 0 : 1
