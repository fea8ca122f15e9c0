import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { endpoint, ids, thrownBy } from "./catalogue.ts"
import { fakeCatalogue, productDocument, rpcError, toolResponse, type ToolCall } from "./fakeCatalogue.ts"
import { server, fixture, respondWith, search } from "./respondingCatalogue.ts"

/*
 * Requests to the global catalogue, and the handling of its responses and refusals.
 */

interceptRequests(server)

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
