import type { FulfilmentOptions } from "../ports/FulfilmentOptions.ts"
import type { FulfilmentRoutes } from "./FulfilmentRoutes.ts"

/*
 * Checks the options `routes` and `choose`. Pure.
 */

/** Maximum number of routes called for one quote. */
const maxRoutesPerQuote = 8
export const defaultRouteTimeoutMillis = 9_000
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/
const sources: ReadonlySet<string> = new Set(["marketplace_a", "marketplace_b"])

/** Routes by name. */
export type Routes = ReadonlyMap<string, FulfilmentOptions>

/** The route names in a choice, without duplicates. */
export const uniqueNames = (choice: unknown): ReadonlyArray<unknown> =>
  choice === undefined || choice === null ? [] : Array.isArray(choice) ? [...new Set(choice)] : [choice]

/** The fault of a choice, if any. */
export const choiceFault = (names: ReadonlyArray<unknown>, routes: Routes): string | undefined => {
  const unknown = names.filter((name) => typeof name !== "string" || !routes.has(name))
  if (unknown.length > 0) return `no route is named ${unknown.map((name) => JSON.stringify(name)).join(", ")}`
  return names.length > maxRoutesPerQuote
    ? `${names.length} routes; at most ${maxRoutesPerQuote} are called for one quote`
    : undefined
}

const tableFaults = (table: object, routes: Routes): ReadonlyArray<string> =>
  Object.entries(table).flatMap(([source, choice]) => {
    if (!sources.has(source)) return [`choose.${source}: must be marketplace_a or marketplace_b`]
    const names = uniqueNames(choice)
    const fault = names.length === 0 ? "names no route" : choiceFault(names, routes)
    return fault === undefined ? [] : [`choose.${source}: ${fault}`]
  })

const routeFaults = (name: string, route: unknown): ReadonlyArray<string> => {
  const verbs = ["quote", "place"].filter(
    (verb) => typeof (route as Record<string, unknown> | null | undefined)?.[verb] !== "function"
  )
  return [
    ...(namePattern.test(name)
      ? []
      : [`routes.${name}: a name has up to 32 letters, digits, - and _, a letter or digit first`]),
    ...verbs.map((verb) => `routes.${name}.${verb}: must be a function`)
  ]
}

/** Every fault of the options of `routeFulfilment`. */
export const faultsOf = <Name extends string>(options: FulfilmentRoutes<Name>, routes: Routes) => {
  const { choose, routeTimeoutMillis = defaultRouteTimeoutMillis, unnamed } = options
  const isTable = typeof choose === "object" && choose !== null
  return [
    ...(routes.size === 0 ? ["routes: give at least one"] : []),
    ...[...routes].flatMap(([name, route]) => routeFaults(name, route)),
    ...(isTable
      ? tableFaults(choose, routes)
      : typeof choose === "function"
        ? []
        : ["choose: must be a function, or a table by marketplace"]),
    ...(isTable && Object.keys(choose).length === 0 ? ["choose: names no marketplace"] : []),
    ...(Number.isInteger(routeTimeoutMillis) && routeTimeoutMillis >= 1
      ? []
      : ["routeTimeoutMillis: must be a whole number of milliseconds, at least 1"]),
    ...(unnamed === undefined || routes.has(unnamed)
      ? []
      : [`unnamed: no route is named ${JSON.stringify(unnamed)}`])
  ]
}
