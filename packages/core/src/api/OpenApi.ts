import { Context } from "effect"
import { HttpApi, HttpApiGroup, OpenApi } from "effect/http-api"
import type { ErrorCode } from "../domain/ApiError.ts"
import { formatAtomic } from "../domain/Money.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { StatusKind } from "../ports/StatusPages.ts"
import { chargingOf, codesOf, descriptionOf, errorSchema, headersOf } from "./ErrorResponses.ts"
import { concise, conciseAll, isFromText, type Json, parametersSchema, schemaOptions } from "./JsonSchemas.ts"
import { paymentDescription } from "./paymentDescription.ts"
import { statusPaths } from "./StatusDocument.ts"

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

/** The header by which the same is bought again. */
const repeatParameter = ({ header, words }: NonNullable<AnyOperation["repeats"]>): Json => ({
  name: header,
  in: "header",
  required: false,
  schema: { type: "string", enum: ["true"] },
  description: words.header
})

/** The header by which a wallet gets for free what it has bought before. */
const freeAccessParameter: Json = {
  name: "SIGN-IN-WITH-X",
  in: "header",
  required: false,
  schema: { type: "string" },
  description:
    "Instead of a payment, for the wallet that paid before: the challenge of the 402, signed, as the extension sign-in-with-x has it. Free of charge."
}

interface Parameter extends Json {
  readonly in: string
  readonly name: string
  readonly schema: Json
}

/** An example as the schema has it: numbers stand as text in a query. */
const exampleOf = ({ type }: Json, value: unknown): Json => {
  if (value === undefined) return {}
  const isNumber = (type === "number" || type === "integer") && typeof value === "string"
  return { example: isNumber ? Number(value) : value }
}

/** The parameters of path and query: their description beside the schema, and their example. */
const parametersOf = ({ documents, endpoint }: AnyOperation, parameters: ReadonlyArray<Parameter>) => {
  const schemas = [endpoint.query, endpoint.params].map((schema) =>
    schema === undefined ? {} : parametersSchema(schema).schema["properties"]
  )
  const known: Readonly<Record<string, Json>> = Object.assign({}, ...schemas)
  return parameters.map((parameter) => {
    const meant = known[parameter.name] ?? {}
    const { description, ...schema } = isFromText(meant) ? meant : (concise(parameter.schema) as Json)
    const example = exampleOf(schema, documents.example.input[parameter.name])
    return { ...parameter, schema, ...(description === undefined ? {} : { description }), ...example }
  })
}

/** A body with the operation's example. */
const bodyOf = ({ documents }: AnyOperation, requestBody: unknown): Json => {
  if (requestBody === undefined) return {}
  const { content, ...body } = requestBody as { readonly content: Readonly<Record<string, Json>> }
  const described = Object.entries(content).map(([type, media]) => [
    type,
    { ...media, schema: concise(media["schema"]), example: documents.example.input }
  ])
  return { requestBody: { ...body, content: Object.fromEntries(described) } }
}

/** Headers in the shape of OpenAPI, or none. */
const headersIn = (headers: Readonly<Record<string, string>>): Json => {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: name === "Retry-After" ? "integer" : "string" } }
  ])
  return described.length === 0 ? {} : { headers: Object.fromEntries(described) }
}

const receipt = "The receipt of the payment: base64 of JSON with transaction, network and payer."
const receiptHeaders = {
  "PAYMENT-RESPONSE": receipt,
  "X-PAYMENT-RESPONSE": "The same for a payment of version 1."
}

type Content = Readonly<Record<string, Json>>

/** Makes one response: its words, headers, schemas and example. */
const responseOf = (operation: AnyOperation) => {
  const { documents } = operation
  const { example, hasOwnCodes = false, headers } = documents
  const charging = chargingOf(operation)
  const isShown = example.output !== undefined && !(example.output instanceof Uint8Array)
  return (status: number, response: Json, codes: ReadonlyArray<ErrorCode>): Json => {
    const isPaid = status === 200
    const content = Object.entries((response["content"] ?? {}) as Content).map(([type, { schema }]) => [
      type,
      {
        schema: hasOwnCodes ? concise(schema) : errorSchema(concise(schema), codes, charging),
        ...(isPaid && isShown ? { example: example.output } : {})
      }
    ])
    return {
      description: descriptionOf(status, codes, charging) ?? response["description"],
      ...headersIn(isPaid ? { ...receiptHeaders, ...headers } : headersOf(status)),
      content: Object.fromEntries(content)
    }
  }
}

/** The responses by status. An error without a code doesn't occur, unless the host has codes of its own. */
const responsesOf = (operation: AnyOperation, responses: Readonly<Record<string, Json>>): Json => {
  const { hasOwnCodes = false, otherResponses = {} } = operation.documents
  const codes = codesOf(operation)
  const described = responseOf(operation)
  const byStatus: Record<string, Json> = {}
  for (const [name, response] of Object.entries(responses)) {
    const status = Number(name)
    const ofStatus = codes.filter((code) => code.status === status)
    const occurs = hasOwnCodes || status < 400 || status === 402 || ofStatus.length > 0
    if (occurs) byStatus[name] = described(status, response, ofStatus)
  }
  for (const [name, { description, hasContent, headers }] of Object.entries(otherResponses))
    byStatus[name] = {
      description,
      ...headersIn({ ...receiptHeaders, ...headers }),
      ...(hasContent ? { content: byStatus["200"]?.["content"] } : {})
    }
  return byStatus
}

/** Adds price, payment header, examples and descriptions to the document of one operation. */
const transformOperation =
  (operation: AnyOperation) =>
  (document: Json): Record<string, unknown> => {
    const { documents, repeats } = operation
    const { note } = documents
    const parameters = (document["parameters"] ?? []) as ReadonlyArray<Parameter>
    return {
      ...document,
      ...(note === undefined ? {} : { description: `${String(document["description"])} ${note}` }),
      parameters: [
        ...parametersOf(operation, parameters),
        ...(repeats === undefined ? [] : [repeatParameter(repeats)]),
        ...(operation.freeAccess === undefined ? [] : [freeAccessParameter])
      ],
      ...bodyOf(operation, document["requestBody"]),
      responses: responsesOf(operation, document["responses"] as Readonly<Record<string, Json>>),
      security: [{ payment: [] }],
      "x-payment-info": paymentInfo(operation)
    }
  }

const paymentScheme = {
  type: "apiKey",
  in: "header",
  name: "PAYMENT-SIGNATURE",
  description: "An x402 payment: base64 of JSON, version 1 or 2. X-PAYMENT is accepted as well.",
  // A known indexer takes other schemes for an API key that is needed besides the payment.
  "x-agentcash-auth-kind": "siwx"
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
  guidance,
  operations,
  statusKinds = [],
  statusPath,
  support
}: {
  readonly baseUrl: string
  /** Who answers questions: an email address or an https address. */
  readonly support?: string | undefined
  /** What an agent should know before its first call. */
  readonly guidance?: string | undefined
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
      info: {
        ...document["info"],
        description: describeTill(document),
        ...contactOf(support),
        ...(guidance === undefined ? {} : { "x-guidance": guidance })
      },
      paths: { ...document["paths"], ...statusPaths(statusPath, statusKinds) },
      servers: [{ url: baseUrl }],
      components: {
        ...document["components"],
        schemas: conciseAll((document["components"] as Json)["schemas"] as Json),
        securitySchemes: { payment: paymentScheme }
      }
    }))
  if (first === undefined) return OpenApi.fromApi(api, schemaOptions)
  return OpenApi.fromApi(
    api.add(
      HttpApiGroup.make("x402", { topLevel: true })
        .annotate(OpenApi.Description, paymentDescription)
        .add(first, ...others)
    ),
    schemaOptions
  )
}
