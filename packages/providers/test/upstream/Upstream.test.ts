import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Metric, Result } from "effect"
import { TestClock } from "effect/testing"
import { rateLimiter, type Upstream } from "../../src/upstream/index.ts"
import { order, over, scriptedClient, search } from "./scriptedClient.ts"
import { faultOf, within } from "./virtualTime.ts"

const gaps = (times: ReadonlyArray<number>) => times.slice(1).map((time, index) => time - times[index]!)

describe("retries", () => {
  it.effect("repeat a GET after passing faults, with growing pauses that chance shortens", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 503 }, { instead: "broken" }, { body: '{"found":1}' })
      const upstream = yield* over(scripted)
      const result = yield* within(upstream.call(search))
      assert(Result.isSuccess(result))
      assert.strictEqual(result.success.text, '{"found":1}')
      const [first, second] = gaps(scripted.sentAt)
      assert.isTrue(first! >= 100 && first! <= 250, `first pause ${first}`)
      assert.isTrue(second! >= 200 && second! <= 450, `second pause ${second}`)
    })
  )

  it.effect("end after the third attempt with the last fault", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 502 }, { status: 502 }, { status: 500 })
      const fault = yield* faultOf((yield* over(scripted)).call(search))
      assert(fault._tag === "Rejected")
      assert.strictEqual(fault.status, 500)
      assert.strictEqual(scripted.sentAt.length, 3)
    })
  )

  it.effect("never retry a POST with an unknown outcome, unless it is marked idempotent", () =>
    Effect.gen(function* () {
      for (const step of [{ status: 503 }, { status: 500 }, { instead: "broken" as const }]) {
        const scripted = scriptedClient(step, {})
        yield* faultOf((yield* over(scripted)).call(order))
        assert.strictEqual(scripted.sentAt.length, 1)
        const harmless = scriptedClient(step, {})
        const result = yield* within((yield* over(harmless)).call(order, { idempotent: true }))
        assert.isTrue(Result.isSuccess(result))
        assert.strictEqual(harmless.sentAt.length, 2)
      }
    })
  )

  it.effect("repeat a POST that was refused for its rate", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 429 }, { status: 201 })
      const result = yield* within((yield* over(scripted)).call(order))
      assert.isTrue(Result.isSuccess(result))
    })
  )

  it.effect("don't retry permanent faults", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 402, 403, 404, 422, 501]) {
        const scripted = scriptedClient({ status })
        const fault = yield* faultOf((yield* over(scripted)).call(search))
        assert.strictEqual(fault._tag === "Rejected" ? fault.status : 0, status)
        assert.strictEqual(scripted.sentAt.length, 1)
      }
    })
  )

  it.effect("never outlast the deadline", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ instead: "silence" })
      const upstream = yield* over(scripted, { timeoutMillis: 400, deadlineMillis: 1_000, retries: 9 })
      const fault = yield* faultOf(upstream.call(search), 1_000)
      assert.strictEqual(fault._tag, "TimedOut")
      assert.isAtLeast(scripted.sentAt.length, 2)
    })
  )
})

describe("Retry-After", () => {
  it.effect("is waited out, for a repeat and for everybody else", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 429, headers: { "retry-after": "3" } }, {})
      const upstream = yield* over(scripted)
      const first = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(10)
      const second = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(2_900)
      assert.strictEqual(scripted.sentAt.length, 1)
      yield* TestClock.adjust(500)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.strictEqual(scripted.sentAt.length, 3)
    })
  )

  it.effect("past the deadline ends the call at once, and the next ones without a request", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 503, headers: { "retry-after": "60" } }, {})
      const upstream = yield* over(scripted)
      const first = yield* Effect.flip(upstream.call(search))
      assert(first._tag === "Rejected")
      assert.strictEqual(first.retryAfterMillis, 60_000)
      yield* TestClock.adjust(20_000)
      const second = yield* Effect.flip(upstream.call(search))
      assert(second._tag === "RateLimited")
      assert.strictEqual(second.retryAfterMillis, 40_000)
      assert.strictEqual(scripted.sentAt.length, 1)
      yield* TestClock.adjust(40_000)
      yield* upstream.call(search)
      assert.strictEqual(scripted.sentAt.length, 2)
    })
  )

  it.effect("of a day silences the upstream for five minutes only", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 429, headers: { "retry-after": "86400" } }, {})
      const upstream = yield* over(scripted)
      yield* Effect.flip(upstream.call(search))
      yield* TestClock.adjust(300_000)
      yield* upstream.call(search)
    })
  )
})

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

describe("the waiting room", () => {
  it.effect("caps the calls at once, in their order", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ afterMillis: 100 })
      const upstream = yield* over(scripted, { maxConcurrent: 3 })
      const calls = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 10 }, () => upstream.call(search)),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(400)
      yield* Fiber.join(calls)
      assert.strictEqual(scripted.mostAtOnce(), 3)
      assert.strictEqual(scripted.sentAt.length, 10)
    })
  )

  it.effect("refuses calls when full, and frees the places of canceled ones", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ instead: "silence" })
      const upstream = yield* over(scripted, { maxConcurrent: 1, maxWaiting: 1 })
      const running = yield* Effect.forkChild(upstream.call(search))
      const waiting = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Effect.flip(upstream.call(search)))._tag, "Overloaded")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      scripted.steps[0] = {}
      yield* upstream.call(search)
    })
  )

  it.effect("lets no call wait past its deadline", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ instead: "silence" })
      const upstream = yield* over(scripted, {
        maxConcurrent: 1,
        deadlineMillis: 2_000,
        timeoutMillis: 9_000,
        retries: 0
      })
      const first = yield* Effect.forkChild(Effect.flip(upstream.call(search)))
      yield* TestClock.adjust(1)
      const second = yield* Effect.forkChild(Effect.flip(upstream.call(search)))
      yield* TestClock.adjust(1)
      assert.strictEqual(second.pollUnsafe(), undefined)
      yield* TestClock.adjust(2_000)
      assert.strictEqual((yield* Fiber.join(first))._tag, "TimedOut")
      // Its turn came with the first one's end, a millisecond before its own.
      assert.include(["Overloaded", "TimedOut"], (yield* Fiber.join(second))._tag)
    })
  )
})

describe("the limiter", () => {
  it.effect("delays attempts to the rate, and refuses those that would be too late", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({})
      const upstream = yield* over(scripted, {
        limiter: rateLimiter({ requests: 2, perMillis: 1_000 }),
        deadlineMillis: 2_500
      })
      const calls = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, () => Effect.result(upstream.call(search))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(2_500)
      const results = yield* Fiber.join(calls)
      assert.deepStrictEqual(scripted.sentAt, [0, 0, 1_000, 1_000, 2_000, 2_000])
      assert.deepStrictEqual(
        results.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : [])),
        ["Overloaded", "Overloaded"]
      )
    })
  )
})

describe("usage", () => {
  it.effect("is counted as plain data and as metrics with the upstream's name", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient(
        { status: 503 },
        { headers: { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "41", "x-ratelimit-reset": "30" } },
        { status: 404 }
      )
      const upstream = yield* over(scripted)
      yield* within(upstream.call(search))
      yield* within(upstream.call(search))
      yield* upstream.recordQuotaSpent(2)
      yield* upstream.recordQuotaRemaining(98)
      const { rateLimit, ...usage } = upstream.usage()
      assert.deepStrictEqual(usage, {
        calls: 2,
        failures: 1,
        requests: 3,
        quotaSpent: 2,
        quotaRemaining: 98,
        circuit: "closed"
      })
      assert.strictEqual(rateLimit?.remaining, 41)
      const shown = (yield* Metric.snapshot).map(({ attributes, id, state }) => ({ id, attributes, state }))
      const count = (id: string, attributes: Record<string, string>) =>
        shown.find(
          (metric) =>
            metric.id === id &&
            Object.entries(attributes).every(([name, value]) => metric.attributes?.[name] === value)
        )?.state
      assert.deepInclude(count("till402_upstream_calls_total", { upstream: "shop", outcome: "ok" }), {
        count: 1
      })
      assert.deepInclude(count("till402_upstream_calls_total", { upstream: "shop", outcome: "Rejected" }), {
        count: 1
      })
      assert.deepInclude(count("till402_upstream_requests_total", { upstream: "shop" }), { count: 3 })
      assert.deepInclude(count("till402_upstream_quota_spent_total", { upstream: "shop" }), { count: 2 })
      assert.deepInclude(count("till402_upstream_quota_remaining", { upstream: "shop" }), { value: 98 })
      assert.deepInclude(count("till402_upstream_rate_remaining", { upstream: "shop" }), { value: 41 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
