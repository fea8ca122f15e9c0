import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Result } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { rateLimiter } from "../../src/upstream/index.ts"
import { unpaid } from "../../src/upstream/UnpaidCalls.ts"
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

  it.effect("are the same over a client of the host's that fails for statuses", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 422, body: '{"error":"sold out"}' })
      const client = HttpClient.filterStatusOk(scripted.client)
      const fault = yield* faultOf((yield* over({ ...scripted, client })).call(order))
      assert(fault._tag === "Rejected")
      assert.strictEqual(fault.status, 422)
      assert.strictEqual(Redacted.value(fault.response).text, '{"error":"sold out"}')
      assert.strictEqual(scripted.sentAt.length, 1)
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
  it.effect("for unpaid calls holds up no other calls, whose pauses are for all", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ status: 429, headers: { "retry-after": "300" } }, {})
      const upstream = yield* over(scripted)
      assert.strictEqual((yield* Effect.flip(unpaid(upstream.call(search))))._tag, "Rejected")
      assert.strictEqual((yield* Effect.flip(unpaid(upstream.call(search))))._tag, "RateLimited")
      yield* upstream.call(search)
      scripted.steps[0] = { status: 429, headers: { "retry-after": "600" } }
      assert.strictEqual((yield* Effect.flip(upstream.call(search)))._tag, "Rejected")
      for (const call of [upstream.call(search), unpaid(upstream.call(search))]) {
        const fault = yield* Effect.flip(call)
        assert(fault._tag === "RateLimited")
        assert.strictEqual(fault.retryAfterMillis, 300_000)
      }
      assert.strictEqual(scripted.sentAt.length, 3)
    })
  )

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
