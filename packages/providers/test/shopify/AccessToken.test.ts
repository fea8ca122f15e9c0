import { it as effectIt } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { makeShopify } from "../../src/shopify/Shopify.ts"
import { interceptRequests } from "../interceptRequests.ts"
import {
  catalogue,
  clientSecret,
  endpoint,
  ids,
  profileUrl,
  searchOf,
  thrownBy,
  tokenUrl
} from "./catalogue.ts"
import { fakeCatalogue, productDocument, type ToolCall } from "./fakeCatalogue.ts"
import { webClient } from "./webClient.ts"

/*
 * The token tier.
 */

const credentials = { clientId: "client-id-1", clientSecret }

const server = interceptRequests()

const fake = () => fakeCatalogue([productDocument(1)])

describe("with client credentials", () => {
  it("a token is requested, and sent with the call", async () => {
    const { respond } = fake()
    const requests: Array<unknown> = []
    const bearers: Array<string | null> = []
    server.use(
      http.post(tokenUrl, async ({ request }) => {
        requests.push(await request.json())
        return HttpResponse.json({ access_token: "token-1", scope: "read", expires_in: 86_399 })
      }),
      http.post(endpoint, async ({ request }) => {
        bearers.push(request.headers.get("authorization"))
        return HttpResponse.json(respond((await request.json()) as ToolCall) as null)
      })
    )
    const shopify = catalogue(credentials)
    assert.deepStrictEqual(ids(await searchOf(shopify)()), ["test1"])
    await searchOf(shopify)()
    assert.deepStrictEqual(requests, [
      { client_id: "client-id-1", client_secret: clientSecret, grant_type: "client_credentials" }
    ])
    assert.deepStrictEqual(bearers, ["Bearer token-1", "Bearer token-1"])
    const { shopify: calls, "shopify-token": tokens } = shopify.usage()
    assert.strictEqual(calls?.calls, 2)
    assert.strictEqual(tokens?.calls, 1)
  })

  it("concurrent searches request one token", async () => {
    const { respond } = fake()
    let requests = 0
    server.use(
      http.post(tokenUrl, () =>
        HttpResponse.json({ access_token: `token-${(requests += 1)}`, expires_in: 3600 })
      ),
      http.post(endpoint, async ({ request }) =>
        HttpResponse.json(respond((await request.json()) as ToolCall) as null)
      )
    )
    const search = searchOf(catalogue(credentials))
    await Promise.all(Array.from({ length: 20 }, (_, index) => search({ q: `shoes ${index}` })))
    assert.strictEqual(requests, 1)
  })

  it("a token that is no longer taken is renewed once", async () => {
    const { respond } = fake()
    let given = 0
    const bearers: Array<string | null> = []
    server.use(
      http.post(tokenUrl, () => HttpResponse.json({ access_token: `token-${(given += 1)}` })),
      http.post(endpoint, async ({ request }) => {
        bearers.push(request.headers.get("authorization"))
        return request.headers.get("authorization") === "Bearer token-1"
          ? HttpResponse.json({ jsonrpc: "2.0", id: 1, error: { code: -32000 } }, { status: 401 })
          : HttpResponse.json(respond((await request.json()) as ToolCall) as null)
      })
    )
    const search = searchOf(catalogue(credentials))
    assert.deepStrictEqual(ids(await search()), ["test1"])
    await search()
    assert.deepStrictEqual(bearers, ["Bearer token-1", "Bearer token-2", "Bearer token-2"])
  })

  it("a catalogue that takes no token at all is a 502", async () => {
    let given = 0
    server.use(
      http.post(tokenUrl, () => HttpResponse.json({ access_token: `token-${(given += 1)}` })),
      http.post(endpoint, () =>
        HttpResponse.json({ jsonrpc: "2.0", id: 1, error: { code: -32000 } }, { status: 401 })
      )
    )
    const error = await thrownBy(searchOf(catalogue(credentials))())
    assert.strictEqual(error._tag, "CatalogueRefused")
    assert.strictEqual(error.code, "RPC_32000")
    assert.strictEqual(given, 2)
  })

  it.each([400, 401, 403])(
    "credentials that are refused (%d) are a 502, and nothing is searched",
    async (status) => {
      server.use(
        http.post(tokenUrl, () => HttpResponse.json({ error: "invalid_client", clientSecret }, { status })),
        http.post(endpoint, () => assert.fail("the catalogue was called"))
      )
      const error = await thrownBy(searchOf(catalogue(credentials))())
      assert.strictEqual(error._tag, "CatalogueRefused")
      assert.strictEqual(error.code, "invalid_client")
    }
  )

  it("no token for now is a 503", async () => {
    server.use(http.post(tokenUrl, () => new HttpResponse("", { status: 503 })))
    const error = await thrownBy(searchOf(catalogue(credentials))())
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
  })

  it.each([{}, { access_token: "" }, { access_token: "two words" }, { access_token: 7 }, "token"])(
    "a response without a token (%j) is a 502",
    async (document) => {
      server.use(http.post(tokenUrl, () => HttpResponse.json(document)))
      assert.strictEqual((await thrownBy(searchOf(catalogue(credentials))()))._tag, "ResponseMalformed")
    }
  )
})

describe("the life of a token", () => {
  const given = (expiresIn: number | undefined) =>
    Effect.gen(function* () {
      const { respond } = fake()
      let tokens = 0
      const { search } = yield* makeShopify({
        profileUrl,
        clientId: "client-id-1",
        clientSecret: Redacted.make(clientSecret)
      }).pipe(
        Effect.provideService(
          HttpClient.HttpClient,
          webClient(async (request) => {
            if (request.url !== tokenUrl) return Response.json(respond((await request.json()) as ToolCall))
            tokens += 1
            return Response.json({ access_token: "token", expires_in: expiresIn })
          })
        )
      )
      return {
        /** Tokens requested after a search at that time. */
        after: (duration: string) =>
          Effect.gen(function* () {
            yield* TestClock.adjust(duration as "1 second")
            yield* search({ q: "shoes", page: 1 })
            return tokens
          })
      }
    })

  effectIt.effect("ends a minute before its expiry", () =>
    Effect.gen(function* () {
      const { after } = yield* given(600)
      assert.strictEqual(yield* after("0 seconds"), 1)
      assert.strictEqual(yield* after("539 seconds"), 1)
      assert.strictEqual(yield* after("1 second"), 2)
    })
  )

  effectIt.effect("ends after 50 minutes, whatever its expiry", () =>
    Effect.gen(function* () {
      for (const expiresIn of [86_399, undefined]) {
        const { after } = yield* given(expiresIn)
        assert.strictEqual(yield* after("0 seconds"), 1)
        assert.strictEqual(yield* after("48 minutes"), 1)
        assert.strictEqual(yield* after("2 minutes"), 2)
      }
    })
  )

  effectIt.effect("is one search where it is over at once", () =>
    Effect.gen(function* () {
      const { after } = yield* given(-5)
      assert.strictEqual(yield* after("0 seconds"), 1)
      assert.strictEqual(yield* after("0 seconds"), 2)
    })
  )
})
