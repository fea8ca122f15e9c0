import type { OperationId } from "./Api.ts"
import type { Configuration } from "./Configuration.ts"
import { discoveryOf } from "./Discovery.ts"
import { openApiDocument, type PriceInfo } from "./OpenApi.ts"
import type { PublicRoute } from "./Options.ts"
import { type Operation, type Quoted, routeOf } from "./Operation.ts"
import {
  type Challenge,
  challengeTemplate,
  makeChallenge,
  type Resource,
  type ResourceInfo
} from "./toll/Challenge.ts"
import type { PaymentOffer } from "./toll/Verdict.ts"

/** Said in a 402 to who sent no payment. */
export const paymentNeeded =
  "Payment required: pay one of accepts and send it in the PAYMENT-SIGNATURE header (X-PAYMENT is accepted too)"
const indicativeOnly =
  "Payment required: the amount is indicative and can't be paid; send the request's body without payment to be quoted"

/** An operation with everything that can be made once. */
export interface Mounted {
  readonly operation: Operation
  readonly method: "GET" | "POST"
  /** Method and route, as a payment is bound to them. */
  readonly route: string
  /** What is sent without payment to a request with this query: the price, or an indication of it. */
  readonly unpaid: (search: string) => Challenge
  /** The resource as a 402 for a request with this query describes it. */
  readonly resource: (search: string) => Resource
  /** The same in short and without query, for the toll. */
  readonly info: ResourceInfo
  readonly offersOf: (quoted: Quoted) => ReadonlyArray<PaymentOffer>
  /** The offers of a fixed price; none where the price is quoted. */
  readonly fixedOffers: ReadonlyArray<PaymentOffer>
}

/** Longest query that a 402 names. */
const maxQueryLength = 1024
/** The characters of a query that the URL parser has written. */
const urlCharacters = /^\?[\x21-\x7e]+$/

/** Whether a 402 names this query; too long a one would leave no room in the header. */
const isNameable = (search: string): boolean =>
  search.length <= maxQueryLength + 1 && urlCharacters.test(search)

/** Challenges that are kept for each operation: some 5 KB each. */
const maxRemembered = 128

/** Keeps the challenges made last: clients that retry, and agents with the same task, repeat their queries. */
const remembered = (make: (search: string) => Challenge): ((search: string) => Challenge) => {
  const made = new Map<string, Challenge>()
  return (search) => {
    const known = made.get(search)
    if (known !== undefined) return known
    const [oldest] = made.keys()
    if (made.size >= maxRemembered && oldest !== undefined) made.delete(oldest)
    const challenge = make(search)
    made.set(search, challenge)
    return challenge
  }
}

/** The 402 that is sent without payment, and its resource, by the query of the request. */
const byQuery = (
  operation: Operation,
  offers: ReadonlyArray<PaymentOffer>,
  resource: Resource
): Pick<Mounted, "unpaid" | "resource"> => {
  const error = operation.price._tag === "Fixed" ? paymentNeeded : indicativeOnly
  const description =
    operation.price._tag === "Fixed" ? resource.description : operation.price.indicative.description
  const described = { ...resource, description }
  const plain = makeChallenge(offers, described, error)
  if (!operation.namesQuery) return { unpaid: () => plain, resource: () => resource }
  const naming = challengeTemplate(offers, described, error)
  const { url } = resource
  return {
    unpaid: remembered((search) => (isNameable(search) ? naming(url + search) : plain)),
    resource: (search) => (isNameable(search) ? { ...resource, url: url + search } : resource)
  }
}

const mount = (configuration: Configuration, operation: Operation): Mounted => {
  const { method, path } = routeOf(operation.id)
  const resource: Resource = {
    url: `${configuration.baseUrl}${path.replace(/:(\w+)/g, "{$1}")}`,
    description: operation.description,
    mimeType: operation.mimeType,
    ...discoveryOf(operation.id)
  }
  // Clients that don't know the flow skip the offer. The other flow is the default, and not sent.
  const flow = configuration.settlesFirst.has(operation.id) ? { paymentFlow: "upfront" } : {}
  const offersOf = ({ atomic, extra, standsSeconds = Infinity }: Quoted): ReadonlyArray<PaymentOffer> =>
    configuration.networks.map(({ asset, caip2, eip712, payTo, v1Name }) => ({
      v1Name,
      requirements: {
        scheme: "exact",
        network: caip2,
        amount: atomic.toString(),
        asset,
        payTo,
        // Nobody is to sign for longer than the price stands.
        maxTimeoutSeconds: Math.max(1, Math.min(configuration.maxTimeoutSeconds, standsSeconds)),
        extra: { ...eip712, ...extra, ...flow }
      }
    }))
  const { price } = operation
  const fixedOffers = price._tag === "Fixed" ? offersOf(fixedQuote(price.atomic)) : []
  return {
    operation,
    method,
    route: `${method} ${path}`,
    info: infoOf(resource),
    ...byQuery(operation, price._tag === "Fixed" ? fixedOffers : offersOf(price.indicative), resource),
    offersOf,
    fixedOffers
  }
}

const infoOf = ({ description, mimeType, url }: Resource): ResourceInfo => ({ url, description, mimeType })

/** The mount of a path with parameters, at a fixed price: its resource is the requested path. */
const mountAt = (mounted: Mounted, url: string): Mounted => {
  const resource = { ...mounted.resource(""), url }
  return { ...mounted, info: infoOf(resource), ...byQuery(mounted.operation, mounted.fixedOffers, resource) }
}

/** A fixed price in the form of a quoted one. */
export const fixedQuote = (atomic: bigint): Quoted => ({ atomic, description: "", extra: {} })

/** What stands at a path. */
export type Found =
  | { readonly _tag: "Operation"; readonly mounted: Mounted }
  | { readonly _tag: "Document"; readonly text: string }
  | { readonly _tag: "Public"; readonly answer: PublicRoute }

/** The six resources of the contract's listing; track is described in the contract, but not listed. */
const unlisted: ReadonlySet<OperationId> = new Set(["track"])

const discoveryDocument = (operations: ReadonlyArray<Operation>): string =>
  JSON.stringify({
    version: 1,
    resources: operations
      .filter(({ id }) => !unlisted.has(id))
      .map(({ id }) => {
        const { method, path } = routeOf(id)
        return `${method} ${path.replace(/:(\w+)/g, "{$1}")}`
      })
  })

const priceInfoOf = ({ price }: Operation): PriceInfo =>
  price._tag === "Fixed"
    ? { mode: "fixed", atomic: price.atomic }
    : { mode: "dynamic", minAtomic: price.minAtomic, maxAtomic: price.maxAtomic }

const downloadPath = /^\/x402\/vault\/download\/[^/]+$/

/** Finds what stands at a path, as it comes or without the prefix of the base URL. */
export const makeRouter = (configuration: Configuration, operations: ReadonlyArray<Operation>) => {
  const byPath = new Map<string, Found>()
  let download: Mounted | undefined
  for (const operation of operations) {
    const mounted = mount(configuration, operation)
    if (operation.id === "vaultDownload") download = mounted
    else byPath.set(routeOf(operation.id).path, { _tag: "Operation", mounted })
  }
  if (configuration.openapiPath !== undefined) {
    const prices = new Map(operations.map((operation) => [operation.id, priceInfoOf(operation)] as const))
    const text = JSON.stringify(openApiDocument({ baseUrl: configuration.baseUrl, prices }))
    byPath.set(configuration.openapiPath, { _tag: "Document", text })
  }
  if (configuration.discoveryPath !== undefined) {
    byPath.set(configuration.discoveryPath, { _tag: "Document", text: discoveryDocument(operations) })
  }
  for (const [path, answer] of configuration.publicRoutes) byPath.set(path, { _tag: "Public", answer })
  const at = (path: string): Found | undefined =>
    byPath.get(path) ??
    (download !== undefined && downloadPath.test(path)
      ? { _tag: "Operation", mounted: mountAt(download, `${configuration.baseUrl}${path}`) }
      : undefined)
  return (pathname: string): Found | undefined =>
    at(pathname) ?? at(withoutPrefix(pathname, configuration.prefix))
}

/** A path below the mount, with the prefix of the base URL taken off where it has it. */
export const withoutPrefix = (pathname: string, prefix: string): string =>
  prefix !== "" && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname

/** Whether a path is the till's to answer: everything under `/x402`, and its documents. */
export const handlesPath = (configuration: Configuration) => {
  const documents = [
    configuration.openapiPath,
    configuration.discoveryPath,
    ...configuration.publicRoutes.keys()
  ]
  const isOurs = (path: string): boolean =>
    path === "/x402" || path.startsWith("/x402/") || documents.includes(path)
  return (pathname: string): boolean =>
    isOurs(pathname) || isOurs(withoutPrefix(pathname, configuration.prefix))
}
