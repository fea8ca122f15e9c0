import { Schema } from "effect"
import type { StatusAction, StatusKind } from "../ports/StatusPages.ts"
import { bodySchema, type Json } from "./JsonSchemas.ts"

/*
 * The status pages, which are free, in the OpenAPI document.
 */

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
    "The challenge of the 401, signed by the wallet that paid: base64 of JSON, as the extension sign-in-with-x has it. With @x402/extensions: encodeSIWxHeader(await createSIWxPayload({ ...info, ...supportedChains[0] }, signer, url))."
}
const tokenParameter: Json = {
  name: "Status-Token",
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "The header Status-Token of the paid response, or of one to a proof."
}

const transaction = Schema.NullOr(Schema.String).annotate({
  description: "The transfer on the chain; null if it isn't known."
})

/** What every page shows. */
const common = {
  refund: Schema.NullOr(
    Schema.Struct({
      status: Schema.Literals(["due", "sent"]).annotate({ description: "sent once it is on its way." }),
      transaction
    })
  ).annotate({ description: "The refund of the payment; null if there is none." }),
  payment: Schema.Struct({
    network: Schema.String.annotate({ description: "CAIP-2." }),
    amountAtomic: Schema.String.annotate({ description: "Atomic units of the token, in decimal digits." }),
    transaction
  }).annotate({ description: "What was paid." }),
  response: Schema.NullOr(
    Schema.Struct({
      status: Schema.Int.annotate({ description: "Its HTTP status." }),
      body: Schema.Json.annotate({ description: "Its body." })
    })
  ).annotate({
    description: "The response that the payment got first, while it is kept."
  }),
  "sign-in-with-x": Schema.Record(Schema.String, Schema.Json).annotate({
    description: "A challenge: sign it to see more."
  })
}

const inJson = (schema: Schema.Top): Json => ({ "application/json": { schema: bodySchema(schema).schema } })

/** Each caller sees a part of a page: its status, and what they may see besides. */
const pageContent = ({ shows }: StatusKind): Json => {
  const { status = Schema.String, ...others } = { ...shows, ...common }
  const optional = Object.entries(others).map(([name, field]) => [
    name,
    Schema.optionalKey(field as Schema.Top)
  ])
  return inJson(Schema.Struct({ status, ...Object.fromEntries(optional) }))
}

const problem = { "application/json": { schema: { $ref: "#/components/schemas/ApiError" } } }
const retryAfter = {
  headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } }
}

const failures = {
  "401": {
    description:
      "`SIGN_IN_REQUIRED`, `SIGN_IN_REFUSED`: sign the challenge in details with the wallet that paid, and send the proof.",
    content: problem
  },
  "404": {
    description: "`STATUS_NOT_FOUND`: there is no such id, or it isn't the caller's.",
    content: problem
  },
  "429": { description: "`RATE_LIMITED`: too many requests.", ...retryAfter, content: problem },
  "500": { description: "`INTERNAL_ERROR`: a defect of the service.", content: problem },
  "503": { description: "`STORAGE_UNAVAILABLE`: try again later.", ...retryAfter, content: problem }
}

const actionResponses = ({ errors, returns }: StatusAction): Json => ({
  "200": { description: "Done, free of charge.", content: inJson(Schema.Struct(returns)) },
  ...failures,
  ...Object.fromEntries(
    errors.map(({ code, meaning, status }) => [
      status,
      { description: `\`${code}\`: ${meaning}.`, content: problem }
    ])
  )
})

const statusDescription =
  "Free. A signature of the wallet that paid shows all, and gives the Status-Token in a header, which shows states, expected delivery and refund, and no more. A transaction as id shows the state alone. Ask again after Retry-After."

const operationId = (...words: ReadonlyArray<string>): string =>
  words
    .map((word, index) => (index === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .join("")

/** The status pages of these kinds, by path. */
export const statusPaths = (statusPath: string | undefined, kinds: ReadonlyArray<StatusKind>): Json => {
  if (statusPath === undefined) return {}
  const paths: Record<string, Json> = {}
  for (const kind of kinds) {
    const { actions, path, summary } = kind
    const page = `${statusPath}/${path}/{id}`
    paths[page] = {
      get: {
        operationId: operationId(path, "status"),
        summary,
        description: statusDescription,
        parameters: [idParameter, proofParameter, tokenParameter],
        responses: {
          "200": {
            description: "The state, and what the caller may see.",
            headers: {
              "Retry-After": { description: "Seconds until it may change.", schema: { type: "integer" } },
              "Status-Token": { description: "The token, for a proof.", schema: { type: "string" } }
            },
            content: pageContent(kind)
          },
          ...failures
        },
        security: []
      }
    }
    for (const [name, action] of Object.entries(actions))
      paths[`${page}/${name}`] = {
        post: {
          operationId: operationId(path, name),
          summary: action.statement,
          parameters: [idParameter, proofParameter],
          responses: actionResponses(action),
          security: []
        }
      }
  }
  return paths
}
