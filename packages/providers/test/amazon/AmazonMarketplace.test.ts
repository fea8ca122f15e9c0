import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import type { ProductQuery } from "@till402/core"
import { Catalogue, Marketplaces } from "@till402/core/effect"
import { Effect, Layer, Logger } from "effect"
import { delay, http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { type Paging, providers, type Sample } from "./providers.ts"

/*
 * What becomes of a search when the upstream fails, for both providers: in every way it is said to, and in
 * the ways of networks.
 */

const server = interceptRequests()

const apiKey = "s3cret-key-0123456789"
const context = () => ({ signal: new AbortController().signal })
const onePage: Paging = { page: 1, totalPages: 1 }
const shoe: Sample = { asin: "B0TEST0001", title: "Acme Trail Running Shoes" }

describe.each(providers)("$name", (provider) => {
  const { document, endpoint, provide, write } = provider

  const respondWith = (results: ReadonlyArray<unknown>, paging: Paging = onePage) =>
    server.use(http.get(endpoint, () => HttpResponse.json(document(results, paging))))

  const search = (query: Partial<ProductQuery> = {}, settings: Partial<Parameters<typeof provide>[0]> = {}) =>
    provide({ apiKey, retries: 0, ...settings }).search({ q: "shoes", page: 1, ...query }, context())

  const rejection = async (settings: Partial<Parameters<typeof provide>[0]> = {}) => {
    const error: unknown = await search({}, settings).then(
      () => assert.fail("the search should have failed"),
      (thrown: unknown) => thrown
    )
    assert.instanceOf(error, Error)
    assert.notInclude(inspect(error, { depth: 12, showHidden: true }), apiKey)
    return error as Error & {
      readonly _tag: string
      readonly retryAfterSeconds?: number
      readonly code?: string
    }
  }

  describe("failing", () => {
    it.each([
      [402, "TemporarilyUnavailable"],
      [429, "TemporarilyUnavailable"],
      [502, "TemporarilyUnavailable"],
      [503, "TemporarilyUnavailable"],
      [504, "TemporarilyUnavailable"],
      [400, "Rejected"],
      [401, "Rejected"],
      [403, "Rejected"],
      [404, "Rejected"],
      [500, "Rejected"]
    ])("with status %i throws %s", async (status, tag) => {
      server.use(
        http.get(endpoint, () =>
          HttpResponse.json({ request_info: { success: false, message: `bad key ${apiKey}` } }, { status })
        )
      )
      const error = await rejection()
      assert.strictEqual(error._tag, tag)
      assert.strictEqual(error.code, `HTTP_${status}`)
    })

    it("passes on how long to wait", async () => {
      server.use(
        http.get(endpoint, () => HttpResponse.json({}, { status: 429, headers: { "retry-after": "77" } }))
      )
      assert.strictEqual((await rejection()).retryAfterSeconds, 77)
    })

    it("is the port's own failure to a till", async () => {
      const failureFor = async (status: number) => {
        server.use(
          http.get(endpoint, () => HttpResponse.json({}, { status, headers: { "retry-after": "77" } }))
        )
        return Effect.runPromise(
          Catalogue.use((catalogue) => Effect.flip(catalogue.search({ q: "shoes", page: 1 }))).pipe(
            Effect.provide(
              Catalogue.layer.pipe(
                Layer.provide(Marketplaces.layerPromise({ marketplace_a: provide({ apiKey, retries: 0 }) }))
              )
            ),
            Effect.provide(Logger.layer([]))
          )
        )
      }
      assert.deepInclude(await failureFor(503), { _tag: "UpstreamUnavailable", retryAfterSeconds: 77 })
      assert.deepInclude(await failureFor(401), { _tag: "UpstreamFailed", port: "marketplace" })
    })

    it("without a network throws TemporarilyUnavailable", async () => {
      server.use(http.get(endpoint, () => HttpResponse.error()))
      assert.strictEqual((await rejection())._tag, "TemporarilyUnavailable")
    })

    it("retries if that may help, and spends nothing on failures", async () => {
      let requests = 0
      server.use(
        http.get(endpoint, () => {
          requests += 1
          return requests < 2
            ? HttpResponse.json({}, { status: 503 })
            : HttpResponse.json(document([write(shoe)], onePage))
        })
      )
      const marketplace = provide({ apiKey })
      const { products } = await marketplace.search({ q: "shoes", page: 1 }, context())
      assert.strictEqual(products.length, 1)
      const { quotaSpent, requests: sent } = marketplace.usage()
      assert.deepStrictEqual([sent, quotaSpent], [2, 1])
    })

    it.each([
      ["HTML", "<!doctype html><title>Sign in</title>"],
      ["truncated JSON", '{"data":{"amazonProductSearchResults":{"productRes'],
      ["nothing", ""],
      ["null", "null"],
      ["an empty object", "{}"],
      ["a list", "[]"],
      ["results of another kind", JSON.stringify({ data: null, request_info: {}, search_results: "none" })]
    ])("with %s throws ResponseMalformed", async (_what, body) => {
      server.use(http.get(endpoint, () => new HttpResponse(body, { status: 200 })))
      assert.strictEqual((await rejection())._tag, "ResponseMalformed")
    })

    it("with results none of which is a product throws ResponseMalformed, for the shape has changed", async () => {
      respondWith([{ productCode: "B0TEST0001", name: "Shoes" }])
      assert.strictEqual((await rejection())._tag, "ResponseMalformed")
    })

    it("reads gzip", async () => {
      const packed = gzipSync(JSON.stringify(document([write(shoe)], onePage)))
      server.use(
        http.get(
          endpoint,
          () =>
            new HttpResponse(packed, {
              headers: { "content-encoding": "gzip", "content-type": "application/json" }
            })
        )
      )
      assert.deepStrictEqual(
        (await search()).products.map(({ asin }) => asin),
        ["B0TEST0001"]
      )
    })

    it("does not follow redirects", async () => {
      server.use(
        http.get(
          endpoint,
          () => new HttpResponse(null, { status: 302, headers: { location: "https://evil.example" } })
        )
      )
      assert.strictEqual((await rejection())._tag, "Redirected")
    })

    it("drops a response that is too large", async () => {
      respondWith([write({ ...shoe, title: "x".repeat(50_000) })])
      assert.strictEqual((await rejection({ maxResponseBytes: 20_000 }))._tag, "ResponseTooLarge")
    })

    it("gives up on slow responses", async () => {
      server.use(
        http.get(endpoint, async () => {
          await delay("infinite")
          return HttpResponse.json({})
        })
      )
      const error = await rejection({ timeoutMillis: 30 })
      assert.strictEqual(error._tag, "TemporarilyUnavailable")
      assert.strictEqual(error.code, "TimedOut")
    })

    it("stops calling after repeated failures", async () => {
      let requests = 0
      server.use(
        http.get(endpoint, () => {
          requests += 1
          return HttpResponse.json({}, { status: 500 })
        })
      )
      const { search, usage } = provide({ apiKey, retries: 0, circuitFailures: 2 })
      const rejected = () =>
        search({ q: "shoes", page: 1 }, context()).then(
          () => assert.fail("the search should have failed"),
          (error: Error & { readonly _tag: string; readonly retryAfterSeconds?: number }) => error
        )
      await rejected()
      await rejected()
      const refused = await rejected()
      assert.strictEqual(refused._tag, "TemporarilyUnavailable")
      assert.strictEqual(refused.retryAfterSeconds, 5)
      assert.strictEqual(requests, 2)
      assert.strictEqual(usage().circuit, "open")
    })

    it("ends with the signal of the host", async () => {
      const arrived = Promise.withResolvers<void>()
      server.use(
        http.get(endpoint, async () => {
          arrived.resolve()
          await delay("infinite")
          return HttpResponse.json({})
        })
      )
      const controller = new AbortController()
      const running = provide({ apiKey }).search({ q: "shoes", page: 1 }, { signal: controller.signal })
      const ended = running.then(
        () => "responded",
        () => "ended"
      )
      await arrived.promise
      controller.abort()
      assert.strictEqual(await ended, "ended")
    })
  })

  describe("configured wrongly", () => {
    it.each([
      [{ apiKey: "" }],
      [{ apiKey: "two words" }],
      [{ apiKey: "line\nbreak" }],
      [{ apiKey: undefined as unknown as string }],
      [{ apiKey, baseUrl: "http://proxy.example" }],
      [{ apiKey, baseUrl: "nowhere" }],
      [{ apiKey, country: "ZZ" as "US" }],
      [{ apiKey, timeoutMillis: Number.NaN }],
      [{ apiKey, maxConcurrent: 0 }]
    ])("throws a ConfigurationError without the key: %#", (options) => {
      try {
        provide(options)
      } catch (error) {
        assert.strictEqual((error as { _tag?: string })._tag, "ConfigurationError")
        assert.notInclude(inspect(error), apiKey)
        return
      }
      assert.fail("it should have thrown")
    })
  })
})
