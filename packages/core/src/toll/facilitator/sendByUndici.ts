import { Effect } from "effect"
import { type HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { BodyTooLarge } from "../../runtime/BoundedBody.ts"
import { handedOn, handedToFunction } from "../../runtime/span.ts"
import {
  type FacilitatorCall,
  FacilitatorFault,
  repeating,
  maxResponseBytes,
  type Reply,
  type SendCall,
  sendOver
} from "./FacilitatorTransport.ts"

/** By name in lower case. */
type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
type Fault = FacilitatorFault | HttpClientError.HttpClientError

/** What a handler can do with its request. */
interface Controller {
  readonly abort: (reason: Error) => void
}

/** The part of the package `undici` that is used here: `Dispatcher.dispatch` as of version 8. */
interface Undici {
  readonly getGlobalDispatcher: () => {
    readonly dispatch: (
      options: {
        readonly origin: string
        readonly path: string
        readonly method: "GET" | "POST"
        readonly headers: Readonly<Record<string, string>>
        readonly body: string | null
      },
      handler: {
        readonly onRequestStart: (controller: Controller) => void
        readonly onResponseStart: (controller: Controller, status: number, headers: Headers) => void
        readonly onResponseData: (controller: Controller, chunk: Uint8Array) => void
        readonly onResponseEnd: () => void
        readonly onResponseError: (controller: Controller, cause: Error) => void
      }
    ) => void
  }
}

/** Node's `fetch` and undici keep the dispatcher of the process here. */
const globalDispatcher = Symbol.for("undici.globalDispatcher.1")

/** The dispatchers that `fetch` has by itself, and that undici 8 puts there for it. */
const plainDispatchers: ReadonlySet<unknown> = new Set(["Agent", "Dispatcher1Wrapper"])

/**
 * Whether `fetch` leaves by a dispatcher that undici 8 doesn't know: a proxy of `NODE_USE_ENV_PROXY`, or one that the host
 * has set with an older undici. Facilitators are called by it, too.
 */
const fetchHasItsOwn = (): boolean => {
  const dispatcher = (globalThis as { [globalDispatcher]?: object })[globalDispatcher]
  return dispatcher !== undefined && !plainDispatchers.has(dispatcher.constructor?.name)
}

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
let loaded: { readonly undici: Undici | undefined } | undefined

const load = Effect.suspend(() =>
  loaded === undefined
    ? Effect.promise(async () => (loaded = { undici: await (loading ??= loadUndici()) }))
    : Effect.succeed(loaded)
)

const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}

/** Names no header, which may hold a secret. */
const brokenAt = ({ json, url }: FacilitatorCall, cause: unknown) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request: json === undefined ? HttpClientRequest.get(url) : HttpClientRequest.post(url),
      cause
    })
  })

const namesInLowerCase = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** A response as far as it was read. */
interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: Effect.Effect<string, Fault>
}

/** Sends a call and reads its response up to the bound. Aborted when it is interrupted. `unsent`: undici didn't take it. */
const dispatch = (
  undici: Undici,
  call: FacilitatorCall,
  { origin, pathname, search }: URL
): Effect.Effect<Received | "unsent", HttpClientError.HttpClientError> =>
  Effect.callback((resume) => {
    const { headers, json } = call
    const decoder = new TextDecoder()
    let controller: Controller | undefined
    let head: { readonly status: number; readonly headers: Headers } | undefined
    let isEnded = false
    let bytes = 0
    let text = ""
    const abort = () => controller?.abort(new Error("the request was aborted"))
    const end = (read: Received["text"]) => {
      isEnded = true
      resume(Effect.succeed({ ...head!, text: read }))
    }
    const breakOff = (cause: unknown) => {
      const broken = brokenAt(call, cause)
      if (head === undefined) resume(Effect.fail(broken))
      else end(Effect.fail(broken))
    }
    const options = {
      origin,
      path: pathname + search,
      method: json === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json, */*",
        "accept-encoding": "identity",
        "user-agent": "node",
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...namesInLowerCase(headers)
      },
      body: json ?? null
    } as const
    try {
      undici.getGlobalDispatcher().dispatch(options, {
        onRequestStart: (started) => {
          controller = started
          if (isEnded) abort()
        },
        onResponseStart: (_, status, received) => {
          // Others follow an informational response.
          if (status >= 200) head = { status, headers: received }
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.byteLength
          if (bytes <= maxResponseBytes) text += decoder.decode(chunk, { stream: true })
          else if (!isEnded) {
            end(
              Effect.fail(new FacilitatorFault({ cause: new BodyTooLarge({ maxBytes: maxResponseBytes }) }))
            )
            abort()
          }
        },
        onResponseEnd: () => end(Effect.succeed(text + decoder.decode())),
        onResponseError: (_, cause) => breakOff(cause)
      })
    } catch (cause) {
      // An earlier version of undici refuses the handler, and any the header: nothing was sent.
      if (controller === undefined) resume(Effect.succeed("unsent"))
      else breakOff(cause)
    }
    return Effect.sync(() => {
      isEnded = true
      abort()
    })
  })

/**
 * Calls by undici's dispatcher where that optional peer is installed, which takes a quarter of the time of `fetch`; over
 * the client elsewhere, and where `fetch` has a proxy of its own. A facilitator that redirects, or encodes a response although it was asked not to, gets its later
 * calls over the client. A call that was not handled is sent there at once.
 */
export const sendByUndici = (client: HttpClient.HttpClient): SendCall => {
  const send = sendOver(client)
  const overClient: SendCall = (call) => handedOn(send(call))
  let needsClient = false

  const reply = (call: FacilitatorCall, { headers, status, text }: Received): ReturnType<SendCall> => {
    const isRedirect = status >= 300 && status < 400 && headerOf(headers, "location") !== undefined
    const isEncoded = (headerOf(headers, "content-encoding") ?? "identity") !== "identity"
    if (!isRedirect && !isEncoded)
      return Effect.succeed<Reply>({
        status,
        retryAfter: headerOf(headers, "retry-after"),
        extensionResponses: headerOf(headers, "extension-responses"),
        text
      })
    needsClient = true
    return isRedirect && (call.json === undefined || repeating.has(status))
      ? overClient(call)
      : Effect.fail(
          new FacilitatorFault({ cause: new Error(`the response is ${isRedirect ? "moved" : "encoded"}`) })
        )
  }

  return (call) =>
    Effect.flatMap(load, ({ undici }) => {
      const url = URL.parse(call.url)
      // `fetch` refuses an address with a user.
      const isPlain = url !== null && url.username + url.password === ""
      if (undici === undefined || needsClient || !isPlain || fetchHasItsOwn()) return overClient(call)
      return Effect.flatMap(handedToFunction(dispatch(undici, call, url)), (received) =>
        received === "unsent" ? overClient(call) : reply(call, received)
      )
    })
}
