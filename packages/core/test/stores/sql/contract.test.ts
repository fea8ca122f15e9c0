import { copyFileSync } from "node:fs"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { memory } from "../../../src/stores/memory.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"
import { layerSql } from "../../../src/stores/sql/stores.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { restartCases, storeCases } from "../../../../testing/src/storeContract.ts"
import { keepThreads } from "../sqlite/keptThreads.ts"
import { emptyMemory, openEmptying } from "./emptyFile.ts"
import { temporaryFiles } from "./folder.ts"
import { isOfOrder, isRepetition } from "./repetition.ts"

keepThreads()

const nextFile = temporaryFiles()
const quickCases = storeCases.filter((one) => !isRepetition(one))

describe("memory()", () => {
  it.each(quickCases)("$name", ({ run }) => Effect.runPromise(Effect.provide(run, memory())))
})

describe("sqlite() in memory", () => {
  const client = Layer.effect(SqlClient.SqlClient, SqliteClient.connect({ filename: ":memory:" }))
  const stores = ManagedRuntime.make(Layer.provideMerge(layerSql, client))
  beforeEach(() => stores.runPromise(emptyMemory))
  afterAll(() => stores.dispose())

  it.each(quickCases.filter(isOfOrder))("$name", ({ run }) => stores.runPromise(run))
})

describe("sqlite() in a file", () => {
  const filename = nextFile()
  let stores: ManagedRuntime.ManagedRuntime<Stores, unknown>
  let emptying: ReturnType<typeof openEmptying>
  beforeAll(async () => {
    stores = ManagedRuntime.make(sqlite({ filename }))
    await stores.context()
    emptying = openEmptying(filename)
  })
  beforeEach(() => emptying.empty())
  afterAll(() => {
    emptying.close()
    return stores.dispose()
  })

  it.each(quickCases)("$name", ({ run }) => stores.runPromise(run))
})

describe("sqlite() in a file, closed and opened again", () => {
  // Each case begins with a copy, whose tables are there.
  const migrated = nextFile()
  beforeAll(() =>
    Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(sqlite({ filename: migrated })))))
  )

  it.each(restartCases.filter((one) => !isRepetition(one)))("$name", ({ run }) => {
    const filename = nextFile()
    copyFileSync(migrated, filename)
    return Effect.runPromise(run((use) => Effect.provide(use, sqlite({ filename }))))
  })
})

describe("the contract", () => {
  it("names every case once", () => {
    const names = [...storeCases, ...restartCases].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
