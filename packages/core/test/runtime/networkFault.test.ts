import { assert, describe, it } from "@effect/vitest"
import { HttpClientError, HttpClientRequest } from "effect/http"
import { HttpRequestError, TimeoutError } from "viem"
import { causeName } from "../../src/runtime/causeName.ts"
import { networkFault } from "../../src/runtime/networkFault.ts"

const url = "https://user:secret@rpc.example:8443/v2/secret?key=secret"

const failed = (cause: unknown, address = url) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request: HttpClientRequest.get(address), cause })
  })

const withCode = (code: unknown) => Object.assign(new Error("secret"), { code })

describe("networkFault", () => {
  it.each<[string | undefined, unknown]>([
    ["ENOTFOUND rpc.example:8443", failed(new TypeError("secret", { cause: withCode("ENOTFOUND") }))],
    ["UND_ERR_CONNECT_TIMEOUT rpc.example:8443", failed(withCode("UND_ERR_CONNECT_TIMEOUT"))],
    [
      "ECONNREFUSED rpc.example:8443",
      new Error("secret", { cause: failed(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })) })
    ],
    ["HTTP 401 rpc.example:8443", new HttpRequestError({ url, status: 401 })],
    ["HTTP 503 rpc.example:8443", { status: 503, request: { url } }],
    ["TimeoutError rpc.example:8443", new Error("secret", { cause: new TimeoutError({ url, body: {} }) })],
    ["CERT_HAS_EXPIRED", withCode("CERT_HAS_EXPIRED")],
    ["ENOTFOUND", failed(withCode("ENOTFOUND"), "no address")],
    [undefined, failed(withCode(-32_005))],
    [undefined, failed(withCode("a secret, perhaps"))],
    [undefined, { status: 200, request: { url } }],
    [undefined, new Error("secret")],
    [undefined, "ENOTFOUND"],
    [undefined, null]
  ])("is %s", (fault, error) => {
    assert.strictEqual(networkFault(error), fault)
  })

  it("ends where causes go round in a circle", () => {
    const error = new Error("one")
    error.cause = error
    assert.isUndefined(networkFault(error))
  })

  it("stands for the client's error in the name of a cause", () => {
    assert.strictEqual(causeName(failed(withCode("ENOTFOUND"))), "ENOTFOUND rpc.example:8443")
    assert.strictEqual(causeName(failed(new Error("secret"))), "HttpClientError")
  })
})
