import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Metric, Schema } from "effect"
import { TestClock } from "effect/testing"
import { makeBreaker } from "../../src/upstream/Breaker.ts"
import { CircuitOpen, Unreachable, type Upstream, type UpstreamOptions } from "../../src/upstream/index.ts"
import { UsageMeter } from "../../src/upstream/UsageMeter.ts"
import { over, scriptedClient, search, type Step } from "./scriptedClient.ts"

/*
 * What an upstream's circuit does with the outcomes of calls, in virtual time.
 */

const settings = { failures: 3, openMillis: 100, maxOpenMillis: 800 }
const broken = new Unreachable({ upstream: "shop" })
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const breakerOf = (own: Partial<typeof settings> = {}) => {
  const ledger = new UsageMeter("shop")
  return Effect.map(makeBreaker("shop", ledger, { ...settings, ...own }), ({ guard }) => ({
    guard,
    circuit: () => ledger.usage().circuit,
    /** The retry time of a refused call; fails if the call is sent. */
    refusedFor: Effect.map(Effect.flip(guard(Effect.die("went out"))), (fault) => {
      assert(fault._tag === "CircuitOpen")
      return fault.retryAfterMillis
    })
  }))
}

/** One attempt a call, one failure opens the circuit, for 100 ms at first. */
const shop = (step: Step, options: Partial<UpstreamOptions> = {}) => {
  const scripted = scriptedClient(step)
  return Effect.map(
    over(scripted, { retries: 0, circuitFailures: 1, circuitOpenMillis: 100, ...options }),
    (upstream) => ({ scripted, upstream })
  )
}
const refusal = (upstream: Upstream) =>
  Effect.map(Effect.flip(upstream.call(search)), (fault) => {
    assert(fault._tag === "CircuitOpen", fault._tag)
    return fault
  })

describe("the circuit of a breaker", () => {
  const Event = Schema.Struct({
    wait: between(0, 300),
    outcome: Schema.Literals(["success", "failure", "neutral"])
  })

  it.effect.prop(
    "opens after the failures in a row, and never lets two probes out",
    [Schema.Array(Event).check(Schema.isMaxLength(60))],
    ([events]) =>
      Effect.gen(function* () {
        const breaker = yield* breakerOf()
        let inARow = 0
        for (const { outcome, wait } of events) {
          yield* TestClock.adjust(wait)
          let wasSent = false
          let wasProbe = false
          const exit = yield* Effect.exit(
            breaker.guard(
              Effect.gen(function* () {
                wasSent = true
                wasProbe = breaker.circuit() === "probing"
                if (wasProbe) assert.strictEqual(yield* breaker.refusedFor, settings.openMillis)
                if (outcome === "failure") return yield* broken
                if (outcome === "neutral")
                  return yield* new CircuitOpen({ upstream: "?", retryAfterMillis: 0 })
              })
            )
          )
          if (!wasSent) {
            const fault = yield* Effect.flip(exit)
            assert(fault._tag === "CircuitOpen" && fault.upstream === "shop")
            assert.isAbove(fault.retryAfterMillis, 0)
            assert.isAtMost(fault.retryAfterMillis, settings.maxOpenMillis)
            assert.isAtLeast(inARow, settings.failures)
            continue
          }
          assert.strictEqual(wasProbe, inARow >= settings.failures)
          if (outcome === "success") inARow = 0
          else if (outcome === "failure") inARow = wasProbe ? settings.failures : inARow + 1
          assert.strictEqual(breaker.circuit(), inARow < settings.failures ? "closed" : "open")
        }
      })
  )

  it.effect("ignores outcomes of calls that went out before it moved", () =>
    Effect.gen(function* () {
      const breaker = yield* breakerOf({ failures: 1 })
      const late = yield* Effect.forEach(["success", "failure", "failure"], (outcome) =>
        Effect.gen(function* () {
          const end = yield* Deferred.make<void, Unreachable>()
          const call = yield* Effect.forkChild(breaker.guard(Deferred.await(end)), { startImmediately: true })
          const ended = outcome === "success" ? Deferred.succeed(end, undefined) : Deferred.fail(end, broken)
          return Effect.andThen(ended, Fiber.await(call))
        })
      )
      yield* Effect.flip(breaker.guard(Effect.fail(broken)))
      yield* late[0]!
      assert.strictEqual(breaker.circuit(), "open")
      assert.strictEqual(yield* breaker.refusedFor, 100)

      yield* TestClock.adjust(100)
      yield* breaker.guard(
        Effect.gen(function* () {
          yield* late[1]!
          assert.strictEqual(breaker.circuit(), "probing")
        })
      )
      assert.strictEqual(breaker.circuit(), "closed")
      yield* late[2]!
      assert.strictEqual(breaker.circuit(), "closed")
    })
  )

  it.effect("ignores defects, and callers that cancel before the call is sent", () =>
    Effect.gen(function* () {
      const breaker = yield* breakerOf({ failures: 1 })
      const exit = yield* Effect.exit(breaker.guard(Effect.die("a fault of the code")))
      assert(Exit.isFailure(exit))
      const gone = yield* Effect.forkChild(breaker.guard(Effect.never))
      yield* Fiber.interrupt(gone)
      assert.strictEqual(breaker.circuit(), "closed")
    })
  )

  it.effect("does not forget over quiet days", () =>
    Effect.gen(function* () {
      const breaker = yield* breakerOf()
      for (let failure = 0; failure < settings.failures; failure++) {
        assert.strictEqual(breaker.circuit(), "closed")
        yield* Effect.flip(breaker.guard(Effect.fail(broken)))
        yield* TestClock.adjust("3 days")
      }
      assert.strictEqual(breaker.circuit(), "open")
      yield* Effect.flip(breaker.guard(Effect.fail(broken)))
      assert.strictEqual(yield* breaker.refusedFor, 200)
    })
  )
})

describe("an open circuit", () => {
  /** How long a circuit stays open whose probes go out as soon as they may and fail, opening by opening. */
  const openings = (upstream: Upstream, count: number) =>
    Effect.gen(function* () {
      const lengths: Array<number> = []
      for (let opening = 0; opening < count; opening++) {
        assert.strictEqual((yield* Effect.flip(upstream.call(search)))._tag, "Rejected")
        const { retryAfterMillis } = yield* refusal(upstream)
        yield* TestClock.adjust(retryAfterMillis - 1)
        assert.strictEqual((yield* refusal(upstream)).retryAfterMillis, 1)
        yield* TestClock.adjust(1)
        lengths.push(retryAfterMillis)
      }
      return lengths
    })

  it.effect("stays so twice as long each time in a row, up to twelve times the first", () =>
    Effect.gen(function* () {
      const { scripted, upstream } = yield* shop({ status: 500 })
      assert.deepStrictEqual(
        yield* openings(upstream, 10),
        [100, 200, 400, 800, 1_200, 1_200, 1_200, 1_200, 1_200, 1_200]
      )
      assert.strictEqual(scripted.sentAt.length, 10)
    })
  )

  it.effect("restarts the open time only after it stayed closed as long as it was open", () =>
    Effect.gen(function* () {
      for (const [closedMillis, next] of [
        [399, [800, 1_200]],
        [400, [100, 200]]
      ] as const) {
        const { scripted, upstream } = yield* shop({ status: 500 })
        yield* openings(upstream, 3)
        scripted.steps[0] = {}
        yield* upstream.call(search)
        assert.strictEqual(upstream.usage().circuit, "closed")
        yield* TestClock.adjust(closedMillis)
        scripted.steps[0] = { status: 500 }
        assert.deepStrictEqual(yield* openings(upstream, 2), [...next])
      }
    })
  )

  it.effect("is one upstream's own, whatever its name", () =>
    Effect.gen(function* () {
      const [{ upstream: one }, { upstream: other }] = [yield* shop({ status: 500 }), yield* shop({})]
      yield* Effect.flip(one.call(search))
      assert.deepStrictEqual([one.usage().circuit, other.usage().circuit], ["open", "closed"])
      yield* other.call(search)
      yield* refusal(one)
    })
  )

  it.effect("shows in the gauge until a probe closes it", () =>
    Effect.gen(function* () {
      const gauge = Effect.map(Metric.snapshot, (metrics) => {
        const { state } = metrics.find(({ id }) => id === "till402_upstream_circuit_open")!
        return "value" in state ? state.value : undefined
      })
      const { scripted, upstream } = yield* shop({ status: 500 })
      yield* Effect.flip(upstream.call(search))
      assert.strictEqual(yield* gauge, 1)
      yield* TestClock.adjust(100)
      scripted.steps[0] = { afterMillis: 10 }
      const probe = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(9)
      assert.deepStrictEqual([upstream.usage().circuit, yield* gauge], ["probing", 1])
      yield* TestClock.adjust(1)
      yield* Fiber.join(probe)
      assert.deepStrictEqual([upstream.usage().circuit, yield* gauge], ["closed", 0])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("a probe", () => {
  /** An upstream whose circuit was opened and may be probed now. */
  const probable = (options?: Partial<UpstreamOptions>) =>
    Effect.gen(function* () {
      const opened = yield* shop({ status: 500 }, options)
      yield* Effect.flip(opened.upstream.call(search))
      yield* TestClock.adjust(100)
      return opened
    })

  it.effect("that is canceled leaves its turn to the next call, repeatedly", () =>
    Effect.gen(function* () {
      const { scripted, upstream } = yield* probable()
      scripted.steps[0] = { instead: "silence" }
      for (let probes = 1; probes <= 3; probes++) {
        const probe = yield* Effect.forkChild(upstream.call(search))
        yield* TestClock.adjust(10)
        assert.strictEqual(upstream.usage().circuit, "probing")
        assert.strictEqual((yield* refusal(upstream)).retryAfterMillis, 100)
        yield* Fiber.interrupt(probe)
        assert.strictEqual(upstream.usage().circuit, "open")
        assert.strictEqual(scripted.sentAt.length, 1 + probes)
      }
      scripted.steps[0] = {}
      yield* upstream.call(search)
      assert.strictEqual(upstream.usage().circuit, "closed")
    })
  )

  it.effect("that is our own fault teaches nothing: the next call is the probe", () =>
    Effect.gen(function* () {
      const { scripted, upstream } = yield* probable()
      for (const step of [{ status: 404 }, { status: 302, headers: { location: "/" } }, { status: 401 }]) {
        scripted.steps[0] = step
        yield* Effect.flip(upstream.call(search))
        assert.strictEqual(upstream.usage().circuit, "open")
      }
      scripted.steps[0] = { status: 503 }
      yield* Effect.flip(upstream.call(search))
      assert.strictEqual((yield* refusal(upstream)).retryAfterMillis, 200)
    })
  )

  it.effect("that the limiter holds back teaches nothing", () =>
    Effect.gen(function* () {
      let mayGo = true
      const { scripted, upstream } = yield* probable({ limiter: { take: () => Effect.sync(() => mayGo) } })
      mayGo = false
      assert.strictEqual((yield* Effect.flip(upstream.call(search)))._tag, "Overloaded")
      mayGo = true
      scripted.steps[0] = {}
      yield* upstream.call(search)
      assert.strictEqual(upstream.usage().circuit, "closed")
    })
  )

  it.effect("that misses its deadline opens the circuit again", () =>
    Effect.gen(function* () {
      const { scripted, upstream } = yield* probable({ deadlineMillis: 1_000, timeoutMillis: 9_000 })
      scripted.steps[0] = { instead: "silence" }
      const probe = yield* Effect.forkChild(Effect.flip(upstream.call(search)))
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* Fiber.join(probe))._tag, "TimedOut")
      assert.strictEqual((yield* refusal(upstream)).retryAfterMillis, 200)
    })
  )
})
