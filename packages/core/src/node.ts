import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { HeldResponse, replaceHeaders, responseHeaders } from "./http/HeldResponse.ts"
import type { Caller, IncomingRequest, PlainResponse } from "./http/HttpMessage.ts"
import { peekedStream } from "./http/peekBody.ts"
import { placeholderOrigin, type Target, targetOf } from "./http/Target.ts"
import type { PricedRoute } from "./till/PricedRoute.ts"

/*
 * Converts between Node's and the web's requests and responses, for adapters of Node frameworks.
 */

export { HeldResponse, replaceHeaders, responseHeaders, targetOf }

/** The response to a request with a malformed target. */
export const malformedTarget = (): Response =>
  Response.json({ code: "VALIDATION_ERROR", message: "The request target is malformed." }, { status: 400 })

/** The raw list: Node drops some repeated headers, and a repeated payment must be detected. */
const listOf = ({ headers, rawHeaders }: IncomingMessage): ReadonlyArray<string> =>
  // Adapters of functions in a cloud make requests without it.
  rawHeaders.length > 0
    ? rawHeaders
    : Object.entries(headers).flatMap(([name, value = ""]) => [value].flat().flatMap((each) => [name, each]))

const headersOf = (request: IncomingMessage): Headers => {
  const headers = new Headers()
  const rawHeaders = listOf(request)
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (!name.startsWith(":")) headers.append(name, rawHeaders[index + 1]!)
  }
  return headers
}

const hasBody = ({ headers, httpVersionMajor, method }: IncomingMessage): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  method !== "TRACE" &&
  (httpVersionMajor > 1 ||
    headers["transfer-encoding"] !== undefined ||
    Number(headers["content-length"] ?? 0) > 0)

/** Reads lazily: Node discards a body that nobody read, but not a partly read one. */
const streamOf = (request: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks: AsyncIterator<Uint8Array | string> = request.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(typeof value === "string" ? Buffer.from(value) : value)
      },
      async cancel() {
        await chunks.return?.()
        // Drains the rest: destroying the request would close the connection before the response.
        request.resume()
      }
    },
    { highWaterMark: 0 }
  )
}

/** A body that was read before and is no longer available. */
const isLost = (request: IncomingMessage, parsedBody: unknown): boolean =>
  parsedBody === undefined &&
  keptBytes(request) === undefined &&
  hasBody(request) &&
  (request.readableDidRead || request.readableEnded)

const lost = (): Error =>
  new Error(
    "The body was read before it reached the till and is no longer available: mount the till before the middleware that reads it."
  )

/** The bytes that a body parser kept, as `rawBody` of Node's request. */
const keptBytes = (request: IncomingMessage): string | Uint8Array | undefined => {
  const kept: unknown = "rawBody" in request ? request.rawBody : undefined
  return typeof kept === "string" || kept instanceof Uint8Array ? kept : undefined
}

/** Whether a body was parsed, and its bytes were not kept. */
const isParsed = (request: IncomingMessage, parsedBody: unknown): boolean =>
  hasBody(request) &&
  (request.readableDidRead || request.readableEnded) &&
  keptBytes(request) === undefined &&
  typeof parsedBody !== "string" &&
  !(parsedBody instanceof Uint8Array)

const encodeParsed = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === "string"
    ? body
    : body instanceof Uint8Array
      ? (body as Uint8Array<ArrayBuffer>)
      : JSON.stringify(body)

/** How a Node request is read. */
export interface RequestSource {
  /** The path and query that the till gets. */
  readonly url: Target
  /** What a body parser of the host has made of the body. */
  readonly parsedBody?: unknown
  /** Leaves the body in the Node request, for a handler that reads it afterwards. Default: `false`. */
  readonly keepsBody?: boolean
}

/**
 * Makes a web `Request` for `url` from a Node request. The body streams, and is read only on demand. If a body parser
 * of the host has read it, the body is rebuilt from the bytes that the parser kept in `request.rawBody`, or else from
 * `parsedBody`, the parser's result: text, bytes, or a JSON value.
 *
 * Has no abort signal: a client that disconnects must not interrupt a call that it has paid for.
 *
 * @throws Error if the body was read before and is no longer available: a request without the body it
 *   was sent with would be a different request
 *
 * @example
 * const url = targetOf(request.url)
 * if (url !== undefined) await till.fetch(toRequest(request, { url }))
 */
export const toRequest = (
  request: IncomingMessage,
  { keepsBody = false, parsedBody, url: { pathname, search } }: RequestSource
): Request => {
  const method = request.method ?? "GET"
  const url = placeholderOrigin + pathname + search
  const headers = headersOf(request)
  if (method === "TRACE") {
    // The web's constructor rejects the method, but the till must refuse it itself with a list of allowed methods.
    return Object.defineProperty(new Request(url, { headers }), "method", { value: method })
  }
  if (!hasBody(request)) return new Request(url, { method, headers })
  if (isLost(request, parsedBody)) throw lost()
  if (keepsBody && isParsed(request, parsedBody) && /^multipart\//i.test(headers.get("content-type") ?? ""))
    throw lost()
  if (!request.readableDidRead && !request.readableEnded) {
    const streamed: RequestInit & { duplex: "half" } = {
      method,
      headers,
      body: keepsBody ? peekedStream(request) : streamOf(request),
      duplex: "half"
    }
    return new Request(url, streamed)
  }
  // These headers describe the bytes that were sent, not those rebuilt here.
  headers.delete("content-length")
  headers.delete("content-encoding")
  headers.delete("transfer-encoding")
  return new Request(url, { method, headers, body: encodeParsed(keptBytes(request) ?? parsedBody) })
}

class NodeRequest implements IncomingRequest {
  readonly method: string
  readonly url: Target
  private readonly request: IncomingMessage
  private readonly source: RequestSource
  private made: Request | undefined
  constructor(request: IncomingMessage, source: RequestSource) {
    this.method = request.method ?? "GET"
    this.url = source.url
    this.request = request
    this.source = source
  }
  header(name: string): string | null {
    const rawHeaders = listOf(this.request)
    let found: string | null = null
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const raw = rawHeaders[index]!
      if (raw.length !== name.length || raw.toLowerCase() !== name) continue
      const value = rawHeaders[index + 1]!
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }
  get isRebuilt(): boolean {
    return isParsed(this.request, this.source.parsedBody)
  }
  toRequest(): Request {
    return (this.made ??= toRequest(this.request, this.source))
  }
}

/**
 * Reads a Node request for `till.handle` without making a web `Request` unless needed.
 *
 * @throws Error if the body was read before and is no longer available, as `toRequest` does
 *
 * @example
 * const url = targetOf(request.url)
 * if (url !== undefined) await writeResponse(await till.handle(incoming(request, { url })), response)
 */
export const incoming = (request: IncomingMessage, from: RequestSource): IncomingRequest => {
  if (isLost(request, from.parsedBody)) throw lost()
  return new NodeRequest(request, from)
}

/** Copies status and headers to a Node response. Adds cookies and `Vary` to those set by the host. */
export const writeHead = ({ headers, status }: Response | PlainResponse, to: ServerResponse): void => {
  to.statusCode = status
  for (const [name, value] of headers instanceof Headers ? headers : Object.entries(headers)) {
    if (name === "set-cookie" || (name === "vary" && to.hasHeader("vary"))) to.appendHeader(name, value)
    else to.setHeader(name, value)
  }
}

/** The source of a response body failed after the response had started; `cause` is its error. */
export class BodyInterrupted extends Error {
  override readonly name = "BodyInterrupted"
}

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Chunk = Awaited<ReturnType<Reader["read"]>>

/** A stream of the remaining data of `reader`, after the two reads made before. Destroying it cancels the source. */
const resume = (reader: Reader, first: Chunk, second: Promise<Chunk>): Readable => {
  const ahead: Array<Chunk | Promise<Chunk>> = [first, second]
  return new Readable({
    read() {
      Promise.resolve(ahead.shift() ?? reader.read()).then(
        ({ value }) => this.push(value ?? null),
        (cause: unknown) => this.destroy(new BodyInterrupted("The response body broke off", { cause }))
      )
    },
    destroy(error, done) {
      // A source that has failed refuses to be cancelled with the same error: `read` reports it.
      reader.cancel(error ?? undefined).then(
        () => done(error),
        () => done(error)
      )
    }
  })
}

const soon = (): Promise<undefined> =>
  new Promise((resolve) => {
    setImmediate(resolve, undefined)
  })

/**
 * Converts a response body for Node: text or bytes if it is complete at once, so that its length is known; otherwise a
 * stream, which the caller must end or destroy.
 */
export const bodyOf = async ({ body }: Response | PlainResponse): Promise<string | Buffer | Readable> => {
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (body === null) return Buffer.alloc(0)
  const reader: Reader = body.getReader()
  const first = await reader.read()
  if (first.done) return Buffer.alloc(0)
  const second = reader.read()
  // If the second read isn't done soon, the stream delivers it and reports its failure.
  const ended = await Promise.race([second, soon()]).catch(() => undefined)
  if (ended?.done !== true) return resume(reader, first, second)
  const { buffer, byteLength, byteOffset } = first.value
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Cancels a response body that won't be read. */
export const cancelBody = async ({ body }: Response | PlainResponse): Promise<void> => {
  if (body instanceof ReadableStream) await body.cancel()
}

/**
 * Sends a response at the client's pace. If the client disconnects, cancels the body's source without an error.
 *
 * @throws BodyInterrupted if the source failed in mid-stream; the connection is destroyed by then, for
 *   the client to see that the response is incomplete
 */
export const writeResponse = async (
  response: Response | PlainResponse,
  to: ServerResponse
): Promise<void> => {
  if (to.destroyed || to.headersSent || to.req.method === "HEAD") await cancelBody(response)
  if (to.destroyed || to.headersSent) return
  const { body: given } = to.req.method === "HEAD" ? { body: "" } : response
  // Text, like most responses, is sent without waiting.
  const body = typeof given === "string" ? given : await bodyOf(response)
  writeHead(response, to)
  if (!(body instanceof Readable)) {
    to.end(body)
    return
  }
  try {
    await pipeline(body, to)
  } catch (error) {
    if (error instanceof BodyInterrupted) throw error
    // Any other error is the connection's: the client disconnected.
  }
}

/**
 * For adapters: handles a request for a priced handler, whose response `held` holds back from when `run` is called.
 *
 * @throws the handler's error, or a `ConfigurationError`; the host's error handler may respond by then
 */
export const runPriced = async (
  route: Pick<PricedRoute, "handle">,
  call: {
    readonly request: IncomingRequest
    readonly held: HeldResponse
    readonly run: () => void
    readonly caller: Caller
  }
): Promise<void> => {
  const { caller, held, request, run } = call
  const respond: Parameters<typeof route.handle>[1] = (writes) => {
    held.writes = writes
    const responded = held.hold()
    run()
    return responded
  }
  try {
    await held.finish(await route.handle(request, respond, caller))
  } catch (error) {
    held.abandon()
    throw error
  }
}
