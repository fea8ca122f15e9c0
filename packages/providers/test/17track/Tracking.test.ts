import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { TrackQuery } from "@till402/core"
import { inTime, number, open } from "./tracking.ts"

const numbers = Array.from({ length: 200 }, (_, index) => `NUMBER${1_000 + index}`)

describe("concurrent lookups", () => {
  it.effect("1,000 of 200 numbers make 5 calls, at 3 a second", () =>
    Effect.gen(function* () {
      const { provider, tracker } = yield* open()
      for (const each of numbers) provider.register({ number: each, carrier: 100_002 })
      const results = yield* inTime(
        Effect.forEach(
          Array.from({ length: 1_000 }, (_, index) => numbers[index % 200]!),
          (each) => tracker.track({ number: each }),
          { concurrency: "unbounded" }
        )
      )
      assert.deepStrictEqual(
        results.map((result) => result.number),
        Array.from({ length: 1_000 }, (_, index) => numbers[index % 200])
      )
      assert.deepStrictEqual(
        provider.calls.map(({ items, path }) => [path, items.length]),
        Array.from({ length: 5 }, () => ["gettrackinfo", 40])
      )
      assert.strictEqual(provider.tooFast, 0)
    })
  )

  it.effect("of new numbers register together and poll together", () =>
    Effect.gen(function* () {
      const { provider, tracker } = yield* open({ newsAfterMillis: 1_500, quota: 1_000 })
      const results = yield* inTime(
        Effect.forEach(numbers.slice(0, 80), (each) => tracker.track({ number: each }), {
          concurrency: "unbounded"
        })
      )
      assert(results.every(({ found }) => found))
      assert.strictEqual(provider.of("register").length, 2)
      assert.strictEqual(provider.quotaUsed, 80)
      assert.strictEqual(provider.tooFast, 0)
    })
  )

  it.effect("that arrive one by one gather until the rate lets the next call go", () =>
    Effect.gen(function* () {
      const { provider, tracker } = yield* open()
      for (const each of numbers) provider.register({ number: each, carrier: 100_002 })
      yield* inTime(
        Effect.forEach(
          numbers,
          (each, index) => Effect.andThen(Effect.sleep(index * 25), tracker.track({ number: each })),
          { concurrency: "unbounded" }
        )
      )
      // Five seconds of lookups: 3 calls in each, and what the last one leaves over.
      assert.isAtMost(provider.calls.length, 19)
      assert.strictEqual(provider.tooFast, 0)
    })
  )

  it.effect("of one number and several carriers use different calls, each with its own response", () =>
    Effect.gen(function* () {
      const { provider, tracker } = yield* open()
      provider.register({ number, carrier: 100_002 })
      provider.register({ number, carrier: 21_051 })
      const results = yield* inTime(
        Effect.all(
          [
            tracker.track({ number, carrier: 100_002 }),
            tracker.track({ number, carrier: 21_051 }),
            tracker.track({ number })
          ],
          { concurrency: 3 }
        )
      )
      assert.deepStrictEqual(
        results.map(({ carrier }) => carrier.code),
        [100_002, 21_051, 100_002]
      )
      assert.deepStrictEqual(
        provider.calls.map(({ items }) => items.length),
        [1, 1, 1]
      )
    })
  )

  it.effect("of the same query share one lookup, and each gets its result", () =>
    Effect.gen(function* () {
      const { provider, tracker } = yield* open({ newsAfterMillis: 3_000 })
      const results = yield* inTime(
        Effect.forEach(
          Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? number : number.toLowerCase())),
          (each) => tracker.track({ number: each }),
          { concurrency: "unbounded" }
        )
      )
      assert(results.every(({ found }) => found))
      assert.deepStrictEqual(results[1]!.number, number.toLowerCase())
      assert.strictEqual(provider.quotaUsed, 1)
      assert.strictEqual(provider.of("register").length, 1)
    })
  )

  it.effect("continue if their caller cancels, and their outcome is cached", () =>
    Effect.gen(function* () {
      const { provider, tracker } = yield* open({ newsAfterMillis: 2_000 })
      const waiting = yield* Effect.forkChild(tracker.track({ number }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("10 seconds")
      const calls = provider.calls.length
      assert.strictEqual((yield* tracker.track({ number })).status, "InTransit")
      assert.strictEqual(provider.calls.length, calls)
    })
  )
})

describe("the cache", () => {
  const known = (status: string, settings = {}) =>
    Effect.gen(function* () {
      const opened = yield* open(
        {
          news: (registration) => ({ ...registration, track_info: { latest_status: { status } } }),
          resumes: () => -18_019_904
        },
        settings
      )
      opened.provider.register({ number, carrier: 100_002 })
      return opened
    })

  it.effect.each([
    ["NotFound", 15],
    ["InfoReceived", 300],
    ["InTransit", 300],
    ["OutForDelivery", 120],
    ["AvailableForPickup", 300],
    ["DeliveryFailure", 300],
    ["Exception", 600],
    ["Expired", 6 * 3_600],
    ["Delivered", 24 * 3_600],
    ["SomethingNew", 15]
  ] as const)("a shipment that is %s for %i seconds", ([status, seconds]) =>
    Effect.gen(function* () {
      const { provider, track } = yield* known(status)
      yield* track({ number })
      yield* TestClock.adjust((seconds - 1) * 1_000)
      yield* track({ number })
      assert.strictEqual(provider.of("gettrackinfo").length, 1)
      yield* TestClock.adjust(2_000)
      yield* track({ number })
      assert.strictEqual(provider.of("gettrackinfo").length, 2)
    })
  )

  it.effect("a refusal for a minute, a failure of the provider not at all", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({ refuses: { [number]: [-18_019_903] } })
      for (const calls of [2, 2]) {
        yield* Effect.flip(track({ number }))
        assert.strictEqual(provider.calls.length, calls)
      }
      yield* TestClock.adjust("61 seconds")
      yield* Effect.flip(track({ number }))
      assert.strictEqual(provider.calls.length, 4)

      const failing = yield* open({ refuses: { [number]: [-18_010_003] } })
      yield* Effect.flip(failing.track({ number }))
      yield* Effect.flip(failing.track({ number }))
      assert.strictEqual(failing.provider.calls.length, 4)
    })
  )

  it.effect("returns a result only for the same number, carrier and further fields", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* known("InTransit")
      const questions: ReadonlyArray<TrackQuery> = [
        { number },
        { number, carrier: 100_002 },
        { number, destinationPostalCode: "1012AB" },
        { number, destinationCountry: "NL" },
        { number, shipDate: "2026-11-17" },
        { number, phone: "1234" },
        { number, phone: "12345" },
        { number, phone: "1234", destinationCountry: "NL" }
      ]
      for (const [index, question] of questions.entries()) {
        yield* track(question)
        assert.strictEqual(provider.of("gettrackinfo").length, index + 1)
      }
      for (const question of questions) yield* track(question)
      assert.strictEqual(provider.of("gettrackinfo").length, questions.length)
    })
  )

  it.effect("is bounded, and evicts the least recently used first", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* known("InTransit", { cacheCapacity: 2 })
      for (const each of ["AAAAA", "BBBBB"]) {
        provider.register({ number: each, carrier: 100_002 })
        yield* track({ number: each })
      }
      yield* track({ number: "AAAAA" })
      yield* track({ number })
      assert.strictEqual(provider.of("gettrackinfo").length, 3)
      yield* track({ number: "AAAAA" })
      assert.strictEqual(provider.of("gettrackinfo").length, 3)
      yield* track({ number: "BBBBB" })
      assert.strictEqual(provider.of("gettrackinfo").length, 4)
    })
  )

  it.effect("counts the days since the last update from the time of the response", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        news: (registration) => ({
          ...registration,
          track_info: {
            latest_status: { status: "Delivered" },
            latest_event: { time_iso: "2026-11-18T04:12:00-05:00", description: "Delivered" },
            time_metrics: { days_after_last_update: 99 }
          }
        })
      })
      provider.register({ number, carrier: 100_002 })
      yield* TestClock.setTime(Date.parse("2026-11-20T09:11:59Z"))
      assert.strictEqual((yield* track({ number })).daysSinceLastUpdate, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* track({ number })).daysSinceLastUpdate, 2)
      assert.strictEqual(provider.calls.length, 1)
    })
  )
})
