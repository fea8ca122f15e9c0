import { Effect, Redacted, Result } from "effect"
import { type Fields, fieldsOf } from "../listing/Fields.ts"
import {
  type UpstreamResponse,
  ResponseMalformed,
  RateLimited,
  type UpstreamFault
} from "../upstream/index.ts"
import { CatalogueRefused, isTemporaryCode } from "./CatalogueRefused.ts"

/*
 * MCP over HTTP, as the catalogue uses it: one JSON-RPC 2.0 request and one response, as JSON or in an event
 * stream. https://modelcontextprotocol.io/specification, "Streamable HTTP" and "Tools".
 */

/** Accepted media types: a server may choose either. */
export const accepted = "application/json, text/event-stream"

/** Id of every request. Each has its own connection, so responses can't be mixed up. */
const requestId = 1

/** The body that calls a tool. */
export const toolCall = (name: string, args: Fields): string =>
  JSON.stringify({ jsonrpc: "2.0", id: requestId, method: "tools/call", params: { name, arguments: args } })

/** The errors of a call to the catalogue. */
export type CatalogueFault = UpstreamFault | CatalogueRefused

/** Data of each event of a stream (WHATWG HTML, 9.2.6), without comments and other fields. */
const eventsOf = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/\r\n?/g, "\n")
    .split(/\n{2,}/)
    .map((event) =>
      event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).replace(/^ /, ""))
        .join("\n")
    )
    .filter((data) => data !== "")

const parse = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** The JSON-RPC response: the document, or the event that is a result or an error. */
const messageOf = ({ headers, text }: UpstreamResponse): Fields => {
  const isStream = (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream")
  // Progress notifications may come before the response.
  const messages = (isStream ? eventsOf(text) : [text]).map((each) => fieldsOf(parse(each)))
  return messages.find((message) => "result" in message || "error" in message) ?? {}
}

/** A code that is safe in a log; `undefined` for other text, which may quote the query. */
const wordOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[A-Za-z]\w{1,59}$/.test(value) ? value : undefined

const codeOfError = (error: unknown): string => {
  const { code, data } = fieldsOf(error)
  const number = typeof code === "number" && Number.isSafeInteger(code) ? `RPC_${Math.abs(code)}` : "RPC"
  return wordOf(fieldsOf(data)["code"]) ?? wordOf(code) ?? number
}

const refusal = (upstream: string, code: string): CatalogueFault =>
  isTemporaryCode(code)
    ? new RateLimited({ upstream, retryAfterMillis: 1_000 })
    : new CatalogueRefused({ upstream, code })

/** The first error among the messages of a UCP document. */
const errorAmong = (messages: unknown): string | undefined => {
  if (!Array.isArray(messages)) return undefined
  const error = messages.map(fieldsOf).find(({ type }) => type === "error")
  return error === undefined ? undefined : (wordOf(error["code"]) ?? "error")
}

/** The tool's document: structured, or as text from older servers. */
const documentOf = (result: Fields): Fields => {
  const { content, structuredContent } = result
  if (typeof structuredContent === "object" && structuredContent !== null) return fieldsOf(structuredContent)
  const texts = (Array.isArray(content) ? content : []).map(fieldsOf)
  // Notices may follow the document in further texts.
  for (const { text } of texts) {
    const document = typeof text === "string" ? fieldsOf(parse(text)) : {}
    if (Object.keys(document).length > 0) return document
  }
  return {}
}

/**
 * Reads the document in a tool's response.
 *
 * Fails with `CatalogueRefused` for a JSON-RPC error, a tool's error (`isError`) and a UCP document with
 * `status: "error"`; with `ResponseMalformed` for anything else that is not a JSON-RPC response.
 */
export const readToolResponse = (response: UpstreamResponse): Effect.Effect<Fields, CatalogueFault> => {
  const { upstream } = response
  const { error, result } = messageOf(response)
  if (error !== undefined && error !== null) return Effect.fail(refusal(upstream, codeOfError(error)))
  if (typeof result !== "object" || result === null) {
    return Effect.fail(new ResponseMalformed({ upstream, detail: "no JSON-RPC result or error" }))
  }
  const document = documentOf(fieldsOf(result))
  const { messages, ucp } = document
  if (fieldsOf(result)["isError"] === true || fieldsOf(ucp)["status"] === "error") {
    return Effect.fail(refusal(upstream, errorAmong(messages) ?? "tool_error"))
  }
  return Effect.succeed(document)
}

/** Reads the JSON-RPC error in a rejection, such as a 422, because it is more specific than the status. */
export const readRejection = (fault: UpstreamFault): CatalogueFault => {
  if (fault._tag !== "Rejected" || fault.status >= 500 || fault.status === 429) return fault
  const { error } = messageOf(Redacted.value(fault.response))
  return error === undefined || error === null ? fault : refusal(fault.upstream, codeOfError(error))
}
