import { Effect } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { type AnyOperation, pathForm } from "../operations/Operation.ts"
import { type PricedRouteOptions, pricedRouteFaults } from "../operations/PricedRouteOptions.ts"
import type { CallSettings } from "../ports/ProviderFailure.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { type OperationMatch, paidRouteFinder } from "./Router.ts"

/** A priced route, and how its requests are matched. */
export interface AddedRoute {
  readonly id: string
  readonly path: string
  /** The match of a path, once the till has started. */
  readonly find: (pathname: string) => OperationMatch | undefined
}

type Make = (options: PricedRouteOptions) => AnyOperation

/** Value of a function that is called once, when it is first needed. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** The priced routes of one till: added while the host sets up its own routes, also after the till has started. */
export class PricedRoutes {
  private readonly added: Array<() => AnyOperation> = []
  private make: Make = () => {
    throw new Error("the till has not started")
  }
  private readonly ids: Set<string>
  private readonly paths: ReadonlySet<string>
  private readonly routes = new Map<string, AddedRoute & { readonly text: string }>()
  private readonly settings: HttpSettings & { readonly responseLifetimeMillis: number }
  /** Called with responses that can't be sold. */
  readonly onError: CallSettings["onError"]

  /** `taken`: ids and paths of the till's other routes. */
  constructor(
    settings: PricedRoutes["settings"],
    onError: CallSettings["onError"],
    taken: { readonly ids: Iterable<string>; readonly paths: Iterable<string> }
  ) {
    this.settings = settings
    this.onError = onError
    this.ids = new Set(taken.ids)
    this.paths = new Set([...taken.paths].map(pathForm))
  }

  /** In the order in which they were added. */
  get operations(): ReadonlyArray<AnyOperation> {
    return this.added.map((operation) => operation())
  }

  /** Loads what makes operations of the options. A till does so when it starts. */
  readonly load: Effect.Effect<void> = Effect.promise(async () => {
    const { pricedOperation } = await import("../operations/PricedOperation.ts")
    this.make = (options) => pricedOperation(options, this.settings)
  })

  /**
   * Adds a route to the documents. The same options again are the same route: a server that reloads its handlers prices
   * them again.
   *
   * @throws ConfigurationError that names every fault of the options at once
   */
  add(options: PricedRouteOptions): AddedRoute {
    const { settings } = this
    const faults = [...pricedRouteFaults(options)]
    const { id, method = "GET", path } = options
    const form = pathForm(String(path))
    const requests = `${method} ${form}`
    const known = this.routes.get(requests)
    const text = faults.length > 0 ? "" : JSON.stringify(options)
    if (known?.text === text) return known
    if (this.ids.has(id)) faults.push("this id belongs to another paid route")
    if (this.paths.has(form) || known !== undefined)
      faults.push(`the path ${path} belongs to another route of the till`)
    const unread = settings.networks.filter(({ rpcUrl }) => rpcUrl === undefined).map(({ caip2 }) => caip2)
    if (options.proof === "chain" && !settings.trustFacilitator && unread.length > 0)
      faults.push(`proof is "chain", and ${unread.join(" and ")} has no rpcUrl: give it`)
    if (faults.length > 0)
      throw new ConfigurationError({ message: `priced route ${String(id)}: ${faults.join("; ")}` })
    const operation = once(() => this.make(options))
    const finder = once(() => paidRouteFinder(settings, operation()))
    this.ids.add(id)
    this.added.push(operation)
    const route = { id, path, text, find: (pathname: string) => finder()(pathname) }
    this.routes.set(requests, route)
    return route
  }
}
