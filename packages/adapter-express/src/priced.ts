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
  const { method = "GET" } = options
  const observe = observer(method)
  const middleware: RequestHandler<PathParameters<Path>> = (request, response, next) => {
    const mounted = request.route as IRoute | undefined
    const handlers = mounted?.stack.filter(
      (layer) => (layer.method ?? method.toLowerCase()) === method.toLowerCase()
    )
    // In no route, what responds may be a fallback.
    if (mounted === undefined || handlers?.at(-1)?.handle === middleware) throw noHandler(options)
    observe(mounted)
    const url = targetOf(request.originalUrl)
    if (url === undefined) {
      writeResponse(malformedTarget(), response).catch(next)
      return
    }
    const held = new HeldResponse(response)
    responses.set(request, held)
    runPriced(route, {
      request: incoming(request, { url, parsedBody: request.body, keepsBody: true }),
      held,
      run: next,
      caller: callerOf(request)
    }).catch(next)
  }
  return middleware
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

/**
 * Appends handlers to a route, once: they see what leaves it. An error goes to the host's error handlers from there, and
 * a request without a response to other routes; what those respond isn't for sale.
 */
const observer = (method: "GET" | "POST"): ((route: IRoute) => void) => {
  const observed = new WeakSet<IRoute>()
  return (route) => {
    if (observed.has(route)) return
    observed.add(route)
    if (method === "POST") route.post(failed, unhandled)
    else route.get(failed, unhandled)
  }
}
