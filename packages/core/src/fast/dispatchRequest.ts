/*
 * Sends a small request and reads a small response, by the dispatcher of Node's own `fetch`: the same connections, kept
 * alive, and the same proxy.
 *
 * Replaces: `fetch`, whose streams and `Response` cost more than the request; still used on all other platforms, and
 * where a host has put a `fetch` of its own in its place.
 * Gain: 230 µs → 45 µs with the server's time, twice in a paid call over HTTP (`npm run bench -- fast`).
 * Equivalence: test/toll/facilitator/HttpFacilitator.test.ts, which runs over both.
 */

/** A request whose body is JSON. */
export interface SmallRequest {
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: "GET" | "POST"
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A response, of which the body may be incomplete. */
export interface SmallResponse {
  readonly status: number
  /** The first value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined
  readonly body:
    | { readonly _tag: "Text"; readonly text: string }
    | { readonly _tag: "TooLarge" }
    | { readonly _tag: "Broken"; readonly cause: unknown }
}

/** The callbacks of undici's `Dispatcher.dispatch`, in the form that all its versions take from `fetch`. */
interface Handler {
  readonly onConnect: (abort: (reason?: Error) => void) => void
  readonly onHeaders: (status: number, headers: ReadonlyArray<unknown>) => boolean
  readonly onData: (chunk: Uint8Array) => boolean
  readonly onComplete: () => void
  readonly onError: (cause: unknown) => void
}

export interface Dispatcher {
  readonly dispatch: (request: SmallRequest, handler: Handler) => unknown
}

/** Where Node's `fetch` and the package `undici` keep the dispatcher that both use. */
const dispatcherKey = Symbol.for("undici.globalDispatcher.1")

const platform = globalThis as { readonly [key: symbol]: unknown }

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof value === "object" && value !== null && "dispatch" in value && typeof value.dispatch === "function"

let seen: { readonly fetch: unknown; readonly isNodes: boolean } | undefined

/** Whether `fetch` is Node's own: a test, a framework or a tracer may have put another in its place. */
const isNodesFetch = (): boolean => {
  const { fetch } = globalThis
  if (seen?.fetch !== fetch) seen = { fetch, isNodes: String(fetch).includes("internal/deps/undici/undici") }
  return seen.isNodes
}

/** The dispatcher of Node's own `fetch`, which makes it with its first request; else `undefined`. */
export const findDispatcher = (): Dispatcher | undefined => {
  const dispatcher = platform[dispatcherKey]
  return isDispatcher(dispatcher) && isNodesFetch() ? dispatcher : undefined
}

const headerOf =
  (headers: ReadonlyArray<unknown>) =>
  (name: string): string | undefined => {
    for (let index = 0; index + 1 < headers.length; index += 2)
      if (String(headers[index]).toLowerCase() === name) {
        const value = headers[index + 1]
        return String(Array.isArray(value) ? value[0] : value)
      }
    return undefined
  }

const decoder = new TextDecoder()

const textOf = (chunks: ReadonlyArray<Uint8Array>, bytes: number): string => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return decoder.decode(first)
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return decoder.decode(whole)
}

/** How a request ended: with a response, or with a connection that failed before it. */
export interface RequestEnd {
  readonly onResponse: (response: SmallResponse) => void
  readonly onError: (cause: unknown) => void
}

/** Sends a request, and reads up to `maxBytes` of its response. Returns a function that aborts it. */
export const dispatchRequest = (
  dispatcher: Dispatcher,
  { maxBytes, ...request }: SmallRequest & { readonly maxBytes: number },
  { onError, onResponse }: RequestEnd
): (() => void) => {
  let abortConnection: ((reason?: Error) => void) | undefined
  let head: { readonly status: number; readonly headers: ReadonlyArray<unknown> } | undefined
  let isEnded = false
  let bytes = 0
  const chunks: Array<Uint8Array> = []
  const end = (body: SmallResponse["body"]): void => {
    if (isEnded) return
    isEnded = true
    if (head !== undefined) onResponse({ status: head.status, header: headerOf(head.headers), body })
    else onError(body._tag === "Broken" ? body.cause : new Error("the response has no status"))
  }
  const abort = (): void => abortConnection?.(new Error("the request was aborted"))
  const handler: Handler = {
    onConnect: (abortIt) => {
      abortConnection = abortIt
      if (isEnded) abort()
    },
    onHeaders: (status, headers) => {
      // Others follow an informational response.
      if (status >= 200) head = { status, headers }
      return true
    },
    onData: (chunk) => {
      bytes += chunk.byteLength
      if (bytes > maxBytes) {
        end({ _tag: "TooLarge" })
        abort()
        return false
      }
      chunks.push(chunk)
      return true
    },
    onComplete: () => end({ _tag: "Text", text: textOf(chunks, bytes) }),
    onError: (cause) => end({ _tag: "Broken", cause })
  }
  try {
    dispatcher.dispatch(request, handler)
  } catch (cause) {
    handler.onError(cause)
  }
  return () => {
    isEnded = true
    abort()
  }
}
