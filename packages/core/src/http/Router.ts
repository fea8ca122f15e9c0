import { documentPathsOf, listing, llmsText, manifest, manifestPathOf } from "../api/Listings.ts"
import type { openApiDocument } from "../api/OpenApi.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { StatusAction, StatusKind, StatusPages } from "../ports/StatusPages.ts"
import type { PublicRoute } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { type PaidRoute, paidRouteAt, paidRouteOf } from "./PaidRoute.ts"

const noParams: Readonly<Record<string, string>> = {}

/** A paid route, and the parameters of the requested path. */
export interface OperationMatch {
  readonly _tag: "Operation"
  readonly paidRoute: PaidRoute
  readonly params: Readonly<Record<string, string>>
}

/** The handler of a path. */
export type RouteMatch =
  | OperationMatch
  | DocumentMatch
  | { readonly _tag: "Public"; readonly handler: PublicRoute }
  | StatusMatch

/** A public document. */
export interface DocumentMatch {
  readonly _tag: "Document"
  readonly contentType: string
  readonly text: string
}

/** A status page, or what its wallet may do there. */
export interface StatusMatch {
  readonly _tag: "Status"
  readonly kind: StatusKind
  /** What the path names: an id, or a transaction. */
  readonly name: string
  readonly action: StatusAction | undefined
  /** Its address. */
  readonly url: string
}

/** The form of an id: any other name is a 404. */
const statusName = /^[A-Za-z0-9-]{1,128}$/

/** Finds the status page of a path. */
const statusFinder =
  ({ baseUrl, statusPath }: Pick<HttpSettings, "baseUrl" | "statusPath">, pages: Pages) =>
  (path: string): StatusMatch | undefined => {
    if (statusPath === undefined || !path.startsWith(`${statusPath}/`)) return undefined
    const [segment = "", name = "", actionName, ...others] = path.slice(statusPath.length + 1).split("/")
    const kind = pages.kindOf(segment)
    if (kind === undefined || !statusName.test(name) || others.length > 0) return undefined
    const action =
      actionName !== undefined && Object.hasOwn(kind.actions, actionName)
        ? kind.actions[actionName]
        : undefined
    if (actionName !== undefined && action === undefined) return undefined
    return { _tag: "Status", kind, name, action, url: `${baseUrl}${path}` }
  }

type Pages = Pick<StatusPages["Service"], "kindOf">

/** Maximum length of a path with parameters, which a 402 contains in a header. */
export const maxPathLength = 1024

/** The text of a parameter. If its encoding is malformed, the text as sent, for the schema to reject. */
const decodedParam = (value: string): string => {
  if (!value.includes("%")) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const isSame = (left: string, right: string): boolean => left === right
/** As most frameworks compare paths. */
const isAlike = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/** Matches the segments of a path with parameters; `undefined` if they don't match. */
export const pathMatcher = (path: string, matches = isSame) => {
  const segments = path.split("/")
  return (pathname: string): Record<string, string> | undefined => {
    const given = pathname.split("/")
    if (given.length !== segments.length || pathname.length > maxPathLength) return undefined
    const params: Record<string, string> = {}
    for (const [index, segment] of segments.entries()) {
      const value = given[index]!
      if (!segment.startsWith(":")) {
        if (!matches(segment, value)) return undefined
      } else {
        if (value === "") return undefined
        params[segment.slice(1)] = decodedParam(value)
      }
    }
    return params
  }
}

/** Frameworks match a path after decoding it: letters, digits and `-._~` mean the same encoded. */
const withPlainLetters = (pathname: string): string =>
  pathname.replace(/%[2-7][0-9a-f]/gi, (code) => {
    const character = decodeURIComponent(code)
    return /[\w.~-]/.test(character) ? character : code
  })

/**
 * Finds the paid route of one operation by a path, with or without the prefix of the base URL. A framework has matched the
 * path already: by its decoded text, and maybe in any letter case, and with more slashes.
 */
export const paidRouteFinder = (settings: HttpSettings, operation: AnyOperation) => {
  const paidRoute = paidRouteOf(settings, operation)
  const match = pathMatcher(operation.endpoint.path, isAlike)
  const at = (path: string): OperationMatch | undefined => {
    const params = match(path)
    return params === undefined ? undefined : matchAt(paidRoute, `${settings.baseUrl}${path}`, params)
  }
  const { prefix } = settings
  const find = (pathname: string): OperationMatch | undefined =>
    (isAlike(pathname.slice(0, prefix.length), prefix) ? at(pathname.slice(prefix.length)) : undefined) ??
    at(pathname)
  return (pathname: string): OperationMatch | undefined =>
    find(pathname) ?? find(withPlainLetters(pathname).replace(/\/+/g, "/").replace(/\/$/, ""))
}

const matchAt = (paidRoute: PaidRoute, url: string, params: OperationMatch["params"]): OperationMatch => ({
  _tag: "Operation",
  paidRoute: paidRouteAt(paidRoute, url),
  params
})

/** A document of operations: made once it is read, and again where their number has grown. */
class OperationsDocument implements DocumentMatch {
  readonly _tag = "Document"
  readonly contentType: string
  private readonly operations: () => ReadonlyArray<AnyOperation>
  private readonly write: (operations: ReadonlyArray<AnyOperation>) => string
  private written: { readonly text: string; readonly size: number } | undefined
  constructor(
    operations: OperationsDocument["operations"],
    write: OperationsDocument["write"],
    contentType = "application/json"
  ) {
    this.contentType = contentType
    this.operations = operations
    this.write = write
  }
  get text(): string {
    const operations = this.operations()
    if (operations.length !== this.written?.size)
      this.written = { text: this.write(operations), size: operations.length }
    return this.written.text
  }
}

/** The listing with offers: made again where an offer has changed, such as the fee payer of a facilitator. */
class OffersDocument implements DocumentMatch {
  readonly _tag = "Document"
  readonly contentType = "application/json"
  private readonly operations: () => ReadonlyArray<AnyOperation>
  private readonly settings: HttpSettings
  private readonly nowMillis: () => number
  private routes: ReadonlyArray<PaidRoute> = []
  private written: { readonly text: string; readonly offers: ReadonlyArray<unknown> } | undefined
  constructor(settings: HttpSettings, operations: OffersDocument["operations"], nowMillis: () => number) {
    this.settings = settings
    this.operations = operations
    this.nowMillis = nowMillis
  }
  get text(): string {
    const operations = this.operations()
    if (operations.length !== this.routes.length)
      this.routes = operations.map((operation) => paidRouteOf(this.settings, operation))
    const offers = this.routes.map(({ listedOffers }) => listedOffers())
    const { written } = this
    const isCurrent =
      written?.offers.length === offers.length &&
      offers.every((offer, index) => offer === written.offers[index])
    if (written !== undefined && isCurrent) return written.text
    const routes = this.routes.map(({ listed, operation }, index) => ({
      operation,
      accepts: offers[index]!.map(({ requirements }) => requirements),
      discovery: listed.extensions ?? {}
    }))
    const text = manifest(this.settings, routes, this.nowMillis())
    this.written = { text, offers }
    return text
  }
}

/**
 * Finds the handler of a path, with or without the prefix of the base URL. Documents name the priced routes too;
 * `describe` makes the OpenAPI document.
 */
export const makeRouter = (
  settings: HttpSettings,
  operations: ReadonlyArray<AnyOperation>,
  priced: { readonly operations: ReadonlyArray<AnyOperation> },
  describe: typeof openApiDocument,
  {
    nowMillis,
    ...pages
  }: Pick<StatusPages["Service"], "kindOf" | "kinds"> & {
    readonly nowMillis: () => number
  }
) => {
  const byPath = new Map<string, RouteMatch>()
  const withParams: Array<{
    readonly paidRoute: PaidRoute
    readonly match: ReturnType<typeof pathMatcher>
  }> = []
  for (const operation of operations) {
    const paidRoute = paidRouteOf(settings, operation)
    const { path } = operation.endpoint
    if (path.includes(":")) withParams.push({ match: pathMatcher(path), paidRoute })
    else byPath.set(path, { _tag: "Operation", paidRoute, params: noParams })
  }
  const { baseUrl, discoveryPath, llmsPath, openapiPath, statusPath } = settings
  const all = () => [...operations, ...priced.operations]
  const openApi = (operations: ReadonlyArray<AnyOperation>) =>
    JSON.stringify(
      describe({
        baseUrl,
        operations,
        support: settings.support,
        guidance: llmsText(settings, operations),
        statusPath,
        statusKinds: pages.kinds()
      })
    )
  if (openapiPath !== undefined) byPath.set(openapiPath, new OperationsDocument(all, openApi))
  if (discoveryPath !== undefined) {
    const list = (operations: ReadonlyArray<AnyOperation>) => listing(settings, operations, nowMillis())
    byPath.set(discoveryPath, new OperationsDocument(all, list))
    byPath.set(manifestPathOf(discoveryPath), new OffersDocument(settings, all, nowMillis))
  }
  if (llmsPath !== undefined) {
    const write = (operations: ReadonlyArray<AnyOperation>) => llmsText(settings, operations)
    byPath.set(llmsPath, new OperationsDocument(all, write, "text/plain; charset=utf-8"))
  }
  for (const [path, handler] of settings.publicRoutes) byPath.set(path, { _tag: "Public", handler })

  const findStatus = statusFinder(settings, pages)
  const at = (path: string): RouteMatch | undefined => {
    const found = byPath.get(path)
    if (found !== undefined) return found
    for (const { match, paidRoute } of withParams) {
      const params = match(path)
      if (params !== undefined) return matchAt(paidRoute, `${baseUrl}${path}`, params)
    }
    return findStatus(path)
  }
  const find = (pathname: string): RouteMatch | undefined =>
    at(withoutPrefix(pathname, settings.prefix)) ?? at(pathname)
  // Some frameworks put a slash at the end of all paths, such as Next with `trailingSlash`.
  return (pathname: string): RouteMatch | undefined =>
    find(pathname) ?? (pathname.endsWith("/") ? find(pathname.slice(0, -1)) : undefined)
}

/** A path below the mount, without the prefix of the base URL. */
export const withoutPrefix = (pathname: string, prefix: string): string =>
  prefix !== "" && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname

type DocumentPaths = Parameters<typeof documentPathsOf>[0]

/** Whether the till handles a path: everything under `/x402`, its status pages, documents, public routes and own operations. */
export const pathHandler = (
  settings: DocumentPaths & Pick<HttpSettings, "statusPath" | "publicRoutes" | "prefix">,
  operationPaths: ReadonlyArray<string>
) => {
  const { statusPath } = settings
  const exact = new Set([...documentPathsOf(settings), ...settings.publicRoutes.keys()])
  const matchers: Array<ReturnType<typeof pathMatcher>> = []
  for (const path of operationPaths) {
    if (path.includes(":")) matchers.push(pathMatcher(path))
    else exact.add(path)
  }
  const isOurs = (path: string): boolean =>
    path === "/x402" ||
    path.startsWith("/x402/") ||
    (statusPath !== undefined && path.startsWith(`${statusPath}/`)) ||
    exact.has(path) ||
    matchers.some((match) => match(path) !== undefined)
  return (pathname: string): boolean => isOurs(pathname) || isOurs(withoutPrefix(pathname, settings.prefix))
}
