import { describe, expect, it } from "vitest"
import { headerExtensions } from "../../src/api/HeaderDiscovery.ts"

const of = (body: object, definitions: object = {}) => {
  const input = {
    type: "object",
    properties: { type: { const: "http" }, method: { enum: ["POST"] }, bodyType: { enum: ["json"] }, body },
    required: ["type", "method", "body"]
  }
  const bazaar = {
    info: { input: { type: "http", method: "POST", body: {} }, output: { type: "json", example: { a: 1 } } },
    schema: { type: "object", properties: { input, output: {} }, required: ["input"], $defs: definitions }
  }
  const { bazaar: made } = headerExtensions({ extensions: { bazaar } }) as {
    // eslint-disable-next-line typescript/no-explicit-any -- a schema of any shape
    readonly bazaar: any
  }
  return { info: made.info, body: made.schema.properties.input.properties.body, schema: made.schema }
}

describe("the outline of a schema", () => {
  it("has types, names and choices, and no bounds, words or defaults", () => {
    const { body } = of({
      type: "object",
      description: "What is sent",
      properties: {
        description: { type: "string", minLength: 1, maxLength: 9, format: "uri", description: "Words" },
        kind: { type: "string", enum: ["a", "b"], default: "a" },
        list: { type: "array", items: { type: "number", minimum: 0 }, maxItems: 5 }
      },
      required: ["description"],
      additionalProperties: false
    })
    expect(body).toEqual({
      type: "object",
      properties: {
        description: { type: "string" },
        kind: { type: "string", enum: ["a", "b"] },
        list: { type: "array", items: { type: "number" } }
      },
      required: ["description"]
    })
  })

  it("writes definitions out, and ends where one contains itself", () => {
    const { body, schema } = of(
      { $ref: "#/$defs/Tree" },
      {
        Tree: {
          type: "object",
          properties: {
            leaf: { $ref: "#/$defs/Leaf" },
            below: { type: "array", items: { $ref: "#/$defs/Tree" } }
          }
        },
        Leaf: { type: "string", minLength: 1 }
      }
    )
    expect(body).toEqual({
      type: "object",
      properties: { leaf: { type: "string" }, below: { type: "array", items: {} } }
    })
    expect(schema).not.toHaveProperty("$defs")
  })

  it("stays small where definitions contain each other twice", () => {
    const names = Array.from({ length: 30 }, (_, index) => `D${index}`)
    const definitions = Object.fromEntries(
      names.map((name, index) => {
        const next = { $ref: `#/$defs/D${index + 1}` }
        return [name, { type: "object", properties: { left: next, right: next } }]
      })
    )
    expect(JSON.stringify(of({ $ref: "#/$defs/D0" }, definitions).body).length).toBeLessThan(2_000)
  })

  it("leaves the example of the response to the documents", () => {
    expect(of({}).info).toEqual({
      input: { type: "http", method: "POST", body: {} },
      output: { type: "json" }
    })
  })
})
