import { gzipSync } from "node:zlib"
import { crossmint, CrossmintService, layerConfig } from "@till402/providers/crossmint"
import { memoryJournal, TreasuryService, treasury } from "@till402/providers/treasury"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterEach, assert, describe, it } from "vitest"
import { json, type Reply, type ScriptedServer, startScriptedServer } from "../upstream/scriptedServer.ts"
import { crossmintPayee, prepare } from "../treasury/fakeNode.ts"
import { account, rejectionOf } from "../treasury/treasuries.ts"
import { createdFixture, payees } from "./fakeCrossmint.ts"
import { apiKey, context, request } from "./shop.ts"

/*
 * What real sockets do to a quote, and how the provider is configured. Repeats are off: real pauses are slow.
 */

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const paying = treasury({
  account,
  network: "base-sepolia",
  rpcUrl: "https://node.example/rpc",
  journal: memoryJournal()
})
const payable = () => {
  const order = createdFixture()
  order.quote.expiresAt = new Date(Date.now() + 600_000).toISOString()
  order.payment.preparation = {
    chain: "base-sepolia",
    payerAddress: account.address,
    serializedTransaction: prepare({})
  }
  return { clientSecret: "_test_client_secret", order }
}
const whole = JSON.stringify(payable())

const quote = async (...replies: Array<Reply>) => {
  server = await startScriptedServer(...replies)
  const shop = crossmint({
    apiKey,
    payees,
    treasury: paying,
    baseUrl: `${server.url}/api/`,
    retries: 0,
    timeoutMillis: 300,
    maxAnswerBytes: 64 * 1024
  })
  return shop.quote(request, context)
}

describe("a quote over a socket", () => {
  it("is read, compressed too", async () => {
    assert.strictEqual((await quote(json(payable(), 201))).total, "97.35")
    assert.strictEqual(server!.requests[0]!.headers["x-api-key"], apiKey)
    assert.strictEqual(server!.requests[0]!.url, "/api/2022-06-09/orders")
    await server!.close()
    const compressed = await quote((response) =>
      response
        .writeHead(201, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(whole))
    )
    assert.strictEqual(compressed.total, "97.35")
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
    ["is another document", json({ order: { orderId: "1" } }), "AnswerMalformed"],
    ["is an envelope without an order", json({ clientSecret: "s" }), "AnswerMalformed"],
    ["is a list", json([]), "AnswerMalformed"]
  ])("fails where the answer %s", async (_what, reply, tag) => {
    const rejection = await rejectionOf(quote(reply))
    assert.strictEqual(rejection._tag, tag)
    assert.notInclude(JSON.stringify(rejection) + String(rejection["message"]), apiKey)
    assert.strictEqual(server!.requests.length, 1)
  })

  it("is asked for again after a fault that passes, and the circuit opens after many", async () => {
    const busy: Reply = (response) => void response.writeHead(503).end()
    server = await startScriptedServer(busy)
    const shop = crossmint({
      apiKey,
      payees,
      treasury: paying,
      baseUrl: server.url,
      retries: 0,
      circuitFailures: 2
    })
    for (let call = 0; call < 4; call++) await rejectionOf(shop.quote(request, context))
    assert.strictEqual(server.requests.length, 2)
    assert.deepInclude(shop.usage(), { calls: 4, failures: 4, requests: 2, circuit: "open" })
    const patient = crossmint({ apiKey, payees, treasury: paying, baseUrl: server.url, retries: 1 })
    server.replies.splice(0, 1, busy, json(payable()))
    assert.strictEqual((await patient.quote(request, context)).total, "97.35")
  })
})

describe("options", () => {
  const good = { apiKey, payees, treasury: paying }
  it.each([
    ["a key with a space", { apiKey: "sk secret" }],
    ["no payee", { payees: [] }],
    ["a payee that is no address", { payees: ["0x12" as const] }],
    ["an address in the clear", { baseUrl: "http://www.crossmint.com/api" }],
    ["an odd network", { paymentMethod: "Base Mainnet" }],
    ["a locale that is none", { locale: "English, please" }],
    ["a receipt to nobody", { receiptEmail: "nobody" }],
    ["looks too close together", { pollMillis: 10 }],
    ["a quote without end", { quoteTimeoutMillis: Number.NaN }],
    ["a network that has no short name", { treasury: { ...paying, network: "eip155:42161" } }],
    ["a treasury without address", { treasury: { ...paying, address: "0x" as const } }]
  ])("that can't be used are told at once: %s", async (_what, change) => {
    const { _tag, message } = await rejectionOf((async () => crossmint({ ...good, ...change }))())
    assert.strictEqual(_tag, "ConfigurationError")
    assert.notInclude(String(message), "secret")
  })

  it("come from the environment for an Effect host", async () => {
    server = await startScriptedServer(json(payable()))
    const configured = (env: Record<string, string>) =>
      Effect.flatMap(CrossmintService, (shop) => shop.quote(request)).pipe(
        Effect.provide(layerConfig),
        Effect.provide(Layer.merge(FetchHttpClient.layer, Layer.succeed(TreasuryService, paying))),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
        Effect.runPromiseExit
      )
    const env = {
      CROSSMINT_API_KEY: "sk_env",
      CROSSMINT_PAYEES: ` ${crossmintPayee}, 0x00000000000000000000000000000000000000c2`,
      CROSSMINT_BASE_URL: server.url,
      CROSSMINT_LOCALE: "de-DE",
      CROSSMINT_RETRIES: "0"
    }
    const exit = await configured(env)
    assert(Exit.isSuccess(exit))
    assert.strictEqual(exit.value.total, "97.35")
    const [received] = server.requests
    assert.strictEqual(received!.headers["x-api-key"], "sk_env")
    assert.propertyVal(JSON.parse(received!.body), "locale", "de-DE")
    for (const missing of ["CROSSMINT_API_KEY", "CROSSMINT_PAYEES"]) {
      assert(Exit.isFailure(await configured({ ...env, [missing]: "" })), missing)
    }
  })
})
