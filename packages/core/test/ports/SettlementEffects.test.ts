import { Effect } from "effect"
import { expect, it } from "vitest"
import { SettlementEffects } from "../../src/ports/SettlementEffects.ts"

it("calls what is registered for the kind of a subject, and nothing for another kind", async () => {
  const calls: Array<ReadonlyArray<unknown>> = []
  const note = (...call: ReadonlyArray<unknown>) => Effect.sync(() => void calls.push(call))
  const program = Effect.gen(function* () {
    const effects = yield* SettlementEffects
    yield* effects.add("ticket", {
      settled: (id) => note("settled", id),
      abandoned: (id, chargeKey) => note("abandoned", id, chargeKey)
    })
    expect(["ticket", "room"].map(effects.isKnown)).toEqual([true, false])
    for (const kind of ["ticket", "room"]) {
      yield* effects.settled({ kind, id: "1" })
      yield* effects.abandoned({ kind, id: "2" }, "key")
    }
  })
  await Effect.runPromise(Effect.provide(program, SettlementEffects.layer))
  expect(calls).toEqual([
    ["settled", "1"],
    ["abandoned", "2", "key"]
  ])
})
