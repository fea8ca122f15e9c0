import { assert, describe, it } from "@effect/vitest"
import { ConfigurationError, type TrackQuery } from "@till402/core"
import { Tracker } from "@till402/core/effect"
import { SeventeenTrack, seventeenTrack } from "@till402/providers/17track"
import { ConfigProvider, Effect, Layer, Redacted, References } from "effect"
import { HttpClient } from "effect/http"
import { http, HttpResponse } from "msw"
import { beforeEach } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { webhookBody, webhookMeta } from "./documents.ts"
import { apiKey, type Behaviour, Provider } from "./provider.ts"
import { inTime, number } from "./tracking.ts"

const server = interceptRequests()

let provider: Provider
const behave = (behaviour: Behaviour): void => {
  provider = new Provider(behaviour)
  provider.register({ number, carrier: 100_002 })
  server.use(
    http.post("https://api.17track.net/track/v2.4/:path", async ({ params, request }) => {
      const key = request.headers.get("17token") ?? undefined
      const response = provider.respond(String(params["path"]), key, await request.text(), Date.now())
      return typeof response === "string"
        ? HttpResponse.error()
        : HttpResponse.json(response.body as object, { status: response.status })
    })
  )
}
beforeEach(() => behave({}))

/** The core logs the failures that this suite is about. */
const quietly = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, References.MinimumLogLevel, "None"))

const context = { signal: new AbortController().signal }

describe("seventeenTrack", () => {
  it("looks up shipments and handles webhooks in plain TypeScript", async () => {
    const tracker = seventeenTrack({ apiKey })
    const result = await tracker.track({ number }, context)
    assert.include(result, { number, status: "InTransit", daysInTransit: 3 })
    const request = new Request("https://shop.example/17track", {
      method: "POST",
      body: webhookBody,
      headers: { sign: webhookMeta.value }
    })
    assert.strictEqual((await tracker.webhook(request)).status, 200)
    assert.include(tracker.usage(), { calls: 1, requests: 1, failures: 0, quotaSpent: 0 })
  })

  it("rejects when its caller's signal aborts", async () => {
    behave({ intercept: () => ({ status: 200, body: {} }) })
    const tracker = seventeenTrack({ apiKey })
    const controller = new AbortController()
    const lookup = tracker.track({ number }, { signal: controller.signal })
    controller.abort()
    const outcome = await lookup.then(
      () => "responded",
      () => "rejected"
    )
    assert.strictEqual(outcome, "rejected")
  })

  it("throws the documented errors, which a till knows by their tags", async () => {
    const ambiguous = "477179081230"
    behave({ refuses: { [ambiguous]: [-18_019_903], NOSUCHCARRIER: [-18_019_910] } })
    const tracker = seventeenTrack({ apiKey })
    const track = (query: TrackQuery) =>
      Tracker.use((port) => Effect.flip(port.track(query))).pipe(
        Effect.provide(Tracker.layerPromise(tracker)),
        quietly
      )
    const undetected = await track({ number: ambiguous })
    assert(undetected._tag === "CarrierNotDetected")
    assert.deepStrictEqual(undetected.candidates?.[0], { code: 100_003, name: "FedEx" })
    assert.strictEqual((await track({ number: "NOSUCHCARRIER", carrier: 7 }))._tag, "InvalidCarrier")
    const wrongKey = seventeenTrack({ apiKey: "another-key" })
    const refused = await Tracker.use((port) => Effect.flip(port.track({ number }))).pipe(
      Effect.provide(Tracker.layerPromise(wrongKey)),
      quietly
    )
    assert.strictEqual(refused._tag, "TemporarilyUnavailable")
    assert.notInclude(JSON.stringify(refused), "another-key")
  })

  it.each([
    ["an empty key", { apiKey: "" }],
    ["a key with a line break", { apiKey: "a\nb" }],
    ["an address without encryption", { apiKey, baseUrl: "http://api.17track.net" }],
    ["no address", { apiKey, baseUrl: "17track" }],
    ["no requests a second", { apiKey, requestsPerSecond: 0 }],
    ["a half request a second", { apiKey, requestsPerSecond: 0.5 }],
    ["no time", { apiKey, lookupMillis: Number.NaN }],
    ["a negative time", { apiKey, firstNewsMillis: -1 }],
    ["a negative capacity", { apiKey, cacheCapacity: -1 }],
    ["a timeout of zero", { apiKey, timeoutMillis: 0 }]
  ])("is not made with %s", (_, options) => {
    assert.throws(() => seventeenTrack(options), ConfigurationError)
  })

  it("keeps the key out of the error", () => {
    try {
      seventeenTrack({ apiKey: "s3cret key" })
      assert.fail("should have thrown")
    } catch (error) {
      assert.notInclude(String(error), "s3cret")
    }
  })
})

describe("the layers", () => {
  const overProvider = Layer.sync(HttpClient.HttpClient, () => provider.client)

  it.effect("give the port of a till and the provider itself", () =>
    Effect.gen(function* () {
      const port = yield* Tracker
      const itself = yield* SeventeenTrack
      assert.strictEqual((yield* inTime(port.track({ number }))).status, "InTransit")
      assert.strictEqual(itself.usage().calls, 1)
    }).pipe(
      Effect.provide(Layer.provide(SeventeenTrack.layer({ apiKey: Redacted.make(apiKey) }), overProvider))
    )
  )

  const configured = (environment: Record<string, string>) =>
    Layer.provide(SeventeenTrack.layerConfig(), [
      overProvider,
      ConfigProvider.layer(ConfigProvider.fromUnknown(environment))
    ])

  it.effect("are configured by the environment", () =>
    Effect.gen(function* () {
      const port = yield* Tracker
      yield* inTime(port.track({ number }))
      assert.deepStrictEqual(provider.of("register")[0]?.items, [{ number, lang: "de" }])
    }).pipe(
      Effect.provide(
        Layer.suspend(() => {
          behave({})
          provider.registrations.clear()
          return configured({
            SEVENTEENTRACK_API_KEY: apiKey,
            SEVENTEENTRACK_LANGUAGE: "de",
            SEVENTEENTRACK_REQUESTS_PER_SECOND: "2",
            SEVENTEENTRACK_RETRIES: "0"
          })
        })
      )
    )
  )

  it.effect.each([
    ["without a key", {}, "ConfigError"],
    [
      "with a rate of none",
      { SEVENTEENTRACK_API_KEY: apiKey, SEVENTEENTRACK_REQUESTS_PER_SECOND: "0" },
      "ConfigError"
    ],
    [
      "with an address of none",
      { SEVENTEENTRACK_API_KEY: apiKey, SEVENTEENTRACK_BASE_URL: "x" },
      "ConfigurationError"
    ]
  ] as const)("fail to build %s", ([, environment, tag]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Layer.build(configured(environment)))
      assert.strictEqual(failure._tag, tag)
      assert.notInclude(String(failure), apiKey)
    })
  )
})
