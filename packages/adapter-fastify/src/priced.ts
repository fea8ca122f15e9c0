import { ConfigurationError, type PricedRouteOptions, type Till } from "@till402/core"
import {
  HeldResponse,
  incoming,
  malformedTarget,
  runPriced,
  targetOf,
  writeResponse
} from "@till402/core/node"
import type {
  FastifyReply,
  FastifyRequest,
  onErrorHookHandler,
  preHandlerHookHandler,
  preSerializationHookHandler,
  preParsingHookHandler,
  preValidationHookHandler,
  RouteOptions,
  RouteShorthandOptions
} from "fastify"
import { callerOf } from "./callerOf.ts"
import { copyHeaders, sendNow } from "./sendNow.ts"

/** The hooks of a priced route. */
export interface PricedHooks {
  readonly preParsing: preParsingHookHandler
  /** Refuses a request before its handler runs, where another `preParsing` has replaced that of the price. */
  readonly preValidation: preValidationHookHandler
  readonly preSerialization: preSerializationHookHandler
  readonly onError: onErrorHookHandler
}

/**
 * Prices a handler: the hooks of its route, as options. The till lists the route at once, before Fastify gets its path,
 * so `path` repeats it.
 *
 * Only a 2xx response of UTF-8 text up to 1 MiB is charged; what the handler sends is held back until the payment has
 * settled. Any other status is sent free of charge, with headers that keep it out of caches, and so is the response of
 * an error handler or of `reply.callNotFound()`. With `settlement: "before-work"` the payment has settled: the caller
 * gets `HANDLER_FAILED`, and retries free of charge.
 *
 * @throws ConfigurationError that names every fault of the options at once
 *
 * @example
 * import { priced } from "@till402/fastify"
 * import Fastify from "fastify"
 *
 * const app = Fastify()
 * const weather = priced(till, { id: "weather", path: "/weather/:city", price: "0.02" })
 * app.get<{ Params: { city: string } }>("/weather/:city", weather, async (request) => ({ city: request.params.city }))
 */
export const priced = (till: Pick<Till, "price">, options: PricedRouteOptions): PricedHooks => {
  const route = till.price(options)
  const hooks: PricedHooks = {
    preParsing: (request, reply, payload, done) => {
      const url = targetOf(request.raw.url ?? "/")
      if (url === undefined) {
        sendNow(reply, () => writeResponse(malformedTarget(), reply.raw)).catch(done)
        return
      }
      copyHeaders(reply)
      const held = new HeldResponse(reply.raw)
      responses.set(request, held)
      let isCalled = false
      const run = () => {
        isCalled = true
        refuseNotFound(reply, held)
        done(null, payload)
      }
      const caller = callerOf(request)
      const incomingRequest = incoming(request.raw, { url, keepsBody: true })
      runPriced(route, { request: incomingRequest, held, run, caller }).catch((error: Error) => {
        if (isCalled) reply.send(error)
        else done(error)
      })
    },
    // A hook that has responded before, such as one for members, ends a request before it comes here.
    preValidation: (request, _reply, done) => {
      if (responses.has(request)) done()
      else done(noPrice(options))
    },
    // A schema of the response says itself which members are sent.
    preSerialization: (request, { statusCode }, payload, done) => {
      const schemas = Object.keys(request.routeOptions.schema?.response ?? {})
      if (!schemas.some((status) => [String(statusCode), "2xx", "default"].includes(status.toLowerCase())))
        responses.get(request)?.writes(payload)
      done(null, payload)
    },
    onError: (request, _reply, _error, done) => {
      responses.get(request)?.refuse(500)
      done()
    }
  }
  prices.set(hooks.preParsing, options)
  return hooks satisfies RouteShorthandOptions
}

const prices = new WeakMap<object, PricedRouteOptions>()

/** The price among the members of an object, where Fastify calls no hook. */
const priceIn = (holder: object): PricedRouteOptions | undefined => {
  for (const value of Object.values(holder) as ReadonlyArray<Partial<PricedHooks> | null | undefined>) {
    const found = prices.get(value?.preParsing ?? prices)
    if (found !== undefined) return found
  }
  return undefined
}

const isCalled = ({ preParsing }: Pick<RouteOptions, "preParsing">): boolean =>
  [preParsing].flat().some((hook) => hook !== undefined && prices.has(hook))

/**
 * Refuses a route that has a price where nothing calls it, in its `config` or under a name of its own: it would be free.
 *
 * @throws ConfigurationError with the place where it belongs
 */
export const refuseMisplaced = (route: RouteOptions): void => {
  const { config = {} } = route
  const options = isCalled(route) ? undefined : priceIn({ ...route, ...config })
  if (options !== undefined) throw misplaced(options)
}

/** The same for a request, since hooks of the app see no routes that were added before. */
export const refuseUncalled: preHandlerHookHandler = (request, _reply, done) => {
  const { config = {} } = request.routeOptions
  const options = responses.has(request) ? undefined : priceIn({ config, ...config })
  if (options === undefined) done()
  else done(misplaced(options))
}

const misplaced = ({ id, method = "GET", path }: PricedRouteOptions) =>
  new ConfigurationError({
    message: `priced route ${id} has no price: what priced returned is in the route's config or under another name, where Fastify calls nothing. Give it as the route's options: app.${method.toLowerCase()}("${path}", priced(till, options), handler)`
  })

const noPrice = ({ id }: PricedRouteOptions) =>
  new ConfigurationError({
    message: `priced route ${id} has lost its price: another preParsing of the route has replaced that of priced. Give both as a list: preParsing: [price.preParsing, own]`
  })

/** Responses to requests for priced handlers. */
const responses = new WeakMap<FastifyRequest, HeldResponse>()

/** The handler of 404 responds to this request from then on, whatever its status. */
const refuseNotFound = (reply: FastifyReply, held: HeldResponse): void => {
  const { callNotFound } = reply
  reply.callNotFound = () => {
    held.refuse(404)
    return callNotFound.call(reply)
  }
}
