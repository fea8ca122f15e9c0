import { describe, expect, it } from "vitest"
import { ApiFailure } from "../../src/domain/ApiFailure.ts"
import {
  challengeResponse,
  type Cors,
  failureResponse,
  documentResponse,
  notFoundBelow,
  paidResponse,
  preflightResponse
} from "../../src/http/Responses.ts"
import { sampleReceipt } from "../../../testing/src/stores/records.ts"
import type { ByteContent, WorkResponse } from "../../src/toll/request/TollRequest.ts"

const shop = "https://shop.example"
const challenge = { body: '{"x402Version":1}', header: "e30=" }
const receipt = { ...sampleReceipt(), network: "eip155:84532" }
const text: WorkResponse = {
  status: 200,
  contentType: "application/json",
  body: { _tag: "Text", text: "{}" }
}
const bytes = (content: ByteContent): WorkResponse => ({
  status: 200,
  contentType: "application/zip",
  body: { _tag: "Bytes", reference: "kit", content }
})
const decoded = (header: string | undefined): unknown =>
  JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8"))

const notFound = notFoundBelow({ baseUrl: "https://shop.example", openapiPath: undefined })

/** Every kind of response, for browsers of some origin. */
const kinds = (cors: Cors, origin: string | null) => ({
  challenge: challengeResponse(challenge, cors, origin).headers,
  failure: failureResponse(notFound, cors, origin).headers,
  paid: paidResponse({ response: text, receipt }, 2, cors, origin).headers,
  document: documentResponse({ contentType: "application/json", text: "{}" }, cors, origin, false).headers
})

describe("which browsers may read a response", () => {
  it.each<readonly [string, Cors, string | null, string | undefined]>([
    ["any", "*", null, "*"],
    ["any, whatever its origin", "*", shop, "*"],
    ["one that is listed", [shop, "https://b.example"], shop, shop],
    ["none that isn't listed", [shop], "https://evil.example", undefined],
    ["none without an origin", [shop], null, undefined],
    ["none", false, shop, undefined]
  ])("%s", (_, cors, origin, allowed) => {
    for (const headers of Object.values(kinds(cors, origin))) {
      expect(headers["access-control-allow-origin"]).toBe(allowed)
      const exposed = headers["access-control-expose-headers"]
      if (allowed === undefined) expect(exposed).toBeUndefined()
      else expect(exposed).toContain("PAYMENT-RESPONSE")
    }
  })

  it("varies by origin for caches where it depends on the origin", () => {
    const varies = (cors: Cors) => Object.values(kinds(cors, shop)).map(({ vary }) => vary)
    const byPayment = "PAYMENT-SIGNATURE, X-PAYMENT"
    expect(varies("*")).toEqual([byPayment, byPayment, byPayment, undefined])
    expect(varies(false)).toEqual(varies("*"))
    const byOrigin = `${byPayment}, Origin`
    expect(varies([shop])).toEqual([byOrigin, byOrigin, byOrigin, "Origin"])
  })

  it("responds to a preflight", () => {
    const headersOf = (cors: Cors, origin: string) =>
      preflightResponse("GET, HEAD, OPTIONS", cors, origin).headers
    expect(preflightResponse("GET", "*", shop)).toMatchObject({ status: 204, body: null })
    expect(headersOf("*", shop)).toMatchObject({
      allow: "GET, HEAD, OPTIONS",
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": expect.stringContaining("PAYMENT-SIGNATURE")
    })
    expect(headersOf([shop], shop)["access-control-allow-origin"]).toBe(shop)
    expect(headersOf([shop], "https://evil.example")).not.toHaveProperty("access-control-allow-origin")
    expect(Object.keys(headersOf(false, shop))).toEqual(["allow", "vary"])
  })
})

describe("a response that isn't paid", () => {
  it("is a 402 that nobody caches, with a body or without", () => {
    const { body, headers, status } = challengeResponse(challenge, "*", null)
    expect([status, body]).toEqual([402, challenge.body])
    expect(headers).toMatchObject({ "payment-required": "e30=", "cache-control": "no-store" })
    const head = challengeResponse(challenge, "*", null, true)
    expect([head.body, head.headers]).toEqual([null, headers])
  })

  it("is an error in the contract's shape, with what it brings", () => {
    const plain = failureResponse(notFound, "*", null)
    expect([plain.status, plain.body]).toEqual([
      404,
      '{"code":"NOT_FOUND","message":"There is nothing at this path. The paths of this service begin with https://shop.example/."}'
    ])
    expect(plain.headers).not.toHaveProperty("allow")
    expect(plain.headers).not.toHaveProperty("retry-after")
    const failure = new ApiFailure({
      status: 405,
      code: "NO",
      message: "No.",
      details: { field: "q" },
      retryAfterSeconds: 0,
      allow: "GET"
    })
    const full = failureResponse(failure, "*", null)
    expect(full.body).toBe('{"code":"NO","message":"No.","details":{"field":"q"}}')
    expect(full.headers).toMatchObject({ allow: "GET", "retry-after": "0", "cache-control": "no-store" })
  })

  it("is a document that everybody may cache, with a body or without", () => {
    expect(documentResponse({ contentType: "application/json", text: "{}" }, "*", null, false)).toMatchObject(
      {
        status: 200,
        body: "{}",
        headers: { "cache-control": "public, max-age=300" }
      }
    )
    expect(documentResponse({ contentType: "application/json", text: "{}" }, "*", null, true).body).toBeNull()
  })
})

describe("a paid response", () => {
  it("has its receipt, in the words of the payer's version", () => {
    const one = paidResponse({ response: text, receipt }, 1, "*", null).headers
    const two = paidResponse({ response: text, receipt }, 2, "*", null).headers
    expect(decoded(two["payment-response"])).toEqual(receipt)
    expect(two).not.toHaveProperty("x-payment-response")
    expect(decoded(one["payment-response"])).toEqual(receipt)
    expect(decoded(one["x-payment-response"])).toEqual({ ...receipt, network: "base-sepolia" })
    const unknown = paidResponse(
      { response: text, receipt: { ...receipt, network: "eip155:7" } },
      1,
      "*",
      null
    )
    expect(decoded(unknown.headers["x-payment-response"])).toMatchObject({ network: "eip155:7" })
  })

  it("has the headers of its work, which replace none of its own, and is nobody else's", () => {
    const response = { ...text, headers: { "x-missing-marketplaces": "b", "cache-control": "public" } }
    const { body, headers, status } = paidResponse({ response, receipt }, 2, "*", null)
    expect([status, body]).toEqual([200, "{}"])
    expect(headers).toMatchObject({
      "x-missing-marketplaces": "b",
      "cache-control": "private, no-store",
      "content-type": "application/json"
    })
  })

  it("lets pages of other origins read the headers of its work, each named once", () => {
    const response = { ...text, headers: { "x-note": "b", etag: "c" } }
    const exposedFor = (origin: string) =>
      paidResponse({ response, receipt }, 2, ["https://a.example"], origin).headers[
        "access-control-expose-headers"
      ]
    expect(exposedFor("https://a.example")?.match(/x-note|etag/gi)).toEqual(["ETag", "x-note"])
    expect(exposedFor("https://b.example")).toBeUndefined()
  })

  it("has the size of its bytes, whatever size was declared", () => {
    const body = new Uint8Array(7)
    const response = paidResponse({ response: bytes({ body, size: 70 }), receipt }, 2, "*", null)
    expect([response.headers["content-length"], response.body]).toEqual(["7", body])
  })

  it("has the declared size of a stream", () => {
    const body = new Response(new Uint8Array(7)).body!
    const sized = paidResponse({ response: bytes({ body, size: 7 }), receipt }, 2, "*", null)
    expect(sized.headers["content-length"]).toBe("7")
    const unsized = paidResponse({ response: bytes({ body }), receipt }, 2, "*", null)
    expect(unsized.headers).not.toHaveProperty("content-length")
    expect(unsized.body).toBe(body)
  })
})
