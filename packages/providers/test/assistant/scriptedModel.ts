import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll } from "vitest"

/*
 * A small server of the chat-completions protocol that replies as a test says, over real HTTP.
 */

/** A message of a request, as the server receives it. */
export interface SentMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: ReadonlyArray<{
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }>
  readonly tool_call_id?: string
}

/** A request, as the server receives it. */
export interface ChatRequest {
  readonly model: string
  readonly messages: ReadonlyArray<SentMessage>
  readonly tools?: ReadonlyArray<{
    readonly function: { readonly name: string; readonly parameters: unknown }
  }>
  readonly tool_choice?: unknown
  readonly response_format?: {
    readonly type: string
    readonly json_schema: { readonly name: string; readonly schema: unknown }
  }
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
}

/** What the model does next. */
export type Turn =
  | {
      readonly calls: ReadonlyArray<{ readonly name: string; readonly args: unknown }>
      readonly text?: string
    }
  | { readonly text: string; readonly finish?: string }
  | { readonly refusal: string }
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly raw: string }
  | { readonly hang: true }

/** Decides the next turn. `round` counts the requests from 0. */
export type Script = (request: ChatRequest, round: number) => Turn | Promise<Turn>

const messageOf = (turn: Exclude<Turn, { status: number } | { raw: string } | { hang: true }>) => {
  if ("refusal" in turn) return { message: { role: "assistant", content: null, refusal: turn.refusal } }
  if (!("calls" in turn)) {
    return { message: { role: "assistant", content: turn.text }, finish_reason: turn.finish ?? "stop" }
  }
  return {
    message: {
      role: "assistant",
      content: turn.text ?? null,
      tool_calls: turn.calls.map(({ args, name }, index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) }
      }))
    },
    finish_reason: "tool_calls"
  }
}

/** The sentences on which a request asks for an opinion, in their order. */
export const sentencesAsked = ({ messages }: ChatRequest): ReadonlyArray<string> =>
  (JSON.parse(messages[1]?.content ?? "[]") as ReadonlyArray<{ readonly sentence: string }>).map(
    ({ sentence }) => sentence
  )

/** What tests' lies and the known sentences speak of. */
const subjectOf = (sentence: string): string =>
  /baby|allergen|waterproof/i.test(sentence)
    ? "safety"
    : /delighted/i.test(sentence)
      ? "people"
      : /cost|stock|shipping|warranty|lieferbar|bank account|handful|order/i.test(sentence)
        ? "offer"
        : "advice"

/** A turn with opinions on all sentences, by what they speak of. */
export const opinionsBy =
  (subject: (sentence: string) => string, proof: ReadonlyArray<string> = []) =>
  (request: ChatRequest): Turn => ({
    text: JSON.stringify({
      sentences: sentencesAsked(request).map((sentence, at) => ({
        number: at + 1,
        subject: subject(sentence),
        proof
      }))
    })
  })

/** Opinions as a model gives them that can judge. */
export const soundOpinions = opinionsBy(subjectOf)

const readBody = async (request: IncomingMessage): Promise<ChatRequest> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text)
}

/** Starts the server before all tests of a file; each test sets its script, and opinions if they matter. */
export const scriptedModel = () => {
  let script: Script = () => ({ status: 500 })
  let opinion: (request: ChatRequest) => Turn = soundOpinions
  let asked: Array<ChatRequest> = []
  let requests: Array<ChatRequest> = []
  let headers: Array<IncomingMessage["headers"]> = []
  const server: Server = createServer((incoming, response) => {
    // A connection that is kept could be closed just when the next test uses it.
    response.setHeader("connection", "close")
    void (async () => {
      const request = await readBody(incoming)
      const isOpinion = request.response_format?.json_schema.name === "opinions"
      ;(isOpinion ? asked : requests).push(request)
      headers.push(incoming.headers)
      const turn = isOpinion ? opinion(request) : await script(request, requests.length - 1)
      if ("hang" in turn) return
      if ("raw" in turn) {
        response.writeHead(200, { "content-type": "application/json" }).end(turn.raw)
        return
      }
      if ("status" in turn) {
        response.writeHead(turn.status, { "content-type": "application/json", ...turn.headers })
        response.end(JSON.stringify(turn.body ?? { error: { message: "scripted" } }))
        return
      }
      response.writeHead(200, { "content-type": "application/json" })
      response.end(
        JSON.stringify({
          id: `chat_${requests.length}`,
          model: request.model,
          choices: [{ index: 0, ...messageOf(turn) }],
          usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
        })
      )
    })()
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  })
  afterEach(() => {
    requests = []
    asked = []
    headers = []
    script = () => ({ status: 500 })
    opinion = soundOpinions
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => void server.close(resolve))
  })
  return {
    baseUrl: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    use: (next: Script, opinions: (request: ChatRequest) => Turn = soundOpinions) => {
      script = next
      opinion = opinions
    },
    /** Requests for searches and answers. */
    requests: () => requests,
    /** Requests for opinions. */
    opinionRequests: () => asked,
    headers: () => headers
  }
}

/** The results of tools in a request, decoded, oldest first. */
export const toolResults = (request: ChatRequest): ReadonlyArray<unknown> =>
  request.messages.flatMap(({ content, role }) =>
    role === "tool" && content !== null ? [JSON.parse(content)] : []
  )

/** A turn that searches. */
export const searchFor = (...queries: ReadonlyArray<string>): Turn => ({
  calls: queries.map((query) => ({ name: "search_products", args: { query } }))
})

/** A turn that wishes for no product. */
export const noWish: Turn = {
  text: JSON.stringify({
    shopping: false,
    summary: "Hi! Your order arrives tomorrow.",
    picks: [],
    note: ""
  })
}

/** A turn that answers with a summary and products. */
export const answerWith = (summary: string, ...ids: ReadonlyArray<string>): Turn =>
  answerWithReasons(summary, ...ids.map((id) => [id, ""] as const))

/** A turn that answers with a summary, and with a reason for each product. */
export const answerWithReasons = (
  summary: string,
  ...picks: ReadonlyArray<readonly [id: string, why: string]>
): Turn => ({
  text: JSON.stringify({ summary, picks: picks.map(([id, why]) => ({ id, why })), note: "" })
})
