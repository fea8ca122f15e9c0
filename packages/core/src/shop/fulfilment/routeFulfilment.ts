import { Effect } from "effect"
import { ConfigurationError } from "../../domain/Errors.ts"
import { NotPlaced, ProductUnavailable } from "../ports/PortErrors.ts"
import { type CallContext, deadlineExceeded, tryWithTimeout } from "../../runtime/Deadline.ts"
import { type GeneralMarketplace, isPageOf } from "../goods/ProductUrl.ts"
import type { FulfilmentOptions } from "../ports/FulfilmentOptions.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import type { FulfilmentRoutes, RoutedRequest } from "./FulfilmentRoutes.ts"
import { choiceFault, defaultRouteTimeoutMillis, faultsOf, uniqueNames, type Routes } from "./RouteFaults.ts"
import { combinedError } from "./RouteVerdict.ts"

/*
 * Several upstreams as one fulfilment. References carry the name of their route (`zinc:…`), so that an order goes to
 * the upstream that quoted it, even if the host's rule has changed since.
 */

/** Calls a route with its own deadline, after which its signal aborts and its result is ignored. */
const withTimeout = <A>(
  timeoutMillis: number | undefined,
  context: CallContext,
  run: (context: CallContext) => Promise<A>
): Promise<A> =>
  timeoutMillis === undefined
    ? run(context)
    : Effect.runPromise(
        tryWithTimeout({
          timeoutMillis,
          call: run,
          catch: (cause) => ({ cause }),
          onTimeout: () => ({
            cause: deadlineExceeded(timeoutMillis)
          })
        }).pipe(Effect.result),
        { signal: context.signal }
      ).then((outcome) => {
        if (outcome._tag === "Failure") throw outcome.failure.cause
        return outcome.success
      })

/** Adds the route's name to the reference of its response, which must be text. */
const withRouteName = <A extends { readonly reference: string }>(name: string, response: A): A => {
  const reference: unknown = (response as A | null | undefined)?.reference
  if (typeof reference === "string" && reference !== "")
    return { ...response, reference: `${name}:${reference}` }
  throw new MalformedResponse({ message: `route ${name} returned no reference` })
}

interface Routed {
  readonly route: FulfilmentOptions
  readonly name: string
  /** The route's own reference. */
  readonly reference: string
}

/** Reads `name:reference`. */
const readerOf =
  (routes: Routes, unnamed: string | undefined) =>
  (text: string): Routed | { readonly fault: string } => {
    const [, prefix = "", after = ""] = /^([A-Za-z0-9][A-Za-z0-9_-]{0,31}):([^]+)$/.exec(text) ?? []
    // The scheme of an upstream's own reference names no route: `gid://shopify/Order/1`.
    const isNamed = prefix !== "" && (routes.has(prefix) || !after.startsWith("//"))
    const name = isNamed ? prefix : unnamed
    const route = name === undefined ? undefined : routes.get(name)
    if (name !== undefined && route !== undefined) return { route, name, reference: isNamed ? after : text }
    return {
      fault: name === undefined ? "the reference names no route" : `the route ${name} no longer exists`
    }
  }

/** Whether a request names a page of another general marketplace than the one that a route buys from. */
const isForeignTo = ({ generalMarketplace }: FulfilmentOptions, { product }: RoutedRequest): boolean =>
  generalMarketplace !== undefined &&
  product.source === "marketplace_a" &&
  product.productUrl !== undefined &&
  !isPageOf(product.productUrl, generalMarketplace)

const foreignPage = () =>
  new ProductUnavailable({ message: "The product is of another marketplace.", reason: "foreign_page" })

/** The general marketplaces of all routes; `undefined` if none names its own. */
const marketplaceOf = (routes: Routes): GeneralMarketplace | undefined => {
  const named = [...routes.values()].flatMap(({ generalMarketplace }) => generalMarketplace ?? [])
  const [first, ...others] = new Set(named.map(({ country }) => country))
  const hosts = [...new Set(named.flatMap((each) => each.hosts))]
  return named.length === 0 ? undefined : { hosts, country: others.length === 0 ? first : undefined }
}

/** The countries of all routes; `undefined` if one of them doesn't name its own. */
const countriesOf = (routes: Routes): ReadonlyArray<string> | undefined => {
  const named = [...routes.values()].map(({ countries }) => countries)
  return named.includes(undefined) ? undefined : [...new Set(named.flatMap((each) => each ?? []))]
}

/** Tries the chosen routes, one after the other, until one quotes. */
const quoterOf = <Name extends string>(
  { choose, onPassedOver, routeTimeoutMillis = defaultRouteTimeoutMillis }: FulfilmentRoutes<Name>,
  routes: Routes
): FulfilmentOptions["quote"] => {
  const chosen = (request: RoutedRequest): ReadonlyArray<string> => {
    const names = uniqueNames(typeof choose === "function" ? choose(request) : choose[request.product.source])
    const fault = choiceFault(names, routes)
    if (fault !== undefined) throw new ConfigurationError({ message: `routeFulfilment: choose: ${fault}` })
    return names as ReadonlyArray<string>
  }
  const passOver = (route: string, error: unknown): void => {
    try {
      onPassedOver?.({ route: route as Name, error })
    } catch {
      // A faulty observer must not change the quote.
    }
  }
  return async (request, context) => {
    const names = chosen({ product: request.product, shippingAddress: request.shippingAddress })
    if (names.length === 0) {
      throw new ProductUnavailable({ message: "The product can't be bought here.", reason: "not_sold" })
    }
    const errors: Array<unknown> = []
    for (const [index, name] of names.entries()) {
      const isLast = index === names.length - 1
      try {
        if (isForeignTo(routes.get(name)!, request)) throw foreignPage()
        const offer = await withTimeout(isLast ? undefined : routeTimeoutMillis, context, (limited) =>
          routes.get(name)!.quote(request, limited)
        )
        return withRouteName(name, offer)
      } catch (error) {
        // The caller no longer waits.
        if (context.signal.aborted) throw error
        passOver(name, error)
        errors.push(error)
      }
    }
    throw combinedError(errors)
  }
}

/**
 * Combines several fulfilments: chooses by marketplace or by the host's rule which of them quote a request. A route
 * that refuses, is unavailable, times out or fails is skipped. If all are, the error is "unavailable" if any route was,
 * else "failed" if any did, else the most informative refusal.
 *
 * References of quotes and orders contain the route's name, so placing, finding and status use the upstream that
 * quoted, even after the rule has changed. Keep a route while its orders are in progress: without it, `place` throws
 * `NotPlaced` (nothing was placed, and it is retried), and `find` and `status` throw.
 *
 * If a route has no `find`, a placement whose outcome is unknown can't be resolved: `find` throws. If it has no
 * `status`, an order stays `placed`. A method that no route has is missing from the result, too.
 *
 * @throws ConfigurationError with every fault: no routes, malformed names, a table that names unknown ones.
 * @example
 * import { routeFulfilment } from "@till402/core"
 * import { zinc } from "@till402/providers/zinc"
 * import { rye } from "@till402/providers/rye"
 *
 * declare const routes: { amazon: ReturnType<typeof zinc>; stores: ReturnType<typeof rye> }
 * const byMarketplace = routeFulfilment({
 *   routes,
 *   choose: { marketplace_a: ["amazon", "stores"], marketplace_b: "stores" }
 * })
 * const byRule = routeFulfilment({
 *   routes,
 *   choose: ({ product, shippingAddress }) =>
 *     product.source === "marketplace_b" || shippingAddress.country !== "US" ? "stores" : ["amazon", "stores"]
 * })
 */
export const routeFulfilment = <Name extends string>(options: FulfilmentRoutes<Name>): FulfilmentOptions => {
  const routes: Routes = new Map(Object.entries<FulfilmentOptions>(options.routes ?? {}))
  const faults = faultsOf(options, routes)
  if (faults.length > 0) {
    throw new ConfigurationError({
      message: `routeFulfilment: ${faults.length === 1 ? faults[0] : `\n${faults.map((text) => `- ${text}`).join("\n")}`}`
    })
  }
  const read = readerOf(routes, options.unnamed)
  const routed = (text: string): Routed => {
    const found = read(text)
    if ("fault" in found) throw new Error(found.fault)
    return found
  }

  const has = (verb: "find" | "status") => [...routes.values()].some((route) => route[verb] !== undefined)

  const find: NonNullable<FulfilmentOptions["find"]> = async (orderId, { reference: text, signal }) => {
    const { name, reference, route } = routed(text)
    if (route.find === undefined) throw new Error(`route ${name} can't report whether an order was placed`)
    const found = await route.find(orderId, { signal, reference })
    // The till judges what is no reference.
    return found ? withRouteName(name, { reference: found }).reference : found
  }

  const status: NonNullable<FulfilmentOptions["status"]> = async (text, context) => {
    const { reference, route } = routed(text)
    return route.status?.(reference, context)
  }

  const generalMarketplace = marketplaceOf(routes)
  const countries = countriesOf(routes)
  return {
    ...(countries === undefined ? {} : { countries }),
    ...(generalMarketplace === undefined ? {} : { generalMarketplace }),
    quote: quoterOf(options, routes),
    place: async (order, context) => {
      const found = read(order.reference)
      if ("fault" in found) throw new NotPlaced({ message: found.fault })
      const { name, reference, route } = found
      return withRouteName(name, await route.place({ ...order, reference }, context))
    },
    placesOnce: (text) => {
      const found = read(text)
      if ("fault" in found) return false
      const { placesOnce = false } = found.route
      return typeof placesOnce === "function" ? placesOnce(found.reference) : placesOnce
    },
    // Left out if no route supports them, so that orders don't wait for them.
    ...(has("find") ? { find } : {}),
    ...(has("status") ? { status } : {})
  }
}
