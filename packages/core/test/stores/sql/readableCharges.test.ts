import { DatabaseSync } from "node:sqlite"
import { Effect, Logger } from "effect"
import { expect, it } from "vitest"
import type { StoreError } from "../../../src/domain/Errors.ts"
import { type Charge, Charges } from "../../../src/ports/Charges.ts"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { chargesWithOne, keysOf } from "../../../../testing/src/stores/chargeRecords.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()

type Read = (charges: Charges["Service"], limit: number) => Effect.Effect<ReadonlyArray<Charge>, StoreError>

const readers: ReadonlyArray<readonly [verb: string, state: "ready" | "voided", read: Read]> = [
  ["unfinished", "ready", (charges, limit) => charges.unfinished(9_000, limit)],
  ["voidedDue", "voided", (charges, limit) => charges.voidedDue(9_000, limit)],
  ["list", "ready", (charges, limit) => charges.list({ limit, state: "ready" })]
]
it.each(readers)("%s leaves out a %s charge that can't be read, and reports it", async (_, state, read) => {
  const filename = nextFile()
  const events: Array<TillEvent> = []
  const reading = Effect.gen(function* () {
    const charges = yield* Charges
    for (const own of ["a", "b", "c", "d", "e"]) yield* chargesWithOne(state, { key: own })
    const other = new DatabaseSync(filename)
    other.exec("UPDATE till_charges SET receipt = '{a secret' WHERE key IN ('b', 'c')")
    other.close()
    // A page that isn't full would be the last one.
    expect(keysOf(yield* read(charges, 2))).toHaveLength(2)
    events.length = 0
    return keysOf(yield* read(charges, 9)).toSorted()
  }).pipe(Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])))
  expect(await Effect.runPromise(Effect.provide(reading, sqlite({ filename })))).toEqual(["a", "d", "e"])
  expect(events.map(({ chargeKey, code, level }) => [level, code, chargeKey]).sort()).toEqual([
    ["error", "charge_needs_operator", "b"],
    ["error", "charge_needs_operator", "c"]
  ])
  expect(JSON.stringify(events)).not.toContain("secret")
})
