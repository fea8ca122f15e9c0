import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { findFresh } from "../../../src/toll/perform/findFresh.ts"
import { chargeIn } from "../machine/machineRows.ts"
import { type RecordedCall, scripted } from "../machine/settlingScene.ts"

/** Finds a charge in a store whose lookups take so many milliseconds each; the last one takes no time. */
const find = (...lookups: ReadonlyArray<number>) => {
  const calls: Array<RecordedCall> = []
  const delays = [...lookups]
  const store = scripted<Charges["Service"]>(
    {
      find: () =>
        Effect.as(
          Effect.sleep(delays.shift() ?? 0),
          chargeIn("ready", { attempts: lookups.length - delays.length })
        )
    },
    calls
  )
  const program = Effect.gen(function* () {
    const finding = yield* Effect.forkChild(findFresh(store, "key"))
    yield* TestClock.adjust(10_000)
    return yield* Fiber.join(finding)
  })
  return Effect.runPromise(Effect.provide(program, TestClock.layer())).then((charge) => ({
    lookups: calls.length,
    attempts: charge?.attempts
  }))
}

describe("a fresh lookup", () => {
  it("is one lookup of a store that responds at once", async () => {
    expect(await find(249)).toEqual({ lookups: 1, attempts: 1 })
  })

  it("is repeated after a lookup that took long", async () => {
    expect(await find(250, 10)).toEqual({ lookups: 2, attempts: 2 })
  })

  it("is repeated twice at most", async () => {
    expect(await find(400, 400, 400, 400)).toEqual({ lookups: 3, attempts: 3 })
  })
})
