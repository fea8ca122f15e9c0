import { assert, describe, it } from "@effect/vitest"
import { UpstreamFailed, UpstreamUnavailable } from "../../src/shop/ports/PortErrors.ts"
import { causeName } from "../../src/runtime/causeName.ts"

describe("causeName", () => {
  it("returns name and code, never the host's words", () => {
    const error = Object.assign(new TypeError("fetch https://shop.example/?q=tote failed"), {
      code: "ECONNREFUSED"
    })
    assert.strictEqual(causeName(error), "TypeError ECONNREFUSED")
    assert.strictEqual(causeName(Object.assign(new Error("x"), { code: "a secret, perhaps" })), "Error")
    assert.strictEqual(
      causeName(new UpstreamFailed({ port: "tracking", cause: error })),
      "UpstreamFailed: TypeError ECONNREFUSED"
    )
    assert.strictEqual(
      causeName(
        new UpstreamFailed({
          port: "marketplace",
          cause: new AggregateError([error, new UpstreamUnavailable({ port: "marketplace" })], "q=tote")
        })
      ),
      "UpstreamFailed: AggregateError: TypeError ECONNREFUSED; UpstreamUnavailable"
    )
    assert.strictEqual(causeName("q=tote"), "string")
    assert.strictEqual(causeName(undefined), "undefined")
  })
})
