import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { readBody, readRawBody } from "../../src/http/RequestBody.ts"
import { baseUrl, buy, openTill } from "../toll/openTill.ts"

const maxBodyBytes = 65_536
const json = { "content-type": "application/json" }
const post = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) => {
  const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" }
  return new Request("https://shop.example/x402/shop", init)
}
const read = (request: Request) => Effect.runPromise(readBody(request))
const failureOf = (request: Request) => Effect.runPromise(Effect.flip(readBody(request)))

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

describe("a body", () => {
  it.each([
    ["application/json"],
    ["application/json; charset=utf-8"],
    ["APPLICATION/JSON"],
    ["application/problem+json"]
  ])("is read as %s", async (type) => {
    expect(await read(post('{"text":"a"}', { "content-type": type }))).toMatchObject({ value: { text: "a" } })
  })

  it("is read without a type, and from many chunks", async () => {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of new TextEncoder().encode('{"text":"é"}')) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      }
    })
    expect(await read(post(stream))).toEqual({ _tag: "Json", value: { text: "é" }, text: '{"text":"é"}' })
  })

  it.each<[string, NonNullable<RequestInit["body"]>, Record<string, string>, number, string]>([
    ["isn't JSON", "{", json, 400, "MALFORMED_JSON"],
    ["is nested too deeply", nested(501), json, 400, "MALFORMED_JSON"],
    ["has a number that is read as infinite", '{"a":[1,{"b":-1e400}]}', json, 400, "MALFORMED_JSON"],
    ["isn't UTF-8", Uint8Array.of(0x22, 0xff, 0x22), json, 400, "MALFORMED_JSON"],
    ["has another type", "text=a", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["has a type like ours", "{}", { "content-type": "application/jsonp" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["is compressed", "xx", { ...json, "content-encoding": "gzip" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["is too large", " ".repeat(maxBodyBytes + 1), json, 413, "BODY_TOO_LARGE"],
    [
      "declares that it is too large",
      "{}",
      { "content-length": String(maxBodyBytes + 1) },
      413,
      "BODY_TOO_LARGE"
    ]
  ])("that %s is refused", async (_, body, headers, status, code) => {
    expect(await failureOf(post(body, headers))).toMatchObject({ status, code })
  })

  it("of the greatest size is read", async () => {
    const text = "a".repeat(maxBodyBytes - '{"text":""}'.length)
    const length = { "content-length": String(maxBodyBytes) }
    for (const headers of [json, { ...json, ...length }])
      expect(await read(post(JSON.stringify({ text }), headers))).toMatchObject({ value: { text } })
  })

  it("of many levels is no defect of the service, at any of them", async () => {
    const { events, till } = await openTill()
    for (const levels of [499, 500, 10_000, 30_000])
      for (const text of [nested(levels), `{"asin":null,"x":${nested(levels)}}`]) {
        const response = await till.fetch(
          new Request(baseUrl + buy.path, { method: "POST", headers: json, body: text })
        )
        expect(response.status).toBe(400)
      }
    expect(events.filter(({ code }) => code === "request_failed")).toEqual([])
  })

  it("that breaks off is refused", async () => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error("cut"))
    })
    expect(await failureOf(post(broken, json))).toMatchObject({ status: 400, code: "MALFORMED_JSON" })
  })

  it("that never ends is given up after 15 seconds, and canceled", async () => {
    let canceled = false
    const endless = new ReadableStream<Uint8Array>({
      cancel: () => {
        canceled = true
      }
    })
    const failure = await Effect.runPromise(
      Effect.gen(function* () {
        const reading = yield* Effect.forkChild(Effect.flip(readBody(post(endless, json))))
        yield* TestClock.adjust(14_999)
        expect(reading.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        return yield* Fiber.join(reading)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    expect(failure).toMatchObject({ status: 408, code: "BODY_TOO_SLOW" })
    expect(canceled).toBe(true)
  })

  it.each([[""], ["{}"], [" {} "]])("that holds nothing is empty: %j", async (body) => {
    expect(await read(post(body, json))).toEqual({ _tag: "Empty" })
    expect(await read(new Request("https://shop.example/", { method: "POST" }))).toEqual({ _tag: "Empty" })
  })

  it.each([["[]"], ["null"], ["0"], ['""'], ['{"a":{}}']])(
    "that holds a value is not empty: %s",
    async (text) => {
      expect(await read(post(text, json))).toEqual({ _tag: "Json", value: JSON.parse(text), text })
    }
  )
})

describe("a body that a handler of the host reads", () => {
  const raw = (request: Request) => Effect.runPromise(readRawBody(request))

  it("binds a payment by its bytes, whatever its type and encoding", async () => {
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const headers = { "content-type": "image/png", "content-encoding": "br" }
    const found = await raw(post(every, headers))
    expect(found).toMatchObject({ type: "image/png", encoding: "br" })
    const texts = await Promise.all(
      Array.from(every, async (byte) => JSON.stringify(await raw(post(Uint8Array.of(byte)))))
    )
    expect(new Set(texts).size).toBe(256)
  })

  it("may be empty, or missing", async () => {
    const nothing = { type: null, encoding: null, bytes: "" }
    expect(await raw(new Request("https://shop.example/", { method: "POST" }))).toEqual(nothing)
  })

  it("is bounded as any other", async () => {
    const failure = await Effect.runPromise(Effect.flip(readRawBody(post(new Uint8Array(maxBodyBytes + 1)))))
    expect(failure).toMatchObject({ status: 413, code: "BODY_TOO_LARGE" })
  })
})
