import { Readable } from "node:stream"
import { type PricedRouteOptions, type Till, withoutOuterHeaders, withOuterHeaders } from "@till402/core"
import { HeldResponse, malformedTarget, replaceHeaders, responseHeaders, targetOf } from "@till402/core/node"
import type { Context, Middleware, Next } from "koa"
import { callerOf, requestOf, requireKoa, requireOpen, respond } from "./KoaMessages.ts"

/**
 * Prices a handler: a middleware for its route, before the handler. The till lists the route at once; a router of Koa
 * gives a middleware its path only with a request, so `path` repeats it.
 *
 * Only a 2xx response of UTF-8 text up to 1 MiB is charged. Any other status is sent free of charge, with headers that
 * keep it out of caches, and so is an error that the handler throws. With `settlement: "before-work"` the payment has
 * settled: the caller gets `HANDLER_FAILED`, and retries free of charge.
 *
 * @throws ConfigurationError that names every fault of the options at once
 *
 * @example
 * import { priced } from "@till402/koa"
 *
 * const app = new Koa()
 * const tides = priced(till, { id: "tides", path: "/tides", price: "0.02" })
 * app.use(async (context, next) => {
 *   if (context.path !== "/tides") return next()
 *   await tides(context, async () => {
 *     context.body = { high: "12:40" }
 *   })
 * })
 */
export const priced = (till: Pick<Till, "price">, options: PricedRouteOptions): Middleware => {
  const route = till.price(options)
  const price: Middleware = async (context, next) => {
    requireKoa(context, next)
    reached.add(context)
    const url = targetOf(context.originalUrl)
    if (url === undefined) return respond(context, malformedTarget())
    const call = new KoaCall(context, next)
    try {
      const request = requestOf(context, { url, keepsBody: true })
      const result = await route.handle(request, call.respond, callerOf(context))
      await call.finish(result)
    } catch (error) {
      call.held.abandon()
      // The host's error handling responds: perhaps with a page that caches would store.
      context.set("Cache-Control", "no-store")
      throw error
    }
  }
  prices.set(price, options)
  return price
}

/** The options of each price. */
const prices = new WeakMap<Middleware, PricedRouteOptions>()
/** Requests that reached a price. */
const reached = new WeakSet<Context>()

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Looks at a request that was responded to, before its response is sent: at the last route of its path, as routers list
 * them in `matched`.
 *
 * @throws Error if that route ends with a price, and another function responded before it
 */
export const refuseBare = (context: Context & { readonly matched?: unknown }): void => {
  if (reached.has(context) || context.status > 299) return
  const routes = listOf(context.matched).map(
    (route) => Object(route) as { methods?: unknown; stack?: unknown }
  )
  const last = routes.findLast(({ methods }) => listOf(methods).includes(context.method))
  const options = prices.get(Object(listOf(last?.stack).at(-1)) as Middleware)
  if (options === undefined) return
  const { id, method = "GET", path } = options
  if (!context.headerSent) context.set("Cache-Control", "no-store")
  throw new Error(
    `priced route ${id} has no handler after priced: the one before it would give away what is sold, and nothing was charged. Move priced before it, as in router.${method.toLowerCase()}("${path}", priced(till, options), handler)`
  )
}

/** One request for a priced handler. */
class KoaCall {
  readonly held: HeldResponse
  private readonly context: Context
  private readonly next: Next
  private isDone = false
  private isCalled = false

  constructor(context: Context, next: Next) {
    this.held = new HeldResponse(context.res)
    this.context = context
    this.next = next
  }

  /** Calls the handler; what it writes into Node's response itself is held back. */
  readonly respond = (writes: (value: unknown) => void): Promise<Response> => {
    this.held.writes = writes
    const written = this.held.hold()
    this.isCalled = true
    const returned = (async () => {
      await this.next()
      this.isDone = true
      return this.isWritten ? written : responseOf(this.context, this.held)
    })()
    return Promise.race([written, returned])
  }

  private get isWritten(): boolean {
    return this.context.respond === false || this.held.isWritten
  }

  async finish(result: Parameters<HeldResponse["finish"]>[0]): Promise<void> {
    const { context, held } = this
    // A late handler must not change the response: it is sent at once.
    if (this.isCalled && (!this.isDone || this.isWritten)) {
      context.respond = false
      return held.finish(result)
    }
    held.abandon()
    requireOpen(context)
    const isOwn = result instanceof Response
    const headers = isOwn ? result.headers : withOuterHeaders(new Headers(result.headers), held.outerHeaders)
    if (!isOwn) await respond(context, { ...result, headers: {} })
    replaceHeaders(context.res, headers)
    const length = isOwn ? 0 : lengthOf(context.body)
    if (length > 0 && context.method !== "HEAD") context.length = length
  }
}

/** What Koa would send for a context. */
const responseOf = (context: Context, held: HeldResponse): Response => {
  const { body, message, res, status } = context
  const headers = responseHeaders(res)
  if (status < 200 || status > 299)
    return new Response(null, { status: status > 299 && status < 600 ? status : 500, headers })
  const own = withoutOuterHeaders(headers, held.outerHeaders)
  if (status === 204 || status === 205 || body === null) return new Response(null, { status, headers: own })
  return new Response(bodyOf(body ?? message, held), { status, headers: own })
}

const bodyOf = (body: unknown, { writes }: HeldResponse): BodyInit | null => {
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream)
    return body as BodyInit
  if (body instanceof Blob) return body.stream()
  if (body instanceof Response) return body.body
  if (isStream(body)) return Readable.toWeb(Readable.from(bytesOf(body))) as ReadableStream<Uint8Array>
  writes(body)
  return JSON.stringify(body)
}

/** A stream's chunks as bytes: one with an encoding, and one made of texts, has texts. */
async function* bytesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk
}

const isStream = (body: unknown): body is Readable =>
  typeof body === "object" && body !== null && "pipe" in body && typeof body.pipe === "function"

const lengthOf = (body: unknown): number =>
  typeof body === "string" || body instanceof Uint8Array ? Buffer.byteLength(body) : 0
