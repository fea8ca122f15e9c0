import { memory, operation, Till, type TillOptions } from "@till402/core"
import { Buy, Search, Shop, Track, VaultBuy, VaultDownload, VaultSearch } from "@till402/core/effect"
import {
  fakeAssistant,
  fakeFacilitator,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles
} from "@till402/testing"
import {
  type DiscoveryExtension,
  extractDiscoveryInfo,
  isValidRouteTemplate,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec
} from "@x402/extensions/bazaar"
import { payingFetch } from "@till402/sandbox"
import { payingFetchV1 } from "@till402/v1-client"
import { Schema } from "effect"
import { generatePrivateKey } from "viem/accounts"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"

/*
 * The official Bazaar validator and extractor read the discovery data of every route: in the challenges of a till below a
 * prefix, and in the payments of official clients as a facilitator receives them.
 */

const baseUrl = "https://shop.example/api"
const purchaseId = "7d0c5b1a-92b4-4b43-8a3e-1f0f5a3f6b11"
const routes = {
  search: { method: "GET", path: "/x402/search", endpoint: Search.endpoint },
  shop: { method: "POST", path: "/x402/shop", endpoint: Shop.endpoint },
  buy: { method: "POST", path: "/x402/buy", endpoint: Buy.endpoint },
  track: { method: "GET", path: "/x402/track", endpoint: Track.endpoint },
  vaultSearch: { method: "GET", path: "/x402/vault/search", endpoint: VaultSearch.endpoint },
  vaultBuy: { method: "POST", path: "/x402/vault/buy", endpoint: VaultBuy.endpoint },
  vaultDownload: {
    method: "GET",
    path: `/x402/vault/download/${purchaseId}`,
    endpoint: VaultDownload.endpoint
  }
}
type Route = keyof typeof routes
const ids = Object.keys(routes) as ReadonlyArray<Route>

const openTill = async (options: Partial<TillOptions> = {}) => {
  const till = Till.make({
    baseUrl,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    marketplaces: { marketplace_a: fakeMarketplace(), marketplace_b: fakeMarketplace("marketplace_b") },
    assistant: fakeAssistant(),
    fulfilment: fakeFulfilment(),
    tracker: fakeTracker(),
    vault: fakeVaultFiles(),
    mailer: fakeMailer(),
    onEvent: () => undefined,
    ...options
  })
  await till.ready
  return till
}
type OpenTill = Awaited<ReturnType<typeof openTill>>

// eslint-disable-next-line typescript/no-explicit-any -- JSON documents from outside
type Json = any
type Extension = DiscoveryExtension & { readonly routeTemplate?: string; readonly info: Json }

/** A 402: the header of version 2 and the body of version 1. */
const challengeOf = async (till: OpenTill, url: string, init?: RequestInit) => {
  const response = await till.fetch(new Request(url, init))
  const body: Json = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(402)
  const encoded = response.headers.get("payment-required")!
  const header: Json = JSON.parse(Buffer.from(encoded, "base64").toString("utf8"))
  return { body, encoded, header, extension: header.extensions.bazaar as Extension }
}

/** The empty request that indexers probe with. */
const probe = (till: OpenTill, id: Route) =>
  challengeOf(till, baseUrl + routes[id].path, { method: routes[id].method })

const asText = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

let till: OpenTill
beforeAll(async () => {
  till = await openTill()
  return () => till.dispose()
})

it("the discovery data of an own route whose parameters have no example is valid, as in docs/start.md", async () => {
  const weather = operation({
    id: "weather",
    method: "GET",
    path: "/weather/:city",
    description: "Weather of a city, now",
    price: "0.02",
    work: ({ city }) => ({ city, celsius: 21 })
  })
  const own = await openTill({ operations: [weather] })
  onTestFinished(own.dispose)
  const { extension } = await challengeOf(own, `${baseUrl}/weather/oslo`)
  expect(validateDiscoveryExtensionSpec(extension as never)).toEqual({ valid: true })
  expect(validateDiscoveryExtension(extension)).toEqual({ valid: true })
})

describe.each(ids)("the discovery data of %s", (id) => {
  const { endpoint, method, path } = routes[id]

  it("is valid for the official validator, in a header below 8 KB", async () => {
    const { encoded, extension } = await probe(till, id)
    expect(validateDiscoveryExtensionSpec(extension as never)).toEqual({ valid: true })
    expect(validateDiscoveryExtension(extension)).toEqual({ valid: true })
    expect(extension.info.input).toMatchObject({ type: "http", method })
    expect(encoded.length).toBeLessThan(8_192)
  })

  it("is listed by an indexer under its public address, in both versions", async () => {
    const { body, header } = await probe(till, id)
    const template = id === "vaultDownload" ? "/x402/vault/download/:purchaseId" : path
    const listed = extractDiscoveryInfo({ ...header, accepted: header.accepts[0] }, header.accepts[0])
    expect(listed).toMatchObject({ resourceUrl: baseUrl + template, method, x402Version: 2 })
    expect(listed!.description!.length).toBeLessThanOrEqual(500)
    const legacy = extractDiscoveryInfo({ ...header, x402Version: 1 }, body.accepts[0])
    expect(legacy).toMatchObject({ method, x402Version: 1 })
    expect(legacy!.discoveryInfo.input).toMatchObject({ type: "http", method })
    expect(legacy!.discoveryInfo.output?.example).toEqual(body.accepts[0].outputSchema.output)
    expect(validateDiscoveryExtension(legacy!.extensions!["bazaar"] as DiscoveryExtension).valid).toBe(true)
  })

  it("has an example input that the endpoint's schemas accept", async () => {
    const { input } = (await probe(till, id)).extension.info
    const decode = (schema: Schema.Top, value: unknown) =>
      Schema.decodeUnknownSync(schema as Schema.Codec<unknown>)(value)
    if (endpoint.query !== undefined) decode(endpoint.query, asText(input.queryParams))
    if (endpoint.params !== undefined) decode(endpoint.params, asText(input.pathParams))
    for (const { schemas } of endpoint.payload.values()) decode(schemas[0], input.body)
  })

  it("has an example output that the endpoint's schema accepts", async () => {
    const { body, extension } = await probe(till, id)
    const { output: example } = body.accepts[0].outputSchema
    const [success] = endpoint.success as ReadonlySet<Schema.Top>
    // The header has no room for it.
    const { output } = extension.info
    expect(output).toEqual({ type: id === "vaultDownload" ? "application/zip" : "json" })
    if (id === "vaultDownload") expect(Buffer.from(example, "base64").subarray(0, 2).toString()).toBe("PK")
    else Schema.decodeUnknownSync(success as Schema.Codec<unknown>)(example)
  })

  it("leads to a call that the till accepts", async () => {
    const { extension, header } = await probe(till, id)
    const { body, pathParams = {}, queryParams = {} } = extension.info.input
    const { origin, pathname } = new URL(header.resource.url)
    const route = (extension.routeTemplate ?? pathname).replace(
      /:(\w+)/g,
      (_: string, name: string) => pathParams[name]
    )
    const query = new URLSearchParams(asText(queryParams)).toString()
    const [item] = VaultSearch.example.output.items
    await till.vault.put({ ...item!, slug: VaultBuy.example.input.slug })
    await challengeOf(till, `${origin}${route}${query === "" ? "" : `?${query}`}`, {
      method: extension.info.input.method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
    })
  })

  it("is invalid with text instead of a number or an object, or without a required field", async () => {
    const { extension } = await probe(till, id)
    const { input } = extension.info
    const field = method === "GET" ? "queryParams" : "body"
    const broken = [
      { ...input, [field]: "text" },
      { ...input, [field]: undefined },
      { ...input, method: "PUT" },
      ...brokenFields[id].map((fields) => ({ ...input, [field]: { ...input[field], ...fields } }))
    ]
    for (const wrong of broken) {
      const info = JSON.parse(JSON.stringify({ ...extension.info, input: wrong }))
      expect(validateDiscoveryExtension({ ...extension, info }).valid, JSON.stringify(wrong)).toBe(false)
    }
  })
})

/** Faults in single fields of an input. */
const brokenFields: Readonly<Record<Route, ReadonlyArray<object>>> = {
  search: [{ priceMax: "150" }, { page: "1" }, { q: 1 }],
  shop: [{ message: 1 }, { context: { priceRange: { max: "120" } } }],
  buy: [{ email: 1 }, { shippingAddress: "12 Analytical Way" }],
  track: [{ carrier: "100002" }, { number: 1 }],
  vaultSearch: [{ limit: "10" }, { category: "no category" }],
  vaultBuy: [{ slug: 1 }, { email: undefined }],
  vaultDownload: [{ downloadToken: 1 }]
}

const json = { "content-type": "application/json" }
const post = (path: string, body: object) =>
  [path, { method: "POST", headers: json, body: JSON.stringify(body) }] as const
const email = "ada@mail.example"
const wallet = "So11111111111111111111111111111111111111112"

/** Sends requests to a till, without what the client repeats of the challenge. */
const withoutEcho =
  (base: typeof fetch): typeof fetch =>
  (input, init) => {
    const request = new Request(input, init)
    const header = request.headers.get("payment-signature")
    if (header !== null) {
      const payment: Json = JSON.parse(atob(header))
      const { resource: _, extensions: __, ...rest } = payment
      request.headers.set("payment-signature", btoa(JSON.stringify(rest)))
    }
    return base(request)
  }

const clients: Readonly<Record<string, (base: typeof fetch) => typeof fetch>> = {
  "version 2": (base) => payingFetch(generatePrivateKey(), 1_000, base),
  "version 2, which repeats nothing": (base) => payingFetch(generatePrivateKey(), 1_000, withoutEcho(base)),
  "version 1": (base) => payingFetchV1(generatePrivateKey(), 1_000_000_000n, base)
}

describe.each(Object.keys(clients))("a payment of the official client of %s", (name) => {
  it("lists the service, each route by its fixed description", async () => {
    const facilitator = fakeFacilitator()
    const paidTill = await openTill({ facilitator })
    onTestFinished(() => paidTill.dispose())
    const [item] = VaultSearch.example.output.items
    await paidTill.vault.put({ ...item!, slug: "launch-plan", price: 5 })
    const pay = clients[name]!((input, init) => paidTill.fetch(new Request(input, init)))
    /** Pays for a call, and reads what its facilitator lists, when it verifies and when it settles. */
    const listingsOf = async (id: Route, path: string, init?: RequestInit) => {
      const { settle, verify } = facilitator
      const [verified, settled] = [verify.calls.length, settle.calls.length]
      const response = await pay(baseUrl + path, init)
      expect(response.status, await response.clone().text()).toBe(200)
      const { body, header } = await probe(till, id)
      expect(settle.calls).toHaveLength(settled + 1)
      const sent: Json = [...verify.calls.slice(verified), ...settle.calls.slice(settled)]
      for (const [payment, requirements] of sent) {
        const listed = extractDiscoveryInfo(payment, requirements)
        const template = id === "vaultDownload" ? "/x402/vault/download/:purchaseId" : routes[id].path
        expect(listed).toMatchObject({ resourceUrl: baseUrl + template, method: routes[id].method })
        expect(listed!.description).toBe(descriptions[id])
        if (payment.x402Version === 2) {
          expect(listed!.discoveryInfo).toMatchObject(header.extensions.bazaar.info)
          expect(listed!.discoveryInfo.output?.example).toEqual(body.accepts[0].outputSchema.output)
          expect(Object.keys(listed!.extensions!)).toEqual(["bazaar"])
        }
      }
      return response
    }
    await listingsOf("search", "/x402/search?q=tote")
    await listingsOf("track", "/x402/track?number=EE123456785US")
    await listingsOf("shop", ...post("/x402/shop", { message: "a bag for books" }))
    await listingsOf("buy", ...post("/x402/buy", Buy.example.input))
    const order = { slug: "launch-plan", walletAddress: wallet, email }
    const bought = await listingsOf("vaultBuy", ...post("/x402/vault/buy", order))
    const { downloadToken, purchaseId: id } = (await bought.json()) as Record<string, string>
    await listingsOf("vaultDownload", `/x402/vault/download/${id}?downloadToken=${downloadToken}`)
  })
})

const descriptions: Readonly<Record<Route, string>> = {
  search: "Product search over two marketplaces",
  shop: "AI shopping assistant: a reply and recommended products",
  buy: "Purchase of a product, tax and shipping included",
  track: "Live status of a shipment",
  vaultSearch: "Search of digital assets: skills, knowledge, personas",
  vaultBuy: "Purchase of a vault item",
  vaultDownload: "Download of a purchased vault item as a ZIP archive"
}

describe("the service's own name", () => {
  it("is what an indexer shows, by the 402 and by what a facilitator gets", async () => {
    const identity = {
      serviceName: "Lamp shop",
      tags: ["lamps", "shopping"],
      iconUrl: "https://lamps.example/icon.png"
    }
    const facilitator = fakeFacilitator()
    const named = await openTill({ ...identity, facilitator })
    onTestFinished(() => named.dispose())
    const { header } = await probe(named, "search")
    const { extensions, resource, x402Version } = header
    const payload = { x402Version, resource, extensions, accepted: header.accepts[0] }
    expect(extractDiscoveryInfo(payload as never, header.accepts[0])).toMatchObject(identity)
    const pay = clients["version 2"]!((input, init) => named.fetch(new Request(input, init)))
    expect((await pay(`${baseUrl}/x402/search?q=tote`)).status).toBe(200)
    const [settled, requirements]: Json = facilitator.settle.calls.at(-1)
    expect(extractDiscoveryInfo(settled, requirements)).toMatchObject(identity)
  })
})

describe("a route with a parameter in its path", () => {
  it("contains its template in the official syntax, and a value for each parameter", async () => {
    const { extension } = await probe(till, "vaultDownload")
    expect(extension.routeTemplate).toBe("/api/x402/vault/download/:purchaseId")
    expect(isValidRouteTemplate(extension.routeTemplate)).toBe(true)
    expect(Object.keys(extension.info.input.pathParams)).toEqual(["purchaseId"])
    const info = { ...extension.info, input: { ...extension.info.input, pathParams: { purchaseId: 1 } } }
    expect(validateDiscoveryExtension({ ...extension, info }).valid).toBe(false)
  })

  it("follows the prefix of each till", async () => {
    const other = await openTill({ baseUrl: "https://other.example" })
    onTestFinished(() => other.dispose())
    const { header } = await challengeOf(other, `https://other.example${routes.vaultDownload.path}`)
    expect(header.extensions.bazaar.routeTemplate).toBe("/x402/vault/download/:purchaseId")
  })
})

describe("the listing and the titles", () => {
  it("lists resources that all have valid discovery data", async () => {
    const response = await till.fetch(new Request("https://shop.example/api/.well-known/x402"))
    const { resources } = (await response.json()) as { readonly resources: ReadonlyArray<string> }
    expect(resources).toHaveLength(6)
    for (const resource of resources) {
      const [method, path] = resource.split(" ") as [string, string]
      const url = baseUrl + path.replace("{purchaseId}", purchaseId)
      const { extension } = await challengeOf(till, url, { method })
      expect(validateDiscoveryExtension(extension)).toEqual({ valid: true })
    }
  })

  it.each([
    [{ marketplace_a: fakeMarketplace() }, "Product search over one marketplace"],
    [{ marketplace_b: fakeMarketplace("marketplace_b") }, "Product search over one marketplace"],
    [
      { marketplace_a: fakeMarketplace(), marketplace_b: fakeMarketplace("marketplace_b") },
      "Product search over two marketplaces"
    ]
  ])("counts the configured marketplaces: %#", async (marketplaces, description) => {
    const counted = await openTill({ marketplaces })
    onTestFinished(() => counted.dispose())
    const { body, header } = await probe(counted, "search")
    expect(header.resource.description).toBe(description)
    expect(body.accepts[0].description).toBe(description)
  })
})
