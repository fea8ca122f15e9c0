import type { TillOptions } from "@till402/core"
import { describe, expect, it } from "vitest"
import { noPurchase, type Operation } from "./calls.ts"
import { readChallenge } from "./payer.ts"
import { baseUrl, openShop } from "./till.ts"

/*
 * The documents by which agents and crawlers find the service.
 */

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document from outside
type Json = any

const operations: ReadonlyArray<readonly [Operation, "get" | "post", string]> = [
  ["search", "get", "/x402/search"],
  ["shop", "post", "/x402/shop"],
  ["buy", "post", "/x402/buy"],
  ["track", "get", "/x402/track"],
  ["vaultSearch", "get", "/x402/vault/search"],
  ["vaultBuy", "post", "/x402/vault/buy"],
  ["vaultDownload", "get", "/x402/vault/download/{purchaseId}"]
]

describe("the other listings", () => {
  const identity = { serviceName: "Lamp shop", tags: ["lamps"], iconUrl: "https://lamps.example/icon.png" }

  it("/.well-known/x402 has what its draft requires beside the contract's fields", async () => {
    const shop = await openShop({ options: { ...identity, support: "help@shop.example" } })
    const document = (await (await shop.send({ path: "/.well-known/x402" })).json()) as Json
    expect(document).toMatchObject({
      x402Version: 2,
      kind: "resource-server",
      name: "Lamp shop",
      docs: `${baseUrl}/openapi.json`,
      contact: "help@shop.example",
      updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    })
  })

  it("/.well-known/x402.json has an item for each route, with the offers of its 402", async () => {
    const shop = await openShop({ options: identity })
    const response = await shop.send({ path: "/.well-known/x402.json" })
    expect(response.headers.get("content-type")).toMatch(/^application\/json/)
    const { items, lastUpdated, x402Version } = (await response.json()) as Json
    expect([x402Version, Number.isInteger(lastUpdated)]).toEqual([2, true])
    expect(items).toHaveLength(7)
    for (const [index, [id, method, path]] of operations.entries()) {
      const item = items.find(
        ({ resource }: Json) => resource.url === baseUrl + path.replace(/\{(\w+)\}/, ":$1")
      )
      expect(item, `${index}`).toMatchObject({
        type: "http",
        resource: identity,
        input: { method: method.toUpperCase(), routeTemplate: path.replace(/\{(\w+)\}/, ":$1") }
      })
      expect(item.output.mimeType).toBe(id === "vaultDownload" ? "application/zip" : "application/json")
      const empty = path.replace("{purchaseId}", noPurchase)
      const { header } = await readChallenge(await shop.send({ method: method.toUpperCase(), path: empty }))
      expect(item.accepts).toEqual(header.accepts)
      expect(header.resource).toMatchObject(identity)
    }
  })

  it("/llms.txt tells an agent every route, its price and what to call first", async () => {
    const shop = await openShop({ options: identity })
    const response = await shop.send({ path: "/llms.txt" })
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    const text = await response.text()
    expect(text).toMatch(/^# Lamp shop\n/)
    for (const [, method, path] of operations) expect(text).toContain(`[${method.toUpperCase()} ${path}]`)
    expect(text).toMatch(/POST \/x402\/buy\].* Call GET \/x402\/search first/)
    expect(text).toMatch(/vault\/download\/\{purchaseId\}\].*\$0\.01\. Call POST \/x402\/vault\/buy first/)
    expect(text).toContain(`(${baseUrl}/openapi.json)`)
  })

  it("the host's name is that of its address, where it gives none", async () => {
    const shop = await openShop()
    expect(await (await shop.send({ path: "/llms.txt" })).text()).toMatch(/^# shop\.example\n/)
  })

  it("the record for the DNS leads to the listing; without https or listing there is none", async () => {
    const recordOf = async (options: Partial<TillOptions>) => (await openShop({ options })).till.dnsRecord
    expect(await recordOf({ baseUrl: "https://shop.example:8443/api" })).toBe(
      '_x402.shop.example. IN TXT "v=x402-1; wk=https://shop.example:8443/api/.well-known/x402; k=resource-server; scheme=exact; net=eip155:84532"'
    )
    const long = await recordOf({ baseUrl: `https://shop.example/${"a".repeat(165)}` })
    expect(long).toMatch(/^_x402\.shop\.example\. IN TXT "[^"]{1,255}"$/)
    expect(long).not.toContain("net=")
    expect(await recordOf({ baseUrl: "http://127.0.0.1:4021" })).toBeUndefined()
    expect(await recordOf({ discoveryPath: false })).toBeUndefined()
  })
})
