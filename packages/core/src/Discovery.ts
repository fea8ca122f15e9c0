import { Schema } from "effect"
import { endpoints, type OperationId } from "./Api.ts"

type Json = Record<string, unknown>

/** An input that works against the sample shop, for indexers and agents to learn from. */
const examples: Record<OperationId, Json> = {
  search: { q: "wireless headphones", priceMax: "150" },
  shop: { message: "A quiet keyboard for the office", context: { priceRange: { max: 120 } } },
  buy: {
    asin: "B0ABCDEFGH",
    email: "ada@example.com",
    shippingAddress: {
      name: "Ada Lovelace",
      line1: "12 Analytical Way",
      city: "Austin",
      state: "TX",
      postalCode: "78701",
      country: "US"
    }
  },
  track: { number: "1Z999AA10123456784" },
  vaultSearch: { category: "development", limit: "10" },
  vaultBuy: {
    slug: "an-item",
    walletAddress: "So11111111111111111111111111111111111111112",
    email: "ada@example.com"
  },
  vaultDownload: { downloadToken: "from the purchase" }
}

interface Described {
  readonly schema: unknown
  readonly definitions: Json
}

/** The meaning of an input: numbers as numbers, but only what the wire requires as required. */
const describe = (schema: Schema.Top): Described => {
  const { definitions, schema: meaning } = Schema.toJsonSchemaDocument(Schema.toType(schema))
  const { required } = Schema.toJsonSchemaDocument(schema).schema as Json
  return {
    schema: "$ref" in meaning ? meaning : { ...meaning, required: required ?? [] },
    definitions: definitions as Json
  }
}

interface Discovery {
  readonly extensions: Json
  readonly outputSchema: Json
}

const made = new Map<OperationId, Discovery>()

/**
 * How to call an operation, for indexers: protocol version 2's `bazaar` extension and version 1's
 * `outputSchema`, from the same schemas as the decoders.
 * https://github.com/coinbase/x402, specification of the extension "bazaar".
 */
export const discoveryOf = (id: OperationId): Discovery => {
  // The same for every till of the process.
  const known = made.get(id) ?? makeDiscovery(id)
  made.set(id, known)
  return known
}

const makeDiscovery = (id: OperationId): Discovery => {
  const endpoint = endpoints[id]
  const isGet = endpoint.method === "GET"
  const input: Schema.Top = isGet
    ? endpoint.query!
    : (endpoint.payload.values().next().value!.schemas[0] as Schema.Top)
  const { definitions, schema } = describe(input)
  const example = examples[id]
  const info = isGet
    ? { type: "http", method: "GET", queryParams: example }
    : { type: "http", method: "POST", bodyType: "json", body: example }
  const field = isGet ? "queryParams" : "body"
  return {
    extensions: {
      bazaar: {
        info: { input: info },
        schema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            input: {
              type: "object",
              properties: {
                type: { const: "http" },
                method: { enum: [endpoint.method] },
                ...(isGet ? {} : { bodyType: { enum: ["json"] } }),
                [field]: schema
              },
              required: ["type", "method", field]
            }
          },
          required: ["input"],
          ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
        }
      }
    },
    outputSchema: {
      input: {
        type: "http",
        method: endpoint.method,
        discoverable: true,
        ...(isGet
          ? { queryParams: fieldNotes(schema) }
          : { bodyType: "json", bodyFields: fieldNotes(schema, definitions) })
      }
    }
  }
}

/** Version 1 describes fields flatly: name → `{ type, required }`. */
const fieldNotes = (schema: unknown, definitions: Json = {}): Json => {
  const target = resolve(schema as Json, definitions)
  const required = new Set((target["required"] as ReadonlyArray<string> | undefined) ?? [])
  return Object.fromEntries(
    Object.entries((target["properties"] as Record<string, Json> | undefined) ?? {}).map(
      ([name, property]) => [
        name,
        { type: resolve(property, definitions)["type"] ?? "string", required: required.has(name) }
      ]
    )
  )
}

const resolve = (schema: Json, definitions: Json): Json => {
  const reference = schema["$ref"]
  return typeof reference === "string" ? (definitions[reference.split("/").at(-1)!] as Json) : schema
}
