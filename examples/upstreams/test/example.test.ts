import { assert, describe, it } from "vitest"
import { startFakeUpstreams } from "./fakeUpstreams.ts"
import { appMillis, keys, pay, settings, start } from "./runningApp.ts"

/*
 * Starts the app as its reader would, with all keys, against fakes of its upstreams. example.deep.test.ts leaves some out.
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
})
