import { MemoryJournals } from "@till402/providers/journals"
import { currentFetch } from "../interceptRequests.ts"
import { Rye, rye } from "@till402/providers/rye"
import { ConfigProvider, Effect, Exit } from "effect"
import { assert, describe, it } from "vitest"
import { rejectionOf } from "../rejectionOf.ts"
import { itRefusesOptions } from "../upstream/optionCases.ts"
import { describeSockets } from "../upstream/socketCases.ts"
import { json, type ScriptedServer, startScriptedServer } from "../upstream/scriptedServer.ts"
import { intentFixture } from "./fakeRye.ts"
import { apiKey, context, request } from "./shop.ts"

/*
 * What real sockets do to an order's status, and how the provider is configured. Repeats are off: real pauses are
 * slow.
 */

let server: ScriptedServer

const placing = intentFixture("3-placing")

const open = (change: Partial<Parameters<typeof rye>[0]> = {}) =>
  rye({
    apiKey,
    baseUrl: `${server.url}/`,
    retries: 0,
    timeoutMillis: 300,
    maxResponseBytes: 64 * 1024,
    ...change
  })

describeSockets({
  call: "a status of Rye's",
  open: (baseUrl, settings) => {
    const shop = rye({ apiKey, baseUrl: `${baseUrl}/`, ...settings })
    return { send: async () => (await shop.status(placing.id)).status, usage: shop.usage }
  },
  document: placing,
  expected: "placed",
  path: `/api/v1/checkout-intents/${placing.id}`,
  key: { header: "authorization", value: `Bearer ${apiKey}` },
  malformed: [
    ["has no state", { ...placing, state: undefined }],
    ["has an id that is a path", { ...placing, id: "../../billing" }],
    ["is a list", [placing]]
  ]
})

describe("a status of Rye's over a socket", () => {
  it("is paced to the account's rate", async () => {
    server = await startScriptedServer(json(placing))
    const shop = open({ readsPerSecond: 1, deadlineMillis: 300 })
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
  itRefusesOptions("rye", (change: object) => rye({ apiKey, ...change }), [
    ["a key with a space", { apiKey: "RYE/ secret" }],
    ["no key", { apiKey: "" }],
    ["a webhook's secret with a space", { webhookSecret: "whsec secret" }],
    ["an address in the clear", { baseUrl: "http://api.rye.com" }],
    ["a phone that is none", { defaultPhone: "call me" }],
    ["half an effort", { offerRetrievalEffort: "some" }],
    ["looks too close together", { pollMillis: 10 }],
    ["a quote without end", { quoteTimeoutMillis: Number.NaN }],
    ["no rate", { mutationsPerSecond: 0 }],
    ["a rate in fractions", { lookupsPerSecond: 0.5 }],
    ["a day without intents", { intentsPerDay: 0 }],
    ["no order at once", { ordersAtOnce: 0 }],
    ["more for buyers than there is", { intentsPerDay: 10, intentsForBuyers: 11 }],
    ["a listener that is none", { onUpdate: "https://till.example" }],
    ["a timeout of nothing", { timeoutMillis: 0 }]
  ])

  it("come from the environment for an Effect host", async () => {
    server = await startScriptedServer(json(placing))
    const configured = (env: Record<string, string>) =>
      Effect.flatMap(Rye, (shop) => shop.status(placing.id)).pipe(
        Effect.provide(Rye.layerConfig()),
        Effect.provide([currentFetch, MemoryJournals.layer]),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
        Effect.runPromiseExit
      )
    const env = {
      RYE_API_KEY: "RYE/env",
      RYE_BASE_URL: server.url,
      RYE_DEFAULT_PHONE: "+15555550199",
      RYE_OFFER_RETRIEVAL_EFFORT: "low",
      RYE_MUTATIONS_PER_SECOND: "7",
      RYE_INTENTS_PER_DAY: "500",
      RYE_INTENTS_FOR_BUYERS: "0",
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
      { RYE_READS_PER_SECOND: "many" },
      { RYE_INTENTS_PER_DAY: "0" },
      { RYE_DEFAULT_PHONE: "none" }
    ]) {
      assert(Exit.isFailure(await configured({ ...env, ...wrong })), JSON.stringify(wrong))
    }
  })
})
