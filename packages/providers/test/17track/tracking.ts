import { type Cause, Effect, Fiber, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import type { TrackQuery } from "@till402/core"
import type { SeventeenTrackSettings } from "@till402/providers/17track"
import { makeSeventeenTrack } from "../../src/17track/SeventeenTrack.ts"
import { apiKey, type Behaviour, Provider } from "./provider.ts"

/** 17TRACK over a provider in memory, in the time of the test. */
export const open = Effect.fnUntraced(function* (
  behaviour: Behaviour = {},
  settings: SeventeenTrackSettings = {}
) {
  const provider = new Provider(behaviour)
  const tracker = yield* Effect.provideService(
    makeSeventeenTrack({ apiKey: Redacted.make(apiKey), ...settings }),
    HttpClient.HttpClient,
    provider.client
  )
  return { provider, tracker, track: (query: TrackQuery) => inTime(tracker.track(query)) }
})

/** Lets virtual time run until an effect ends, two minutes at most. */
export const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | Cause.NoSuchElementError> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let step = 0; step < 1_200 && fiber.pollUnsafe() === undefined; step++) yield* TestClock.adjust(100)
    return yield* Fiber.join(fiber)
  })

export const number = "1ZA1234E0205271688"

/** Whether a lookup finds the shipment. */
export const isFound = <E extends { readonly _tag: string }>(
  lookup: Effect.Effect<{ readonly found: boolean }, E>
): Effect.Effect<boolean, E> =>
  Effect.matchEffect(lookup, {
    onSuccess: ({ found }) => Effect.succeed(found),
    onFailure: (error) => (error._tag === "NoTrackingInfo" ? Effect.succeed(false) : Effect.fail(error))
  })
