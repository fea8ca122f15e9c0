import { sharedPostgres } from "@till402/test-postgres"
import { Effect, type Layer } from "effect"
import { describe, it } from "vitest"
import { memory } from "../../../src/stores/memory.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import { postgres } from "../../../src/postgres.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { restartCases, storeCases } from "../../../../testing/src/storeContract.ts"
import { temporaryFiles } from "./folder.ts"
import { isLong, isOfOrder, isRepetition } from "./repetition.ts"

/*
 * What `contract.test.ts` and `postgresContract.test.ts` leave out: more random operations, and cases that SQLite in
 * memory passes if a file does.
 */

const nextFile = temporaryFiles()

type Open = () => Promise<() => Layer.Layer<Stores, unknown>>

const onFile: Open = async () => {
  const filename = nextFile()
  return () => sqlite({ filename })
}
const onPostgres: Open = async () => {
  const url = await (await sharedPostgres()).createDatabase()
  return () => postgres({ url })
}
const inMemory: ReadonlyArray<readonly [name: string, open: Open]> = [
  ["memory()", async () => memory],
  ["sqlite() in memory", async () => () => sqlite({ filename: ":memory:" })]
]
const persistent: ReadonlyArray<readonly [name: string, open: Open]> = [
  ["sqlite() in a file", onFile],
  ["postgres()", onPostgres]
]

describe.each([...inMemory, ...persistent])("%s", (_, open) => {
  it.each(storeCases.filter(isRepetition))("$name", async ({ run }) => {
    const layer = await open()
    await Effect.runPromise(Effect.provide(run, layer()))
  })
})

describe("postgres() with many rows", () => {
  it.each(storeCases.filter(isLong))("$name", async ({ run }) => {
    const layer = await onPostgres()
    await Effect.runPromise(Effect.provide(run, layer()))
  })
})

/** What takes or deletes up to a limit, and a seed of everything. */
const joinCases = storeCases.filter(
  (one) => !isRepetition(one) && /due ones are taken|respects its limit|random operations/.test(one.name)
)

describe("postgres(), whose planner joins by nested loops, as it may for small tables", () => {
  it.each(joinCases)("$name", async ({ run }) => {
    const cluster = await sharedPostgres()
    const url = await cluster.createDatabase()
    const off = ["hashagg", "sort", "material", "hashjoin", "mergejoin"].map(
      (plan) => `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET enable_${plan} = off`
    )
    await cluster.execute(cluster.url, off)
    await Effect.runPromise(Effect.provide(run, postgres({ url })))
  })
})

describe("sqlite() in memory, as in a file", () => {
  it.each(storeCases.filter((one) => !isRepetition(one) && !isOfOrder(one)))("$name", ({ run }) =>
    Effect.runPromise(Effect.provide(run, sqlite({ filename: ":memory:" })))
  )
})

describe.each(persistent)("%s, closed and opened again", (_, open) => {
  it.each(restartCases.filter(isRepetition))("$name", async ({ run }) => {
    const layer = await open()
    await Effect.runPromise(run((use) => Effect.provide(use, layer())))
  })
})
