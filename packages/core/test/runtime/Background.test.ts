import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { makeBackground } from "../../src/runtime/Background.ts"

/** A background in a scope of its own, with work that has begun. */
const begin = Effect.fnUntraced(function* (work: Effect.Effect<void>) {
  const scope = yield* Scope.make()
  const run = yield* Effect.provideService(makeBackground, Scope.Scope, scope)
  const ended: Array<string> = []
  const begun = yield* Deferred.make<void>()
  yield* run(
    Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(work),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          ended.push(Exit.isSuccess(exit) ? "done" : "interrupted")
        })
      )
    )
  )
  yield* Deferred.await(begun)
  return { ended, close: Scope.close(scope, Exit.void) }
})

describe("work in the background", () => {
  it.effect("is not waited for by who starts it", () =>
    Effect.gen(function* () {
      const { ended } = yield* begin(Effect.sleep(1_000))
      assert.deepStrictEqual(ended, [])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(ended, ["done"])
    })
  )

  it.effect("is awaited when its scope closes", () =>
    Effect.gen(function* () {
      const { close, ended } = yield* begin(Effect.sleep(9_999))
      const closing = yield* Effect.forkChild(close)
      yield* TestClock.adjust(9_998)
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(ended, ["done"])
    })
  )

  it.effect("is interrupted after ten seconds of that", () =>
    Effect.gen(function* () {
      const { close, ended } = yield* begin(Effect.never)
      const closing = yield* Effect.forkChild(close)
      yield* TestClock.adjust(9_999)
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(ended, ["interrupted"])
    })
  )
})
