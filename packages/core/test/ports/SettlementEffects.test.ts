import { Effect } from "effect"
import { expect, it } from "vitest"
import { SettlementEffects } from "../../src/ports/SettlementEffects.ts"

it("calls what is registered for the kind of a subject, and leaves the settlement of another kind to another till", async () => {
  const calls: Array<ReadonlyArray<unknown>> = []
  const note = (...call: ReadonlyArray<unknown>) => Effect.sync(() => void calls.push(call))
  const program = Effect.gen(function* () {
    const effects = yield* SettlementEffects
    yield* effects.add("ticket", {
      settled: (id) => note("settled", id),
      abandoned: (id, chargeKey) => note("abandoned", id, chargeKey)
    })
    yield* effects.settled({ kind: "ticket", id: "1" })
    const unknown = yield* Effect.flip(effects.settled({ kind: "room", id: "1" }))
    expect(unknown).toMatchObject({ _tag: "StoreError", operation: "settlementEffects.settled" })
    for (const kind of ["ticket", "room"]) yield* effects.abandoned({ kind, id: "2" }, "key")
  })
  await Effect.runPromise(Effect.provide(program, SettlementEffects.layer))
  expect(calls).toEqual([
    ["settled", "1"],
    ["abandoned", "2", "key"]
  ])
})
