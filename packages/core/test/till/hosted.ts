import { Clock, type Duration, Effect, Layer, Logger, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { Chain, Facilitator, Till, Track, Tracker } from "../../src/effect.ts"
import type { TillHooks } from "../../src/till/settings/TillHooks.ts"
import type { TillSettings } from "../../src/till/settings/TillSettings.ts"
import { memory } from "../../src/stores/memory.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { baseUrl, type Call, track } from "../toll/openTill.ts"
import { type Challenged, headerOf, payChallenge } from "../toll/wallet.ts"

/*
 * A till in the runtime of a test: `Till.layer` with tracking alone, over fakes.
 */

export const settings = {
  baseUrl,
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  networks: ["base-sepolia"],
  secret: "a text that nobody can guess, of 32 characters or more"
} as const

/** Milliseconds since the epoch at which tests begin: signatures name real times. */
export const startMillis = Date.UTC(2026, 0, 1)
export const started = TestClock.setTime(startMillis)

export const fakes = () => {
  const facilitator = fakeFacilitator()
  const tracker = fakeTracker()
  return {
    facilitator,
    tracker,
    trackerLayer: Tracker.layerPromise(tracker),
    facilitatorLayer: Facilitator.layerClient(facilitator),
    chainLayer: Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer))
  }
}

export type Fakes = ReturnType<typeof fakes>

/** A till that tracks shipments. */
export const trackingTill = (
  { chainLayer, facilitatorLayer, trackerLayer }: Fakes,
  storage = memory(),
  options: Partial<TillSettings & TillHooks> = {}
) =>
  Till.layer({ ...settings, ...options }, [Track.layer]).pipe(
    Layer.provide([trackerLayer, facilitatorLayer, chainLayer, storage])
  )

const requestOf = ({ body, path }: Call, headers: Record<string, string>) =>
  new Request(
    baseUrl + path,
    body === undefined
      ? { headers }
      : {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body)
        }
  )

export const send = (call: Call, headers: Record<string, string> = {}) =>
  Till.use(({ fetch }) => fetch(requestOf(call, headers)))

/** Signs a payment for a call at the time of the test's clock. */
export const payFor = Effect.fnUntraced(function* (call: Call) {
  const unpaid = yield* send(call)
  const encoded = unpaid.headers.get("payment-required") ?? ""
  const challenge = JSON.parse(Buffer.from(encoded, "base64").toString("utf8")) as Challenged
  const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return headerOf(yield* Effect.promise(() => payChallenge(challenge, { nowSeconds })))
})

export const pay = Effect.fnUntraced(function* (call: Call = track) {
  return yield* send(call, { "payment-signature": yield* payFor(call) })
})

/** Lets promises and fibers run that need no time. */
export const settle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))

/** Waits in real time until a condition holds. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let tries = 0; tries < 500 && !holds(); tries++)
      await new Promise((resolve) => setTimeout(resolve, 2))
  })

/** Moves the test's clock, and lets what it wakes run. */
export const advance = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), settle)

/** A tracer that keeps the spans of a test. */
export const testTracer = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

/** A logger that keeps the events of a test. */
export const testLogger = () => {
  const events: Array<TillEvent> = []
  return { events, layer: Logger.layer([eventLogger((event) => events.push(event))]) }
}
