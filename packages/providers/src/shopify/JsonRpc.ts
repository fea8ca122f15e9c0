import { Effect, Redacted, Result } from "effect"
import { type Fields, fieldsOf } from "../listing/fields.ts"
import { type Answer, AnswerMalformed, RateLimited, type UpstreamFault } from "../upstream/index.ts"
import { CatalogueRefused, saysNotNow } from "./Refused.ts"

/*
 * MCP over HTTP as the catalogue speaks it: one JSON-RPC 2.0 request, one answer, as JSON or as the
 * message of an event stream. https://modelcontextprotocol.io/specification, "Streamable HTTP" and "Tools".
 */

/** What must be accepted: a server may choose either. */
export const accepted = "application/json, text/event-stream"

/** Id of every request: each has a connection of its own, so answers can't be mixed up. */
const requestId = 1

/** The body that calls a tool. */
export const toolCall = (name: string, args: Fields): string =>
  JSON.stringify({ jsonrpc: "2.0", id: requestId, method: "tools/call", params: { name, arguments: args } })

/** Whatever a call of the catalogue may fail with. */
export type CatalogueFault = UpstreamFault | CatalogueRefused

/** Data of each event of a stream (WHATWG HTML, 9.2.6), comments and other fields left out. */
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

/** The answer to our request: the document, or the event that is a result or an error. */
const messageOf = ({ headers, text }: Answer): Fields => {
  const isStream = (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream")
  // Notifications of progress may come before the answer.
  const messages = (isStream ? eventsOf(text) : [text]).map((each) => fieldsOf(parse(each)))
  return messages.find((message) => "result" in message || "error" in message) ?? {}
}

/** A word that may stand in a log, or `undefined`: what an upstream writes may quote the query. */
const wordOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[A-Za-z]\w{1,59}$/.test(value) ? value : undefined

const codeOfError = (error: unknown): string => {
  const { code, data } = fieldsOf(error)
  const number = typeof code === "number" && Number.isSafeInteger(code) ? `RPC_${Math.abs(code)}` : "RPC"
  return wordOf(fieldsOf(data)["code"]) ?? wordOf(code) ?? number
}

const refusal = (upstream: string, code: string): CatalogueFault =>
  saysNotNow(code)
    ? new RateLimited({ upstream, retryAfterMillis: 1_000 })
    : new CatalogueRefused({ upstream, code })

/** The first error among the messages that a UCP document carries. */
const errorAmong = (messages: unknown): string | undefined => {
  if (!Array.isArray(messages)) return undefined
  const error = messages.map(fieldsOf).find(({ type }) => type === "error")
  return error === undefined ? undefined : (wordOf(error["code"]) ?? "error")
}

/** The tool's own document: structured, or as text beside older servers. */
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
 * The document that a tool answered with.
 *
 * Fails with `CatalogueRefused` for a JSON-RPC error, a tool's error (`isError`) and a UCP document that
 * says `status: "error"`; with `AnswerMalformed` for what is no JSON-RPC answer.
 */
export const readToolAnswer = (answer: Answer): Effect.Effect<Fields, CatalogueFault> => {
  const { upstream } = answer
  const { error, result } = messageOf(answer)
  if (error !== undefined && error !== null) return Effect.fail(refusal(upstream, codeOfError(error)))
  if (typeof result !== "object" || result === null) {
    return Effect.fail(new AnswerMalformed({ upstream, detail: "no JSON-RPC result or error" }))
  }
  const document = documentOf(fieldsOf(result))
  const { messages, ucp } = document
  if (fieldsOf(result)["isError"] === true || fieldsOf(ucp)["status"] === "error") {
    return Effect.fail(refusal(upstream, errorAmong(messages) ?? "tool_error"))
  }
  return Effect.succeed(document)
}

/** Errors of the protocol may come with a status of their own, such as 422: then they say more than it. */
export const readRejection = (fault: UpstreamFault): CatalogueFault => {
  if (fault._tag !== "Rejected" || fault.status >= 500 || fault.status === 429) return fault
  const { error } = messageOf(Redacted.value(fault.answer))
  return error === undefined || error === null ? fault : refusal(fault.upstream, codeOfError(error))
}
