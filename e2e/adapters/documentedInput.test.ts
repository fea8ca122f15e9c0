import { memory, operation, type PlainOperation, type StandardSchema, Till } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { payingFetch } from "@till402/testing/payer"
import { Schema } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { z } from "zod"

/*
 * The input of an own route in the OpenAPI document, from the schemas of libraries that offer Standard JSON Schema.
 */

const documentOf = async (route: Pick<PlainOperation, "input" | "method">) => {
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    operations: [
      operation({
        id: "weather",
        path: "/weather/:city",
        description: "Weather of a city, now",
        price: "0.02",
        example: { input: { city: "oslo", days: "2" }, output: {} },
        work: () => ({}),
        ...route
      })
    ]
  })
  onTestFinished(() => till.dispose())
  const response = await till.fetch(new Request("https://shop.example/openapi.json"))
  const { components, paths } = (await response.json()) as {
    readonly paths: Record<string, Record<string, Record<string, unknown>>>
    readonly components: { readonly schemas: unknown }
  }
  const unpaid = await till.fetch(new Request("https://shop.example/weather/oslo", { method: route.method }))
  return {
    components,
    described: paths["/weather/{city}"]![route.method.toLowerCase()]!,
    header: unpaid.headers.get("payment-required")!
  }
}

const named = (name: string, schema: unknown, required: boolean, others: object = {}) => ({
  name,
  in: "query",
  schema,
  required,
  ...others
})
const inPath = { in: "path", example: "oslo" }

describe("the OpenAPI document", () => {
  it("has the input of zod: types, bounds, defaults and descriptions of path and query", async () => {
    const input = z.object({
      city: z.string().min(2),
      days: z.coerce.number().int().min(1).max(7).default(1).describe("How many days"),
      unit: z.enum(["c", "f"]).optional(),
      station: z.string().regex(/^st-/)
    })
    const { described, header } = await documentOf({ method: "GET", input })
    const days = { type: "integer", minimum: 1, maximum: 7 }
    expect(described["parameters"]).toEqual([
      named("city", { type: "string", minLength: 2 }, true, inPath),
      named("days", { ...days, default: 1 }, false, { description: "How many days", example: 2 }),
      named("unit", { type: "string", enum: ["c", "f"] }, false),
      named("station", { type: "string", pattern: "^st-" }, true)
    ])
    const { extensions } = JSON.parse(atob(header))
    // A header has room for the types.
    expect(extensions.bazaar.schema.properties.input.properties.queryParams).toMatchObject({
      properties: { days: { type: days.type } },
      required: ["station"]
    })
  })

  it("has the body of zod, with the schemas that it refers to", async () => {
    const Tree = z
      .object({
        get branch() {
          return Tree.optional()
        }
      })
      .meta({ id: "Tree" })
    const input = z.object({ city: z.string(), text: z.string().max(1000), tree: Tree })
    const { components, described } = await documentOf({ method: "POST", input })
    expect(described["requestBody"]).toMatchObject({
      content: {
        "application/json": {
          schema: {
            properties: {
              text: { type: "string", maxLength: 1000 },
              tree: { $ref: "#/components/schemas/Tree" }
            },
            required: ["text", "tree"]
          }
        }
      }
    })
    expect(components.schemas).toMatchObject({
      Tree: { properties: { branch: { $ref: "#/components/schemas/Tree" } } }
    })
  })

  it("has the input of a schema of Effect", async () => {
    const input = Schema.toStandardJSONSchemaV1(
      Schema.toStandardSchemaV1(
        Schema.Struct({ city: Schema.String, days: Schema.optionalKey(Schema.FiniteFromString) })
      )
    )
    const { described } = await documentOf({ method: "GET", input })
    expect(described["parameters"]).toEqual([
      named("city", { type: "string" }, true, inPath),
      named("days", { type: "string" }, false, { example: "2" })
    ])
  })

  const without: StandardSchema = {
    "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [] }) }
  }
  it.each<[string, StandardSchema | undefined]>([
    ["offers no JSON Schema", without],
    ["has a type that JSON Schema can't express", z.object({ city: z.string(), day: z.date() })],
    ["is missing", undefined]
  ])("has the names of the example where the schema %s", async (_why, input) => {
    const { described } = await documentOf({ method: "GET", ...(input === undefined ? {} : { input }) })
    expect(described["parameters"]).toMatchObject([
      { name: "city", in: "path", required: true },
      { name: "days", in: "query", required: false }
    ])
  })

  it("has names without types of a schema too long for the header of a 402", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `field${index}`)
    const long = z.string().describe("a".repeat(200))
    const input = z.object({ city: z.string(), ...Object.fromEntries(names.map((name) => [name, long])) })
    const { described, header } = await documentOf({ method: "GET", input })
    const parameters = described["parameters"] as ReadonlyArray<{ readonly name: string }>
    expect(parameters.map(({ name }) => name)).toEqual(["city", ...names])
    expect(parameters[1]).toMatchObject({ required: true, schema: {} })
    expect(header.length).toBeLessThan(8_000)
  })
})

/** Statuses of paid calls of an own route, and what was reported of its input. */
const callsOf = async (route: Pick<PlainOperation, "input" | "method">, calls: ReadonlyArray<string>) => {
  const reported: Array<string> = []
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    onEvent: ({ code, message }) => {
      if (code === "risky_setting") reported.push(message)
    },
    operations: [
      operation({
        id: "weather",
        path: "/weather/:city",
        description: "Weather",
        price: "0.02",
        work: () => ({}),
        ...route
      })
    ]
  })
  onTestFinished(() => till.dispose())
  const pay = payingFetch(`0x${"07".repeat(32)}`, 100, (input, init) => till.fetch(new Request(input, init)))
  const statuses: Array<number> = []
  for (const call of calls)
    statuses.push((await pay(`https://shop.example/weather/${call}`, { method: route.method })).status)
  return { reported, statuses }
}

describe("a value of path or query that the input takes as another type than text", () => {
  const city = z.string()

  it.each([
    ["a number", z.object({ city, days: z.number() }), "oslo?days=2", "days"],
    ["an optional integer", z.object({ city, days: z.int().optional() }), "oslo?days=2", "days"],
    ["a boolean", z.object({ city, rain: z.boolean() }), "oslo?rain=true", "rain"],
    ["a list", z.object({ city, tags: z.array(z.string()) }), "oslo?tags=a", "tags"],
    ["a number in the path", z.object({ city: z.number() }), "5", "city"]
  ])("is reported once: %s", async (_, input, call, name) => {
    expect(await callsOf({ method: "GET", input }, [call, call])).toEqual({
      statuses: [400, 400],
      reported: [
        `operation weather: its input refuses ${name} as text, and takes it as its documents say. Values of path and query are text: convert them, as z.coerce does`
      ]
    })
  })

  it.each<readonly [string, StandardSchema, ReadonlyArray<string>]>([
    [
      "that is converted, and out of its bounds",
      z.object({ city, days: z.coerce.number().min(5) }),
      ["oslo?days=2", "oslo?days=many", "oslo?days=1&days=2", "oslo"]
    ],
    [
      "that is converted before",
      z.object({ city, days: z.preprocess(Number, z.number().int().max(7)) }),
      ["oslo?days=9", "oslo?days=1.5"]
    ],
    ["of text", z.object({ city, year: z.string().length(4) }), ["oslo?year=99", "oslo?year=false"]],
    ["that isn't a number", z.object({ city, days: z.number() }), ["oslo?days=many", "oslo?days=02", "oslo"]],
    [
      "of text or a number",
      z.object({ city, days: z.union([z.number(), z.string().min(2)]) }),
      ["oslo?days=2"]
    ],
    [
      "of a library that offers no types",
      {
        "~standard": {
          version: 1,
          vendor: "own",
          validate: () => ({ issues: [{ message: "no", path: ["days"] }] })
        }
      },
      ["oslo?days=2"]
    ]
  ])("is no fault: one %s", async (_, input, calls) => {
    const { reported, statuses } = await callsOf({ method: "GET", input }, calls)
    expect(statuses).toEqual(calls.map(() => 400))
    expect(reported).toEqual([])
  })
})
