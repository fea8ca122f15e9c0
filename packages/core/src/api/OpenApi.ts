import { Context, Schema } from "effect"
import { HttpApi, HttpApiGroup, OpenApi } from "effect/http-api"
import { formatAtomic } from "../domain/Money.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { StatusKind } from "../ports/StatusPages.ts"

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

/** The header by which the same is bought again. */
const repeatParameter = ({ header, words }: NonNullable<AnyOperation["repeats"]>): Json => ({
  name: header,
  in: "header",
  required: false,
  schema: { type: "string", enum: ["true"] },
  description: words.header
})

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
    const { repeats } = operation
    const words: Readonly<Record<string, string>> = {
      ...descriptions,
      ...(repeats === undefined ? {} : { "409": `${descriptions["409"]} ${repeats.words.conflict}` }),
      ...operation.documents.errors
    }
    const responses = Object.entries(document["responses"] as Readonly<Record<string, Json>>)
    const { note } = operation.documents
    return {
      ...document,
      ...(note === undefined ? {} : { description: `${String(document["description"])} ${note}` }),
      parameters: [
        ...parameters.map((parameter) =>
          parameter.in === "query" && parameter.name in schemas
            ? { ...parameter, schema: schemas[parameter.name] }
            : parameter
        ),
        ...(repeats === undefined ? [] : [repeatParameter(repeats)])
      ],
      responses: Object.fromEntries(
        responses.map(([status, response]) => [
          status,
          {
            ...response,
            description: words[status] ?? response["description"],
            ...(status === "200" ? headersOf(operation) : {})
          }
        ])
      ),
      security: [{ payment: [] }],
      "x-payment-info": paymentInfo(operation)
    }
  }

/** The headers of a response, in the shape of OpenAPI. */
const headersOf = ({ documents: { headers = {} } }: AnyOperation): Json => {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } }
  ])
  return described.length === 0 ? {} : { headers: Object.fromEntries(described) }
}

const paymentScheme = {
  type: "apiKey",
  in: "header",
  name: "PAYMENT-SIGNATURE",
  description: "An x402 payment: base64 of JSON, version 1 or 2. X-PAYMENT is accepted as well."
}

const idParameter: Json = {
  name: "id",
  in: "path",
  required: true,
  schema: { type: "string" },
  description: "The id in the paid response, or the transaction that paid for it."
}
const proofParameter: Json = {
  name: "SIGN-IN-WITH-X",
  in: "header",
  required: false,
  schema: { type: "string" },
  description:
    "The challenge of the 401, signed by the wallet that paid: base64 of JSON, as the extension sign-in-with-x has it."
}
const tokenParameter: Json = {
  name: "Status-Token",
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "The header Status-Token of the paid response."
}

const statusResponses: Json = {
  "200": {
    description: "The state, and the details that the caller may see; from a POST, what it made.",
    content: { "application/json": {} }
  },
  "401": { description: "Sign the challenge in details, and send the proof." },
  "404": { description: "There is no such id, or it isn't the caller's." },
  "429": { description: "Too many requests: try again later." }
}

/** The status pages, which are free. */
const statusPaths = (statusPath: string | undefined, kinds: ReadonlyArray<StatusKind>): Json => {
  if (statusPath === undefined) return {}
  const paths: Record<string, Json> = {}
  for (const { actions, path, summary } of kinds) {
    const parameters = [idParameter, proofParameter, tokenParameter]
    const page = `${statusPath}/${path}/{id}`
    paths[page] = {
      get: { summary, description: statusDescription, parameters, responses: statusResponses, security: [] }
    }
    for (const [name, action] of Object.entries(actions))
      paths[`${page}/${name}`] = {
        post: {
          summary: action.statement,
          parameters: [idParameter, proofParameter],
          responses: statusResponses,
          security: []
        }
      }
  }
  return paths
}

const statusDescription =
  "Free. A signature of the wallet that paid shows all, the Status-Token states and refunds, and a transaction as id the state alone. Ask again after Retry-After."

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
  statusKinds = [],
  statusPath,
  support
}: {
  readonly baseUrl: string
  /** Who answers questions: an email address or an https address. */
  readonly support?: string | undefined
  readonly operations: ReadonlyArray<AnyOperation>
  readonly statusKinds?: ReadonlyArray<StatusKind>
  /** Path below which the status pages are. */
  readonly statusPath?: string | undefined
}): OpenApi.OpenAPISpec => {
  const [first, ...others] = operations.map((operation) =>
    operation.endpoint.annotateMerge(Context.make(OpenApi.Transform, transformOperation(operation)))
  )
  const api = HttpApi.make("till402")
    .annotateMerge(OpenApi.annotations({ title: "Calls paid by x402", version: "1.0.0" }))
    .annotate(OpenApi.Transform, (document) => ({
      ...document,
      info: { ...document["info"], description: describeTill(document), ...contactOf(support) },
      paths: { ...document["paths"], ...statusPaths(statusPath, statusKinds) },
      servers: [{ url: baseUrl }],
      components: { ...document["components"], securitySchemes: { payment: paymentScheme } }
    }))
  if (first === undefined) return OpenApi.fromApi(api)
  return OpenApi.fromApi(api.add(HttpApiGroup.make("x402", { topLevel: true }).add(first, ...others)))
}
