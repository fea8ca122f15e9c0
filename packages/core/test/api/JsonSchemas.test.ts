import { Schema, SchemaTransformation } from "effect"
import { describe, expect, it } from "vitest"
import { bodySchema, concise, parametersSchema } from "../../src/api/JsonSchemas.ts"
import { described } from "../../src/domain/Text.ts"

const propertiesOf = (fields: Schema.Struct.Fields) =>
  parametersSchema(Schema.Struct(fields)).schema["properties"]

describe("the schemas of parameters", () => {
  it("show the number that a text stands for, with its bounds and what is said of the text", () => {
    const days = Schema.FiniteFromString.check(Schema.isGreaterThan(0)).pipe(described("How many."))
    expect(propertiesOf({ days: Schema.optionalKey(days) })).toEqual({
      days: { type: "number", exclusiveMinimum: 0, description: "How many." }
    })
  })

  it("have the rules of a text that is decoded to another one", () => {
    const code = Schema.String.check(Schema.isPattern(/^[a-z]{2}$/u)).pipe(
      Schema.decodeTo(Schema.String, SchemaTransformation.toUpperCase())
    )
    expect(propertiesOf({ code })).toEqual({ code: { type: "string", pattern: "^[a-z]{2}$" } })
  })

  it("require what must be sent, not what is always there once decoded", () => {
    const { schema } = parametersSchema(
      Schema.Struct({
        city: Schema.String,
        page: Schema.FiniteFromString.pipe(
          Schema.withDecodingDefaultKey(Schema.decodeUnknownEffect(Schema.String)("1"))
        )
      })
    )
    expect(schema["required"]).toEqual(["city"])
  })
})

describe("a concise schema", () => {
  it("leaves out bounds that bound nothing", () => {
    expect(bodySchema(Schema.Struct({ count: Schema.Int, text: Schema.String })).schema).toEqual({
      type: "object",
      properties: { count: { type: "integer" }, text: { type: "string" } },
      required: ["count", "text"]
    })
    expect(concise({ type: "string", minLength: 0, maxLength: 3 })).toEqual({ type: "string", maxLength: 3 })
  })

  it("joins the parts of allOf that don't contradict each other, and keeps alternatives apart", () => {
    expect(concise({ type: "string", allOf: [{ description: "a" }, { description: "b" }] })).toEqual({
      type: "string",
      description: "a",
      allOf: [{ description: "b" }]
    })
    const anyOf = [{ required: ["a"] }, { required: ["b"] }]
    expect(concise({ type: "object", allOf: [{ anyOf }] })).toEqual({ type: "object", allOf: [{ anyOf }] })
  })

  it("keeps fields and values that are named like keywords", () => {
    const schema = {
      type: "object",
      properties: { minLength: { type: "integer" }, allOf: { enum: [{ minLength: 0 }] } },
      required: ["minLength"]
    }
    expect(concise(schema)).toEqual(schema)
  })
})
