import { Effect, Result, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { validationFailure } from "../../src/domain/ApiFailure.ts"
import { incoming } from "../../src/http/HttpMessage.ts"
import { decoder, inputReader, readQuery } from "../../src/http/Input.ts"
import type { AnyOperation } from "../../src/operations/Operation.ts"
import { operationOf } from "./sampleOperation.ts"

const at = (address: string, init?: RequestInit) =>
  incoming(new Request(`https://shop.example${address}`, init))
const post = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) => {
  const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" }
  return at("/weather/oslo", init)
}

/** How an operation reads a request: its input, or the failure. */
const read = (operation: AnyOperation, request = at("/weather/oslo"), params: Record<string, string> = {}) =>
  Effect.runPromise(Effect.result(inputReader(operation)(request, params)))
const inputOf = async (...given: Parameters<typeof read>): Promise<unknown> => {
  const reading = await read(...given)
  return Result.isSuccess(reading) && reading.success._tag === "Input" ? reading.success.input : reading
}
const failureOf = async (...given: Parameters<typeof read>) => {
  const reading = await read(...given)
  if (Result.isFailure(reading)) return reading.failure
  throw new Error(`read ${JSON.stringify(reading.success)}`)
}

describe("the faults of an input", () => {
  const decode = decoder(
    Schema.Struct({
      text: Schema.String,
      count: Schema.Number,
      list: Schema.optionalKey(Schema.Array(Schema.Struct({ isOn: Schema.Boolean }))),
      size: Schema.optionalKey(Schema.Literals(["small", "large"])),
      only: Schema.optionalKey(Schema.Literal("this")),
      either: Schema.optionalKey(Schema.Union([Schema.Number, Schema.Null]))
    }),
    ({ size, text }) => (size === "large" && text === "" ? [{ path: "text", message: "must say why" }] : [])
  )
  const faults = (input: unknown, before: Parameters<typeof decode>[1] = []) => {
    const decoded = decode(input, before)
    return Result.isFailure(decoded) ? decoded.failure.map(({ message, path }) => `${path} ${message}`) : []
  }

  it("are none for what is right", () => {
    expect(faults({ text: "a", count: 1, list: [{ isOn: true }], size: "small", only: "this" })).toEqual([])
  })

  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["all that is missing", {}, ["text is required", "count is required"]],
    ["another kind", { text: 1, count: "1" }, ["text must be a string", "count must be a number"]],
    [
      "what is inside of a list",
      { text: "", count: 1, list: [{ isOn: 1 }] },
      ["list.0.isOn must be a boolean"]
    ],
    ["no list", { text: "", count: 1, list: {} }, ["list must be an array"]],
    ["none of the choices", { text: "", count: 1, size: "big" }, ["size must be one of small, large"]],
    ["no member of a union", { text: "", count: 1, either: "big" }, ["either must be one of number, null"]],
    ["not the one choice", { text: "", count: 1, only: "that" }, ['only must be "this"']],
    ["no object at all", "hunter2", [" must be an object"]],
    [
      "a fault between fields beside those of the schema",
      { text: "", count: "x", size: "large" },
      ["count must be a number", "text must say why"]
    ]
  ])("name %s", (_, input, expected) => {
    expect(faults(input)).toEqual(expected)
  })

  it("name each field once, the earlier fault first", () => {
    const before = [{ path: "text", message: "must be given once" }]
    expect(faults({ text: 7, count: 1 }, before)).toEqual(["text must be given once"])
    expect(faults({ text: "a", count: 1 }, before)).toEqual(["text must be given once"])
  })

  it("never repeat what was sent", () => {
    const described = faults({
      text: { hunter2: 1 },
      count: "hunter2",
      list: "hunter2",
      size: "hunter2",
      only: "hunter2"
    })
    expect(described).toHaveLength(5)
    expect(described.join()).not.toContain("hunter2")
  })
})

describe("a query", () => {
  const known = new Set(["q", "page"])
  it("has what was sent; a known field that is repeated is one fault", () => {
    const { faults, input } = readQuery("?q=a&q=b&q=c&page=2&other=1&other=2", known)
    expect({ ...input }).toEqual({ q: "a", page: "2", other: "1" })
    expect(faults).toEqual([{ path: "q", message: "must be given once" }])
  })

  it("has no more than was sent, whatever objects inherit", () => {
    const names = new Set(["constructor", "toString"])
    const { faults, input } = readQuery("?constructor=a&toString=b", names)
    expect([Object.entries(input), faults]).toEqual([
      [
        ["constructor", "a"],
        ["toString", "b"]
      ],
      []
    ])
  })

  it.each([
    ["?q=%E0%A4%A", ["q"]],
    ["?page=2&q=100%", ["q"]],
    ["?q=%FF&q=%zz&page=%", ["q", "page"]],
    ["?other=%E0%A4%A&q=100%25", []],
    ["?q=%E0%A4%85", []],
    ["?q=a+b", []]
  ])("whose encoding is malformed is faulty: %s", (search, paths) => {
    expect(readQuery(search, known).faults.map(({ path }) => path)).toEqual(paths)
  })

  const weather = operationOf(
    HttpApiEndpoint.get("weather", "/weather/:city", {
      params: { city: Schema.String.check(Schema.isMaxLength(9)) },
      query: { days: Schema.optionalKey(Schema.NumberFromString) }
    })
  )

  it("is decoded with the parameters of the path", async () => {
    expect(await inputOf(weather, at("/weather/oslo?days=2&x=1"), { city: "oslo" })).toEqual({
      city: "oslo",
      days: 2
    })
  })

  it("has the faults of both in one response", async () => {
    const failure = await failureOf(weather, at("/weather/x?days=1&days=2"), { city: "a".repeat(10) })
    expect(failure).toMatchObject({ status: 400, code: "VALIDATION_ERROR" })
    expect(JSON.stringify(failure.details)).toMatch(/"path":"city".*"path":"days"/)
  })

  it("binds a payment by its text, in the order of its names", async () => {
    const reading = await read(weather, at("/weather/oslo?x=2&days=1&x=1"), { city: "oslo" })
    expect(Result.isSuccess(reading) && reading.success._tag === "Input" && reading.success.raw()).toEqual({
      params: { city: "oslo" },
      query: [
        ["days", "1"],
        ["x", "2"],
        ["x", "1"]
      ],
      body: ""
    })
  })
})

describe("a body", () => {
  const noted = operationOf(
    HttpApiEndpoint.post("note", "/notes/:city", {
      params: { city: Schema.String.check(Schema.isMaxLength(9)) },
      payload: Schema.Struct({ text: Schema.String })
    })
  )
  const plain = operationOf(
    HttpApiEndpoint.post("note", "/notes", { payload: Schema.Struct({ text: Schema.String }) })
  )
  const json = { "content-type": "application/json" }

  it("is decoded with the parameters of the path, and binds a payment by its text", async () => {
    const text = '{ "text": "a" }'
    const reading = await read(noted, post(text, json), { city: "oslo" })
    const found = Result.isSuccess(reading) && reading.success._tag === "Input" ? reading.success : undefined
    expect(found?.input).toEqual({ city: "oslo", text: "a" })
    expect(found?.raw()).toEqual({ params: { city: "oslo" }, query: [], body: text })
  })

  it("of another shape is refused", async () => {
    expect(await failureOf(plain, post('{"text":7}', json))).toMatchObject({
      status: 400,
      code: "VALIDATION_ERROR"
    })
  })

  it.each([[""], ["{}"], [" {} "]])(
    "that is empty (%j) gets a price: its faults stay for a payment",
    async (body) => {
      const reading = await read(plain, post(body, json))
      expect(reading).toMatchObject({ success: { _tag: "Nothing", fault: { code: "VALIDATION_ERROR" } } })
      expect(await failureOf(plain, post("[]", json))).toMatchObject({ code: "VALIDATION_ERROR" })
    }
  )

  it("that may be empty is an input", async () => {
    const lenient = operationOf(
      HttpApiEndpoint.post("note", "/notes", {
        payload: Schema.Struct({ text: Schema.optionalKey(Schema.String) })
      })
    )
    expect(await inputOf(lenient, at("/notes", { method: "POST" }))).toEqual({})
  })
})

describe("an operation that decodes by itself", () => {
  const fault = validationFailure([{ path: "city", message: "is unknown" }])
  const seen: Array<unknown> = []
  const own = (method: "GET" | "POST", isRight: boolean) =>
    operationOf(HttpApiEndpoint.make(method)("own", "/own/:city"), {
      input: {
        decode: ({ body, params, query }) => {
          seen.push({ body, params, query: [...query] })
          return isRight ? Effect.succeed("decoded") : Effect.fail(fault)
        }
      }
    })

  it("gets path, query and body", async () => {
    const init = { method: "POST", body: '{"a":[1]}', headers: { "content-type": "application/json" } }
    expect(await inputOf(own("POST", true), at("/own/oslo?a=1&a=2", init), { city: "oslo" })).toBe("decoded")
    const query = [
      ["a", "1"],
      ["a", "2"]
    ]
    expect(seen.at(-1)).toEqual({ body: { a: [1] }, params: { city: "oslo" }, query })
    expect(await inputOf(own("GET", true), at("/own/oslo"), { city: "oslo" })).toBe("decoded")
    expect(seen.at(-1)).toEqual({ body: {}, params: { city: "oslo" }, query: [] })
  })

  it("fails with its own failure, but for a body that is empty", async () => {
    expect(await failureOf(own("GET", false))).toBe(fault)
    expect(await failureOf(own("POST", false), post('{"a":1}', { "content-type": "application/json" }))).toBe(
      fault
    )
    expect(await read(own("POST", false), at("/own", { method: "POST" }))).toMatchObject({
      success: { _tag: "Nothing", fault }
    })
  })
})
