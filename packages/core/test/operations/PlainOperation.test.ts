import { Data, Effect, Option, Schema } from "effect"
import { readFileSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { ApiFailure, operation, type TillOptions } from "../../src/index.ts"
import { sqlite } from "../../src/sqlite.ts"
import { temporaryFiles } from "../stores/sql/folder.ts"
import type { AnyPlainOperation } from "../../src/operations/PlainOperation.ts"
import { expectFailed, jsonOf, openTill, receiptOf } from "../toll/openTill.ts"
import { schema } from "./standardSchema.ts"

/** An error of another copy of core. */
class OtherFailure extends Data.TaggedError("ApiFailure")<ConstructorParameters<typeof ApiFailure>[0]> {}

const refusal = (status: number) => new ApiFailure({ status, code: "NO_SUCH_CITY", message: "No such city." })

const weather = { path: "/weather/oslo?days=2" }
const newFile = temporaryFiles()

/** A query builder of a database: it runs where it is awaited. */
class Query {
  readonly config = { password: "0xabc" }
  // oxlint-disable-next-line unicorn/no-thenable -- the query of a database is one
  then(resolve: (rows: ReadonlyArray<string>) => void): void {
    resolve([])
  }
}

/** As packages have one of their own. */
class FetchResponse {
  readonly size = 0
  get [Symbol.toStringTag](): string {
    return "Response"
  }
}

/** A route of a host, with what its work was called with. */
const sold = async (options: Partial<AnyPlainOperation> = {}, settings: Partial<TillOptions> = {}) => {
  const calls: Array<unknown> = []
  const till = await openTill({
    ...settings,
    operations: [
      {
        id: "weather",
        method: "GET",
        path: "/weather/:city",
        description: "Weather of a city, now",
        price: "0.02",
        ...options,
        work: (input, context) => {
          calls.push(input)
          return options.work === undefined ? { celsius: 21 } : options.work(input, context)
        }
      }
    ]
  })
  return { ...till, calls }
}

describe("a route of the host", () => {
  it("is paid once: the same payment replays its response", async () => {
    const { calls, payFor, present, till } = await sold()
    const payment = await payFor(weather)
    const first = await present(weather, payment)
    expect([first.status, jsonOf(first)]).toEqual([200, { celsius: 21 }])
    const again = await present(weather, payment)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(receiptOf(again)).toEqual(receiptOf(first))
    expect(calls).toHaveLength(1)
    const [line] = await till.ledger.list()
    expect(line).toMatchObject({ operation: "weather", kind: "settled" })
  })

  it("sells one request per payment, however alike the inputs decode", async () => {
    // Every input decodes to a value that JSON writes as {}.
    const { calls, payFor, present } = await sold({
      input: schema((value) => new Map(Object.entries(value)))
    })
    const payment = await payFor(weather)
    expect((await present(weather, payment)).status).toBe(200)
    for (const path of ["/weather/rome?days=2", "/weather/oslo?days=3"])
      expect((await present({ path }, payment)).status, path).toBe(402)
    expect(calls).toHaveLength(1)
  })

  it.each([
    ["a list of issues", schema(() => undefined), 400, "VALIDATION_ERROR"],
    [
      "a schema of Effect",
      Schema.toStandardSchemaV1(Schema.Struct({ days: Schema.Literal("3") })),
      400,
      "VALIDATION_ERROR"
    ]
  ])("refuses input by %s, and charges nothing", async (_what, input, status, code) => {
    const { calls, facilitator, payFor, present } = await sold({ input })
    expectFailed(await present(weather, await payFor(weather)), status, code)
    expect([calls.length, facilitator.settle.calls.length]).toEqual([0, 0])
  })

  it("charges nothing for an Effect that nobody ran, and names the operation and the cure", async () => {
    const failures: Array<unknown> = []
    const { facilitator, payFor, present } = await sold(
      { work: () => Effect.succeed({ celsius: 21 }) },
      { onProviderError: ({ error }) => failures.push(error) }
    )
    expect((await present(weather, await payFor(weather))).status).toBe(500)
    expect(facilitator.settle.calls).toEqual([])
    expect(String(failures[0])).toContain(
      "operation weather returned an Effect, and must return a promise or data: run it (Effect.runPromise), or use Operation.make"
    )
  })

  it.each([
    ["an empty object", () => ({}), {}],
    ["an empty object without prototype", () => [Object.create(null)], [{}]],
    ["braces in a text", () => ({ text: "{}", map: { size: 1 } }), { text: "{}", map: { size: 1 } }],
    [
      "a value that writes its own JSON",
      () => ({ at: new Date(0), of: {} }),
      { at: "1970-01-01T00:00:00.000Z", of: {} }
    ],
    ["an optional member", () => ({ a: undefined, b: [] }), { b: [] }],
    ["an object of optional members beside data", () => ({ a: 1, b: { c: undefined } }), { a: 1, b: {} }],
    ["a list with gaps", () => [1, undefined], [1, null]],
    [
      "an object of a class",
      () =>
        new (class Weather {
          celsius = 3
          get text() {
            return "3"
          }
        })(),
      { celsius: 3 }
    ],
    [
      "an object of another realm",
      () => runInNewContext("({ celsius: 3, wind: {} })") as unknown,
      { celsius: 3, wind: {} }
    ],
    [
      "a map that writes its own JSON",
      () => Object.assign(new Map(), { toJSON: () => ({ a: 1 }) }),
      { a: 1 }
    ],
    ["an option of Effect", () => ({ a: Option.some(1) }), { a: { _id: "Option", _tag: "Some", value: 1 } }],
    ["an address of the web", () => ({ at: new URL("https://a.example") }), { at: "https://a.example/" }],
    ["one object twice", () => ((wind) => [wind, wind])({ speed: 1 }), [{ speed: 1 }, { speed: 1 }]],
    ["boxed values", () => [Object(1), Object("a"), Object(false)] as unknown, [1, "a", false]],
    ["nothing on purpose", () => null, null]
  ])("sells %s", async (_what, work, data) => {
    const { payFor, present } = await sold({ work })
    const response = await present(weather, await payFor(weather))
    expect([response.status, JSON.parse(response.text)]).toEqual([200, data])
  })

  it("says what JSON can't keep, where it is, and the cure", async () => {
    const failures: Array<unknown> = []
    const { payFor, present } = await sold(
      { work: () => ({ celsius: Promise.resolve(21) }) },
      { onProviderError: ({ error }) => failures.push(error) }
    )
    expect((await present(weather, await payFor(weather))).status).toBe(500)
    expect(String(failures[0])).toContain(
      "operation weather returned a value of the kind Promise as celsius, which JSON can't hold: return plain data, null where there is none, and await what is a promise"
    )
  })

  it("quotes no key that a caller may have sent", async () => {
    const failures: Array<unknown> = []
    const { payFor, present } = await sold(
      { work: () => ({ "ada@mail.example 555-1234": Promise.resolve(21) }) },
      { onProviderError: ({ error }) => failures.push(error) }
    )
    expect((await present(weather, await payFor(weather))).status).toBe(500)
    expect(String(failures[0])).toContain("returned a value of the kind Promise, which JSON can't hold")
    expect(String(failures[0])).not.toContain("ada")
  })

  it.each([
    ["generator function", function* () {}],
    ["async generator function", async function* () {}]
  ])("refuses a %s at the start", async (_what, work) => {
    const options = {
      id: "weather",
      method: "GET",
      path: "/weather",
      description: "Weather",
      price: "0.02",
      work
    } as const
    await expect(openTill({ operations: [options] })).rejects.toThrow(
      /operation weather: work is a generator function.*async function.*Effect\.fn/
    )
  })

  it("refuses a parameter that is given twice", async () => {
    const { payFor, present } = await sold({ input: schema((value) => value) })
    const twice = { path: "/weather/oslo?days=2&days=3" }
    const refused = await present(twice, await payFor(twice))
    expectFailed(refused, 400, "VALIDATION_ERROR")
    expect(refused.text).toContain("days must be given once")
  })

  it("charges nothing for work that refuses, and the payment stays good", async () => {
    let found = false
    const { facilitator, payFor, present } = await sold({
      work: () => {
        if (found) return { celsius: 3 }
        throw new ApiFailure({
          status: 404,
          code: "NO_SUCH_CITY",
          message: "No such city. Nothing was charged."
        })
      }
    })
    const payment = await payFor(weather)
    expectFailed(await present(weather, payment), 404, "NO_SUCH_CITY")
    expect(facilitator.settle.calls).toHaveLength(0)
    found = true
    expect(jsonOf(await present(weather, payment))).toEqual({ celsius: 3 })
    expect(facilitator.settle.calls).toHaveLength(1)
  })

  it.each([
    ["throws", () => Promise.reject(new Error("payer 0xabc owes"))],
    ["returns a number that JSON can't hold", () => 1n],
    ["returns nothing", () => undefined],
    ["returns a function", () => () => 1],
    ["returns an object that is no JSON", () => ({ toJSON: () => undefined })],
    ["returns a response", () => new Response("hello", { status: 500 })],
    ["returns an error", () => new Error("payer 0xabc owes")],
    ["returns a map", () => new Map([["a", 1]])],
    ["returns a map in an object", () => ({ celsius: new Map([["a", 1]]) })],
    ["returns a list of sets", () => [new Set([1])]],
    ["returns a promise that nobody awaited", () => ({ celsius: Promise.resolve(21) })],
    ["returns an iterator", () => [21].values()],
    ["returns a generator", () => (function* () {})()],
    ["returns a stream", () => new Response("hello").body],
    ["returns headers", () => new Headers({ a: "1" })],
    ["returns a request in an object", () => ({ request: new Request("https://a.example") })],
    ["returns bytes without a view", () => new ArrayBuffer(2)],
    ["returns an error in an object", () => ({ celsius: new Error("payer 0xabc owes") })],
    [
      "returns an error with members",
      () => ({ celsius: Object.assign(new Error("payer 0xabc owes"), { a: 1 }) })
    ],
    ["returns a query that nobody awaited", () => ({ rows: new Query() })],
    ["returns an Effect in an object", () => ({ celsius: Effect.succeed(21) })],
    ["returns a stream of Node", () => Readable.from(["a"])],
    ["returns a stream of Node in an object", () => ({ body: new Writable() })],
    ["returns what resembles a response", () => new FetchResponse()],
    [
      "returns private fields",
      () =>
        new (class {
          readonly #celsius = 3
          get celsius() {
            return this.#celsius
          }
        })()
    ],
    ["returns an async iterator", () => ({ async *[Symbol.asyncIterator]() {} })],
    ["returns a map with members", () => ({ celsius: Object.assign(new Map([[1, 2]]), { a: 1 }) })],
    ["returns a function in an object", () => ({ city: "Rome", celsius: () => 21 })],
    ["returns a list of functions", () => ({ ok: [() => 1] })],
    ["returns a symbol in an object", () => ({ city: "Rome", kind: Symbol("a") })],
    ["returns no number in an object", () => ({ city: "Rome", celsius: Number.NaN })],
    ["returns infinity in a list", () => [1, Number.POSITIVE_INFINITY]],
    ["returns a boxed number that is none", () => ({ city: "Rome", celsius: Object(Number.NaN) as unknown })],
    ["returns no date", () => ({ city: "Rome", at: new Date(Number.NaN) })],
    ["returns only what isn't there", () => ({ temp: undefined })],
    ["returns only what isn't there, in an object", () => ({ data: [{ temp: undefined }] })],
    ["returns an error by toJSON", () => ({ toJSON: () => ({ of: new Error("payer 0xabc owes") }) })],
    ["returns a symbol", () => Symbol("a")],
    ["returns no number", () => Number.NaN],
    ["returns a number that JSON can't hold, in an object", () => ({ celsius: 1n })],
    [
      "returns a circle",
      () => {
        const circle: Record<string, unknown> = {}
        circle["self"] = circle
        return circle
      }
    ],
    ["returns more than is stored", () => "a".repeat(2 * 1024 * 1024)],
    ["refuses with a status of success", () => Promise.reject(refusal(200))],
    ["refuses with a status that is none", () => Promise.reject(refusal(99))],
    ["refuses with a 402", () => Promise.reject(refusal(402))]
  ])("charges nothing for work that %s, and reveals nothing of it", async (_how, work) => {
    const { events, facilitator, payFor, present } = await sold({ work })
    const failed = await present(weather, await payFor(weather))
    expectFailed(failed, 500, "INTERNAL_ERROR")
    expect(failed.text + JSON.stringify(events)).not.toContain("0xabc")
    expect(events.map(({ code }) => code)).toContain("request_failed")
    expect(facilitator.settle.calls).toHaveLength(0)
  })

  it.each([
    ["is returned instead of thrown", () => refusal(404)],
    ["is of another copy of core", () => Promise.reject(new OtherFailure({ ...refusal(404) }))],
    ["is of another copy of core, and returned", () => new OtherFailure({ ...refusal(404) })]
  ])("charges nothing where a refusal %s", async (_, work) => {
    const { facilitator, payFor, present } = await sold({ work })
    expectFailed(await present(weather, await payFor(weather)), 404, "NO_SUCH_CITY")
    expect(facilitator.settle.calls).toHaveLength(0)
  })

  const doubtsOf = async (result: unknown) => {
    const { events, payFor, present } = await sold({ work: () => result })
    for (const _ of [1, 2]) expect((await present(weather, await payFor(weather))).status).toBe(200)
    return events.filter(({ code }) => code === "sale_doubtful")
  }

  it.each([
    { error: "no such city" },
    { success: false, message: "no such city" },
    { data: null, error: { message: "no such city" } },
    { status: 404, title: "no such city", detail: "of this name" },
    { statusCode: 404, body: "no such city" },
    [404, { error: "no such city" }],
    { data: null, errors: [{ message: "no such city", path: ["city"] }] },
    { ok: false, message: "no such city" },
    { cod: "404", message: "city not found" },
    { error: true, error_code: "E_1", error_message: "no such city", timestamp: 1 },
    { error: "not_found", error_description: "no such city" },
    { timestamp: "2026-01-01T00:00:00Z", status: 404, error: "Not Found", path: "/weather/oslo" },
    { type: "about:blank", title: "Not Found", status: 404, instance: "/weather/oslo" },
    { message: "no such city", errors: { city: ["unknown"] } },
    { status: "error", message: "no such city" },
    { error: { message: "JWT expired" }, data: null, count: null, status: 401, statusText: "Unauthorized" },
    { type: "https://problems.example/401", title: "Unauthorized", status: 401, traceId: "00-1" },
    { success: false, errors: [{ code: 1_000 }], messages: [], result: null },
    { code: 20_003, message: "Authenticate", more_info: "https://docs.example", status: 401 },
    { object: "error", status: 401, code: "unauthorized", message: "API token is invalid." },
    { detail: { error: "Unauthorized: missing or invalid API key." } },
    { error_message: "The provided API key is invalid.", results: [], status: "REQUEST_DENIED" },
    { status: { timestamp: "2026-01-01T00:00:00Z", error_code: 429, error_message: "Too many requests" } },
    { status_code: 7, status_message: "Invalid API key", success: false },
    { detail: "Not authenticated" },
    { message: "Missing Authentication Token" },
    { message: "Invalid authentication credentials" },
    { message: "Rate limit exceeded. Try again later." },
    { message: "Forbidden - insufficient scope" },
    { message: "Unauthorized access" },
    { message: "Too many requests from this IP" },
    { message: "Invalid API key provided" },
    { message: "Not authorized to access this resource" },
    { message: "Invalid API key" },
    { code: "rate_limited", message: "Too many requests" },
    { code: 401, msg: "unauthorized" },
    { message: "Bad credentials", documentation_url: "https://docs.example", status: "401" },
    { type: "error", error: { type: "overloaded" }, request_id: "r" },
    { error: true, reason: "Value of latitude must be between -90 and 90." },
    { error: "Model is loading", estimated_time: 20 },
    { error: { code: "badtoken", info: "Invalid token" }, servedby: "mw1" },
    { errorCode: "INVALID", error: "Unknown mint", hint: "See the docs" },
    { correlationId: "1a", title: "Data Unavailable", type: "about:blank", status: 500, detail: "Try later" },
    { jsonrpc: "2.0", id: 1, error: { code: -32_000 } },
    { ok: false, error_code: 401, description: "Unauthorized" },
    { city: "oslo", weather: { cod: 401, message: "Invalid API key" } },
    { city: "oslo", data: { error: "quota exceeded" }, note: null },
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><hr><center>nginx</center></body></html>",
    '<!DOCTYPE html>\n<html lang="en-US"><head>\n<title>api.example | 503: Service Temporarily Unavailable</title>'
  ])("is reported once if it sells %j, which it should have thrown", async (result) => {
    expect(await doubtsOf(result)).toEqual([
      expect.objectContaining({
        level: "warning",
        operation: "weather",
        message: expect.stringMatching(
          /returned an error as its result, which is charged\..* throw an ApiFailure/
        )
      })
    ])
  })

  it("sells data that calls itself a refusal, as its caller may have sent it", async () => {
    const data = { _tag: "ApiFailure", status: 404, code: "NO_SUCH_CITY", message: "No such city." }
    const { facilitator, payFor, present } = await sold({ work: () => data })
    const response = await present(weather, await payFor(weather))
    expect([response.status, jsonOf(response)]).toEqual([200, data])
    expect(facilitator.settled).toHaveLength(1)
  })

  it.each([
    { celsius: 21, error: 0.5 },
    { url: "https://a.example", status: 404 },
    { status: 404, reason: "Not Found" },
    { success: false, reason: "rejected_email" },
    { status: 200, body: "hello" },
    { status: 200, error: 0.5 },
    { error: null, success: true },
    { ok: false },
    { ok: false, message: "invalid", line: 3 },
    { data: { city: "oslo" }, errors: [{ message: "no tides" }] },
    { data: null, errors: [] },
    { errors: [{ message: "unused variable" }] },
    { status: "error" },
    { status: "rejected", message: "too little income" },
    { cod: "200", message: 0 },
    { description: "sunny", path: "/weather/oslo" },
    { code: 404, description: "what that code means" },
    "<html><head><title>404 Not Found: what a crawler does</title></head></html>",
    "<html><head><title>500 miles</title></head></html>",
    "<title>502 Bad Gateway</title> is what nginx says",
    "502 Bad Gateway",
    [404, 501],
    { message: "hello" },
    { id: 7, message: "not for children" },
    { id: 7, title: "Walk the dog", success: false },
    { message: "Do not worry, there is no error" },
    { title: "Denied", description: "a film", code: "D1", message: "not for children" },
    { detail: "accepted, not yet delivered" },
    { url: "https://a.example", status: 503, error: "ECONNREFUSED" },
    { error: null, data: [] },
    { results: [], messages: [] },
    { status: 200, statusText: "OK", data: [] },
    { error_message: "", results: [], status: "ZERO_RESULTS" },
    { message: "Forbidden City, Beijing" },
    { status: 404, checkedAt: new Date(0) },
    { message: "Not found in any breach" },
    { message: "Access denied is a 1999 film" },
    { description: "not for children" },
    { url: "https://a.example", check: { status: 404, statusText: "Not Found" } },
    { city: "oslo", weather: { celsius: 21 }, failed: { message: "no tides", status: 503 } },
    { city: "oslo", weather: { celsius: 21 }, error: null },
    "error"
  ])("sells %j without a word", async (result) => {
    expect(await doubtsOf(result)).toEqual([])
  })

  it("decodes the parameters of its path", async () => {
    const { calls, payFor, present, send } = await sold()
    const york = { path: "/weather/New%20York" }
    expect((await present(york, await payFor(york))).status).toBe(200)
    expect(calls).toEqual([{ city: "New York" }])
    const malformed = { path: "/weather/%E0%A4%A" }
    expect((await present(malformed, await payFor(malformed))).status).toBe(200)
    expect(calls.at(-1)).toEqual({ city: "%E0%A4%A" })
    expect((await send({ path: `/weather/${"x".repeat(2_000)}` })).status).toBe(404)
  })

  it("responds to a deep body as to any other", async () => {
    const { payFor, present } = await sold({ method: "POST", input: schema((value) => value) })
    const deep = {
      path: "/weather/oslo",
      body: JSON.parse(`{"x":${"[".repeat(400)}${"]".repeat(400)}}`) as unknown
    }
    expect((await present(deep, await payFor(deep))).status).toBe(200)
  })

  it("charges nothing for work that misses its deadline, and aborts it", async () => {
    let signal: AbortSignal | undefined
    const till = await openTill({
      upstreamTimeoutMillis: 1_000,
      operations: [
        operation({
          id: "slow",
          method: "GET",
          path: "/slow",
          description: "Never responds",
          price: "0.02",
          work: (_input, context) => {
            signal = context.signal
            return new Promise(() => undefined)
          }
        })
      ]
    })
    const slow = { path: "/slow" }
    expectFailed(await till.present(slow, await till.payFor(slow)), 503, "OPERATION_TIMEOUT")
    expect([signal?.aborted, till.facilitator.settle.calls.length]).toEqual([true, 0])
  })

  it("settles first where it is configured so", async () => {
    const order: Array<string> = []
    const { facilitator, payFor, present } = await sold({
      settlement: "before-work",
      work: () => {
        order.push(`work after ${facilitator.settle.calls.length} settlement`)
        return {}
      }
    })
    expect((await present(weather, await payFor(weather))).status).toBe(200)
    expect(order).toEqual(["work after 1 settlement"])
  })

  it.each([
    ["encrypted", true, false],
    ["as it is", false, true]
  ])("is stored %s where encrypted is %s", async (_how, encrypted, isReadable) => {
    const filename = newFile()
    const { payFor, present, till } = await sold(
      { encrypted, work: () => ({ secret: "north by northwest" }) },
      { storage: sqlite({ filename }) }
    )
    const payment = await payFor(weather)
    const paid = await present(weather, payment)
    expect((await present(weather, payment)).text).toBe(paid.text)
    await till.dispose()
    expect(readFileSync(filename, "latin1").includes("north by northwest")).toBe(isReadable)
  })

  it("is in the OpenAPI document and the listing", async () => {
    const { send } = await sold({ example: { input: { city: "oslo", days: "2" }, output: { celsius: 21 } } })
    const document = jsonOf(await send({ path: "/openapi.json" })) as {
      paths: Record<string, { get: Record<string, unknown> }>
    }
    const { get } = document.paths["/weather/{city}"]!
    expect(get["x-payment-info"]).toMatchObject({ price: { mode: "fixed", amount: "0.02" } })
    expect((get["parameters"] as ReadonlyArray<{ name: string }>).map(({ name }) => name)).toEqual([
      "city",
      "days"
    ])
    expect((await send({ path: "/.well-known/x402" })).text).toContain("GET /weather/{city}")
    const unpaid = await send(weather)
    const { extensions } = JSON.parse(
      Buffer.from(unpaid.headers.get("payment-required")!, "base64").toString("utf8")
    ) as { extensions: { bazaar: { info: unknown } } }
    expect(extensions.bazaar.info).toMatchObject({
      input: { method: "GET", pathParams: { city: "oslo" }, queryParams: { days: "2" } }
    })
    expect(jsonOf(unpaid)).toMatchObject({ accepts: [{ outputSchema: { output: { celsius: 21 } } }] })
  })
})
