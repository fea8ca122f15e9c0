import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { ChainRpc, Facilitator, Till, Track } from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import { sampleTrackResult } from "../../../testing/src/samples.ts"
import { track } from "../toll/openTill.ts"
import {
  advance,
  fakes,
  pay,
  payFor,
  send,
  settings,
  settle,
  testLogger,
  testTracer,
  trackingTill,
  until,
  started
} from "./hosted.ts"

/** Builds a till at the test's start, since its background work would run for all the time before. */
const within =
  <A, E>(till: Layer.Layer<A, E>) =>
  <B, E2>(test: Effect.Effect<B, E2, A>) =>
    Effect.andThen(started, Effect.provide(test, till))

describe("Till.layer runs in the host's runtime", () => {
  it.effect("a paid call has spans of the host's tracer, below the host's own span", () => {
    const { layer, spans } = testTracer()
    return Effect.gen(function* () {
      const response = yield* pay().pipe(Effect.withSpan("host request"))
      assert.strictEqual(response.status, 200)
      const host = spans.find(({ name }) => name === "host request")!
      const call = spans.find(({ name }) => name === "Tracker.track")!
      assert.strictEqual(call.traceId, host.traceId)
      assert.strictEqual(call.status._tag, "Ended")
    }).pipe(within(trackingTill(fakes())), Effect.provide(layer))
  })

  it.effect(
    "background work has spans of the host's tracer, and sweeps every 15 seconds of its clock",
    () => {
      const { layer, spans } = testTracer()
      const sweeps = () => spans.filter(({ name }) => name === "Reconciler.reconcile").length
      return Effect.gen(function* () {
        yield* settle
        assert.strictEqual(sweeps(), 1)
        yield* advance("14 seconds")
        assert.strictEqual(sweeps(), 1)
        yield* advance("1 second")
        assert.strictEqual(sweeps(), 2)
        yield* advance("15 seconds")
        assert.strictEqual(sweeps(), 3)
      }).pipe(within(trackingTill(fakes())), Effect.provide(layer))
    }
  )

  it.effect("the host's logger receives events of calls and of background work", () => {
    const { events, layer } = testLogger()
    const fake = fakes()
    fake.tracker.track.returnsOnce(() => {
      throw new Error("the carrier is down")
    })
    fake.facilitator.getSupported.returnsOnce(() => {
      throw new Error("the facilitator is down")
    })
    return Effect.gen(function* () {
      assert.strictEqual((yield* pay()).status, 502)
      yield* settle
      const codes = events.map(({ code }) => code)
      assert.include(codes, "provider_failed")
      assert.include(codes, "facilitator_not_ready")
    }).pipe(within(trackingTill(fake)), Effect.provide(layer))
  })

  it.effect("the host's clock ends a provider's call that takes too long", () => {
    const fake = fakes()
    fake.tracker.track.returnsOnce(() => new Promise(() => undefined))
    return Effect.gen(function* () {
      const payment = yield* payFor(track)
      const call = yield* Effect.forkChild(send(track, { "payment-signature": payment }))
      yield* until(() => fake.tracker.track.calls.length === 1)
      yield* advance("19 seconds")
      assert.isUndefined(call.pollUnsafe())
      yield* advance("1 second")
      assert.strictEqual((yield* Fiber.join(call)).status, 503)
      assert.strictEqual(fake.facilitator.settled.length, 0)
    }).pipe(within(trackingTill(fake)))
  })

  it.effect("the reconciler finishes a settlement of unknown outcome as the host's clock goes on", () => {
    const fake = fakes()
    fake.facilitator.losesNextSettlement(false)
    return Effect.gen(function* () {
      const payment = yield* payFor(track)
      const lost = yield* send(track, { "payment-signature": payment })
      assert.strictEqual(lost.status, 503)
      for (let sweep = 0; sweep < 20 && fake.facilitator.settled.length === 0; sweep++)
        yield* advance("15 seconds")
      assert.strictEqual(fake.facilitator.settled.length, 1)
      assert.strictEqual((yield* send(track, { "payment-signature": payment })).status, 200)
      assert.strictEqual(fake.tracker.track.calls.length, 1)
    }).pipe(within(trackingTill(fake)))
  })

  it.effect("the host's HttpClient reaches the facilitator", () => {
    const urls: Array<string> = []
    const client = HttpClient.make((request, url) =>
      Effect.sync(() => {
        urls.push(url.href)
        const document = url.pathname.endsWith("/verify")
          ? { isValid: true }
          : url.pathname.endsWith("/settle")
            ? { success: true, transaction: `0x${"1".repeat(64)}`, network: "eip155:84532" }
            : { kinds: [] }
        return HttpClientResponse.fromWeb(request, Response.json(document))
      })
    )
    const { chainLayer, trackerLayer } = fakes()
    const facilitator = Facilitator.layerHttp({ url: "https://facilitator.example/x402/" }).pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
    )
    const till = Till.layer(settings, [Track.layer]).pipe(
      Layer.provide([trackerLayer, chainLayer, facilitator, memory()])
    )
    return Effect.gen(function* () {
      assert.strictEqual((yield* pay()).status, 200)
      for (const path of ["supported", "verify", "settle"])
        assert.include(urls, `https://facilitator.example/x402/${path}`)
    }).pipe(within(till))
  })

  it.effect("interrupting a call that has begun does not stop it", () => {
    const fake = fakes()
    const gate = Promise.withResolvers<void>()
    fake.tracker.track.returnsOnce(async ({ number }) => {
      await gate.promise
      return sampleTrackResult(number)
    })
    return Effect.gen(function* () {
      const call = yield* Effect.forkChild(pay())
      yield* until(() => fake.tracker.track.calls.length === 1)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(call))
      gate.resolve()
      yield* Fiber.join(interrupting)
      assert.strictEqual(fake.facilitator.settled.length, 1)
    }).pipe(within(trackingTill(fake)))
  })

  it.effect(
    "a facilitator that never responds is given up, in a call that can't be interrupted as well",
    () => {
      const { chainLayer, trackerLayer } = fakes()
      let requests = 0
      const client = HttpClient.make(() => {
        requests++
        return Effect.never
      })
      const facilitator = Facilitator.layerHttp({ url: "https://facilitator.example" }).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
      )
      const till = Till.layer(settings, [Track.layer]).pipe(
        Layer.provide([trackerLayer, chainLayer, facilitator, memory()])
      )
      return Effect.gen(function* () {
        const payment = yield* payFor(track)
        const call = yield* Effect.forkChild(
          Effect.uninterruptible(send(track, { "payment-signature": payment }))
        )
        yield* until(() => requests > 1)
        for (let second = 0; second < 20 && call.pollUnsafe() === undefined; second++)
          yield* advance("1 second")
        assert.isDefined(call.pollUnsafe())
        assert.strictEqual((yield* Fiber.join(call)).status, 503)
      }).pipe(within(till))
    }
  )

  it.effect("the host's ConfigProvider gives the settings", () => {
    const { facilitatorLayer, trackerLayer } = fakes()
    const provider = ConfigProvider.fromUnknown({
      TILL_BASE_URL: "https://configured.example/api",
      TILL_PAY_TO: settings.payTo,
      TILL_NETWORKS: "base-sepolia",
      TILL_SECRET: settings.secret,
      TILL_PRICES_TRACK: "0.75"
    })
    const till = Till.layerConfig([Track.layer]).pipe(
      Layer.provide([trackerLayer, facilitatorLayer, ChainRpc.layerConfig, memory()]),
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(ConfigProvider.layer(provider))
    )
    return Effect.gen(function* () {
      const { prefix } = yield* Till
      assert.strictEqual(prefix, "/api")
      const unpaid = yield* send(track)
      assert.strictEqual(unpaid.status, 402)
      const { accepts } = (yield* Effect.promise(() => unpaid.json())) as {
        readonly accepts: ReadonlyArray<{ readonly maxAmountRequired: string; readonly resource: string }>
      }
      assert.strictEqual(accepts[0]?.maxAmountRequired, "750000")
      assert.match(accepts[0]?.resource ?? "", /^https:\/\/configured\.example\/api\/x402\/track/)
    }).pipe(within(till))
  })

  it.effect("a missing setting fails the layer with the names of all variables", () => {
    const till = Till.layerConfig([Track.layer]).pipe(
      Layer.provide([fakes().trackerLayer, fakes().facilitatorLayer, fakes().chainLayer, memory()]),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ TILL_NETWORKS: "base-sepolia" })))
    )
    return Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(Till, till))
      assert.strictEqual(error._tag, "ConfigError")
      for (const name of ["TILL_BASE_URL", "TILL_PAY_TO", "TILL_SECRET"]) assert.include(error.message, name)
    })
  })

  it.effect("takes hooks beside the settings, and reports faults of both", () => {
    const { chainLayer, facilitatorLayer, trackerLayer } = fakes()
    const layer = (given: object) =>
      Till.layer({ ...settings, ...given }, [Track.layer]).pipe(
        Layer.provide([trackerLayer, facilitatorLayer, chainLayer, memory()])
      )
    return Effect.gen(function* () {
      const publicRoutes = { "/hello": () => new Response("hello") }
      const { paths } = yield* Effect.provide(Till, layer({ publicRoutes }))
      assert.include(paths, "/hello")
      const error = yield* Effect.flip(
        Effect.provide(Till, layer({ publicRoutes: { hello: 1 }, baseUrl: "x" }))
      )
      assert.strictEqual(error._tag, "ConfigurationError")
      for (const name of ["publicRoutes", "baseUrl"]) assert.include(error.message, name)
    })
  })
})
