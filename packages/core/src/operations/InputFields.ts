import { JsonSchema, Schema, SchemaRepresentation } from "effect"
import { isObject } from "../runtime/isObject.ts"

/*
 * The fields of an input as documents name them: from the JSON Schema that its library offers
 * (https://standardschema.dev/json-schema), else from the example.
 */

/** Fields of unknown type that may be left out. */
export const namedFields = (names: ReadonlyArray<string>): Schema.Struct.Fields =>
  Object.fromEntries(names.map((name) => [name, Schema.optionalKey(Schema.Unknown)]))

/** Longest JSON Schema that is kept whole: the 402 describes the input in a header. */
const maxSchemaLength = 4 * 1024

type Json = Readonly<Record<string, unknown>>

/** The JSON Schema of what callers send; `undefined` where the library offers none for this schema. */
const jsonSchemaOf = (standard: object): Json | undefined => {
  const offered: unknown = Reflect.get(standard, "jsonSchema")
  const input: unknown = isObject(offered) ? offered["input"] : undefined
  if (typeof input !== "function") return undefined
  try {
    const schema: unknown = Reflect.apply(input, offered, [{ target: "draft-2020-12" }])
    return isObject(schema) ? schema : undefined
  } catch {
    // JSON Schema can't express some types, such as dates.
    return undefined
  }
}

const fieldOf = (property: unknown, definitions: JsonSchema.Definitions): Schema.Top => {
  if (!isObject(property)) return Schema.Unknown
  try {
    const document = { dialect: "draft-2020-12", schema: property, definitions } as const
    return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" })
  } catch {
    // A keyword that has no counterpart.
    return Schema.Unknown
  }
}

/** The JSON types of those fields of an input that have one type. */
export const fieldTypes = (standard: object): ReadonlyMap<string, unknown> => {
  const properties: unknown = jsonSchemaOf(standard)?.["properties"]
  return new Map(
    Object.entries(Object(properties) as Json).map(([name, field]) => [
      name,
      isObject(field) ? field["type"] : undefined
    ])
  )
}

/** The fields of an input by its Standard Schema; `undefined` where that lists none. */
export const standardFields = (standard: object): Schema.Struct.Fields | undefined => {
  const json = jsonSchemaOf(standard)
  if (json === undefined || !isObject(json["properties"])) return undefined
  const { definitions } = JsonSchema.fromSchemaDraft2020_12(json)
  const required: ReadonlySet<unknown> = new Set(Array.isArray(json["required"]) ? json["required"] : [])
  const isLong = JSON.stringify(json).length > maxSchemaLength
  return Object.fromEntries(
    Object.entries(json["properties"]).map(([name, property]) => {
      const field = isLong ? Schema.Unknown : fieldOf(property, definitions)
      return [name, required.has(name) ? field : Schema.optionalKey(field)]
    })
  )
}
