import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { TrackQuery, TrackResult } from "../../../src/shop/goods/Tracking.ts"
import { NoTrackingInfo, UpstreamFailed } from "../../../src/shop/ports/PortErrors.ts"
import { boundedLookups } from "../../../src/shop/ports/TrackLookups.ts"
import { sampleTrackResult } from "../../../../testing/src/index.ts"

const unknown = new NoTrackingInfo({ message: "nobody knows it", costUsd: 0.02 })
const number = "ABC12345"

/** Look-ups, and the queries that were sent. */
const open = (answer: (query: TrackQuery) => Effect.Effect<TrackResult, NoTrackingInfo | UpstreamFailed>) => {
  const sent: Array<TrackQuery> = []
  const bounded = boundedLookups((query) => {
    sent.push(query)
    return answer(query)
  })
  return { sent, track: (query: TrackQuery, payer = "0xone") => bounded(query, payer) }
}

describe("look-ups that find nothing", () => {
  it.effect("aren't sent again within the hour, however the number is written, and cost nothing then", () =>
    Effect.gen(function* () {
      const { sent, track } = open(() => Effect.fail(unknown))
      assert.deepInclude(yield* Effect.flip(track({ number })), { _tag: "NoTrackingInfo", costUsd: 0.02 })
      for (const written of [number, "abc-123-45"]) {
        const again = yield* Effect.flip(track({ number: written }))
        assert.deepInclude(again, { _tag: "NoTrackingInfo", message: "nobody knows it", costUsd: 0 })
      }
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("1 hour")
      yield* Effect.flip(track({ number }))
      assert.lengthOf(sent, 2)
    })
  )

  it.effect("spoil no other payer's response, and lock nobody out of a number", () =>
    Effect.gen(function* () {
      let isKnown = false
      const { track } = open(() =>
        isKnown ? Effect.succeed(sampleTrackResult(number)) : Effect.fail(unknown)
      )
      for (let guess = 0; guess < 20; guess++)
        yield* Effect.flip(track({ number, phone: String(1_000 + guess) }, "0xguesser"))
      isKnown = true
      assert.isTrue((yield* track({ number, phone: "1000" }, "0xowner")).found)
    })
  )

  it.effect("are bounded for all payers together", () =>
    Effect.gen(function* () {
      const { sent, track } = open(() => Effect.fail(unknown))
      for (let payer = 0; payer < 10; payer++)
        for (let guess = 0; guess < 10; guess++)
          yield* Effect.flip(track({ number, phone: `${payer}${guess}` }, `0x${payer}`))
      assert.lengthOf(sent, 50)
    })
  )

  it.effect("are sent once for all calls of a payer with the same query at the same time", () =>
    Effect.gen(function* () {
      const { sent, track } = open(() =>
        Effect.andThen(Effect.yieldNow, Effect.succeed(sampleTrackResult(number)))
      )
      const calls = (payer: string) =>
        Array.from({ length: 40 }, (_, call) => track({ number: call < 20 ? number : "abc-123-45" }, payer))
      const found = yield* Effect.all([...calls("0xone"), ...calls("0xtwo")], { concurrency: "unbounded" })
      assert.isTrue(found.every((result) => result.found))
      // Payers don't share: what one asks spoils no other's response.
      assert.lengthOf(sent, 2)
      yield* track({ number })
      assert.lengthOf(sent, 3)
    })
  )

  it.effect("share what finds nothing, which cost the host once, and a failure", () =>
    Effect.gen(function* () {
      const twice = (track: (query: TrackQuery) => Effect.Effect<unknown, unknown>) =>
        Effect.all([Effect.flip(track({ number })), Effect.flip(track({ number }))], {
          concurrency: "unbounded"
        })
      const nothing = open(() => Effect.andThen(Effect.yieldNow, Effect.fail(unknown)))
      const errors = (yield* twice(nothing.track)) as ReadonlyArray<NoTrackingInfo>
      assert.deepStrictEqual(
        errors.map(({ _tag: tag, costUsd }) => [tag, costUsd]),
        [
          ["NoTrackingInfo", 0.02],
          ["NoTrackingInfo", 0]
        ]
      )
      const down = open(() =>
        Effect.andThen(Effect.yieldNow, Effect.fail(new UpstreamFailed({ port: "tracking" })))
      )
      yield* twice(down.track)
      assert.lengthOf([...nothing.sent, ...down.sent], 2)
    })
  )

  it.effect("are bounded for one number, also if sent at once; other numbers are looked up", () =>
    Effect.gen(function* () {
      const { sent, track } = open(() => Effect.andThen(Effect.yieldNow, Effect.fail(unknown)))
      const guesses = Array.from({ length: 200 }, (_, guess) =>
        track({ number, phone: String(1_000 + guess) })
      )
      const outcomes = yield* Effect.all(guesses.map(Effect.flip), { concurrency: "unbounded" })
      assert.lengthOf(sent, 10)
      assert.strictEqual(outcomes.filter(({ _tag: tag }) => tag === "TooManyLookups").length, 190)
      yield* Effect.flip(track({ number: "OTHER123" }))
      assert.lengthOf(sent, 11)
      yield* TestClock.adjust("1 hour")
      yield* Effect.flip(track({ number, phone: "9999" }))
      assert.lengthOf(sent, 12)
    })
  )
})

describe("look-ups that find something, or fail otherwise", () => {
  it.effect("are sent each time, and count for nothing", () =>
    Effect.gen(function* () {
      const { sent, track } = open(() => Effect.succeed(sampleTrackResult(number)))
      for (let time = 0; time < 30; time++) yield* track({ number })
      assert.lengthOf(sent, 30)
      const down = open(() => Effect.fail(new UpstreamFailed({ port: "tracking" })))
      for (let time = 0; time < 30; time++) yield* Effect.flip(down.track({ number, phone: String(time) }))
      assert.lengthOf(down.sent, 30)
    })
  )
})
