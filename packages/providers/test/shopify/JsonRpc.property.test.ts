import { Effect, Result } from "effect"
import { Headers } from "effect/http"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { readToolResponse } from "../../src/shopify/JsonRpc.ts"
import { readPage } from "../../src/shopify/SearchCall.ts"
import { perhaps } from "./anyCatalogue.ts"
import { shareOfRuns } from "../../../core/test/domain/seeded.ts"

describe("any response of the catalogue", () => {
  const read = (text: string, contentType: string) =>
    Effect.runSync(
      Effect.result(
        readToolResponse({
          upstream: "shopify",
          status: 200,
          headers: Headers.fromInput({ "content-type": contentType }),
          text
        })
      )
    )
  const contentTypes = fc.constantFrom("application/json", "text/event-stream", "text/html", "")

  it("is a document or a fault that quotes nothing of it", () => {
    const documents = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          jsonrpc: fc.constant("2.0"),
          result: perhaps(
            fc.record({
              isError: perhaps(fc.boolean()),
              structuredContent: perhaps(fc.record({ products: fc.jsonValue(), messages: fc.jsonValue() })),
              content: perhaps(fc.array(fc.jsonValue()))
            })
          ),
          error: perhaps(fc.record({ code: fc.jsonValue(), data: fc.jsonValue() }))
        })
        .map((document) => JSON.stringify(document))
    )
    fc.assert(
      fc.property(documents, contentTypes, (text, contentType) => {
        const result = read(text, contentType)
        if (Result.isSuccess(result)) {
          assert.isObject(result.success)
        } else {
          const { failure } = result
          assert.include(["ResponseMalformed", "CatalogueRefused", "RateLimited"], failure._tag)
          if (failure._tag === "CatalogueRefused") assert.match(failure.code, /^\w{1,60}$/)
        }
      }),
      { numRuns: shareOfRuns(1_000) }
    )
  })

  it("is the same as JSON and as an event stream, wherever its lines end", () => {
    const products = fc.array(fc.record({ id: fc.string(), title: fc.string() }), { maxLength: 3 })
    fc.assert(
      fc.property(products, fc.constantFrom("\n", "\r\n", "\r"), fc.nat(), (found, newline, at) => {
        const response = { jsonrpc: "2.0", id: 1, result: { structuredContent: { products: found } } }
        const lines = JSON.stringify(response, null, 1).split("\n")
        const split = (at % lines.length) + 1
        const data = [lines.slice(0, split).join(""), lines.slice(split).join("")].filter(
          (line) => line !== ""
        )
        const stream = [...data.map((line) => `data: ${line}`), "", ""].join(newline)
        const [asJson, asStream] = [
          read(JSON.stringify(response), "application/json"),
          read(stream, "text/event-stream")
        ]
        assert(Result.isSuccess(asJson) && Result.isSuccess(asStream))
        assert.deepStrictEqual(asStream.success, asJson.success)
        assert.deepStrictEqual(readPage(asStream.success)?.products as unknown, found)
      })
    )
  })
})
