import { Effect, type Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { memory } from "../../src/ports/memory/memory.ts"
import type { Stores } from "../../src/ports/Stores.ts"
import { sqlite } from "../../src/sqlite.ts"
import { restartCases, storeCases } from "../../src/testing/storeContract.ts"
import { emptyFile } from "./emptyFile.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()

const implementations: ReadonlyArray<readonly [name: string, make: () => Layer.Layer<Stores, unknown>]> = [
  ["memory()", memory],
  ["sqlite() in memory", () => sqlite({ filename: ":memory:" })]
]

describe.each(implementations)("%s", (_, make) => {
  it.each(storeCases)("$name", ({ run }) => Effect.runPromise(Effect.provide(run, make())))
})

describe("sqlite() in a file", () => {
  const filename = nextFile()
  let stores: ManagedRuntime.ManagedRuntime<Stores, unknown>
  beforeAll(async () => {
    stores = ManagedRuntime.make(sqlite({ filename }))
    await stores.context()
  })
  beforeEach(() => emptyFile(filename))
  afterAll(() => stores.dispose())

  it.each(storeCases)("$name", ({ run }) => stores.runPromise(run))
})

describe("sqlite() in a file, closed and opened again", () => {
  it.each(restartCases)("$name", ({ run }) => {
    const filename = nextFile()
    return Effect.runPromise(run((use) => Effect.provide(use, sqlite({ filename }))))
  })
})

describe("the contract", () => {
  it("names every case once", () => {
    const names = [...storeCases, ...restartCases].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
