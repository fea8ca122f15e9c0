import { assert } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { UpstreamFault } from "../../src/upstream/index.ts"

/** Lets virtual time run until the call is over, or `millis` have passed. */
export const within = <A, E>(call: Effect.Effect<A, E>, millis = 60_000) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(call))
    for (let passed = 0; passed <= millis && fiber.pollUnsafe() === undefined; passed += 50) {
      yield* TestClock.adjust(50)
    }
    assert.notStrictEqual(fiber.pollUnsafe(), undefined, `still running after ${millis} ms`)
    return yield* Fiber.join(fiber)
  })

export const faultOf = <A>(call: Effect.Effect<A, UpstreamFault>, millis?: number) =>
  Effect.map(within(call, millis), (result) => {
    assert(Result.isFailure(result), "the call should have failed")
    return result.failure
  })
