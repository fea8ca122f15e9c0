import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream as NodeReadableStream } from "node:stream/web"

/*
 * Node's request and response ⇄ the web's, for adapters of frameworks that speak Node.
 */

/** Where requests are said to come from: the till builds public addresses from its own `baseUrl`, never from `Host`. */
const origin = "http://till.invalid"

/** A request as a framework hands it on: a body parser of the host may have read the body already. */
export type ParsedRequest = IncomingMessage & { readonly body?: unknown }

const headersOf = (request: IncomingMessage): Headers => {
  const headers = new Headers()
  const { rawHeaders } = request
  // From the raw list: Node drops repetitions of some headers, and a repeated payment must be seen.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (!name.startsWith(":")) headers.append(name, rawHeaders[index + 1]!)
  }
  return headers
}

const parsedBody = (body: unknown): BodyInit =>
  typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body)

/** The path and query of a request target, or `undefined` where it is none (`*`, a malformed one). */
export const targetOf = (target: string): URL | undefined =>
  (target.startsWith("/") ? URL.parse(origin + target) : URL.parse(target)) ?? undefined

/**
 * A Node request as a web `Request`. The body streams; where a body parser of the host came before, it is
 * made again from what that left in `body`.
 *
 * No signal is wired in: a client that goes away must not interrupt a call that it has paid for.
 */
export const toRequest = (request: ParsedRequest, url: URL): Request => {
  const method = request.method ?? "GET"
  const headers = headersOf(request)
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers })
  const consumed = request.readableEnded || request.readableDidRead
  if (consumed) {
    headers.delete("content-length")
    headers.delete("content-encoding")
    return request.body === undefined
      ? new Request(url, { method, headers })
      : new Request(url, { method, headers, body: parsedBody(request.body) })
  }
  const body = Readable.toWeb(request) as unknown as ReadableStream<Uint8Array>
  return new Request(url, { method, headers, body, duplex: "half" } as RequestInit & { duplex: "half" })
}

/** Copies status and headers of a web response to a Node one. */
export const writeHead = (response: Response, to: ServerResponse): void => {
  to.statusCode = response.status
  for (const [name, value] of response.headers) {
    to.setHeader(name, name === "set-cookie" ? response.headers.getSetCookie() : value)
  }
}

/** A response's body as a Node stream, or `undefined` for none. */
export const bodyOf = (response: Response): Readable | undefined =>
  response.body === null ? undefined : Readable.fromWeb(response.body as NodeReadableStream<Uint8Array>)

/**
 * Sends a web `Response`. Follows the client's pace; a client that goes away cancels the body's source.
 */
export const writeResponse = async (response: Response, to: ServerResponse): Promise<void> => {
  writeHead(response, to)
  const body = bodyOf(response)
  if (body === undefined) {
    to.end()
    return
  }
  try {
    await pipeline(body, to)
  } catch (error) {
    // The client went away, or the source failed in mid-stream: either way there is nobody to tell but
    // the connection, which `pipeline` has destroyed.
    if (!to.destroyed) to.destroy(error instanceof Error ? error : undefined)
  }
}

/** What a request whose target can't be read is answered. */
export const malformedTarget = (): Response =>
  Response.json({ code: "VALIDATION_ERROR", message: "The request target is not valid." }, { status: 400 })
