import { gzipSync } from "node:zlib"
import { layerConfig, rye, RyeService } from "@till402/providers/rye"
import { ConfigProvider, Effect, Exit } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterEach, assert, describe, it } from "vitest"
import { rejectionOf } from "../treasury/treasuries.ts"
import { json, type Reply, type ScriptedServer, startScriptedServer } from "../upstream/scriptedServer.ts"
import { intentFixture } from "./fakeRye.ts"
import { apiKey, context, request } from "./shop.ts"

/*
 * What real sockets do to an order's status, and how the provider is configured. Repeats are off: real pauses are
 * slow.
 */

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const placing = intentFixture("3-placing")
const whole = JSON.stringify(placing)

const open = (change: Partial<Parameters<typeof rye>[0]> = {}) =>
  rye({
    apiKey,
    baseUrl: `${server!.url}/`,
    retries: 0,
    timeoutMillis: 300,
    maxAnswerBytes: 64 * 1024,
    ...change
  })

const status = async (...replies: Array<Reply>) => {
  server = await startScriptedServer(...replies)
  return open().status(placing.id)
}

describe("a status over a socket", () => {
  it("is read, compressed too", async () => {
    assert.strictEqual((await status(json(placing))).status, "placed")
    assert.strictEqual(server!.requests[0]!.headers.authorization, `Bearer ${apiKey}`)
    assert.strictEqual(server!.requests[0]!.url, `/api/v1/checkout-intents/${placing.id}`)
    await server!.close()
    const compressed = await status((response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(whole))
    )
    assert.strictEqual(compressed.status, "placed")
  })

  it.each<[string, Reply, string]>([
    [
      "is cut short",
      (response) => {
        response.writeHead(200, { "content-length": whole.length }).write(whole.slice(0, 100))
        setTimeout(() => response.destroy(), 10)
      },
      "TemporarilyUnavailable"
    ],
    ["never comes", () => undefined, "TemporarilyUnavailable"],
    [
      "comes too slowly",
      (response) => {
        response.writeHead(200).write(whole.slice(0, 10))
      },
      "TemporarilyUnavailable"
    ],
    ["is a broken connection", (_response, { socket }) => void socket.destroy(), "TemporarilyUnavailable"],
    [
      "leads elsewhere",
      (response) => void response.writeHead(302, { location: "https://thief.example/" }).end(),
      "Redirected"
    ],
    ["is too large", (response) => void response.writeHead(200).end("x".repeat(65 * 1024)), "AnswerTooLarge"],
    [
      "unpacks to too much",
      (response) =>
        void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1024 * 1024))),
      "AnswerTooLarge"
    ],
    ["is not JSON", (response) => void response.writeHead(200).end("<html>"), "AnswerMalformed"],
    [
      "is half a document",
      (response) => void response.writeHead(200).end(whole.slice(0, 300)),
      "AnswerMalformed"
    ],
    ["is empty", (response) => void response.writeHead(200).end(), "AnswerMalformed"],
    ["has no state", json({ ...placing, state: undefined }), "AnswerMalformed"],
    ["has an id that is a path", json({ ...placing, id: "../../billing" }), "AnswerMalformed"],
    ["is a list", json([placing]), "AnswerMalformed"]
  ])("fails where the answer %s", async (_what, reply, tag) => {
    const rejection = await rejectionOf(status(reply))
    assert.strictEqual(rejection._tag, tag)
    assert.notInclude(JSON.stringify(rejection) + String(rejection["message"]), "secret")
    assert.strictEqual(server!.requests.length, 1)
  })

  it("is asked for again after a fault that passes, and the circuit opens after many", async () => {
    const busy: Reply = (response) => void response.writeHead(503).end()
    server = await startScriptedServer(busy)
    const shop = open({ circuitFailures: 2 })
    for (let call = 0; call < 4; call++) await rejectionOf(shop.status(placing.id))
    assert.strictEqual(server.requests.length, 2)
    assert.deepInclude(shop.usage(), { calls: 4, failures: 4, requests: 2, circuit: "open" })
    server.replies.splice(0, 1, busy, json(placing))
    assert.strictEqual((await open({ retries: 1 }).status(placing.id)).status, "placed")
  })

  it("is paced to the account's rate", async () => {
    server = await startScriptedServer(json(placing))
    const shop = open({ requestsPerSecond: 1, deadlineMillis: 300 })
    assert.strictEqual((await shop.status(placing.id)).status, "placed")
    assert.deepInclude(await rejectionOf(shop.status(placing.id)), {
      _tag: "TemporarilyUnavailable",
      code: "Overloaded"
    })
    assert.strictEqual(server.requests.length, 1)
  })
})

describe("a placing over a socket", () => {
  it("is not sent twice after silence, and is found out by a look", async () => {
    const awaiting = { ...intentFixture("2-awaiting"), createdAt: new Date().toISOString() }
    server = await startScriptedServer(json(awaiting), () => undefined, json(placing))
    const placed = await open({ retries: 2 }).place(
      { ...request, orderId: "order-1", reference: placing.id, total: "97.35" },
      context
    )
    assert.deepStrictEqual(placed, { reference: placing.id })
    assert.deepStrictEqual(
      server.requests.map(({ method, url }) => `${method} ${url.split("/").at(-1)}`),
      [`GET ${placing.id}`, "POST confirm", `GET ${placing.id}`]
    )
  })
})

describe("options", () => {
  it.each<[string, object]>([
    ["a key with a space", { apiKey: "RYE/ secret" }],
    ["no key", { apiKey: "" }],
    ["a webhook's secret with a space", { webhookSecret: "whsec secret" }],
    ["an address in the clear", { baseUrl: "http://api.rye.com" }],
    ["a phone that is none", { defaultPhone: "call me" }],
    ["half an effort", { offerRetrievalEffort: "some" }],
    ["looks too close together", { pollMillis: 10 }],
    ["a quote without end", { quoteTimeoutMillis: Number.NaN }],
    ["no rate", { requestsPerSecond: 0 }],
    ["a listener that is none", { onUpdate: "https://till.example" }],
    ["a timeout of nothing", { timeoutMillis: 0 }]
  ])("that can't be used are told at once: %s", async (_what, change) => {
    const { _tag, message } = await rejectionOf((async () => rye({ apiKey, ...change }))())
    assert.strictEqual(_tag, "ConfigurationError")
    assert.include(String(message), "rye")
    assert.notInclude(String(message), "secret")
  })

  it("come from the environment for an Effect host", async () => {
    server = await startScriptedServer(json(placing))
    const configured = (env: Record<string, string>) =>
      Effect.flatMap(RyeService, (shop) => shop.status(placing.id)).pipe(
        Effect.provide(layerConfig),
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
        Effect.runPromiseExit
      )
    const env = {
      RYE_API_KEY: "RYE/env",
      RYE_BASE_URL: server.url,
      RYE_DEFAULT_PHONE: "+15555550199",
      RYE_OFFER_RETRIEVAL_EFFORT: "low",
      RYE_REQUESTS_PER_SECOND: "7",
      RYE_WEBHOOK_SECRET: "whsec",
      RYE_RETRIES: "0"
    }
    const exit = await configured(env)
    assert(Exit.isSuccess(exit))
    assert.strictEqual(exit.value.status, "placed")
    assert.strictEqual(server.requests[0]!.headers.authorization, "Bearer RYE/env")
    for (const wrong of [
      { RYE_API_KEY: "" },
      { RYE_OFFER_RETRIEVAL_EFFORT: "some" },
      { RYE_REQUESTS_PER_SECOND: "many" },
      { RYE_DEFAULT_PHONE: "none" }
    ]) {
      assert(Exit.isFailure(await configured({ ...env, ...wrong })), JSON.stringify(wrong))
    }
  })
})
