import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { tryWithTimeout } from "../../src/runtime/Deadline.ts"

describe("tryWithTimeout", () => {
  const tryOne = (call: () => Promise<string>) =>
    tryWithTimeout({ timeoutMillis: 5, call, catch: () => "thrown", onTimeout: () => "timeout" })

  it.effect("returns the response, or fails with the error of how the call ended", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* tryOne(async () => "response"), "response")
      assert.strictEqual(yield* Effect.flip(tryOne(() => Promise.reject(new Error("no")))), "thrown")
      const waiting = yield* Effect.forkChild(Effect.flip(tryOne(() => new Promise(() => undefined))))
      yield* Effect.yieldNow
      yield* TestClock.adjust(5)
      assert.strictEqual(yield* Fiber.join(waiting), "timeout")
    })
  )
})
