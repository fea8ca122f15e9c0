import { Zinc, zinc } from "@till402/providers/zinc"
import { currentFetch } from "../interceptRequests.ts"
import { ConfigProvider, Effect, Exit } from "effect"
import { assert, describe, it } from "vitest"

import { itRefusesOptions } from "../upstream/optionCases.ts"
import { describeSockets } from "../upstream/socketCases.ts"
import { json, type ScriptedServer, startScriptedServer } from "../upstream/scriptedServer.ts"
import { duplicateFixture, placedFixture } from "./fakeZinc.ts"
import { apiKey, context, orderId, request } from "./shop.ts"

/*
 * What real sockets do to an order's status, and how the provider is configured. Repeats are off: real pauses are
 * slow.
 */

let server: ScriptedServer

const placed = placedFixture()

const open = (change: Partial<Parameters<typeof zinc>[0]> = {}) =>
  zinc({
    apiKey,
    baseUrl: `${server.url}/`,
    retries: 0,
    timeoutMillis: 300,
    maxResponseBytes: 64 * 1024,
    ...change
  })

describeSockets({
  call: "a status of Zinc's",
  open: (baseUrl, settings) => {
    const shop = zinc({ apiKey, baseUrl: `${baseUrl}/`, ...settings })
    return { send: async () => (await shop.status(placed.id)).status, usage: shop.usage }
  },
  document: placed,
  expected: "shipped",
  path: `/orders/${placed.id}`,
  key: { header: "authorization", value: `Bearer ${apiKey}` },
  malformed: [
    ["has no status", { ...placed, status: undefined }],
    ["is a list", [placed]]
  ]
})

describe("a placing over a socket", () => {
  it("is sent again after silence under the same key, and finds the order it made", async () => {
    const list = { orders: [{ ...placed, metadata: { orderId } }] }
    server = await startScriptedServer(() => undefined, json(duplicateFixture(), 409), json(list))
    const order = { ...request, orderId, reference: "elsewhere", total: "120.00" }
    assert.deepStrictEqual(await open({ retries: 1 }).place(order, context), { reference: placed.id })
    const [first, second] = server.requests
    assert.strictEqual(first!.body, second!.body)
    assert.strictEqual(server.requests.length, 3)
  })
})

describe("options", () => {
  itRefusesOptions("zinc", (change: object) => zinc({ apiKey, ...change }), [
    ["a key with a space", { apiKey: "zn_live secret" }],
    ["no key", { apiKey: "" }],
    ["a webhook's secret with a space", { webhookSecret: "zn_whsec secret" }],
    ["an address in the clear", { baseUrl: "http://api.zinc.com" }],
    ["a phone that is none", { defaultPhone: "call me" }],
    ["an account that is none", { retailerCredentialsId: "my account" }],
    ["half a tax", { allowance: { taxBasisPoints: 0.5, shippingCents: 0 } }],
    ["a tax above the price", { allowance: { taxBasisPoints: 10_001, shippingCents: 0 } }],
    ["delivery that pays", { allowance: { taxBasisPoints: 0, shippingCents: -1 } }],
    ["half an allowance", { allowance: { taxBasisPoints: 1_000 } }],
    ["a quote without end", { quoteLifetimeMillis: Number.POSITIVE_INFINITY }],
    ["a quote for no time", { quoteLifetimeMillis: 1 }],
    ["a listener that is none", { onUpdate: "https://till.example" }]
  ])

  it("come from the environment for an Effect host", async () => {
    server = await startScriptedServer(
      json({ balance: 5_000 }),
      json({ status: "completed", title: "Shoes", price: 1_000 })
    )
    const configured = (env: Record<string, string>) =>
      Effect.flatMap(Zinc, (shop) => shop.quote(request)).pipe(
        Effect.provide(Zinc.layerConfig()),
        Effect.provide(currentFetch),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
        Effect.runPromiseExit
      )
    const env = {
      ZINC_API_KEY: "zn_test_env",
      ZINC_BASE_URL: server.url,
      ZINC_ALLOWANCE_TAX_BASIS_POINTS: "900",
      ZINC_ALLOWANCE_SHIPPING_CENTS: "500",
      ZINC_DEFAULT_PHONE: "+15555550199",
      ZINC_RETAILER_CREDENTIALS_ID: "zn_acct_1",
      ZINC_WEBHOOK_SECRET: "zn_whsec_env",
      ZINC_RETRIES: "0"
    }
    const exit = await configured(env)
    assert(Exit.isSuccess(exit))
    assert.strictEqual(exit.value.total, "16.90")
    assert.strictEqual(server.requests[0]!.headers.authorization, "Bearer zn_test_env")
    for (const wrong of [
      { ZINC_API_KEY: "" },
      { ZINC_ALLOWANCE_TAX_BASIS_POINTS: "9%" },
      { ZINC_ALLOWANCE_SHIPPING_CENTS: "4.99" },
      { ZINC_BASE_URL: "zinc" }
    ]) {
      assert(Exit.isFailure(await configured({ ...env, ...wrong })), JSON.stringify(wrong))
    }
  })
})
