import { describe, expect, it } from "vitest"
import { calls, type Operation } from "./calls.ts"
import { expectRefusal } from "./expectations.ts"
import { pay } from "./payer.ts"
import { openShop, requestOf } from "./till.ts"

const operations = Object.keys(calls) as ReadonlyArray<Operation>
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
        "content-type",
        "idempotency-key",
        "traceparent",
        "x-request-id"
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

  it("a listed origin is allowed, and the response varies by it", async () => {
    const shop = await openShop({ options: { cors: [origin] } })
    const response = await shop.send({ ...calls.search, headers: { origin } })
    expect(response.headers.get("access-control-allow-origin")).toBe(origin)
    expect(listed(response, "vary")).toContain("origin")
  })

  it("an origin that is not listed is not allowed", async () => {
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
