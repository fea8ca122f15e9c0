import { Effect } from "effect"
import { type HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { BodyTooLarge } from "../../runtime/BoundedBody.ts"
import {
  type FacilitatorCall,
  FacilitatorFault,
  maxResponseBytes,
  type Reply,
  type SendCall,
  sendOver
} from "./FacilitatorTransport.ts"

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
type Fault = FacilitatorFault | HttpClientError.HttpClientError

/** The part of the package `undici` that is used here. */
interface Undici {
  readonly request: (
    url: string,
    options: {
      readonly method: "GET" | "POST"
      readonly headers: Readonly<Record<string, string>>
      readonly body: string | null
      readonly signal: AbortSignal
    }
  ) => Promise<{
    readonly statusCode: number
    /** By name in lower case. */
    readonly headers: Headers
    readonly body: AsyncIterable<Uint8Array> & { readonly dump: () => Promise<unknown> }
  }>
}

/** Node's `fetch` and undici keep the dispatcher of the process here. */
const globalDispatcher = Symbol.for("undici.globalDispatcher.1")

/**
 * Loads the optional peer. Its name is in a variable so that no bundler resolves it. Loading undici replaces the
 * process's dispatcher, which the host may have set for a proxy or a client certificate: it is restored.
 */
const loadUndici = async (): Promise<Undici | undefined> => {
  const name = "undici"
  const realm = globalThis as { [globalDispatcher]?: unknown }
  const dispatcher = realm[globalDispatcher]
  try {
    return (await import(/* @vite-ignore */ name)) as Undici
  } catch {
    return undefined
  } finally {
    if (dispatcher !== undefined) realm[globalDispatcher] = dispatcher
  }
}

let loading: Promise<Undici | undefined> | undefined

const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}

const hasUser = (address: string): boolean => {
  const url = URL.parse(address)
  return url !== null && url.username + url.password !== ""
}

/** Names no header, which may hold a secret. */
const brokenAt = ({ json, url }: FacilitatorCall, cause: unknown) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request: json === undefined ? HttpClientRequest.get(url) : HttpClientRequest.post(url),
      cause
    })
  })

/** Reads a body up to the bound; leaving the loop closes its connection. */
const readText = async (body: AsyncIterable<Uint8Array>): Promise<string | BodyTooLarge> => {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxResponseBytes) return new BodyTooLarge({ maxBytes: maxResponseBytes })
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const namesInLowerCase = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * A response, or that the call needs a client which follows redirects and decodes bodies. `redirected`: the call was not
 * handled. `moved`: it may have been, and is not repeated.
 */
type Sent = Reply | "redirected" | "moved" | "encoded"

/** The statuses that ask for the same request elsewhere; after others, a POST may have taken effect. */
const repeating: ReadonlySet<number> = new Set([307, 308])

const send = async (undici: Undici, call: FacilitatorCall, signal: AbortSignal): Promise<Sent> => {
  const { headers, json, url } = call
  const response = await undici.request(url, {
    method: json === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json, */*",
      "accept-encoding": "identity",
      "user-agent": "node",
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...namesInLowerCase(headers)
    },
    body: json ?? null,
    signal
  })
  const { body, headers: received, statusCode: status } = response
  const isRedirect = status >= 300 && status < 400 && headerOf(received, "location") !== undefined
  const encoding = headerOf(received, "content-encoding") ?? "identity"
  if (isRedirect || encoding !== "identity") {
    await body.dump()
    if (!isRedirect) return "encoded"
    return json === undefined || repeating.has(status) ? "redirected" : "moved"
  }
  const text = await readText(body).then(
    (read): Effect.Effect<string, Fault> =>
      typeof read === "string" ? Effect.succeed(read) : Effect.fail(new FacilitatorFault({ cause: read })),
    (cause: unknown) => Effect.fail(brokenAt(call, cause))
  )
  return { status, retryAfter: headerOf(received, "retry-after"), text }
}

/**
 * Calls by `undici.request` where that optional peer is installed, which takes a quarter of the time of `fetch`; over
 * the client elsewhere. A facilitator that redirects, or encodes a response although it was asked not to, gets its later
 * calls over the client. A call that was not handled is sent there at once.
 */
export const sendByUndici = (client: HttpClient.HttpClient): SendCall => {
  const overClient = sendOver(client)
  let needsClient = false
  return (call) =>
    Effect.flatMap(
      Effect.promise(() => (loading ??= loadUndici())),
      (undici) => {
        // `fetch` refuses an address with a user.
        if (undici === undefined || needsClient || hasUser(call.url)) return overClient(call)
        const sending = Effect.tryPromise({
          try: (signal) => send(undici, call, signal),
          catch: (cause) => brokenAt(call, cause)
        })
        return Effect.flatMap(sending, (sent): ReturnType<SendCall> => {
          if (typeof sent !== "string") return Effect.succeed(sent)
          needsClient = true
          return sent === "redirected"
            ? overClient(call)
            : Effect.fail(new FacilitatorFault({ cause: new Error(`the response is ${sent}`) }))
        })
      }
    )
}
