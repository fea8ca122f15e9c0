import { Base64 } from "effect/encoding"
import type { AnyOperation } from "../operations/Operation.ts"
import { paymentIdentifier } from "../toll/request/PaymentHeader.ts"
import { bodySchema, type DescribedSchema, type Json, parametersSchema, rewritten } from "./JsonSchemas.ts"

/** What indexers read of an operation: version 2's `bazaar` extension, and version 1's `outputSchema`. */
export interface Discovery {
  readonly extensions: Json
  readonly outputSchema: Json
}

type DescribedOperation = Pick<AnyOperation, "endpoint" | "documents">

/** The offer of the extension `payment-identifier`: a client may name its payment. Facilitators don't need it. */
export const identifierOffer: Json = {
  [paymentIdentifier]: {
    info: { required: false },
    schema: {
      type: "object",
      // Its length is in the pattern: a header has little room.
      properties: { id: { type: "string", pattern: "^[\\w-]{16,128}$" } }
    }
  }
}

/** Longest pattern and text that a header bounds. */
const longest = { pattern: 80, text: 100 }

/** Whether a header has no room for a keyword: the OpenAPI document has it. */
const isLong = (schema: Json, name: string): boolean => {
  const value = schema[name]
  if (name === "maxLength") return Number(value) > longest.text
  if (name === "pattern")
    return "format" in schema || "minLength" in schema || String(value).length > longest.pattern
  return ["description", "examples", "default"].includes(name)
}

/** A schema without its words, and without what the OpenAPI document says better. */
const compact = (schema: unknown): unknown =>
  rewritten(schema, (part) =>
    Object.fromEntries(Object.entries(part).filter(([name]) => !isLong(part, name)))
  )

const compactAll = (definitions: Json): Json =>
  Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, compact(schema)]))

/** A schema that is no reference, unless it refers to itself. */
const inlined = (described: DescribedSchema): DescribedSchema => {
  const reference = described.schema["$ref"]
  if (typeof reference !== "string" || JSON.stringify(described.definitions).includes(`"${reference}"`))
    return described
  const name = reference.split("/").at(-1)!
  const { [name]: schema, ...definitions } = described.definitions
  return { schema: schema as Json, definitions }
}

/** The parts that all tills of a process share. */
interface Description extends Discovery {
  readonly hasParams: boolean
}

const nothing: DescribedSchema = { schema: { type: "object", properties: {} }, definitions: {} }

/**
 * Describes how to call an operation, for indexers, from the schemas of its endpoint.
 * https://github.com/coinbase/x402, specification of the extension "bazaar".
 *
 * @param prefix path of the till's base URL: indexers append the route template to the origin
 */
export const discoveryOf = (operation: DescribedOperation, prefix: string): Discovery => {
  const { endpoint } = operation
  const { extensions, hasParams, outputSchema } = descriptionOf(operation)
  if (!hasParams) return { extensions, outputSchema }
  const bazaar = { routeTemplate: `${prefix}${endpoint.path}`, ...(extensions["bazaar"] as Json) }
  return { extensions: { bazaar }, outputSchema }
}

const descriptionOf = (operation: DescribedOperation): Description => {
  const { example } = operation.documents
  const known = made.get(operation.endpoint)
  if (known?.example === example) return known.description
  const description = describeOperation(operation)
  made.set(operation.endpoint, { example, description })
  return description
}

const made = new WeakMap<object, { readonly example: object; readonly description: Description }>()

/** An example of the response as JSON, with bytes in base64. */
const outputOf = ({ documents }: DescribedOperation): Json => {
  const {
    example: { output },
    mimeType
  } = documents
  if (output === undefined) return { type: mimeType }
  if (output instanceof Uint8Array) return { type: mimeType, example: Base64.encode(output) }
  return { type: "json", example: output }
}

/** The schema of `outputOf`, without the response's fields: a header has no room for them. */
const outputSchemaOf = ({ documents }: DescribedOperation): Json => {
  const {
    example: { output },
    mimeType
  } = documents
  return {
    type: "object",
    properties: {
      type: { type: "string" },
      ...(output === undefined
        ? {}
        : {
            example:
              output instanceof Uint8Array
                ? { type: "string", contentEncoding: "base64", contentMediaType: mimeType }
                : {}
          })
    },
    required: ["type"]
  }
}

const describeOperation = (operation: DescribedOperation): Description => {
  const { documents, endpoint } = operation
  const { method } = endpoint
  const isGet = method === "GET"
  const [payload] = endpoint.payload.values()
  const schema = isGet ? endpoint.query : payload?.schemas[0]
  const input = schema === undefined ? nothing : inlined((isGet ? parametersSchema : bodySchema)(schema))
  const params = endpoint.params === undefined ? undefined : parametersSchema(endpoint.params)
  const field = isGet ? "queryParams" : "body"
  const names = new Set(Object.keys(propertiesOf(params?.schema ?? {}, params?.definitions ?? {})))
  const given = Object.entries(documents.example.input)
  const pathParams = Object.fromEntries(given.filter(([name]) => names.has(name)))
  const values = Object.fromEntries(given.filter(([name]) => !names.has(name)))
  // Indexers refuse an example without a parameter that its schema requires.
  const shown = Object.keys(pathParams).length === names.size ? params : undefined
  const definitions = { ...input.definitions, ...shown?.definitions }
  const output = outputOf(operation)
  return {
    hasParams: params !== undefined,
    extensions: {
      bazaar: {
        info: {
          input: {
            type: "http",
            method,
            ...(isGet ? {} : { bodyType: "json" }),
            ...(shown === undefined ? {} : { pathParams }),
            [field]: values
          },
          output
        },
        schema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            input: {
              type: "object",
              properties: {
                type: { const: "http" },
                method: { enum: [method] },
                ...(isGet ? {} : { bodyType: { enum: ["json"] } }),
                ...(shown === undefined ? {} : { pathParams: compact(shown.schema) }),
                [field]: compact(input.schema)
              },
              required: ["type", "method", field, ...(shown === undefined ? [] : ["pathParams"])]
            },
            output: outputSchemaOf(operation)
          },
          required: ["input"],
          ...(Object.keys(definitions).length === 0 ? {} : { $defs: compactAll(definitions) })
        }
      }
    },
    outputSchema: {
      input: {
        type: "http",
        method,
        discoverable: true,
        ...(isGet ? { queryParams: fieldNotes(input) } : { bodyType: "json", bodyFields: fieldNotes(input) })
      },
      ...("example" in output ? { output: output["example"] } : {})
    }
  }
}

const propertiesOf = (schema: Json, definitions: Json): Readonly<Record<string, Json>> =>
  (resolve(schema, definitions)["properties"] ?? {}) as Readonly<Record<string, Json>>

/** Version 1 describes fields flatly: name → `{ type, required }`. */
const fieldNotes = ({ definitions, schema }: DescribedSchema): Json => {
  const required = new Set((resolve(schema, definitions)["required"] ?? []) as ReadonlyArray<string>)
  return Object.fromEntries(
    Object.entries(propertiesOf(schema, definitions)).map(([name, property]) => [
      name,
      { type: resolve(property, definitions)["type"] ?? "string", required: required.has(name) }
    ])
  )
}

const resolve = (schema: Json, definitions: Json): Json => {
  const reference = schema["$ref"]
  return typeof reference === "string" ? ((definitions[reference.split("/").at(-1)!] ?? {}) as Json) : schema
}
