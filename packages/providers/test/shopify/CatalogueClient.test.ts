import { readFileSync } from "node:fs"
import type { ProductQuery } from "@till402/core"
import { SearchProduct } from "@till402/core/effect"
import { Schema } from "effect"
import { http, HttpResponse } from "msw"
import { setupServer } from "msw/node"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { catalogue, endpoint, ids, profileUrl, searchOf, thrownBy } from "./catalogue.ts"
import {
  fakeCatalogue,
  productDocument,
  rpcError,
  toolResponse,
  type ToolCall,
  variantDocument
} from "./fakeCatalogue.ts"

/*
 * Requests to the global catalogue, and the handling of its responses and refusals.
 */

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"))

/** Responds to every call with this document; returns the requests received. */
const respondWith = (document: unknown, init: { readonly status?: number } = {}) => {
  const requests: Array<{ readonly call: ToolCall; readonly headers: Headers }> = []
  server.use(
    http.post(endpoint, async ({ request }) => {
      requests.push({ call: (await request.json()) as ToolCall, headers: request.headers })
      return HttpResponse.json(document as null, init)
    })
  )
  return requests
}

const products = (...documents: ReadonlyArray<unknown>) =>
  toolResponse({ ucp: { version: "2026-08-25" }, products: documents, pagination: {}, messages: [] })

/** Each by a catalogue of its own: no case is touched by another's pauses or cursors. */
const search = (query: Partial<ProductQuery> = {}) => searchOf(catalogue())(query)

describe("a call of the catalogue", () => {
  it("is the documented one", async () => {
    const requests = respondWith(products())
    await searchOf(catalogue({ pageSize: 20 }))({ priceMin: 20, priceMax: 150 })
    assert.deepStrictEqual(requests[0]!.call as unknown, fixture("search-catalog.request"))
    const { headers } = requests[0]!
    assert.strictEqual(headers.get("content-type"), "application/json")
    assert.strictEqual(headers.get("accept"), "application/json, text/event-stream")
    assert.isNull(headers.get("authorization"), "the anonymous tier sends no token")
  })

  it("requests 50 products without a price filter by default", async () => {
    const requests = respondWith(products())
    await search()
    const { catalog, meta } = requests[0]!.call.params.arguments
    assert.deepStrictEqual(catalog.pagination, { limit: 50 })
    assert.deepStrictEqual(catalog.filters, { available: true, ships_to: { country: "US" } })
    assert.strictEqual(meta["ucp-agent"].profile, profileUrl)
  })

  it("carries the brand in the query, once", async () => {
    const requests = respondWith(products())
    await search({ brand: "Northwind" })
    await search({ q: "northwind trail shoes", brand: "Northwind" })
    assert.deepStrictEqual(
      requests.map(({ call }) => call.params.arguments.catalog.query),
      ["Northwind trail shoes", "northwind trail shoes"]
    )
  })

  it("names the market and the selection that the host chose", async () => {
    const requests = respondWith(products())
    const shopIds = ["gid://shopify/Shop/55891492909"]
    const options = { country: "CA", currency: "CAD", language: "fr-CA", condition: "new", shopIds } as const
    await searchOf(catalogue(options))({ priceMax: 100 })
    await searchOf(catalogue({ ...options, shipsTo: "US" }))()
    await searchOf(catalogue({ ...options, shipsTo: false }))()
    const asked = requests.map(({ call }) => call.params.arguments.catalog)
    assert.deepStrictEqual(asked[0]!.context, {
      address_country: "CA",
      currency: "CAD",
      language: "fr-CA"
    })
    // Filters are in US dollars: a bound in Canadian ones would be another one.
    const rest = { available: true, condition: ["new"], shop_ids: shopIds }
    assert.deepStrictEqual(asked[0]!.filters, { ...rest, ships_to: { country: "CA" } })
    assert.deepStrictEqual(asked[1]!.filters, { ...rest, ships_to: { country: "US" } })
    assert.deepStrictEqual(asked[2]!.filters, rest)
  })

  it("counts bounds in cents, never tighter than they are", async () => {
    const requests = respondWith(products())
    await search({ priceMin: 19.99, priceMax: 19.991 })
    await search({ priceMin: 0.001, priceMax: 1e20 })
    assert.deepStrictEqual(
      requests.map(({ call }) => call.params.arguments.catalog.filters!["price"]),
      [
        { min: 1999, max: 2000 },
        { min: 0, max: 999_999_999_999_999 }
      ]
    )
  })
})

describe("a product of the catalogue", () => {
  it("is read as the contract's", async () => {
    respondWith(fixture("search-catalog.response"))
    assert.deepStrictEqual(await search(), {
      products: [
        {
          asin: "gid://shopify/p/6dVbTest0001",
          title: "Northwind Trail Shoe",
          price: 89,
          currency: "USD",
          rating: 4.7,
          reviewCount: 212,
          imageUrl: "https://cdn.shopify.com/s/files/1/test/shoe.jpg",
          productUrl: "https://northwind.example/products/trail-shoe?variant=40183717920813",
          source: "marketplace_b",
          isExpedited: false
        }
      ],
      totalResults: 143,
      hasMore: true
    })
  })

  it("has null for missing fields", async () => {
    respondWith(products({ id: "gid://shopify/p/1", title: "Bare", variants: [{}] }))
    assert.deepStrictEqual((await search()).products, [
      {
        asin: "gid://shopify/p/1",
        title: "Bare",
        price: null,
        currency: "USD",
        rating: null,
        reviewCount: null,
        imageUrl: null,
        productUrl: null,
        source: "marketplace_b",
        isExpedited: false
      }
    ])
  })

  it("has its price in units of the currency", async () => {
    const priced = [
      { amount: 8900, currency: "USD" },
      { amount: 8900, currency: "JPY" },
      { amount: 8905, currency: "KWD" },
      { amount: 5, currency: "usd" },
      { amount: 0, currency: "EUR" },
      { amount: "1999", currency: "GBP" },
      { amount: 19.99, currency: "USD" },
      { amount: -1, currency: "USD" },
      { amount: null, currency: "USD" },
      { currency: "dollars" }
    ]
    respondWith(products(...priced.map((price, index) => productDocument(index, {}, { price }))))
    const page = await search()
    assert.deepStrictEqual(
      page.products.map(({ currency, price }) => [price, currency]),
      [
        [89, "USD"],
        [8900, "JPY"],
        [8.905, "KWD"],
        [0.05, "USD"],
        [0, "EUR"],
        [19.99, "GBP"],
        [null, "USD"],
        [null, "USD"],
        [null, "USD"],
        [null, "USD"]
      ]
    )
  })

  it("has its rating out of five", async () => {
    const ratings = [
      { value: 4.7, scale_max: 5, count: 3 },
      { value: 8.7, scale_max: 10 },
      { value: 93, scale_min: 0, scale_max: 100 },
      { value: 4.5 },
      { value: 7, scale_max: 5 },
      { value: 3, scale_max: 0 },
      { value: "good", scale_max: 5 },
      { value: -1, scale_max: 5 },
      null
    ]
    respondWith(products(...ratings.map((rating, index) => productDocument(index, { rating }))))
    assert.deepStrictEqual(
      (await search()).products.map(({ rating }) => rating),
      [4.7, 4.35, 4.65, 4.5, null, null, null, null, null]
    )
  })

  it("is the first variant that can be bought, with its own price, page and picture", async () => {
    const soldOut = variantDocument(1, { availability: { available: false, status: "out_of_stock" } })
    const pictured = variantDocument(2, {
      price: { amount: 2500, currency: "USD" },
      media: [
        { type: "video", url: "https://cdn.shopify.com/film.mp4" },
        { type: "image", url: "https://cdn.shopify.com/second.jpg" }
      ]
    })
    respondWith(
      products(
        productDocument(1, { variants: [soldOut, pictured, variantDocument(3)] }),
        productDocument(2, { variants: [soldOut] }),
        productDocument(3, { variants: [] })
      )
    )
    const page = await search()
    assert.deepStrictEqual(ids(page), ["test1"])
    assert.deepInclude(page.products[0]!, {
      price: 25,
      productUrl: "https://northwind.example/products/product-2?variant=2",
      imageUrl: "https://cdn.shopify.com/second.jpg"
    })
  })

  it("has a page that names the variant, whether the catalogue's does or not", async () => {
    const at = (id: string, url: unknown, product: Record<string, unknown> = {}) =>
      productDocument(1, product, { id, url: url as string })
    const variant = "gid://shopify/ProductVariant/77?shop=1"
    respondWith(
      products(
        at(variant, "https://a.example/products/x"),
        at(variant, "https://a.example/products/x?variant=77&_gsid=abc"),
        at(variant, "https://a.example/products/x?variant=1"),
        at(variant, undefined, { url: "https://a.example/products/y" }),
        at("unknown", "https://a.example/products/x?variant=88"),
        at("unknown", "https://a.example/products/x"),
        at(variant, "javascript:alert(1)"),
        at(variant, 7)
      )
    )
    assert.deepStrictEqual(
      (await search()).products.map(({ productUrl }) => productUrl),
      [
        "https://a.example/products/x?variant=77",
        "https://a.example/products/x?variant=77&_gsid=abc",
        "https://a.example/products/x?variant=77",
        "https://a.example/products/y?variant=77",
        "https://a.example/products/x?variant=88",
        "https://a.example/products/x",
        null,
        null
      ]
    )
  })

  it("passes a price filter only by a variant in dollars within it", async () => {
    const priced = (amount: number, currency = "USD") =>
      variantDocument(amount, { price: { amount, currency } })
    respondWith(
      products(
        productDocument(1, { variants: [priced(999), priced(1500), priced(1600)] }),
        productDocument(2, { variants: [priced(1000)] }),
        productDocument(3, { variants: [priced(2001)] }),
        productDocument(4, { variants: [priced(1500, "EUR")] }),
        productDocument(5, { variants: [variantDocument(5, { price: {} })] }),
        productDocument(6, { variants: [priced(2000)] })
      )
    )
    const page = await search({ priceMin: 10, priceMax: 20 })
    assert.deepStrictEqual(ids(page), ["test1", "test2", "test6"])
    assert.deepStrictEqual(
      page.products.map(({ price }) => price),
      [15, 10, 20]
    )
    assert.deepStrictEqual(ids(await search({ priceMin: 20.005 })), ["test3"])
    assert.strictEqual((await search()).products.length, 6)
  })

  it("passes a brand filter by its brand, else by its title or its seller's name", async () => {
    const by = (name: string) => ({ seller: { name } })
    respondWith(
      products(
        productDocument(1, { title: "Tree Runner", brand: "Northwind" }),
        productDocument(2, { title: "Laces for Northwind shoes", brand: "Zephyr" }),
        productDocument(3, { title: "Tree Runner" }, by("Northwind")),
        productDocument(4, { title: "Northwind Runner" }, by("All the Shoes")),
        productDocument(5, { title: "Tree Runner" }, by("Northwinders"))
      )
    )
    assert.deepStrictEqual(ids(await search({ brand: "northwind" })), ["test1", "test3", "test4"])
  })

  it("may have unknown fields and values", async () => {
    respondWith(
      products(
        productDocument(
          1,
          { hologram: { of: ["the", "product"] }, options: "none", tags: { new: true } },
          {
            availability: { available: true, status: "on_the_moon" },
            media: [{ type: "hologram", url: "https://cdn.shopify.com/h" }],
            price: { amount: 1000, currency: "USD", mood: "bright" }
          }
        )
      )
    )
    const { products: found } = await search()
    assert.isTrue(found.every(Schema.is(SearchProduct)))
    assert.deepInclude(found[0]!, { price: 10, imageUrl: "https://cdn.shopify.com/1.jpg" })
  })

  it("is dropped without an id or title, and doesn't fail the search", async () => {
    respondWith(products(null, "ad", { id: 7, title: "x" }, { id: "x", title: " " }, productDocument(1)))
    const page = await search()
    assert.deepStrictEqual(ids(page), ["test1"])
    assert.strictEqual(page.totalResults, 5)
  })
})

describe("a response of the catalogue", () => {
  it("may come as the message of an event stream", async () => {
    const { respond } = fakeCatalogue([productDocument(1)])
    server.use(
      http.post(endpoint, async ({ request }) => {
        const document = JSON.stringify(respond((await request.json()) as ToolCall))
        const [head, tail] = [
          document.slice(0, document.indexOf(",") + 1),
          document.slice(document.indexOf(",") + 1)
        ]
        const progress = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: {} })
        return new HttpResponse(
          `: hello\r\n\r\nevent: message\r\ndata: ${progress}\r\n\r\nid: 2\r\ndata: ${head}\r\ndata:${tail}\r\n\r\n`,
          { headers: { "content-type": "text/event-stream; charset=utf-8" } }
        )
      })
    )
    assert.deepStrictEqual(ids(await search()), ["test1"])
  })

  it("may come as text, with notices behind", async () => {
    const document = { ucp: { version: "2026-04-08" }, products: [productDocument(1)] }
    const content = [
      { type: "text", text: JSON.stringify(document) },
      { type: "text", text: "DEPRECATION NOTICE: ..." }
    ]
    respondWith({ jsonrpc: "2.0", id: 1, result: { content, isError: false } })
    assert.deepStrictEqual(ids(await search()), ["test1"])
  })

  it("may have warnings", async () => {
    respondWith(
      toolResponse({
        ucp: { version: "2026-08-25", status: "success" },
        products: [productDocument(1)],
        messages: [{ type: "warning", code: "partial_results" }, { type: "omen" }]
      })
    )
    assert.deepStrictEqual(ids(await search()), ["test1"])
  })

  it.each([
    ["not JSON", "<html>"],
    ["no JSON-RPC", JSON.stringify({ products: [] })],
    ["a result of null", JSON.stringify({ jsonrpc: "2.0", id: 1, result: null })],
    ["cut off", JSON.stringify(toolResponse({ products: [] })).slice(0, -5)],
    ["without products", JSON.stringify(toolResponse({ ucp: {} }))],
    ["with products that are no list", JSON.stringify(toolResponse({ products: {} }))],
    ["with no product that can be read", JSON.stringify(toolResponse({ products: [{ name: "shoe" }] }))],
    ["empty", ""]
  ])("is unusable when it is %s: a 502", async (_, body) => {
    server.use(
      http.post(endpoint, () => new HttpResponse(body, { headers: { "content-type": "application/json" } }))
    )
    const error = await thrownBy(search())
    assert.strictEqual(error._tag, "ResponseMalformed")
  })
})

describe("a refusal of the catalogue", () => {
  it("of a profile without the capability is reported as such", async () => {
    respondWith(fixture("error-tool-not-found"))
    const error = await thrownBy(search())
    assert.strictEqual(error._tag, "CatalogueRefused")
    assert.strictEqual(error.code, "RPC_32602")
    assert.include(error.message, "agent profile")
  })

  it.each(["invalid_profile_url", "profile_unreachable", "profile_malformed", "version_unsupported"])(
    "of the profile (%s) names the code, whatever the status",
    async (code) => {
      for (const status of [200, 422, 424]) {
        respondWith(rpcError(-32001, "UCP discovery failed: trail shoes", { code }), { status })
        const error = await thrownBy(search())
        assert.strictEqual(error._tag, "CatalogueRefused")
        assert.strictEqual(error.code, code)
        assert.include(error.message, "profileUrl")
      }
    }
  )

  it("by a tool's error or a document's status names the message's code", async () => {
    const messages = [
      { type: "info", code: "fyi" },
      { type: "error", code: "invalid_input", content: "trail shoes" }
    ]
    respondWith(toolResponse({ products: [], messages }, { isError: true }))
    assert.strictEqual((await thrownBy(search())).code, "invalid_input")
    respondWith(toolResponse({ ucp: { status: "error" }, messages }))
    assert.strictEqual((await thrownBy(search())).code, "invalid_input")
    respondWith({
      jsonrpc: "2.0",
      id: 1,
      result: { isError: true, content: [{ type: "text", text: "trail shoes" }] }
    })
    assert.strictEqual((await thrownBy(search())).code, "tool_error")
  })

  it("quotes nothing of the response", async () => {
    respondWith(rpcError(-32603, "trail shoes", { code: "trail shoes", detail: "trail shoes" }))
    const error = await thrownBy(search())
    assert.strictEqual(error.code, "RPC_32603")
  })

  it.each([
    ["a rate limit in the response", rpcError(-32000, "slow down", { code: "rate_limited" }), 200],
    ["a rate limit by status", rpcError(-32000, "slow down"), 429],
    ["an outage", rpcError(-32603, "down"), 503]
  ])("that passes by itself (%s) is a 503", async (_, document, status) => {
    respondWith(document, { status })
    const error = await thrownBy(search())
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
  })

  it("includes the pause that the catalogue requests", async () => {
    server.use(
      http.post(endpoint, () => new HttpResponse("", { status: 429, headers: { "retry-after": "17" } }))
    )
    const error = await thrownBy(search())
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
    assert.strictEqual(error.retryAfterSeconds, 17)
  })

  it("without words is a 502", async () => {
    respondWith("nothing to see", { status: 404 })
    const error = await thrownBy(search())
    assert.strictEqual(error._tag, "Rejected")
    assert.strictEqual(error.code, "HTTP_404")
  })
})
