import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { rateLimiter } from "../../src/upstream/index.ts"
import { order, over, scriptedClient } from "./scriptedClient.ts"
import { faultOf } from "./virtualTime.ts"

describe("a call that was sent before", () => {
  it.effect("marks the rejection of a later attempt", () =>
    Effect.gen(function* () {
      for (const lost of [{ instead: "broken" as const }, { status: 500 }]) {
        const scripted = scriptedClient(lost, { status: 400 })
        const fault = yield* faultOf((yield* over(scripted)).call(order, { idempotent: true }))
        assert(fault._tag === "Rejected")
        assert.deepStrictEqual([fault.status, fault.afterLostAttempt], [400, true])
      }
    })
  )

  it.effect("marks neither a first attempt nor one after a rate limit", () =>
    Effect.gen(function* () {
      for (const steps of [[{ status: 429 }, { status: 400 }], [{ status: 400 }]]) {
        const fault = yield* faultOf(
          (yield* over(scriptedClient(...steps))).call(order, { idempotent: true })
        )
        assert(fault._tag === "Rejected")
        assert.deepStrictEqual([fault.status, fault.afterLostAttempt], [400, undefined])
      }
    })
  )

  it.effect("never ends with a fault that means that nothing was sent", () =>
    Effect.gen(function* () {
      // The first attempt has the only turn there is.
      const limiter = rateLimiter({ requests: 1, perMillis: 3_600_000 })
      const scripted = scriptedClient({ instead: "broken" }, {})
      const fault = yield* faultOf((yield* over(scripted, { limiter })).call(order, { idempotent: true }))
      assert.deepStrictEqual([fault._tag, scripted.sentAt.length], ["Unreachable", 1])
    })
  )

  it.effect("keeps its fault during a pause that the upstream requested from others", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient(
        { instead: "broken" },
        { status: 429, headers: { "retry-after": "600" } },
        {}
      )
      const upstream = yield* over(scripted)
      const first = yield* Effect.forkChild(Effect.result(upstream.call(order, { idempotent: true })))
      yield* TestClock.adjust(1)
      yield* faultOf(upstream.call(order), 1)
      yield* TestClock.adjust(10_000)
      const result = yield* Fiber.join(first)
      assert(Result.isFailure(result))
      assert.strictEqual(result.failure._tag, "Unreachable")
    })
  )
})
