import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { memory } from "../../src/memory.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { Stores } from "../../src/ports/Stores.ts"
import { sqlite } from "../../src/sql/sqlite.ts"
import { type StoreCase, storeCases, StoreContractViolation } from "../../src/testing/storeContract.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()

const implementations: ReadonlyArray<readonly [name: string, make: () => Layer.Layer<Stores, unknown>]> = [
  ["memory()", memory],
  ["sqlite() in a file", () => sqlite({ filename: nextFile() })],
  ["sqlite() in memory", () => sqlite({ filename: ":memory:" })]
]

const runOn = ({ run }: StoreCase, stores: Layer.Layer<Stores, unknown>) =>
  Effect.runPromise(Effect.provide(run, stores))

describe.each(implementations)("%s", (_, make) => {
  it.each(storeCases)("$name", (storeCase) => runOn(storeCase, make()))
})

describe("the contract", () => {
  const forgetful = Layer.effect(
    Charges,
    Effect.map(Charges, (charges) => ({
      ...charges,
      // Get, then set: what the contract is there to find.
      claim: (...[charge, lease, nowMillis]: Parameters<typeof charges.claim>) =>
        Effect.gen(function* () {
          const found = yield* charges.find(charge.key)
          yield* Effect.yieldNow
          if (found !== undefined) return { _tag: "Existing", charge: found } as const
          yield* charges.claim(charge, lease, nowMillis)
          return { _tag: "Claimed" } as const
        })
    }))
  )

  it("finds a store that gets, then sets", async () => {
    const racing = storeCases.find(({ name }) => name.includes("exactly one claims"))!
    const broken = forgetful.pipe(Layer.provideMerge(memory()))
    await expect(runOn(racing, broken)).rejects.toThrow(StoreContractViolation)
  })

  it("names every case once", () => {
    expect(new Set(storeCases.map(({ name }) => name)).size).toBe(storeCases.length)
  })
})
