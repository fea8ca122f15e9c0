import { discoveryOf, identifierOffer } from "../api/Discovery.ts"
import { headerExtensions } from "../api/HeaderDiscovery.ts"
import { templateOf } from "../api/Listings.ts"
import type { AnyOperation, Quoted } from "../operations/Operation.ts"
import { type Challenge, challengeTemplate, makeChallenge, type Resource } from "../toll/request/Challenge.ts"
import type { ListedResource } from "../toll/facilitator/FacilitatorVerdicts.ts"
import { quoteMemo } from "../toll/exact/Solana.ts"
import type { PaymentOffer } from "../toll/request/Verdict.ts"
import { BoundedMap } from "../runtime/BoundedMap.ts"
import type { HttpSettings, OfferedNetwork } from "./HttpSettings.ts"
import { type InputReader, inputReader } from "./Input.ts"

/** The `error` of a 402 for a request without payment. */
export const paymentNeeded =
  "payment_required: pay one of accepts, and send it in the header PAYMENT-SIGNATURE"
const indicativeOnly =
  "indicative_price: PAYMENT-SIGNATURE can't pay this; send the request with its input to be quoted"

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
  /** Its address, without the query. */
  readonly url: string
  /** The resource as facilitators list it. */
  readonly listed: ListedResource
  readonly offersOf: (quoted: Quoted) => ReadonlyArray<PaymentOffer>
  /** The current offers of the fixed price, or of the indication of another one. */
  readonly listedOffers: () => ReadonlyArray<PaymentOffer>
  /** The offers of a price on all networks: a payment that has settled was made on one that may be withheld now. */
  readonly allOffersOf: (quoted: Quoted) => ReadonlyArray<PaymentOffer>
}

/** Longest query that a 402 names: the header has room for it with two networks and every option. */
const maxQueryLength = 896
/** Characters by which a path may be longer than its template. A sign-in names the path as well, and only short ones. */
const maxExcess = { plain: 640, signIn: 100 }
/** The characters of a query that the URL parser has normalized. */
const urlCharacters = /^\?[\x21-\x7e]+$/

type Nameable = NonNullable<AnyOperation["documents"]["queryInResource"]>

/** Tells whether a 402 includes a query. */
const queryTest = (nameable: Nameable) => {
  const characters =
    typeof nameable === "boolean"
      ? urlCharacters
      : new RegExp(`^\\?(?:(?:${nameable.join("|")})=[\\x21-\\x25\\x27-\\x7e]*(?:&|$))+$`)
  return (search: string): boolean => search.length <= maxQueryLength + 1 && characters.test(search)
}

/** Challenges kept per operation, about 5 KB each. */
const maxRemembered = 128

/** Keeps recent challenges: indexers, clients that retry and agents with the same task repeat their queries. */
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

/** Runs a function at the first call, and again when its source has changed. */
const madeFrom = <Source, A>(source: () => Source, make: (from: Source) => A): (() => A) => {
  let made: { readonly from: Source; readonly value: A } | undefined
  return () => {
    const from = source()
    if (made === undefined || made.from !== from) made = { from, value: make(from) }
    return made.value
  }
}

/**
 * Makes the 402 for an unpaid request, and its resource, from the request's query. A 402 is made at its first use,
 * since a path with parameters comes here for each request, paid ones too.
 */
const byQuery = (
  { documents: { queryInResource = false }, price }: AnyOperation,
  offers: () => ReadonlyArray<PaymentOffer>,
  resource: Resource
): Pick<PaidRoute, "unpaid" | "resource"> => {
  const error = price._tag === "Fixed" ? paymentNeeded : indicativeOnly
  const described = price._tag === "Fixed" ? resource : { ...resource, offered: price.indicative.description }
  const plain = madeFrom(offers, (current) => makeChallenge(current, described, error))
  if (queryInResource === false) return { unpaid: plain, resource: () => resource }
  const isNameable = queryTest(queryInResource)
  const naming = madeFrom(offers, (current) => challengeTemplate(current, described, error))
  const { url } = resource
  const unpaid = madeFrom(offers, () => remembered((search) => naming()(url + search)))
  return {
    unpaid: (search) => (isNameable(search) ? unpaid()(search) : plain()),
    resource: (search) => (isNameable(search) ? { ...resource, url: url + search } : resource)
  }
}

/** What decides whether a payment waits for the chain. */
export type ProofSettings = Pick<HttpSettings, "proofAbove" | "trustFacilitator">

/**
 * Whether a payment of an amount counts for an operation only once the chain shows it. On a network whose chain can't be
 * read, its facilitator's response counts all the same.
 */
export const needsChain = (
  { settlement = {} }: Pick<AnyOperation, "settlement">,
  amountAtomic: bigint,
  { proofAbove, trustFacilitator }: ProofSettings
): boolean =>
  !trustFacilitator &&
  (settlement.proofRequired ?? (settlement.beforeWork === true || amountAtomic > proofAbove))

/** The networks that the 402 of an operation doesn't offer now at a price. */
const withheldFrom = (
  operation: AnyOperation,
  atomic: bigint,
  settings: HttpSettings
): ReadonlyArray<ReadonlySet<string>> =>
  [
    settings.withdrawn,
    needsChain(operation, atomic, settings) ? settings.unread : settings.unread?.never
  ].flatMap((networks) => (networks === undefined || networks.current.size === 0 ? [] : [networks.current]))

/** The networks that it offers now. */
const offeredNetworks = (
  operation: AnyOperation,
  atomic: bigint,
  settings: HttpSettings
): ReadonlyArray<OfferedNetwork> => {
  const withheld = withheldFrom(operation, atomic, settings)
  return withheld.length === 0
    ? settings.networks
    : settings.networks.filter(({ caip2 }) => !withheld.some((networks) => networks.has(caip2)))
}

/** Text that changes with the networks offered and with the fee payers that their offers name. */
const offerState = (operation: AnyOperation, atomic: bigint, settings: HttpSettings): string => {
  const { networks } = settings
  let state = ""
  for (const withheld of withheldFrom(operation, atomic, settings)) state += `-${[...withheld].join(" ")} `
  for (const network of networks) if (network.family === "solana") state += `${network.feePayers.current} `
  return state
}

interface OfferTerms {
  readonly flow: Record<string, string>
  readonly maxTimeoutSeconds: number
  readonly hasSettled: boolean
}

/**
 * The offer on one network; `undefined` on Solana, while the facilitator has not named its fee payer. A payment that has
 * settled needs none.
 */
const offerOn = (
  network: OfferedNetwork,
  { atomic, extra, validSeconds = Infinity }: Quoted,
  { flow, hasSettled, maxTimeoutSeconds }: OfferTerms
): PaymentOffer | undefined => {
  const { asset, caip2, payTo, v1Name } = network
  const requirements = {
    scheme: "exact" as const,
    network: caip2,
    amount: atomic.toString(),
    asset,
    payTo,
    // An authorization must not outlive the price.
    maxTimeoutSeconds: Math.max(1, Math.min(maxTimeoutSeconds, validSeconds))
  }
  if (network.family === "evm")
    return { v1Name, requirements: { ...requirements, extra: { ...network.eip712, ...extra, ...flow } } }
  const { feePayers, tokenAccount, tokenProgram } = network
  const feePayer = feePayers.current
  if (feePayer === undefined && !hasSettled) return undefined
  const { quoteId } = extra
  const memo = quoteId === undefined ? {} : { memo: quoteMemo(quoteId) }
  return {
    v1Name,
    requirements: { ...requirements, extra: { ...(feePayer && { feePayer }), ...memo, ...extra, ...flow } },
    solana: { tokenAccount, tokenProgram, isFeePayer: (address) => feePayers.has(address) }
  }
}

const noticeOf = (...notices: ReadonlyArray<string | undefined>): string | undefined =>
  notices.filter((notice) => notice !== undefined).join(". ") || undefined

export const paidRouteOf = (settings: HttpSettings, operation: AnyOperation): PaidRoute => {
  const { identifier, method, path } = operation.endpoint
  const discovery = discoveryOf(operation, settings.prefix)
  const { documents, repeats } = operation
  const { service } = settings
  const resource: Resource = {
    url: `${settings.baseUrl}${templateOf(path)}`,
    description: documents.description,
    mimeType: documents.mimeType,
    notice: noticeOf(repeats?.words.notice, documents.note),
    service,
    outputSchema: discovery.outputSchema,
    discovery: headerExtensions(discovery),
    extensions: repeats === undefined ? undefined : identifierOffer
  }
  // Clients that don't know this flow skip the offer. The default flow is not sent.
  const flow = operation.settlement?.beforeWork === true ? { paymentFlow: "upfront" } : {}
  const { maxTimeoutSeconds } = settings
  const offersOn =
    (networks: (atomic: bigint) => ReadonlyArray<OfferedNetwork>, hasSettled = false) =>
    (quoted: Quoted): ReadonlyArray<PaymentOffer> =>
      networks(quoted.atomic)
        .map((network) => offerOn(network, quoted, { maxTimeoutSeconds, flow, hasSettled }))
        .filter((offer) => offer !== undefined)
  const offersOf = offersOn((atomic) => offeredNetworks(operation, atomic, settings))
  const { price } = operation
  const listedPrice = price._tag === "Fixed" ? plainQuote(price.atomic) : price.indicative
  // The same list while the same networks and fee payers are offered, so that what is made from it is kept.
  const listedOffers = madeFrom(
    () => offerState(operation, listedPrice.atomic, settings),
    () => offersOf(listedPrice)
  )
  const byItsQuery = byQuery(operation, listedOffers, resource)
  // A 402 that can't be made, such as one with a `bigint` in its example, fails at startup.
  byItsQuery.unpaid("")
  // Paths keep their parameters' names: a caller chooses the values, and some are private.
  const { description, mimeType } = resource
  const listed = { url: settings.baseUrl + path, description, mimeType, service, ...discovery }
  settings.listedResources?.set(identifier, listed)
  return {
    operation,
    id: identifier,
    method: method === "GET" ? "GET" : "POST",
    methodAndPath: `${method} ${path}`,
    read: inputReader(operation, settings.refuseUnknownFields),
    url: resource.url,
    listed,
    ...byItsQuery,
    offersOf,
    listedOffers,
    allOffersOf: offersOn(() => settings.networks, true)
  }
}

/**
 * A paid route with parameters in its path, for one request: its resource is the requested path, unless a 402 has no room
 * for it.
 */
export const paidRouteAt = (paidRoute: PaidRoute, url: string): PaidRoute => {
  const { operation } = paidRoute
  const excess = url.length - paidRoute.url.length
  if (excess > (operation.freeAccess === undefined ? maxExcess.plain : maxExcess.signIn)) return paidRoute
  const resource = { ...paidRoute.resource(""), url }
  return { ...paidRoute, url, ...byQuery(operation, paidRoute.listedOffers, resource) }
}

/** An amount as a price without conditions. */
export const plainQuote = (atomic: bigint): Quoted => ({ atomic, description: "", extra: {} })
