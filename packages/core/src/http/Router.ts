import { discoveryOf } from "../api/Discovery.ts"
import { openApiDocument } from "../api/OpenApi.ts"
import type { AnyOperation, Quoted } from "../operations/Operation.ts"
import { BoundedMap } from "../runtime/BoundedMap.ts"
import {
  type Challenge,
  challengeTemplate,
  makeChallenge,
  type Resource,
  type ResourceInfo
} from "../toll/Challenge.ts"
import type { PaymentOffer } from "../toll/Verdict.ts"
import type { PublicRoute } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { type InputReader, inputReader } from "./Input.ts"

/** The `error` of a 402 for a request without payment. */
export const paymentNeeded =
  "Payment required: pay one of accepts and send it in the PAYMENT-SIGNATURE header (X-PAYMENT is accepted too)"
const indicativeOnly =
  "Payment required: the amount is indicative and can't be paid; send the request with its input and without payment to be quoted"

/**
 * A paid route as it is served: an operation with everything about its requests that can be made once, at startup. Its
 * `HttpApiEndpoint` is `operation.endpoint`.
 */
export interface PaidRoute {
  readonly operation: AnyOperation
  readonly id: string
  readonly method: "GET" | "POST"
  /** Method and path with its parameters, e.g. `GET /x402/search`. A payment is bound to it. */
  readonly methodAndPath: string
  readonly read: InputReader
  /** The 402 for an unpaid request with this query: the price, or an indication of it. */
  readonly unpaid: (search: string) => Challenge
  /** The resource in the 402 for a request with this query. */
  readonly resource: (search: string) => Resource
  /** The same, shortened and without query, for the toll. */
  readonly info: ResourceInfo
  readonly offersOf: (quoted: Quoted) => ReadonlyArray<PaymentOffer>
  /** The offers of a fixed price; empty for other prices. */
  readonly fixedOffers: ReadonlyArray<PaymentOffer>
}

/** Longest query that a 402 names. */
const maxQueryLength = 1024
/** The characters of a query that the URL parser has normalized. */
const urlCharacters = /^\?[\x21-\x7e]+$/

/** Whether a 402 includes this query; a longer one would leave no room in the header. */
const isNameable = (search: string): boolean =>
  search.length <= maxQueryLength + 1 && urlCharacters.test(search)

/** Challenges cached per operation, about 5 KB each. */
const maxRemembered = 128

/** Caches recent challenges: clients that retry, and agents with the same task, repeat their queries. */
const remembered = (make: (search: string) => Challenge): ((search: string) => Challenge) => {
  const made = new BoundedMap<string, Challenge>(maxRemembered)
  return (search) => {
    const known = made.get(search)
    if (known !== undefined) return known
    const challenge = make(search)
    made.set(search, challenge)
    return challenge
  }
}

/** Runs a function once, at the first call. */
const lazy = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/**
 * Makes the 402 for an unpaid request, and its resource, from the request's query. A 402 is made at its first use, since
 * a path with parameters comes here for each request, paid ones too.
 */
const byQuery = (
  { price, queryInResource = false }: AnyOperation,
  offers: ReadonlyArray<PaymentOffer>,
  resource: Resource
): Pick<PaidRoute, "unpaid" | "resource"> => {
  const error = price._tag === "Fixed" ? paymentNeeded : indicativeOnly
  const description = price._tag === "Fixed" ? resource.description : price.indicative.description
  const described = { ...resource, description }
  const plain = lazy(() => makeChallenge(offers, described, error))
  if (!queryInResource) return { unpaid: plain, resource: () => resource }
  const naming = lazy(() => challengeTemplate(offers, described, error))
  const { url } = resource
  return {
    unpaid: remembered((search) => (isNameable(search) ? naming()(url + search) : plain())),
    resource: (search) => (isNameable(search) ? { ...resource, url: url + search } : resource)
  }
}

/** An endpoint's path in the notation of documents: `/x402/vault/download/{purchaseId}`. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

const paidRouteOf = (settings: HttpSettings, operation: AnyOperation): PaidRoute => {
  const { identifier, method, path } = operation.endpoint
  const resource: Resource = {
    url: `${settings.baseUrl}${templateOf(path)}`,
    description: operation.description,
    mimeType: operation.mimeType,
    ...discoveryOf(operation, settings.prefix)
  }
  // Clients that don't know this flow skip the offer. The default flow is not sent.
  const flow = operation.settlesFirst === true ? { paymentFlow: "upfront" } : {}
  const offersOf = ({ atomic, extra, validSeconds = Infinity }: Quoted): ReadonlyArray<PaymentOffer> =>
    settings.networks.map(({ asset, caip2, eip712, payTo, v1Name }) => ({
      v1Name,
      requirements: {
        scheme: "exact",
        network: caip2,
        amount: atomic.toString(),
        asset,
        payTo,
        // An authorization must not outlive the price.
        maxTimeoutSeconds: Math.max(1, Math.min(settings.maxTimeoutSeconds, validSeconds)),
        extra: { ...eip712, ...extra, ...flow }
      }
    }))
  const { price } = operation
  const fixedOffers = price._tag === "Fixed" ? offersOf(plainQuote(price.atomic)) : []
  const indicated = price._tag === "Fixed" ? fixedOffers : offersOf(price.indicative)
  const byItsQuery = byQuery(operation, indicated, resource)
  // A 402 that can't be made, such as one with a `bigint` in its example, fails at startup.
  byItsQuery.unpaid("")
  return {
    operation,
    id: identifier,
    method: method === "GET" ? "GET" : "POST",
    methodAndPath: `${method} ${path}`,
    read: inputReader(operation),
    info: infoOf(resource),
    ...byItsQuery,
    offersOf,
    fixedOffers
  }
}

const infoOf = ({ description, mimeType, url }: Resource): ResourceInfo => ({ url, description, mimeType })

/** A paid route with parameters in its path, for one request: its resource is the requested path. */
const paidRouteAt = (paidRoute: PaidRoute, url: string): PaidRoute => {
  const { operation } = paidRoute
  const resource = { ...paidRoute.resource(""), url }
  const { price } = operation
  const offers = price._tag === "Fixed" ? paidRoute.fixedOffers : paidRoute.offersOf(price.indicative)
  return { ...paidRoute, info: infoOf(resource), ...byQuery(operation, offers, resource) }
}

/** An amount as a price without conditions. */
export const plainQuote = (atomic: bigint): Quoted => ({ atomic, description: "", extra: {} })

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
  | { readonly _tag: "Document"; readonly text: string }
  | { readonly _tag: "Public"; readonly handler: PublicRoute }

const listing = (operations: ReadonlyArray<AnyOperation>): string =>
  JSON.stringify({
    version: 1,
    resources: operations
      .filter(({ unlisted = false }) => !unlisted)
      .map(({ endpoint }) => `${endpoint.method} ${templateOf(endpoint.path)}`)
  })

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

/** Matches the segments of a path with parameters; `undefined` if they don't match. */
const pathMatcher = (path: string) => {
  const segments = path.split("/")
  return (pathname: string): Record<string, string> | undefined => {
    const given = pathname.split("/")
    if (given.length !== segments.length || pathname.length > maxPathLength) return undefined
    const params: Record<string, string> = {}
    for (const [index, segment] of segments.entries()) {
      const value = given[index]!
      if (!segment.startsWith(":")) {
        if (segment !== value) return undefined
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
 * Finds the paid route of one operation by a path, with or without the prefix of the base URL. Matches paths as a
 * framework does that routes decoded paths, and maybe ignores a slash at the end.
 */
export const paidRouteFinder = (settings: HttpSettings, operation: AnyOperation) => {
  const paidRoute = paidRouteOf(settings, operation)
  const match = pathMatcher(operation.endpoint.path)
  const at = (path: string): OperationMatch | undefined => {
    const params = match(path)
    return params === undefined ? undefined : matchAt(paidRoute, `${settings.baseUrl}${path}`, params)
  }
  const find = (pathname: string): OperationMatch | undefined =>
    at(withoutPrefix(pathname, settings.prefix)) ?? at(pathname)
  return (pathname: string): OperationMatch | undefined =>
    find(pathname) ?? find(withPlainLetters(pathname).replace(/\/$/, ""))
}

const matchAt = (paidRoute: PaidRoute, url: string, params: OperationMatch["params"]): OperationMatch => ({
  _tag: "Operation",
  paidRoute: paidRouteAt(paidRoute, url),
  params
})

/** A document of operations: made again where their number has grown. */
class OperationsDocument {
  readonly _tag = "Document"
  private readonly operations: () => ReadonlyArray<AnyOperation>
  private readonly write: (operations: ReadonlyArray<AnyOperation>) => string
  private written: { readonly text: string; readonly size: number }
  constructor(operations: OperationsDocument["operations"], write: OperationsDocument["write"]) {
    this.operations = operations
    this.write = write
    this.written = this.made(operations())
  }
  get text(): string {
    const operations = this.operations()
    if (operations.length !== this.written.size) this.written = this.made(operations)
    return this.written.text
  }
  private made(operations: ReadonlyArray<AnyOperation>) {
    return { text: this.write(operations), size: operations.length }
  }
}

/** Finds the handler of a path, with or without the prefix of the base URL. Documents name the priced routes too. */
export const makeRouter = (
  settings: HttpSettings,
  operations: ReadonlyArray<AnyOperation>,
  priced: { readonly operations: ReadonlyArray<AnyOperation> }
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
  const { baseUrl, discoveryPath, openapiPath } = settings
  const all = () => [...operations, ...priced.operations]
  const openApi = (operations: ReadonlyArray<AnyOperation>) =>
    JSON.stringify(openApiDocument({ baseUrl, operations }))
  if (openapiPath !== undefined) byPath.set(openapiPath, new OperationsDocument(all, openApi))
  if (discoveryPath !== undefined) byPath.set(discoveryPath, new OperationsDocument(all, listing))
  for (const [path, handler] of settings.publicRoutes) byPath.set(path, { _tag: "Public", handler })

  const at = (path: string): RouteMatch | undefined => {
    const found = byPath.get(path)
    if (found !== undefined) return found
    for (const { match, paidRoute } of withParams) {
      const params = match(path)
      if (params !== undefined) return matchAt(paidRoute, `${baseUrl}${path}`, params)
    }
    return undefined
  }
  return (pathname: string): RouteMatch | undefined =>
    at(withoutPrefix(pathname, settings.prefix)) ?? at(pathname)
}

/** A path below the mount, without the prefix of the base URL. */
export const withoutPrefix = (pathname: string, prefix: string): string =>
  prefix !== "" && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname

/** Whether the till handles a path: everything under `/x402`, its documents, public routes and own operations. */
export const pathHandler = (
  settings: Pick<HttpSettings, "openapiPath" | "discoveryPath" | "publicRoutes" | "prefix">,
  operationPaths: ReadonlyArray<string>
) => {
  const exact = new Set([settings.openapiPath, settings.discoveryPath, ...settings.publicRoutes.keys()])
  const matchers: Array<ReturnType<typeof pathMatcher>> = []
  for (const path of operationPaths) {
    if (path.includes(":")) matchers.push(pathMatcher(path))
    else exact.add(path)
  }
  const isOurs = (path: string): boolean =>
    path === "/x402" ||
    path.startsWith("/x402/") ||
    exact.has(path) ||
    matchers.some((match) => match(path) !== undefined)
  return (pathname: string): boolean => isOurs(pathname) || isOurs(withoutPrefix(pathname, settings.prefix))
}
