import { assert, describe, it } from "vitest"
import { searchArguments } from "../../src/shopify/SearchCall.ts"
import { fakeCatalogue, productDocument } from "../shopify/fakeCatalogue.ts"
import { fixture } from "../shopify/respondingCatalogue.ts"
import { contractOf } from "./contract.ts"

const contract = contractOf("shopify-catalogue")
const requestFaults = (body: unknown) => contract.requestFaults("search_catalog", body)
const responseFaults = (body: unknown) => contract.responseFaults("search_catalog", body)

const settings = {
  market: { country: "US", currency: "USD", language: "en" },
  profileUrl: "https://shop.example.com/.well-known/ucp-agent.json",
  pageSize: 10,
  selection: { shipsTo: "US", condition: "new", shopIds: ["gid://shopify/Shop/1"] }
} as const
const query = { q: "shoes", page: 2, brand: "Northwind", priceMin: 10.5, priceMax: 20 }
const { catalog, meta } = searchArguments(query, "c1", settings) as {
  readonly meta: unknown
  readonly catalog: Readonly<Record<string, object>>
}

const structuredContentOf = (response: unknown) =>
  (response as { readonly result: { readonly structuredContent: Readonly<Record<string, unknown>> } }).result
    .structuredContent

describe("Shopify's catalogue", () => {
  it("describes the arguments of a search with every filter and a cursor", () => {
    assert.hasAllKeys(catalog["filters"], ["available", "condition", "price", "ships_to", "shop_ids"])
    assert.hasAllKeys(catalog["pagination"], ["cursor", "limit"])
    assert.deepStrictEqual(requestFaults({ meta, catalog }), [])
  })

  it("describes the fixtures and what the fake catalogue responds", () => {
    const call = fixture("search-catalog.request") as {
      readonly params: { readonly arguments: Readonly<Record<string, unknown>> }
    }
    assert.deepStrictEqual(requestFaults(call.params.arguments), [])
    assert.deepStrictEqual(responseFaults(structuredContentOf(fixture("search-catalog.response"))), [])
    const fake = fakeCatalogue([productDocument(1), productDocument(2)])
    for (const pagination of [{ limit: 1 }, { limit: 1, cursor: "0-1" }]) {
      const page = fake.respond({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "search_catalog",
          arguments: {
            meta: { "ucp-agent": { profile: settings.profileUrl } },
            catalog: { query: "shoes", context: {}, pagination }
          }
        }
      })
      assert.deepStrictEqual(responseFaults(structuredContentOf(page)), [])
    }
  })

  it("disagrees with a field that is misspelled, missing or of another type", () => {
    const changed = (part: string, fields: object) =>
      requestFaults({ meta, catalog: { ...catalog, [part]: { ...catalog[part], ...fields } } })
    assert.deepStrictEqual(changed("filters", { shipsTo: "US" }), [
      "request.catalog.filters.shipsTo: no such field"
    ])
    assert.deepStrictEqual(changed("filters", { price: { min: 10.5 } }), [
      "request.catalog.filters.price.min: not of type integer"
    ])
    assert.deepStrictEqual(changed("context", { country: "US" }), [
      "request.catalog.context.country: no such field"
    ])
    assert.deepStrictEqual(changed("pagination", { after: "c1" }), [
      "request.catalog.pagination.after: no such field"
    ])
    const page = structuredContentOf(fixture("search-catalog.response"))
    assert.deepStrictEqual(responseFaults({ ...page, pagination: { hasNextPage: true } }), [
      "response.pagination.has_next_page: missing",
      "response.pagination.hasNextPage: no such field"
    ])
    assert.deepStrictEqual(responseFaults({ ...page, products: [productDocument(1, { name: "Shoe" })] }), [
      "response.products[0].name: no such field"
    ])
  })
})
