import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Upstream } from "../../src/upstream/index.ts"
import { unpaid } from "../../src/upstream/UnpaidCalls.ts"
import { order, over, scriptedClient, search } from "./scriptedClient.ts"
import { faultOf } from "./virtualTime.ts"

describe("the circuit", () => {
  const failFiveTimes = (upstream: Upstream) =>
    Effect.repeat(Effect.flip(upstream.call(search)), { times: 4 })

  it.effect("opens after five failed calls, lets one probe through later, closes when it does", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 500 })
      const upstream = yield* over(scripted, { retries: 0 })
      yield* failFiveTimes(upstream)
      assert.strictEqual(upstream.usage().circuit, "open")
      const refused = yield* Effect.flip(upstream.call(search))
      assert(refused._tag === "CircuitOpen")
      assert.strictEqual(refused.retryAfterMillis, 5_000)
      assert.strictEqual(scripted.sentAt.length, 5)

      scripted.steps[0] = { afterMillis: 100 }
      yield* TestClock.adjust(5_000)
      const probe = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(50)
      assert.strictEqual((yield* Effect.flip(upstream.call(search)))._tag, "CircuitOpen")
      yield* TestClock.adjust(50)
      yield* Fiber.join(probe)
      assert.strictEqual(upstream.usage().circuit, "closed")
      assert.strictEqual(scripted.sentAt.length, 6)
    })
  )

  it.effect("that unpaid calls open stays closed to other calls, whose failures open their own", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 500 })
      const upstream = yield* over(scripted, { retries: 0 })
      yield* unpaid(failFiveTimes(upstream))
      assert.strictEqual((yield* Effect.flip(unpaid(upstream.call(search))))._tag, "CircuitOpen")
      scripted.steps[0] = {}
      yield* upstream.call(search)
      assert.deepStrictEqual([upstream.usage().circuit, scripted.sentAt.length], ["open", 6])
      yield* TestClock.adjust(5_000)
      yield* unpaid(upstream.call(search))
      assert.strictEqual(upstream.usage().circuit, "closed")
      scripted.steps[0] = { status: 500 }
      yield* failFiveTimes(upstream)
      assert.strictEqual((yield* Effect.flip(upstream.call(search)))._tag, "CircuitOpen")
      scripted.steps[0] = {}
      yield* unpaid(upstream.call(search))
      assert.strictEqual(upstream.usage().circuit, "open")
    })
  )

  it.effect("is freed by a canceled probe", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 500 })
      const upstream = yield* over(scripted, { retries: 0 })
      yield* failFiveTimes(upstream)
      yield* TestClock.adjust(5_000)
      scripted.steps[0] = { instead: "silence" }
      const probe = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(50)
      assert.strictEqual(upstream.usage().circuit, "probing")
      yield* Fiber.interrupt(probe)
      scripted.steps[0] = {}
      yield* upstream.call(search)
      assert.strictEqual(upstream.usage().circuit, "closed")
    })
  )

  it.effect("counts a call cut at its deadline as failed", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ instead: "silence" })
      const upstream = yield* over(scripted, {
        timeoutMillis: 1_000,
        deadlineMillis: 1_000,
        circuitFailures: 1
      })
      assert.strictEqual((yield* faultOf(upstream.call(search), 1_000))._tag, "TimedOut")
      assert.strictEqual(upstream.usage().circuit, "open")
    })
  )

  it.effect("counts a call that misses its deadline, but not a canceled one", () =>
    Effect.gen(function* () {
      // Whatever takes long: a response, or a limiter that outlasts its timeout.
      for (const options of [{}, { limiter: { take: () => Effect.never } }]) {
        for (const [passed, circuit] of [
          [1_000, "open"],
          [999, "closed"]
        ] as const) {
          const upstream = yield* over(scriptedClient({ instead: "silence" }), {
            timeoutMillis: 9_000,
            deadlineMillis: 1_000,
            circuitFailures: 1,
            ...options
          })
          const call = yield* Effect.forkChild(upstream.call(search))
          yield* TestClock.adjust(passed)
          yield* Fiber.interrupt(call)
          assert.strictEqual(upstream.usage().circuit, circuit)
        }
      }
    })
  )

  it.effect("counts a call that had to wait and was cut while it ran, and does not call it unsent", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ afterMillis: 400 }, { instead: "silence" })
      const upstream = yield* over(scripted, {
        maxConcurrent: 1,
        timeoutMillis: 9_000,
        deadlineMillis: 1_000,
        circuitFailures: 1
      })
      const first = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(1)
      const second = yield* Effect.forkChild(Effect.flip(upstream.call(order)))
      yield* TestClock.adjust(399)
      yield* Fiber.join(first)
      yield* TestClock.adjust(601)
      assert.deepStrictEqual(scripted.sentAt, [0, 400])
      assert.strictEqual((yield* Fiber.join(second))._tag, "TimedOut")
      assert.strictEqual(upstream.usage().circuit, "open")
    })
  )

  it.effect("counts responses of a failing server", () =>
    Effect.gen(function* () {
      for (const status of [408, 500, 501, 503, 529]) {
        const upstream = yield* over(scriptedClient({ status }), { retries: 0, circuitFailures: 1 })
        yield* Effect.flip(upstream.call(search))
        assert.strictEqual(upstream.usage().circuit, "open", String(status))
      }
    })
  )

  it.effect("does not mind refusals that are our own fault", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 404, 429]) {
        const upstream = yield* over(scriptedClient({ status }), { retries: 0, circuitFailures: 1 })
        yield* Effect.flip(upstream.call(search))
        assert.strictEqual(upstream.usage().circuit, "closed")
      }
    })
  )
})
