import { describe, expect, it } from "vitest"
import { calls, noPurchase, type Operation } from "./calls.ts"
import { type Challenge, readChallenge } from "./payer.ts"
import { array, expectShape, number, object, oneOf, record, string, text, url } from "./shape.ts"
import { baseUrl, type Call, openShop, payTo, usdc } from "./till.ts"

/** The price table of the contract, in dollars and in atomic units of USDC. */
const prices: ReadonlyArray<readonly [Operation, string, string]> = [
  ["search", "0.01", "10000"],
  ["shop", "0.10", "100000"],
  ["buy", "the quote's total, 84.37", "84370000"],
  ["track", "0.52", "520000"],
  ["vaultSearch", "0.01", "10000"],
  ["vaultBuy", "the item's price, 7", "7000000"],
  ["vaultDownload", "0.01", "10000"]
]
const operations = prices.map(([operation]) => operation)

/** What an indexer sends when it looks for priced resources. */
const probes: ReadonlyArray<readonly [Operation, Call]> = [
  ["search", { path: "/x402/search" }],
  ["shop", { method: "POST", path: "/x402/shop" }],
  ["buy", { method: "POST", path: "/x402/buy" }],
  ["track", { path: "/x402/track" }],
  ["vaultSearch", { path: "/x402/vault/search" }],
  ["vaultBuy", { method: "POST", path: "/x402/vault/buy" }],
  ["vaultDownload", { path: `/x402/vault/download/${noPurchase}` }],
  ["vaultDownload", { path: "/x402/vault/download/{purchaseId}" }]
]

describe("402: the price of each operation", () => {
  it.each(prices)("%s costs %s dollars: %s in body and header", async (operation, _, atomic) => {
    const shop = await openShop()
    const { body, header } = await readChallenge(await shop.send(calls[operation]))
    expect(body.accepts.map(({ maxAmountRequired }) => maxAmountRequired)).toEqual([atomic])
    expect(header.accepts.map(({ amount }) => amount)).toEqual([atomic])
  })

  it("a host may set other prices", async () => {
    const shop = await openShop({ options: { prices: { search: "0.025", track: "1" } } })
    const search = await readChallenge(await shop.send(calls.search))
    const track = await readChallenge(await shop.send(calls.track))
    expect(search.body.accepts[0]?.maxAmountRequired).toBe("25000")
    expect(track.header.accepts[0]?.amount).toBe("1000000")
  })

  it.each(probes)("%s responds to an empty request with 402", async (_, probe) => {
    const shop = await openShop()
    expect((await shop.send(probe)).status).toBe(402)
  })
})

describe("402 of a URL that a person opens in a browser", () => {
  const opened = { headers: { accept: "text/html,*/*;q=0.8", "sec-fetch-dest": "document" } }

  it("is a page with what it is, its price and the way to the documents, under the same head", async () => {
    const shop = await openShop()
    const page = await shop.send({ ...calls.search, ...opened })
    const json = await shop.send(calls.search)
    expect([page.status, page.headers.get("content-type")]).toEqual([402, "text/html; charset=utf-8"])
    expect(page.headers.get("payment-required")).toBe(json.headers.get("payment-required"))
    expect(page.headers.get("cache-control")).toBe("no-store")
    expect(page.headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'")
    const html = await page.text()
    for (const shown of [
      "Product search over two marketplaces",
      "$0.01 per call",
      "base-sepolia",
      "/openapi.json"
    ])
      expect(html).toContain(shown)
    expect(html).not.toMatch(/<script|<img|<link/)
    // What screen readers and the reader's own colors need.
    expect(html).toMatch(/<html lang="en" style="color-scheme:light dark">/)
    expect(html).toMatch(/<main>\n<h1>.+<\/h1>[^]+<\/main>/)
  })

  it.each(operations)("is a page for %s, also where programs POST", async (operation) => {
    const shop = await openShop()
    const { path } = calls[operation]
    const page = await shop.send({ path, ...opened })
    const isPost = "method" in calls[operation]
    expect([page.status, page.headers.get("allow")]).toEqual(isPost ? [405, "POST, OPTIONS"] : [402, null])
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(page.headers.get("cache-control")).toBe("no-store")
    const html = await page.text()
    expect(html).toMatch(/\$\d+\.\d\d(?: per call| to \$\d+\.\d\d, depending on the request)/)
    expect(html).toContain(`<code>${isPost ? "POST" : "GET"} /x402/`)
    expect(html).toContain('<a href="/openapi.json">')
    expect(html).not.toContain("downloadToken=")
  })

  it("shows the description of a host's own route as text", async () => {
    const shop = await openShop({
      options: {
        operations: [
          {
            id: "own",
            method: "GET",
            path: "/own/:name",
            price: "0.02",
            description: '<img src=x onerror="alert(1)"> & more',
            work: async () => ({ done: true })
          }
        ]
      }
    })
    const html = await (await shop.send({ path: '/own/%3Cb%3E"', ...opened })).text()
    expect(html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; more")
    expect(html).not.toMatch(/<img|<b>/)
    expect(html).toContain("$0.02 per call")
  })

  it("isn't what its scripts and other programs get, nor a payment's", async () => {
    const shop = await openShop()
    for (const headers of [{ accept: "text/html" }, { "sec-fetch-dest": "empty" }]) {
      const response = await shop.send({ ...calls.search, headers })
      expect(response.headers.get("content-type")).toBe("application/json")
    }
    const paid = await shop.send({
      ...calls.search,
      headers: { ...opened.headers, "payment-signature": "no payment" }
    })
    expect(paid.headers.get("content-type")).toBe("application/json")
  })
})

describe.each(operations)("402 of %s", (operation) => {
  const { path } = calls[operation]
  const pathname = path.replace(/\?.*/, "")
  const challengeOf = async (call: Call = calls[operation]): Promise<Challenge> =>
    readChallenge(await (await openShop()).send(call))

  it("body: PaymentRequired, every required field with its type", async () => {
    const { body } = await challengeOf()
    const option = object(
      {
        scheme: text,
        network: text,
        maxAmountRequired: text,
        resource: url,
        description: text,
        mimeType: text,
        maxTimeoutSeconds: number,
        asset: text,
        payTo: text
      },
      { extra: record, outputSchema: record }
    )
    expectShape(body, object({ x402Version: number, error: text, accepts: array(option) }))
  })

  it("body: version 1, exact USDC on base-sepolia to the recipient", async () => {
    const { body } = await challengeOf()
    expect(body.x402Version).toBe(1)
    expect(body.accepts).toHaveLength(1)
    expect(body.accepts[0]).toMatchObject({
      scheme: "exact",
      network: "base-sepolia",
      asset: usdc,
      payTo,
      mimeType: operation === "vaultDownload" ? "application/zip" : "application/json",
      extra: { name: "USDC", version: "2" }
    })
    expect(body.accepts[0]?.maxTimeoutSeconds).toBeGreaterThanOrEqual(30)
  })

  it("body: the error names the missing payment header", async () => {
    const { body } = await challengeOf()
    expect(body.error).toMatch(/PAYMENT-SIGNATURE/i)
  })

  it("header: PAYMENT-REQUIRED, version 2, the same offer by CAIP-2", async () => {
    const { body, header } = await challengeOf()
    const option = object(
      {
        scheme: oneOf("exact"),
        network: oneOf("eip155:84532"),
        amount: oneOf(body.accepts[0]?.maxAmountRequired),
        asset: oneOf(usdc),
        payTo: oneOf(payTo),
        maxTimeoutSeconds: oneOf(body.accepts[0]?.maxTimeoutSeconds)
      },
      { extra: record }
    )
    expectShape(
      header,
      object(
        {
          x402Version: oneOf(2),
          resource: object(
            { url },
            { description: string, mimeType: string, serviceName: string, tags: array(string), iconUrl: url }
          ),
          accepts: array(option)
        },
        { error: text, extensions: record }
      )
    )
    expect(header.accepts[0]?.extra).toMatchObject({ name: "USDC", version: "2" })
  })

  it("resource: the public address, whatever the request claims; only searches and parcels include their query", async () => {
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "ftp" }
    const { body, header } = await challengeOf({ ...calls[operation], headers })
    const named = operation === "search" || operation === "track" ? path : pathname
    expect(body.accepts[0]?.resource).toBe(`${baseUrl}${named}`)
    expect(header.resource.url).toBe(`${baseUrl}${named}`)
  })

  it("description: at most 500 characters", async () => {
    const { body } = await challengeOf()
    expect(body.accepts[0]?.description.length).toBeLessThanOrEqual(500)
  })

  it("discovery: how to call it, in both forms", async () => {
    const { body, header } = await challengeOf()
    const method = "method" in calls[operation] ? "POST" : "GET"
    expect(body.accepts[0]?.outputSchema).toMatchObject({ input: { type: "http", method } })
    expect(header.extensions).toMatchObject({ bazaar: { info: { input: { type: "http", method } } } })
  })

  it("headers: JSON, no-store, below 16 KB, and no receipt", async () => {
    const shop = await openShop()
    const { headers } = await shop.send(calls[operation])
    expect(headers.get("content-type")).toMatch(/^application\/json/)
    expect(headers.get("cache-control")).toContain("no-store")
    expect(headers.get("payment-required")?.length).toBeLessThan(16_384)
    expect(headers.has("payment-response")).toBe(false)
    expect(headers.has("x-payment-response")).toBe(false)
  })
})

describe("402: a till below a prefix", () => {
  it.each(["https://shop.example/api", "https://shop.example/api/"])("%s", async (prefixed) => {
    const shop = await openShop({ options: { baseUrl: prefixed } })
    const { body, header } = await readChallenge(await shop.send(calls.search))
    expect(body.accepts[0]?.resource).toBe("https://shop.example/api/x402/search?q=lamp")
    expect(header.resource.url).toBe("https://shop.example/api/x402/search?q=lamp")
  })
})

describe("402: several networks", () => {
  it("the header has all networks, the body those that version 1 knows", async () => {
    const shop = await openShop({ options: { networks: ["base-sepolia", "eip155:42161", "base"] } })
    const { body, header } = await readChallenge(await shop.send(calls.search))
    expect(body.accepts.map(({ network }) => network)).toEqual(["base-sepolia", "base"])
    expect(header.accepts.map(({ network }) => network)).toEqual([
      "eip155:84532",
      "eip155:42161",
      "eip155:8453"
    ])
  })
})
