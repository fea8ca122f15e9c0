import { Crossmint, crossmint } from "@till402/providers/crossmint"
import { currentFetch } from "../interceptRequests.ts"
import { memoryPaymentJournal, Treasury, evmTreasury } from "@till402/providers/treasury"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { itRefusesOptions } from "../upstream/optionCases.ts"
import { describeSockets } from "../upstream/socketCases.ts"
import { json, type ScriptedServer, startScriptedServer } from "../upstream/scriptedServer.ts"
import { crossmintPayee, prepare } from "../treasury/fakeNode.ts"
import { account } from "../treasury/treasuries.ts"
import { createdFixture, payees } from "./fakeCrossmint.ts"
import { apiKey, context, request } from "./shop.ts"

/*
 * What real sockets do to a quote, and how the provider is configured. Repeats are off: real pauses are slow.
 */

let server: ScriptedServer

const paying = evmTreasury({
  account,
  network: "base-sepolia",
  rpcUrl: "https://node.example/rpc",
  journal: memoryPaymentJournal()
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

describeSockets({
  call: "a quote of Crossmint's",
  open: (baseUrl, settings) => {
    const shop = crossmint({ apiKey, payees, treasury: paying, baseUrl: `${baseUrl}/api/`, ...settings })
    return { send: async () => (await shop.quote(request, context)).total, usage: shop.usage }
  },
  document: payable(),
  expected: "97.35",
  path: "/api/2022-06-09/orders",
  key: { header: "x-api-key", value: apiKey },
  malformed: [
    ["is another document", { order: { orderId: "1" } }],
    ["is an envelope without an order", { clientSecret: "s" }],
    ["is a list", []]
  ]
})

describe("options", () => {
  const good = { apiKey, payees, treasury: paying }
  itRefusesOptions("crossmint", (change: object) => crossmint({ ...good, ...change }), [
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
  ])

  it("come from the environment for an Effect host", async () => {
    server = await startScriptedServer(json(payable()))
    const configured = (env: Record<string, string>) =>
      Effect.flatMap(Crossmint, (shop) => shop.quote(request)).pipe(
        Effect.provide(Crossmint.layerConfig()),
        Effect.provide(Layer.merge(currentFetch, Treasury.fromPromise(paying))),
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
