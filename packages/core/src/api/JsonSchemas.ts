import { Schema } from "effect"
import { isObject } from "../runtime/isObject.ts"

/*
 * JSON Schemas of what callers send, for the documents: from the encoded side of each schema, which has its rules.
 */

export type Json = Readonly<Record<string, unknown>>

/** The keyword that an annotation of a schema adds to its JSON Schema: `allOf` for rules between fields. */
export const schemaOptions = { includeAnnotationKey: (key: string) => key === "allOf" }

/** A schema, and those that it refers to. */
export interface DescribedSchema {
  readonly schema: Json
  readonly definitions: Json
}

/** Keywords that say no more than their absence. Callers may send other names: they are ignored. */
const isNoise = (name: string, value: unknown): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (name === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (name === "minLength" && value === 0) ||
  (name === "additionalProperties" && typeof value === "boolean")

/** Keywords whose values are schemas by name, and those whose values are no schemas. */
const byName = new Set(["properties", "$defs"])
const plainValues = new Set(["default", "examples", "enum", "const", "required"])

/** A schema with the parts of `allOf` that can stand beside its other keywords. */
const withoutAllOf = ({ allOf, ...schema }: Json): Json => {
  if (!Array.isArray(allOf)) return schema
  const merged: Record<string, unknown> = { ...schema }
  const rest: Array<Json> = []
  for (const part of allOf as ReadonlyArray<Json>) {
    if ("anyOf" in part || Object.keys(part).some((name) => name in merged)) rest.push(part)
    else Object.assign(merged, part)
  }
  return rest.length === 0 ? merged : { ...merged, allOf: rest }
}

/** Rewrites a schema and all within it, from the innermost on. */
export const rewritten = (schema: unknown, rewrite: (schema: Json) => Json): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => rewritten(part, rewrite))
  if (!isObject(schema)) return schema
  const within = (name: string, value: unknown): unknown => {
    if (plainValues.has(name)) return value
    if (!byName.has(name) || !isObject(value)) return rewritten(value, rewrite)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rewritten(part, rewrite)]))
  }
  return rewrite(
    Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, within(name, value)]))
  )
}

/** A schema in as few words as say the same. */
export const concise = (schema: unknown): unknown =>
  rewritten(schema, (part) =>
    withoutAllOf(Object.fromEntries(Object.entries(part).filter(([name, value]) => !isNoise(name, value))))
  )

/** Schemas by name, in as few words as say the same. */
export const conciseAll = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, concise(schema)]))

/** The schema of a body. */
export const bodySchema = (schema: Schema.Top): DescribedSchema => {
  const { definitions, schema: body } = Schema.toJsonSchemaDocument(schema, schemaOptions)
  return { schema: concise(body) as Json, definitions: conciseAll(definitions) }
}

/** Whether a schema is that of values which stand as text in a URL. */
export const isFromText = ({ type }: Json): boolean =>
  type === "number" || type === "integer" || type === "boolean"

const wordsOf = ({ default: standard, description, examples }: Json): Json =>
  Object.fromEntries(
    Object.entries({ description, default: standard, examples }).filter(([, value]) => value !== undefined)
  )

/**
 * The schema of parameters. They are text on the wire: where that stands for a number, the document shows the number.
 */
export const parametersSchema = (schema: Schema.Top): DescribedSchema => {
  const sent = bodySchema(schema)
  const meant = bodySchema(Schema.toType(schema))
  const meanings = (meant.schema["properties"] ?? {}) as Readonly<Record<string, Json>>
  const properties = Object.entries((sent.schema["properties"] ?? {}) as Readonly<Record<string, Json>>).map(
    ([name, property]): readonly [string, Json] => {
      const meaning = meanings[name] ?? {}
      return [name, isFromText(meaning) ? { ...meaning, ...wordsOf(property) } : property]
    }
  )
  return {
    schema: { ...sent.schema, properties: Object.fromEntries(properties) },
    definitions: { ...meant.definitions, ...sent.definitions }
  }
}
