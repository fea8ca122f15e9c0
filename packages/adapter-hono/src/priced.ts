import {
  conditionalHeaders,
  ConfigurationError,
  type HeaderList,
  type IncomingRequest,
  type PricedRouteOptions,
  type Till,
  withOuterHeaders,
  withoutOuterHeaders
} from "@till402/core"
import type { Context, MiddlewareHandler } from "hono"
import { matchedRoutes } from "hono/route"
import { findTargetHandler } from "hono/utils/handler"
import { callerOf, rebuildRequest, requireHono } from "./HonoCaller.ts"

/**
 * Prices a handler: a middleware for its route. The till lists the route at once; Hono gives a middleware its path only
 * with a request, so `path` repeats it.
 *
 * Only a 2xx response of UTF-8 text up to 1 MiB is charged. Any other status is sent free of charge, with headers that
 * keep it out of caches. With `settlement: "before-work"` the payment has settled: the caller gets `HANDLER_FAILED`,
 * and retries free of charge. `context.notFound()` is never charged, whatever its status.
 *
 * @throws ConfigurationError that names every fault of the options at once; the middleware, where no handler follows it
 *
 * @example
 * import { priced } from "@till402/hono"
 *
 * const app = new Hono()
 * const weather = priced(till, { id: "weather", path: "/weather/:city", price: "0.02" })
 * app.get("/weather/:city", weather, (context) => context.json({ city: context.req.param("city") }))
 */
export const priced = (till: Pick<Till, "price">, options: PricedRouteOptions): MiddlewareHandler => {
  const route = till.price(options)
  const middleware: MiddlewareHandler = async (context, next) => {
    requireHono(context)
    requireHandler(context)
    // Set by earlier middleware for this request: a record must not hold them.
    const outer = [...context.res.headers]
    let isOver = false
    let isNotFound = false
    let unsold: Response | undefined
    const { json, notFound } = context
    context.notFound = () => {
      isNotFound = true
      return notFound()
    }
    const { raw } = context.req
    const respond = async (writes: (value: unknown) => void): Promise<Response> => {
      context.json = ((...given: Parameters<typeof json>) => {
        writes(given[0])
        return json(...given)
      }) as typeof json
      context.req.raw = unconditional(raw)
      await next()
      context.req.raw = raw
      // The deadline has passed, and the response of the context is the till's.
      if (isOver) return new Response()
      // As Hono itself says where no middleware has read the response before.
      if (!context.finalized)
        throw new Error(`the handler of priced route ${options.id} returned no response: it must return one`)
      const { error, res } = context
      if (!res.ok) return res
      if (error === undefined && !isNotFound) return without(res, outer)
      // A 2xx of the app's error handler, or of its `notFound`, is not for sale.
      unsold = res
      return new Response(null, { status: error === undefined ? 404 : 500, headers: res.headers })
    }
    const result = await route.handle(await requestOf(context), respond, callerOf(context))
    isOver = true
    // Hono keeps the headers of a response that is replaced.
    context.res = undefined
    // The handler's own, which is not sold: it has the outer headers already.
    if (result instanceof Response) {
      const { headers } = result
      context.res =
        unsold === undefined ? result : new Response(unsold.body, { status: unsold.status, headers })
      return
    }
    const headers = withOuterHeaders(new Headers(result.headers), outer)
    context.res = new Response(result.body as BodyInit | null, { status: result.status, headers })
  }
  prices.set(middleware, options)
  return middleware
}

/** The request without what a priced handler doesn't see of it. */
const unconditional = (request: Request): Request => {
  const { method, signal, url } = request
  if (method !== "GET" || !conditionalHeaders.some((name) => request.headers.has(name))) return request
  const headers = new Headers(request.headers)
  for (const name of conditionalHeaders) headers.delete(name)
  return new Request(url, { method, headers, signal })
}

const prices = new WeakMap<object, PricedRouteOptions>()

/**
 * Requires a handler after the price of a path. Without one, Hono would respond with the app's `notFound`, perhaps with a
 * 2xx, and a handler before it would respond for free.
 *
 * @throws ConfigurationError with what to add
 */
export const requireHandler = (context: Context): void => {
  const last = matchedRoutes(context).at(-1)
  const options = last === undefined ? undefined : prices.get(findTargetHandler(last.handler))
  if (options === undefined) return
  const { method } = context.req
  if (options.method === "POST" ? method === "POST" : isGet(method)) throw noHandler(options)
}

const isGet = (method: string): boolean => method === "GET" || method === "HEAD"

const noHandler = ({ id, method = "GET", path }: PricedRouteOptions) =>
  new ConfigurationError({
    message: `priced route ${id} has no handler: nothing was charged. Add one after priced, such as app.${method.toLowerCase()}("${path}", priced(till, options), handler)`
  })

const without = ({ body, headers, status }: Response, outer: HeaderList): Response =>
  new Response(body, { status, headers: withoutOuterHeaders(headers, outer) })

/** The request for the till, which reads a copy of its body: the handler reads the request too. */
const requestOf = async ({ req }: Context): Promise<IncomingRequest> => {
  const { raw } = req
  const url = new URL(raw.url)
  let copy = raw.bodyUsed ? await rebuildRequest(url, req) : undefined
  return {
    method: raw.method,
    url,
    header: (name) => raw.headers.get(name),
    toRequest: () => (copy ??= raw.clone())
  }
}
