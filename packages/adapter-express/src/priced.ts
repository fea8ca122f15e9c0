import { ConfigurationError, type PathParameters, type PricedRouteOptions, type Till } from "@till402/core"
import {
  HeldResponse,
  incoming,
  malformedTarget,
  runPriced,
  targetOf,
  writeResponse
} from "@till402/core/node"
import type { ErrorRequestHandler, IRoute, RequestHandler } from "express"
import { callerOf } from "./callerOf.ts"
import { requireExpress } from "./requireExpress.ts"

/**
 * Prices a handler: a middleware for its route, before the handler. The till lists the route at once; Express gives a
 * middleware its path only with a request, so `path` repeats it.
 *
 * Only a 2xx response of UTF-8 text up to 1 MiB is charged; what the handler writes is held back until the payment has
 * settled. Any other status is sent free of charge, with headers that keep it out of caches, and so is the response of
 * an error handler. With `settlement: "before-work"` the payment has settled: the caller gets `HANDLER_FAILED`, and
 * retries free of charge.
 *
 * @throws ConfigurationError that names every fault of the options at once; the middleware, where no handler follows it
 *
 * @example
 * import { priced } from "@till402/express"
 *
 * const app = express()
 * const weather = priced(till, { id: "weather", path: "/weather/:city", price: "0.02" })
 * app.get("/weather/:city", weather, (request, response) => {
 *   response.json({ city: request.params.city })
 * })
 */
export const priced = <const Path extends string>(
  till: Pick<Till, "price">,
  options: PricedRouteOptions & { readonly path: Path }
): RequestHandler<PathParameters<Path>> => {
  const route = till.price(options)
  const middleware: RequestHandler<PathParameters<Path>> = (request, response, next) => {
    requireExpress(request, next)
    const mounted = request.route as IRoute | undefined
    // In no route, what responds may be a fallback.
    if (mounted === undefined || lastHandler(mounted, options) === middleware) throw noHandler(options)
    observe(mounted, options)
    const url = targetOf(request.originalUrl)
    if (url === undefined) {
      writeResponse(malformedTarget(), response).catch(next)
      return
    }
    const held = new HeldResponse(response)
    responses.set(request, held)
    const { json } = response
    response.json = (...given) => {
      held.writes(given[0])
      return json.apply(response, given)
    }
    runPriced(route, {
      request: incoming(request, { url, parsedBody: request.body, keepsBody: true }),
      held,
      run: next,
      caller: callerOf(request)
    }).catch(next)
  }
  prices.set(middleware, options)
  return middleware
}

const prices = new WeakMap<object, PricedRouteOptions>()

const methodOf = ({ method = "GET" }: PricedRouteOptions) => (method === "POST" ? "post" : "get")

/** What responds last in a route, to the method of a price. */
const lastHandler = (route: IRoute, options: PricedRouteOptions): unknown => {
  const method = methodOf(options)
  return route.stack.findLast((layer) => (layer.method ?? method) === method)?.handle
}

/** A router's stack: of routes, of middleware, and of other routers. */
interface Stack {
  readonly stack?: ReadonlyArray<{ readonly route?: IRoute; readonly handle: unknown }>
}

/** Apps whose routes were looked through. */
const seen = new WeakSet<object>()

/**
 * Refuses requests for the routes of an app that end with a price: a handler before it would give away what is sold. Looks
 * once, at the first request.
 */
export const refuseBare = (app: unknown): void => {
  if (typeof app !== "function" || seen.has(app)) return
  seen.add(app)
  // The router of Express 4 has another name, and its getter of this one throws.
  const { _router } = app as { readonly _router?: Stack }
  refuseBareIn(_router ?? (app as { readonly router?: Stack }).router)
}

const refuseBareIn = (router: Stack | undefined): void => {
  for (const { handle, route } of router?.stack ?? []) {
    if (route === undefined) refuseBareIn(handle as Stack)
    const bare = route?.stack.flatMap(({ handle: price }) => prices.get(price) ?? [])
    for (const options of bare ?? []) {
      if (prices.get(lastHandler(route!, options) as object) !== options) continue
      route![methodOf(options)]((_request, _response, next) => next(noHandler(options)))
      // Before what would respond.
      route!.stack.unshift(route!.stack.pop()!)
    }
  }
}

/** Responses to requests for priced handlers. */
const responses = new WeakMap<object, HeldResponse>()

const noHandler = ({ id, method = "GET", path }: PricedRouteOptions) =>
  new ConfigurationError({
    message: `priced route ${id} has no handler: nothing was charged. Add one after priced, in the same route, such as app.${method.toLowerCase()}("${path}", priced(till, options), handler)`
  })

const failed: ErrorRequestHandler = (error, request, _response, next) => {
  const held = responses.get(request)
  if (held === undefined) next(error)
  else held.failed(error, () => next(error))
}

const unhandled: RequestHandler = (request, _response, next) => {
  responses.get(request)?.refuse(404)
  next()
}

const observed = { get: new WeakSet<IRoute>(), post: new WeakSet<IRoute>() }

/**
 * Appends handlers to a route, once: they see what leaves it. An error goes to the host's error handlers from there, and
 * a request without a response to other routes; what those respond isn't for sale.
 */
const observe = (route: IRoute, options: PricedRouteOptions): void => {
  const method = methodOf(options)
  if (observed[method].has(route)) return
  observed[method].add(route)
  route[method](failed, unhandled)
}
