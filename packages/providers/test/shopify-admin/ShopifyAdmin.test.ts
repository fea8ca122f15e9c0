import { Fulfilment } from "@till402/core/effect"
import { ShopifyAdmin, shopifyAdmin } from "@till402/providers/shopify-admin"
import { ConfigProvider, Effect, Exit } from "effect"
import { FetchHttpClient } from "effect/http"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { itRefusesOptions } from "../upstream/optionCases.ts"
import { request, settings, startShop } from "./shop.ts"

const server = interceptRequests()

const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

describe("the credentials of a Shopify shop", () => {
  it("are exchanged for a token, and again when it is refused", async () => {
    const { quote, sent, upstream } = start({
      accessToken: undefined,
      clientId: "app",
      clientSecret: "shpss_secret"
    })
    await quote()
    upstream.tokens.clear()
    await quote()
    const exchanges = sent("token")
    assert.strictEqual(exchanges.length, 2)
    assert.deepStrictEqual(exchanges[0]!.variables, {
      client_id: "app",
      client_secret: "shpss_secret",
      grant_type: "client_credentials"
    })
  })

  it("that are refused are not sent again", async () => {
    const { quote, upstream } = start({ accessToken: "shpat_wrong" })
    assert.deepInclude(await rejectionOf(quote()), { _tag: "Rejected", status: 401 })
    assert.strictEqual(upstream.received.length, 1)
  })
})

describe("the layers of a Shopify shop", () => {
  const env = {
    SHOPIFY_ADMIN_SHOP: "northwind.myshopify.com",
    SHOPIFY_ADMIN_ACCESS_TOKEN: "shpat_secret",
    SHOPIFY_ADMIN_SHIPPING_CENTS: "100"
  }
  const quoted = (variables: Record<string, string>) =>
    Effect.flatMap(Fulfilment, (shop) => shop.quote(request)).pipe(
      Effect.provide(ShopifyAdmin.layerConfig()),
      Effect.provide(FetchHttpClient.layer),
      // Effect remembers the first `fetch` it sees, which may be one of before msw listened here.
      Effect.provideService(FetchHttpClient.Fetch, (input, init) => fetch(input, init)),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)),
      Effect.runPromiseExit
    )

  it("read their settings", async () => {
    start()
    const exit = await quoted(env)
    assert(Exit.isSuccess(exit))
    assert.strictEqual(exit.value.total, "23.00")
    const { SHOPIFY_ADMIN_SHOP: _shop, ...rest } = env
    const failed = await quoted(rest)
    assert(Exit.isFailure(failed))
    assert.include(String(failed.cause), "SHOPIFY_ADMIN_SHOP")
  })
})

itRefusesOptions("shopify-admin", (change: object) => shopifyAdmin({ ...settings, ...change }), [
  ["no key", { accessToken: undefined }],
  ["an empty key", { accessToken: "" }],
  ["two kinds of keys", { clientId: "app", clientSecret: "secret" }],
  ["half of the credentials", { accessToken: undefined, clientId: "app" }],
  ["a domain of another kind", { shop: "shop.example" }],
  ["an address in the clear", { baseUrl: "http://shop.example" }],
  ["delivery that pays", { shipping: { cents: -1 } }],
  ["a version that is none", { apiVersion: "latest" }],
  ["a quote for no time", { quoteLifetimeMillis: 1 }]
])
