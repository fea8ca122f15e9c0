import { type Context, Effect, Stream } from "effect"
import { Cookies, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Handled } from "./Http.ts"
import type { IncomingRequest } from "./HttpMessage.ts"
import { placeholderOrigin, type Target } from "./Target.ts"

/*
 * Converts between the messages of `effect/http` and the till's own.
 */

const hasBody = (method: string): boolean => method !== "GET" && method !== "HEAD" && method !== "TRACE"

/** Node joins or drops repeated headers; its raw list has all of them. */
const rawHeadersOf = (source: object): ReadonlyArray<string> | undefined =>
  "rawHeaders" in source && Array.isArray(source.rawHeaders) ? source.rawHeaders : undefined

/** Whether a host's middleware has read the body of the Node or web request. */
const isRead = (source: object): boolean =>
  ("readableDidRead" in source && source.readableDidRead === true) ||
  ("bodyUsed" in source && source.bodyUsed === true)

/** Wraps a request of an Effect server. Makes a web `Request` only if needed. */
export class ServerRequest implements IncomingRequest {
  readonly url: Target
  private readonly request: HttpServerRequest.HttpServerRequest
  private readonly context: Context.Context<never>
  private made: Request | undefined
  constructor(
    request: HttpServerRequest.HttpServerRequest,
    { context, url }: { readonly context: Context.Context<never>; readonly url: Target }
  ) {
    this.request = request
    this.context = context
    this.url = url
  }
  get method(): string {
    return this.request.method
  }
  header(name: string): string | null {
    return this.request.headers[name] ?? null
  }
  toRequest(): Request {
    return (this.made ??= this.make())
  }

  private make(): Request {
    const { method, source } = this.request
    const url = placeholderOrigin + this.url.pathname + this.url.search
    const headers = this.headers()
    if (hasBody(method)) {
      const init: RequestInit & { duplex: "half" } = { method, headers, body: this.body(), duplex: "half" }
      return new Request(url, init)
    }
    if (source instanceof Request && source.url === url) return source
    const request = new Request(url, { headers, ...(method === "HEAD" ? { method } : {}) })
    // The web's constructor rejects TRACE, which the till refuses itself.
    return method === "TRACE" ? Object.defineProperty(request, "method", { value: method }) : request
  }

  private headers(): Headers {
    const raw = rawHeadersOf(this.request.source)
    if (raw === undefined) return new Headers({ ...this.request.headers })
    const headers = new Headers()
    for (let index = 0; index < raw.length; index += 2) {
      const name = raw[index]!
      if (!name.startsWith(":")) headers.append(name, raw[index + 1]!)
    }
    return headers
  }

  /** Reads nothing before the first pull. If the body was read before, the request holds it. */
  private body(): ReadableStream<Uint8Array> {
    const { request } = this
    const bytes = Stream.suspend(() =>
      isRead(request.source)
        ? Stream.fromEffect(Effect.map(request.arrayBuffer, (buffer) => new Uint8Array(buffer)))
        : request.stream
    )
    return Stream.toReadableStreamWith(bytes, this.context, { strategy: { highWaterMark: 0 } })
  }
}

/** Reads a body that is complete after its first chunk; others are returned as an equal stream. */
const bufferShort = async (
  body: ReadableStream<Uint8Array>
): Promise<Uint8Array | ReadableStream<Uint8Array>> => {
  const reader = body.getReader()
  const first = await reader.read()
  if (first.done) return new Uint8Array()
  const second = reader.read()
  const soon = new Promise<undefined>((resolve) => {
    setTimeout(resolve, 0, undefined)
  })
  // The stream reports a failure.
  const ended = await Promise.race([second, soon]).catch(() => undefined)
  if (ended?.done === true) return first.value
  const ahead = [Promise.resolve(first), second]
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await (ahead.shift() ?? reader.read())
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  )
}

const responseHead = (handled: Handled) => {
  const { headers, status } = handled
  if (!(headers instanceof Headers)) return { status, headers }
  const own = [...headers].filter(([name]) => name !== "set-cookie")
  return { status, headers: Object.fromEntries(own), cookies: Cookies.fromSetCookie(headers.getSetCookie()) }
}

const lengthOf = (text: string | undefined): { readonly contentLength?: number } =>
  text === undefined ? {} : { contentLength: Number(text) }

/** Cancels an unread body at the end of the request: the client may be gone, or may want only the head. */
const cancelUnread = (body: ReadableStream<Uint8Array>) =>
  Effect.addFinalizer(() =>
    Effect.promise(async () => {
      if (!body.locked) await body.cancel().catch(() => undefined)
    })
  )

/** Turns a response of a till into one of `effect/http`. */
export const toServerResponse = Effect.fnUntraced(function* (handled: Handled, method: string) {
  const head = responseHead(handled)
  const isWhole = !(handled instanceof Response) || handled.body === null || method === "HEAD"
  const body = isWhole ? handled.body : yield* Effect.promise(() => bufferShort(handled.body!))
  if (body instanceof ReadableStream) yield* cancelUnread(body)
  if (body === null || method === "HEAD") return HttpServerResponse.empty(head)
  if (typeof body === "string") return HttpServerResponse.text(body, head)
  if (body instanceof Uint8Array) return HttpServerResponse.uint8Array(body, head)
  return HttpServerResponse.stream(
    Stream.fromReadableStream({ evaluate: () => body, onError: (cause) => cause }),
    { ...head, ...lengthOf(head.headers["content-length"]) }
  )
})
