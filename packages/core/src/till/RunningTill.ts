import type { IncomingRequest, PlainResponse, Caller } from "../http/HttpMessage.ts"
import type { Reconciliation } from "../toll/perform/Reconciler.ts"
import type { PricedRouteOptions } from "../operations/PricedRouteOptions.ts"
import type { PaymentEvent } from "../runtime/PaymentEvents.ts"
import type { Check } from "./Check.ts"
import type { TillHealth } from "./Health.ts"
import type { KeyUse } from "./keyCheck.ts"
import type { OperatorCalls } from "./operatorCalls.ts"
import type { SettingsInForce } from "./settings/settingsInForce.ts"
import type { PricedRoute } from "./PricedRoute.ts"

/** A running till, as `Till.make` returns it and adapters mount it. */
export interface RunningTill extends OperatorCalls {
  /** Handles one request for a path below the mount. Rejects only what isn't a web `Request`. */
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>
  /**
   * The same for a server without web `Request`s: adapters of Node's frameworks save both conversions. Returns the
   * response of a public route unchanged.
   */
  readonly handle: (request: IncomingRequest, caller?: Caller) => Promise<PlainResponse | Response>
  /** Whether the till handles a path (with or without the prefix of `baseUrl`); others are the host's. */
  readonly handles: (pathname: string) => boolean
  /**
   * Prices a handler that you have already, and lists it in the documents at once. `priced` of an adapter makes it
   * a middleware. For a function that returns data, use the option `operations`.
   *
   * @throws ConfigurationError that names every fault of the options at once
   *
   * @example
   * const weather = till.price({ id: "weather", path: "/weather", price: "0.02" })
   * const server = {
   *   fetch: (request: Request) => weather.fetch(request, () => Response.json({ celsius: 21 }))
   * }
   */
  readonly price: (route: PricedRouteOptions) => PricedRoute
  /**
   * TXT record for your DNS, by which crawlers find the listing: `_x402.shop.example. IN TXT "v=x402-1; …"`. `undefined`
   * without a listing, or if `baseUrl` isn't https.
   */
  readonly dnsRecord: string | undefined
  /** Resolves when storage is open and migrated; rejects with a readable error otherwise. */
  readonly ready: Promise<void>
  /** Lets running calls end (bounded), then closes storage. */
  readonly dispose: () => Promise<void>
  /**
   * The settings in force, defaults included, without secrets: for operators.
   *
   * @example
   * const { networks, options } = await till.settings()
   * console.log(networks.map(({ network }) => network), options["limits.unsettled"])
   */
  readonly settings: () => Promise<SettingsInForce>
  /**
   * Makes the checks of the start now, and returns them all: what passed, and what is wrong with a cure. Reads
   * facilitators, nodes and storage anew, for up to some seconds: for operators, not for callers. Rejects if the till did
   * not start, with the reason.
   *
   * @example
   * for (const { cure, name, problem, status } of await till.check())
   *   if (status !== "pass") console.error(`${name}: ${problem}. ${cure}`)
   */
  readonly check: () => Promise<ReadonlyArray<Check>>
  /**
   * Whether the till works: its checks, with those of its background work, what waits to be done, and refunds. Made at
   * most once in ten seconds, however many ask, and for at most ten seconds. Never rejects: a start that failed is a check
   * that fails. `Till.probes` has handlers for orchestrators.
   *
   * @example
   * const { checks, status } = await till.health()
   * if (status !== "pass") console.error(checks.filter((check) => check.status !== "pass"))
   */
  readonly health: () => Promise<TillHealth>
  /** `false` where the start failed: restart the process. */
  readonly isLive: () => Promise<boolean>
  /** Whether the till has started, its storage answers, and it isn't closing. Read at most once a second. */
  readonly isReady: () => Promise<boolean>
  /**
   * Finishes charges of processes that died, and retries unknown outcomes now. Each process does the same every 15
   * seconds, with backoff. Returns how many charges were settled, and how many are still unknown: at most 100 of each.
   */
  readonly reconcile: () => Promise<Reconciliation>
  /**
   * Counts what each key is needed for: the keys of `secret`, the current one first, and those of `retiredKeys`. A key
   * without any count can be removed from `secret`.
   *
   * @example
   * for (const { id, purchases, responses, quotes } of await till.keys()) console.log(id, purchases, responses, quotes)
   */
  readonly keys: () => Promise<ReadonlyArray<KeyUse>>
  /**
   * What happens to payments from now on, as this process makes it; ends with the till, or when the loop is left. A loop
   * that is more than 1,000 events behind misses the oldest.
   *
   * @example
   * for await (const { code, operation, reason } of till.payments()) console.log(code, operation, reason)
   */
  readonly payments: () => AsyncIterableIterator<PaymentEvent>
}
