import { assert, describe, it } from "vitest"
import { startFakeUpstreams } from "./fakeUpstreams.ts"
import { appMillis, keys, pay, settings, start, startInVain } from "./runningApp.ts"

/*
 * Starts the app as its reader would, with and without keys, against fakes of its upstreams.
 */

describe("the app on real upstreams, with all keys", { timeout: appMillis }, () => {
  it("sells products of both marketplaces and shipments", async () => {
    const fakes = await startFakeUpstreams()
    const { output, stop, url } = await start({ ...settings(fakes), ...keys })
    assert.strictEqual(
      output,
      [
        "marketplace_a: Amazon by Canopy.",
        "marketplace_b: Shopify's global catalogue, with a token.",
        "tracker: 17TRACK."
      ].join("\n")
    )

    const search = await pay(`${url}/x402/search?q=trail+shoes`)
    assert.strictEqual(search.status, 200)
    const { products, ...rest } = (await search.json()) as { products: ReadonlyArray<{ asin: string }> }
    assert.deepStrictEqual(
      products.map(({ asin }) => asin),
      ["B0TEST0001", "gid://shopify/p/6dVbTest0001"]
    )
    assert.deepInclude(products[1] as object, {
      price: 89,
      source: "marketplace_b",
      productUrl: "https://northwind.example/products/trail-shoe?variant=40183717920813"
    })
    assert.deepStrictEqual(rest as unknown, { totalResults: 2, page: 1, hasMore: false })

    const track = await pay(`${url}/x402/track?number=1ZA1234E0205271688`)
    assert.strictEqual(track.status, 200)
    assert.deepInclude(await track.json(), {
      number: "1ZA1234E0205271688",
      status: "InTransit",
      found: true
    })
    assert.strictEqual(fakes.settled(), 2)

    const headersAt = (path: string) => fakes.requests.find((each) => each.path === path)?.headers
    assert.strictEqual(headersAt("/canopy/api/amazon/search")?.["api-key"], keys.CANOPY_API_KEY)
    assert.strictEqual(headersAt("/shopify/api/ucp/mcp")?.authorization, "Bearer token-1")
    assert.strictEqual(headersAt("/17track/gettrackinfo")?.["17token"], keys.SEVENTEENTRACK_API_KEY)

    const unsigned = await fetch(`${url}/webhooks/17track`, { method: "POST", body: "{}" })
    assert.strictEqual(unsigned.status, 401)
    await stop()
  })

  it("serves the agent profile at the address that it sends to Shopify", async () => {
    const fakes = await startFakeUpstreams()
    const { stop, url } = await start({ ...settings(fakes), ...keys })
    await pay(`${url}/x402/search?q=trail+shoes`)
    const call = fakes.requests.find(({ path }) => path === "/shopify/api/ucp/mcp")?.body as {
      params: { arguments: { meta: { "ucp-agent": { profile: string } } } }
    }
    const { profile } = call.params.arguments.meta["ucp-agent"]
    assert.strictEqual(new URL(profile).origin, "https://shop.example")
    const response = await fetch(`${url}${new URL(profile).pathname}`, { redirect: "error" })
    assert.strictEqual(response.headers.get("content-type"), "application/json")
    assert.match(response.headers.get("cache-control") ?? "", /^public, max-age=\d{2,}$/)
    const { ucp } = (await response.json()) as { ucp: { capabilities: Record<string, unknown> } }
    assert.property(ucp.capabilities, "dev.ucp.shopping.catalog.search")
    await stop()
  })
})

describe("the app on real upstreams, without keys", { timeout: appMillis }, () => {
  it("starts with what needs none, and prints what is missing and what that costs", async () => {
    const fakes = await startFakeUpstreams()
    const { output, stop, url } = await start(settings(fakes))
    assert.match(
      output,
      /marketplace_a: missing\. Set CANOPY_API_KEY or RAINFOREST_API_KEY;.*GET \/x402\/search/
    )
    assert.match(output, /marketplace_b: .*anonymously\. Set SHOPIFY_CLIENT_ID and SHOPIFY_CLIENT_SECRET/)
    assert.match(output, /tracker: missing\. Set SEVENTEENTRACK_API_KEY;.*no GET \/x402\/track/)

    assert.strictEqual((await fetch(`${url}/x402/track?number=1ZA1234E0205271688`)).status, 404)
    assert.strictEqual((await fetch(`${url}/webhooks/17track`, { method: "POST" })).status, 404)
    const search = await pay(`${url}/x402/search?q=trail+shoes`)
    assert.strictEqual(search.status, 200)
    const { products } = (await search.json()) as { products: ReadonlyArray<{ source: string }> }
    assert.deepStrictEqual(
      products.map(({ source }) => source),
      ["marketplace_b"]
    )
    const call = fakes.requests.find(({ path }) => path === "/shopify/api/ucp/mcp")
    assert.isUndefined(call?.headers.authorization)
    await stop()
  })

  it("names a key that can't be one, without the key", async () => {
    const { complaints } = await startInVain({
      ...settings({ url: "http://127.0.0.1:1" }),
      CANOPY_API_KEY: "pasted with spaces"
    })
    assert.include(complaints, "canopy")
    assert.notInclude(complaints, "pasted")
  })

  it("leaves Shopify out where its profile can't be fetched, and search with it", async () => {
    const fakes = await startFakeUpstreams()
    const { SEVENTEENTRACK_API_KEY } = keys
    const environment = { ...settings(fakes), BASE_URL: "http://localhost:3000", SEVENTEENTRACK_API_KEY }
    const { output, stop, url } = await start(environment)
    assert.match(output, /marketplace_b: missing\..*BASE_URL.*SHOPIFY_PROFILE_URL/)
    assert.include(output, "Without a marketplace there is no GET /x402/search.")
    assert.strictEqual((await fetch(`${url}/x402/search?q=shoes`)).status, 404)
    assert.strictEqual((await fetch(`${url}/x402/track?number=1ZA1234E0205271688`)).status, 402)
    await stop()
  })

  it("doesn't start with nothing to sell", async () => {
    const { complaints, output } = await startInVain({
      ...settings({ url: "http://127.0.0.1:1" }),
      BASE_URL: "http://localhost:3000"
    })
    assert.include(output, "Set SEVENTEENTRACK_API_KEY")
    assert.include(complaints, "there is nothing to sell")
  })

  it("prints which of its own variables are missing", async () => {
    const { PAY_TO: _payTo, RPC_URL: _rpcUrl, ...rest } = settings({ url: "http://127.0.0.1:1" })
    const { complaints } = await startInVain(rest)
    assert.include(complaints, "Set these in the environment first: PAY_TO, RPC_URL.")
  })
})
