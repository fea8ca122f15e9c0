import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import { payingFetch } from "@till402/sandbox"
import { exampleEnvironment } from "../../express/test/exampleProcess.ts"
import { type FakeUpstreams, startFakeUpstreams } from "./fakeUpstreams.ts"

/*
 * Starts the app as its reader would, with and without keys, against fakes of its upstreams.
 */

const startMillis = 15_000
const stopMillis = 5_000

/** Any key will do: it signs, and the fake facilitator moves no money. */
const pay = payingFetch(`0x${"07".repeat(32)}`)

const settings = ({ url }: Pick<FakeUpstreams, "url">): Record<string, string> => ({
  PORT: "0",
  BASE_URL: "https://shop.example",
  PAY_TO: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  RPC_URL: `${url}/rpc`,
  FACILITATOR_URL: `${url}/facilitator`,
  TILL_SECRET: "a secret of the example's own, for this test",
  DATABASE: ":memory:",
  CANOPY_BASE_URL: `${url}/canopy`,
  SHOPIFY_BASE_URL: `${url}/shopify`,
  SHOPIFY_TOKEN_URL: `${url}/shopify/token`,
  SEVENTEENTRACK_BASE_URL: `${url}/17track`
})

const keys = {
  CANOPY_API_KEY: "canopy-key",
  SHOPIFY_CLIENT_ID: "shopify-id",
  SHOPIFY_CLIENT_SECRET: "shopify-secret",
  SEVENTEENTRACK_API_KEY: "17track-key"
}

const spawnApp = (environment: Record<string, string>) => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source"]
  const child = spawn(process.execPath, [...flags, main], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...exampleEnvironment, ...environment }
  })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  const complaints: Array<string> = []
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString()))
  return { child, complaints: () => complaints.join("") }
}

/** Runs the app until it listens; `output` is what it printed before. */
const start = async (environment: Record<string, string>) => {
  const { child, complaints } = spawnApp(environment)
  const giveUp = setTimeout(() => child.kill("SIGKILL"), startMillis)
  const output: Array<string> = []
  for await (const line of createInterface(child.stdout)) {
    const url = /^Listening on (http:\S+)$/.exec(line)?.[1]
    if (url !== undefined) {
      clearTimeout(giveUp)
      const stop = async () => {
        const exited = once(child, "exit", { signal: AbortSignal.timeout(stopMillis) })
        child.kill("SIGTERM")
        const [code] = await exited
        assert.strictEqual(code, 0)
      }
      return { url, output: output.join("\n"), stop }
    }
    output.push(line)
  }
  clearTimeout(giveUp)
  return assert.fail(`The app ended before it listened:\n${output.join("\n")}\n${complaints()}`)
}

/** Runs the app until it ends by itself. */
const startInVain = async (environment: Record<string, string>) => {
  const { child, complaints } = spawnApp(environment)
  const output: Array<string> = []
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  const [code] = await once(child, "close", { signal: AbortSignal.timeout(startMillis) })
  assert.strictEqual(code, 1)
  return { output: output.join(""), complaints: complaints() }
}

describe("the app on real upstreams, with all keys", { timeout: 30_000 }, () => {
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

describe("the app on real upstreams, without keys", { timeout: 30_000 }, () => {
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

  it("names a key that can't be one, without the key", async () => {
    const { complaints } = await startInVain({
      ...settings({ url: "http://127.0.0.1:1" }),
      CANOPY_API_KEY: "pasted with spaces"
    })
    assert.include(complaints, "canopy")
    assert.notInclude(complaints, "pasted")
  })
})
