import { describe, expect, it } from "vitest"
import { calls, noPurchase, type Operation } from "./calls.ts"
import { expectRefusal } from "./expectations.ts"
import { type Challenge, pay, readChallenge } from "./payer.ts"
import { array, expectShape, number, object, oneOf, record, string, text, url } from "./shape.ts"
import { baseUrl, type Call, openShop, payTo, requestOf, usdc } from "./till.ts"

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

/** What a cookie-less probe of an indexer sends. */
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

  it.each(probes)("%s answers an empty request 402", async (_, probe) => {
    const shop = await openShop()
    expect((await shop.send(probe)).status).toBe(402)
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

  it("body: the error says that the payment header is required", async () => {
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

  it("resource: the public address without query, whatever the request claims", async () => {
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "ftp" }
    const { body, header } = await challengeOf({ ...calls[operation], headers })
    expect(body.accepts[0]?.resource).toBe(`${baseUrl}${pathname}`)
    expect(header.resource.url).toBe(`${baseUrl}${pathname}`)
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
    expect(body.accepts[0]?.resource).toBe("https://shop.example/api/x402/search")
    expect(header.resource.url).toBe("https://shop.example/api/x402/search")
  })
})

describe("402: several networks", () => {
  it("the header has all, the body those that version 1 knows", async () => {
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

const gets = operations.filter((operation) => !("method" in calls[operation]))
const posts = operations.filter((operation) => "method" in calls[operation])
const allowed = (response: Response) => response.headers.get("allow")?.split(/\s*,\s*/) ?? []

describe("methods", () => {
  it.each(gets)("HEAD of %s: the 402 without a body", async (operation) => {
    const shop = await openShop()
    const response = await shop.send({ ...calls[operation], method: "HEAD" })
    expect(response.status).toBe(402)
    expect(response.headers.has("payment-required")).toBe(true)
    expect(await response.text()).toBe("")
  })

  it("HEAD buys nothing", async () => {
    const shop = await openShop()
    const { again } = await pay(shop, { path: "/x402/search?q=lamp&page=0" })
    const response = await again({ ...calls.search, method: "HEAD" })
    expect(response.status).toBe(402)
    expect(shop.settlements).toEqual([])
  })

  describe.each(gets)("%s", (operation) => {
    it.each(["POST", "PUT", "PATCH", "DELETE"])("%s: 405 that allows GET", async (method) => {
      const shop = await openShop()
      const response = await shop.send({ path: calls[operation].path, method })
      expect(allowed(response)).toContain("GET")
      expect(allowed(response)).not.toContain(method)
      await expectRefusal(shop, response, 405, "METHOD_NOT_ALLOWED")
    })
  })

  describe.each(posts)("%s", (operation) => {
    it.each(["GET", "PUT", "PATCH", "DELETE"])("%s: 405 that allows POST", async (method) => {
      const shop = await openShop()
      const response = await shop.send({ path: calls[operation].path, method })
      expect(allowed(response)).toContain("POST")
      expect(allowed(response)).not.toContain(method)
      await expectRefusal(shop, response, 405, "METHOD_NOT_ALLOWED")
    })
  })
})

describe("unknown paths under /x402", () => {
  it.each([
    "/x402/nothing",
    "/x402/vault",
    "/x402/vault/nothing",
    "/x402/vault/download",
    "/x402/vault/download/a/b",
    "/x402/search/more",
    "/x402/SEARCH"
  ])("%s: 404", async (path) => {
    const shop = await openShop()
    await expectRefusal(shop, await shop.send({ path }), 404, "NOT_FOUND")
  })
  it("by POST as well", async () => {
    const shop = await openShop()
    const response = await shop.send({ method: "POST", path: "/x402/nothing", body: {} })
    await expectRefusal(shop, response, 404, "NOT_FOUND")
  })
})

const listed = (response: Response, name: string) =>
  (response.headers.get(name) ?? "").toLowerCase().split(/\s*,\s*/)
const origin = "https://agent.example"

describe("CORS", () => {
  it.each(operations)("preflight of %s", async (operation) => {
    const shop = await openShop()
    const method = posts.includes(operation) ? "POST" : "GET"
    const response = await shop.till.fetch(
      requestOf(
        { path: calls[operation].path, method: "OPTIONS" },
        {
          origin,
          "access-control-request-method": method,
          "access-control-request-headers":
            "payment-signature,x-payment,access-control-expose-headers,content-type"
        }
      )
    )
    expect([200, 204]).toContain(response.status)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(listed(response, "access-control-allow-methods")).toContain(method.toLowerCase())
    expect(listed(response, "access-control-allow-headers")).toEqual(
      expect.arrayContaining([
        "payment-signature",
        "x-payment",
        "access-control-expose-headers",
        "content-type"
      ])
    )
  })

  const exposed = ["payment-required", "payment-response", "x-payment-response"]
  it("the payment headers are exposed on a 402, a 200 and an error", async () => {
    const shop = await openShop()
    const headers = { origin }
    const unpaid = await shop.send({ ...calls.search, headers })
    const { response: paid } = await pay(shop, { ...calls.search, headers })
    const wrong = await shop.send({ path: "/x402/nothing", headers })
    expect([unpaid.status, paid.status, wrong.status]).toEqual([402, 200, 404])
    for (const response of [unpaid, paid, wrong]) {
      expect(response.headers.get("access-control-allow-origin")).toBe("*")
      expect(listed(response, "access-control-expose-headers")).toEqual(expect.arrayContaining(exposed))
    }
  })

  it("a listed origin is named, and the answer varies by it", async () => {
    const shop = await openShop({ options: { cors: [origin] } })
    const response = await shop.send({ ...calls.search, headers: { origin } })
    expect(response.headers.get("access-control-allow-origin")).toBe(origin)
    expect(listed(response, "vary")).toContain("origin")
  })

  it("an origin that is not listed is not let in", async () => {
    const shop = await openShop({ options: { cors: [origin] } })
    const response = await shop.send({ ...calls.search, headers: { origin: "https://evil.example" } })
    expect(["https://evil.example", "*"]).not.toContain(response.headers.get("access-control-allow-origin"))
  })

  it("switched off, no CORS header is sent", async () => {
    const shop = await openShop({ options: { cors: false } })
    const response = await shop.send({ ...calls.search, headers: { origin } })
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
  })
})
