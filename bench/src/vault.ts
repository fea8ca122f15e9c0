/*
 * What a search of the vault costs as it grows: the median time of a page, with generated items on SQLite and PostgreSQL.
 *
 *   npm run bench -- vault [--counts 10000,100000] [--stores SQLite,PostgreSQL]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Stores, type VaultItem, VaultItems, type VaultQuery } from "@till402/core/effect"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { startPostgres } from "@till402/test-postgres"
import { Effect, type Layer, ManagedRuntime } from "effect"

const { values: options } = parseArgs({
  options: {
    counts: { type: "string", default: "10000,100000" },
    stores: { type: "string", default: "SQLite,PostgreSQL" },
    times: { type: "string", default: "25" }
  }
})

const categories = ["marketing", "development", "automation", "career", "ios", "productivity"] as const
const productTypes = ["skill", "knowledge", "persona"] as const
const vocabulary = 20_000
const syllables = ["ka", "ro", "mi", "te", "lu", "so", "ne", "va", "di", "po"]

/** A word of its own for each number; small numbers are frequent. */
const wordOf = (number: number): string =>
  `w${Array.from(String(number), (digit) => syllables[Number(digit)]).join("")}`

/** Numbers from 0 to 1, the same in each run. */
const makeRandom = (): (() => number) => {
  let state = 402
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const idOf = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`

const itemsOf = function* (count: number): Generator<VaultItem> {
  const random = makeRandom()
  const word = () => wordOf(Math.floor(vocabulary * random() ** 4))
  const words = (length: number) => Array.from({ length }, word).join(" ")
  for (let number = 0; number < count; number++)
    yield {
      id: idOf(number),
      slug: `asset-${number}`,
      title: words(4),
      productType: productTypes[Math.floor(random() * 3)]!,
      cardDescription: `${words(16)}${number % 20_000 === 7 ? " zanzibar" : ""}`,
      price: 1 + Math.floor(random() * 500),
      category: categories[Math.floor(random() * 6)]!,
      creator: { name: "Bench", type: "company" },
      downloads: 0,
      coverImageUrl: "https://images.example/cover.png"
    }
}

const queriesOf = (count: number): ReadonlyArray<readonly [string, Omit<VaultQuery, "limit">]> => {
  const cursor = idOf(Math.floor(count * 0.9))
  return [
    ["first page", {}],
    ["page at nine tenths", { cursor }],
    ["category and type", { category: "ios", productType: "persona" }],
    ["one price in 500", { minPrice: 250, maxPrice: 250 }],
    ["a price that nothing has", { minPrice: 900 }],
    ["common word", { q: wordOf(1) }],
    ["common word, page at nine tenths", { q: wordOf(1), cursor }],
    ["common word, category, price", { q: wordOf(1), category: "career", maxPrice: 20 }],
    ["two common words", { q: `${wordOf(1)} ${wordOf(2)}` }],
    ["rare word", { q: "zanzibar" }],
    ["word without hits", { q: "nowhere" }],
    ["prefix of two letters", { q: "wr" }],
    ["prefix of four letters", { q: "wrok" }],
    ["prefix of four letters, page at nine tenths", { q: "wrok", cursor }],
    ["prefix of six letters, page at nine tenths", { q: "wroroka".slice(0, 6), cursor }]
  ]
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!

/** `settle` has the database take stock of its tables, as it does by itself within minutes. */
const measure = (count: number, settle: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const vault = yield* VaultItems
    const startMillis = performance.now()
    yield* Effect.forEach(itemsOf(count), (item) => vault.put(item), { concurrency: 64, discard: true })
    const seconds = (performance.now() - startMillis) / 1000
    console.log(`  ${count} items stored in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} a second`)
    yield* settle
    for (const [name, query] of queriesOf(count)) {
      const times: Array<number> = []
      let found = 0
      for (let run = 0; run < Number(options.times); run++) {
        const beginMillis = performance.now()
        found = (yield* vault.search({ limit: 30, ...query }))?.items.length ?? -1
        times.push(performance.now() - beginMillis)
      }
      const [middle, last] = [median(times), Math.max(...times)]
      console.log(
        `  ${name.padEnd(44)} ${middle.toFixed(2).padStart(8)} ms, slowest ${last.toFixed(2).padStart(8)} ms, ${found} items`
      )
    }
  })

const runWith = async (
  storage: Layer.Layer<Stores, unknown>,
  count: number,
  settle: Effect.Effect<void> = Effect.void
): Promise<void> => {
  const runtime = ManagedRuntime.make(storage)
  try {
    await runtime.runPromise(measure(count, settle))
  } finally {
    await runtime.dispose()
  }
}

for (const store of options.stores.split(","))
  for (const count of options.counts.split(",").map(Number)) {
    console.log(`${store}, ${count} items`)
    if (store === "SQLite") {
      const folder = mkdtempSync(join(tmpdir(), "till-vault-"))
      await runWith(sqlite({ filename: join(folder, "till.sqlite") }), count)
      rmSync(folder, { recursive: true })
    } else {
      const cluster = await startPostgres()
      const url = await cluster.createDatabase()
      const settle = Effect.promise(() => cluster.execute(url, ["VACUUM ANALYZE till_vault_items"]))
      await runWith(postgres({ url }), count, settle)
      await cluster.stop()
    }
  }
