import { Context, Schema } from "effect"
import { HttpApi, HttpApiGroup, OpenApi } from "effect/http-api"
import { formatAtomic } from "../domain/Money.ts"
import type { AnyOperation } from "../operations/Operation.ts"

/** How calls are paid, for the descriptions of all operations. */
export const paymentDescription =
  "Every call is paid through the x402 protocol in a dollar stablecoin: a request without payment gets a 402 with the ways to pay."

type Json = Readonly<Record<string, unknown>>

/** What each status means for any operation. */
const descriptions: Readonly<Record<string, string>> = {
  "200": "The call was paid, and this is its response.",
  "400": "The request is not valid, or can't be served as it is. Nothing is charged.",
  "402": "How to pay for this call.",
  "403": "The request is not allowed. Nothing is charged.",
  "404": "There is nothing that matches the request. Nothing is charged.",
  "409": "A request with the same payment is in progress: send it again in a moment.",
  "422": "The request can't be served without a change. Nothing is charged.",
  "429": "Too many requests or unsettled payments: send the same request again later.",
  "502": "An upstream responded with an error. Nothing is charged.",
  "503": "An upstream is not available, or a settlement is pending: send the same payment again."
}

const paymentInfo = ({ price }: AnyOperation): Json => ({
  price:
    price._tag === "Fixed"
      ? { mode: "fixed", currency: "USD", amount: formatAtomic(price.atomic) }
      : {
          mode: "dynamic",
          currency: "USD",
          min: formatAtomic(price.minAtomic),
          max: formatAtomic(price.maxAtomic)
        },
  protocols: [{ x402: {} }]
})

/** The schemas of query parameters by name. They are text on the wire; the document shows their decoded types. */
const parameterSchemas = (query: Schema.Top | undefined): Json => {
  if (query === undefined) return {}
  const { schema } = Schema.toJsonSchemaDocument(Schema.toType(query))
  return (schema["properties"] ?? {}) as Json
}

interface Parameter extends Json {
  readonly in: string
  readonly name: string
}

/** Adds price, payment header and plain descriptions to the document of one operation. */
const transformOperation =
  (operation: AnyOperation) =>
  (document: Json): Record<string, unknown> => {
    const schemas = parameterSchemas(operation.endpoint.query)
    const parameters = (document["parameters"] ?? []) as ReadonlyArray<Parameter>
    const words: Readonly<Record<string, string>> = { ...descriptions, ...operation.documents.errors }
    const responses = Object.entries(document["responses"] as Readonly<Record<string, Json>>)
    const { note } = operation.documents
    return {
      ...document,
      ...(note === undefined ? {} : { description: `${String(document["description"])} ${note}` }),
      parameters: parameters.map((parameter) =>
        parameter.in === "query" && parameter.name in schemas
          ? { ...parameter, schema: schemas[parameter.name] }
          : parameter
      ),
      responses: Object.fromEntries(
        responses.map(([status, response]) => [
          status,
          { ...response, description: words[status] ?? response["description"] }
        ])
      ),
      security: [{ payment: [] }],
      "x-payment-info": paymentInfo(operation)
    }
  }

const paymentScheme = {
  type: "apiKey",
  in: "header",
  name: "PAYMENT-SIGNATURE",
  description: "An x402 payment: base64 of JSON, version 1 or 2. X-PAYMENT is accepted as well."
}

/** Describes a till by the summaries of its operations. */
const describeTill = (document: Json): string => {
  const operations = Object.values((document["paths"] ?? {}) as Readonly<Record<string, Json>>)
    .flatMap((path) => Object.values(path as Readonly<Record<string, Json>>))
    .map(({ summary }) => summary)
    .filter((summary) => summary !== undefined)
  return [...operations, paymentDescription].join(". ")
}

const contactOf = (support: string | undefined) =>
  support === undefined ? {} : { contact: support.includes("://") ? { url: support } : { email: support } }

/**
 * The OpenAPI 3.1 document of a till's operations: made from their endpoints, with each price as `x-payment-info`, the
 * payment header as security scheme, and the address of the mount.
 */
export const openApiDocument = ({
  baseUrl,
  operations,
  support
}: {
  readonly baseUrl: string
  /** Who answers questions: an email address or an https address. */
  readonly support?: string | undefined
  readonly operations: ReadonlyArray<AnyOperation>
}): OpenApi.OpenAPISpec => {
  const [first, ...others] = operations.map((operation) =>
    operation.endpoint.annotateMerge(Context.make(OpenApi.Transform, transformOperation(operation)))
  )
  const api = HttpApi.make("till402")
    .annotateMerge(OpenApi.annotations({ title: "Calls paid by x402", version: "1.0.0" }))
    .annotate(OpenApi.Transform, (document) => ({
      ...document,
      info: { ...document["info"], description: describeTill(document), ...contactOf(support) },
      servers: [{ url: baseUrl }],
      components: { ...document["components"], securitySchemes: { payment: paymentScheme } }
    }))
  if (first === undefined) return OpenApi.fromApi(api)
  return OpenApi.fromApi(api.add(HttpApiGroup.make("x402", { topLevel: true }).add(first, ...others)))
}
