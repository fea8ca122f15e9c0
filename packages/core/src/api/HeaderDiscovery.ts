import type { Discovery } from "./Discovery.ts"
import { isObject } from "../runtime/isObject.ts"

/*
 * The discovery data of a 402's header: what its validators require, since a proxy with its defaults takes 4 KB of
 * headers. Descriptions, bounds and examples of responses are in the OpenAPI document, and in the catalogues of
 * facilitators, which get all of it with each payment.
 */

type Json = Readonly<Record<string, unknown>>

/** The keywords that decide whether an input is valid. */
const keywords: ReadonlySet<string> = new Set([
  "$schema",
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "const",
  "anyOf",
  "oneOf"
])

/** Definitions within definitions that are written out: a deeper one, or one within itself, admits anything. */
const maxDepth = 4

/** A schema with its definitions written out, without bounds and descriptions. It accepts all that the full one accepts. */
const outlineOf = (schema: unknown, definitions: Json, within: ReadonlyArray<string> = []): unknown => {
  if (Array.isArray(schema)) return schema.map((each) => outlineOf(each, definitions, within))
  if (!isObject(schema)) return schema
  const reference = schema["$ref"]
  if (typeof reference === "string") {
    const name = reference.slice("#/$defs/".length)
    return within.length === maxDepth || within.includes(name)
      ? {}
      : outlineOf(definitions[name] ?? {}, definitions, [...within, name])
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => keywords.has(keyword))
      .filter(([keyword, value]) => keyword !== "required" || (value as ReadonlyArray<unknown>).length > 0)
      .map(([keyword, value]) => [keyword, outlineOfKeyword(keyword, value, definitions, within)])
  )
}

const outlineOfKeyword = (
  keyword: string,
  value: unknown,
  definitions: Json,
  within: ReadonlyArray<string>
): unknown => {
  if (keyword === "enum" || keyword === "const") return value
  if (keyword !== "properties") return outlineOf(value, definitions, within)
  const properties = Object.entries(value as Json)
  return Object.fromEntries(properties.map(([name, each]) => [name, outlineOf(each, definitions, within)]))
}

interface Bazaar extends Json {
  readonly info: { readonly input: Json; readonly output: Json }
  readonly schema: Json & { readonly properties: { readonly input: Json & { readonly properties: Json } } }
}

/** The extensions of a header, made of those that describe an operation in full. */
export const headerExtensions = ({ extensions }: Pick<Discovery, "extensions">): Json => {
  const { info, schema, ...others } = extensions["bazaar"] as Bazaar
  const { input } = schema.properties
  // The same for each operation: `info` says it.
  const { bodyType: _, type: __, ...fields } = input.properties
  const described = { ...schema, properties: { input: { ...input, properties: fields } } }
  return {
    ...extensions,
    bazaar: {
      ...others,
      info: { input: info.input, output: { type: info.output["type"] } },
      schema: outlineOf(described, (schema["$defs"] ?? {}) as Json)
    }
  }
}
