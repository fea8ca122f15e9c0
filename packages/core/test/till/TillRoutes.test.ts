import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Till, TillRoutes, Track } from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import { track } from "../toll/openTill.ts"
import { type Challenged, headerOf, payChallenge } from "../toll/wallet.ts"
import { fakes, settings } from "./hosted.ts"

const tillOf = ({ chainLayer, facilitatorLayer, trackerLayer }: ReturnType<typeof fakes>) =>
  Till.layer({ ...settings, publicRoutes: { "/hooks/parcels": () => new Response("noted") } }, [
    Track.layer
  ]).pipe(Layer.provide([trackerLayer, facilitatorLayer, chainLayer, memory()]))

/** An Effect server without a socket: a function from `Request` to `Response`. */
const serve = (
  fake = fakes(),
  routes: Layer.Layer<never, never, Till | HttpRouter.HttpRouter> = TillRoutes
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        HttpRouter.toWebHandler(routes.pipe(Layer.provide(Layer.orDie(tillOf(fake)))), {
          disableLogger: true
        })
      ),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }) =>
      (path: string, init?: RequestInit) =>
        Effect.promise(() => handler(new Request(`http://localhost${path}`, init)))
  )

describe("TillRoutes", () => {
  it.live("serves a paid call with its exact length", () =>
    Effect.gen(function* () {
      const fake = fakes()
      const fetch = yield* serve(fake)
      const unpaid = yield* fetch(track.path)
      assert.strictEqual(unpaid.status, 402)
      const encoded = Option.fromNullishOr(unpaid.headers.get("payment-required"))
      const challenge = JSON.parse(
        Buffer.from(Option.getOrThrow(encoded), "base64").toString("utf8")
      ) as Challenged
      const payment = headerOf(yield* Effect.promise(() => payChallenge(challenge)))
      const paid = yield* fetch(track.path, { headers: { "payment-signature": payment } })
      const bytes = yield* Effect.promise(() => paid.arrayBuffer())
      assert.strictEqual(paid.status, 200)
      assert.strictEqual(paid.headers.get("content-length"), String(bytes.byteLength))
      assert.isNotNull(paid.headers.get("payment-response"))
      assert.strictEqual(fake.facilitator.settled.length, 1)
    })
  )

  it.live("serves every path with and without the prefix of baseUrl", () =>
    Effect.gen(function* () {
      const fetch = yield* serve()
      for (const prefix of ["", "/api"]) {
        assert.strictEqual((yield* fetch(prefix + track.path)).status, 402)
        assert.strictEqual((yield* fetch(`${prefix}/openapi.json`)).status, 200)
        assert.strictEqual((yield* fetch(`${prefix}/.well-known/x402`)).status, 200)
        assert.strictEqual((yield* fetch(`${prefix}/x402/nothing`)).status, 404)
        const hook = yield* fetch(`${prefix}/hooks/parcels`, { method: "POST", body: "{}" })
        assert.strictEqual(yield* Effect.promise(() => hook.text()), "noted")
      }
      assert.strictEqual((yield* fetch("/other/x402/track")).status, 404)
    })
  )

  it.live("responds to HEAD, OPTIONS and other methods", () =>
    Effect.gen(function* () {
      const fetch = yield* serve()
      const head = yield* fetch(track.path, { method: "HEAD" })
      assert.deepStrictEqual([head.status, yield* Effect.promise(() => head.text())], [402, ""])
      assert.strictEqual((yield* fetch(track.path, { method: "OPTIONS" })).status, 204)
      assert.strictEqual((yield* fetch(track.path, { method: "DELETE" })).status, 405)
    })
  )

  it.live("serves two tills, each below a prefix of the router", () =>
    Effect.gen(function* () {
      const at = (prefix: string, price: string) => {
        const { chainLayer, facilitatorLayer, trackerLayer } = fakes()
        const router = Layer.effect(
          HttpRouter.HttpRouter,
          HttpRouter.HttpRouter.useSync((whole) => whole.prefixed(prefix))
        )
        const till = Till.layer(
          { ...settings, baseUrl: `https://shop.example${prefix}`, prices: { track: price } },
          [Track.layer]
        ).pipe(Layer.provide([trackerLayer, facilitatorLayer, chainLayer, memory()]))
        return TillRoutes.pipe(Layer.provide([router, Layer.orDie(till)]))
      }
      const fetch = yield* serve(fakes(), Layer.merge(at("/a", "0.25"), at("/b", "0.75")))
      for (const [prefix, price] of [
        ["/a", "250000"],
        ["/b", "750000"]
      ]) {
        const unpaid = yield* fetch(prefix + track.path)
        const { accepts } = (yield* Effect.promise(() => unpaid.json())) as {
          readonly accepts: ReadonlyArray<{ readonly maxAmountRequired: string }>
        }
        assert.strictEqual(accepts[0]?.maxAmountRequired, price)
      }
    })
  )

  it.live("leaves other routes to the host", () =>
    Effect.gen(function* () {
      const own = HttpRouter.add("GET", "/own", HttpServerResponse.text("my own route"))
      const fetch = yield* serve(fakes(), Layer.merge(TillRoutes, own))
      const response = yield* fetch("/own")
      assert.strictEqual(yield* Effect.promise(() => response.text()), "my own route")
    })
  )
})
