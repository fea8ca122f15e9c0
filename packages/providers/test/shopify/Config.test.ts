import { it as effectIt } from "@effect/vitest"
import { ConfigurationError } from "@till402/core"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { assert, describe, it } from "vitest"
import { Shopify, type ShopifyOptions } from "../../src/shopify/index.ts"
import { catalogue, clientSecret, ids, profileUrl, tokenUrl } from "./catalogue.ts"
import { fakeCatalogue, productDocument, rpcError, type ToolCall } from "./fakeCatalogue.ts"
import { webClient } from "./webClient.ts"

/*
 * What a host may configure, and the errors for what it may not.
 */

describe("an option that can't be used", () => {
  const wrong: ReadonlyArray<readonly [name: string, options: { readonly [name: string]: unknown }]> = [
    ["profileUrl", { profileUrl: "http://shop.example/agent.json" }],
    ["profileUrl", { profileUrl: "/.well-known/ucp-agent.json" }],
    ["profileUrl", { profileUrl: undefined }],
    ["profileUrl", { profileUrl: "https://shop.example/agent.json#us" }],
    ["clientSecret", { clientId: "id" }],
    ["clientSecret", { clientSecret }],
    ["clientId", { clientId: "", clientSecret }],
    ["clientSecret", { clientId: "id", clientSecret: "two words" }],
    ["shops", { clientId: "id", clientSecret, shops: ["a.example"] }],
    ["shops", { shops: [] }],
    ["shops", { shops: Array.from({ length: 11 }, (_, index) => `${index}.example`) }],
    ["shops", { shops: ["a.example", "https://a.example"] }],
    ["shops", { shops: ["a.example/products"] }],
    ["shops", { shops: ["http://a.example"] }],
    ["shops", { shops: ["user@a.example"] }],
    ["shops", { shops: [""] }],
    ["country", { country: "us" }],
    ["currency", { currency: "Dollars" }],
    ["language", { language: "English!" }],
    ["shipsTo", { shipsTo: "Canada" }],
    ["condition", { condition: "refurbished" }],
    ["shopIds", { shopIds: ["55891492909"] }],
    ["pageSize", { pageSize: 51 }],
    ["pageSize", { pageSize: 0.5 }],
    ["maxPages", { maxPages: 0 }],
    ["requestsPerSecond", { requestsPerSecond: Number.NaN }],
    ["ucpVersion", { ucpVersion: "draft" }],
    ["baseUrl", { baseUrl: "catalog.shopify.com" }],
    ["token", { tokenUrl: "http://api.example" }],
    ["timeoutMillis", { timeoutMillis: 0 }]
  ]

  it.each(wrong)("%s is named at start, secrets are not: %j", (name, options) => {
    let thrown: unknown
    try {
      catalogue(options as Partial<ShopifyOptions>)
    } catch (error) {
      thrown = error
    }
    assert.instanceOf(thrown, ConfigurationError)
    assert.include(thrown.message, name)
    assert.notInclude(thrown.message, clientSecret)
  })
})

describe("the layers", () => {
  const fake = () => fakeCatalogue([productDocument(1)])
  const bearers: Array<string | null> = []
  const servedBy = (respond: (call: ToolCall) => unknown) =>
    Layer.succeed(
      HttpClient.HttpClient,
      webClient(async (request) => {
        if (request.url === tokenUrl) return Response.json({ access_token: "token-1" })
        bearers.push(request.headers.get("authorization"))
        return Response.json(respond((await request.json()) as ToolCall))
      })
    )
  const search = Effect.flatMap(Shopify, (shopify) => shopify.search({ q: "shoes", page: 1 }))

  effectIt.effect("make a marketplace from options", () =>
    Effect.gen(function* () {
      const shopify = Shopify.layer({ profileUrl, clientId: "id", clientSecret: Redacted.make(clientSecret) })
      const page = yield* search.pipe(Effect.provide(Layer.provide(shopify, servedBy(fake().respond))))
      assert.deepStrictEqual(ids(page), ["test1"])
      assert.strictEqual(bearers.pop(), "Bearer token-1")
    })
  )

  effectIt.effect("make one from the environment", () =>
    Effect.gen(function* () {
      const { calls, respond } = fake()
      const environment = {
        SHOPIFY_PROFILE_URL: profileUrl,
        SHOPIFY_CLIENT_ID: "id",
        SHOPIFY_CLIENT_SECRET: clientSecret,
        SHOPIFY_COUNTRY: "CA",
        SHOPIFY_CURRENCY: "CAD",
        SHOPIFY_LANGUAGE: "fr",
        SHOPIFY_PAGE_SIZE: "5",
        SHOPIFY_REQUESTS_PER_SECOND: "3",
        SHOPIFY_TIMEOUT_MILLIS: "1000"
      }
      const shopify = Shopify.layerConfig().pipe(
        Layer.provide(servedBy(respond)),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
      )
      yield* search.pipe(Effect.provide(shopify))
      const { catalog } = calls[0]!.params.arguments
      assert.deepStrictEqual(catalog.context, { address_country: "CA", currency: "CAD", language: "fr" })
      assert.deepStrictEqual(catalog.pagination, { limit: 5 })
      assert.strictEqual(bearers.pop(), "Bearer token-1")
    })
  )

  effectIt.effect("need no more of it than the profile, and take shops as a list", () =>
    Effect.gen(function* () {
      const urls: Array<string> = []
      const shopify = Shopify.layerConfig().pipe(
        Layer.provide(
          Layer.succeed(
            HttpClient.HttpClient,
            webClient(async (request) => {
              urls.push(request.url)
              return Response.json(fake().respond((await request.json()) as ToolCall))
            })
          )
        )
      )
      const by = (environment: unknown) =>
        search.pipe(
          Effect.provide(
            Layer.provide(shopify, ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
          )
        )
      yield* by({ SHOPIFY_PROFILE_URL: profileUrl })
      yield* by({ SHOPIFY_PROFILE_URL: profileUrl, SHOPIFY_SHOPS: "a.example, b.example" })
      assert.deepStrictEqual(
        urls.map((url) => new URL(url).host),
        ["catalog.shopify.com", "a.example", "b.example"]
      )
      const error = yield* Effect.flip(by({}))
      assert.include(String(error), "SHOPIFY_PROFILE_URL")
    })
  )

  effectIt.effect("fail as the port does: 502 for a refusal, 503 for what passes", () =>
    Effect.gen(function* () {
      const failing = (document: unknown) =>
        Effect.flip(
          search.pipe(
            Effect.provide(
              Layer.provide(
                Shopify.layer({ profileUrl }),
                servedBy(() => document)
              )
            )
          )
        )
      const refused = yield* failing(rpcError(-32001, "", { code: "profile_unreachable" }))
      assert.include(refused, { _tag: "UpstreamFailed", port: "marketplace" })
      const busy = yield* failing(rpcError(-32000, "", { code: "rate_limited" }))
      assert.include(busy, { _tag: "UpstreamUnavailable", port: "marketplace", retryAfterSeconds: 1 })
    })
  )
})
