import { grouped } from "../text.ts"
import type { Check, SettingsInForce } from "@till402/core"
import type { ConsoleSource } from "../ConsoleSource.ts"
import {
  descriptionFinding,
  headerFinding,
  type ListedOffer,
  type ReadChallenge,
  readChallenge,
  statusFinding
} from "./challenge.ts"
import { type DocumentedRoute, fieldOf, ofListing, ofOpenApi, readJson } from "./documents.ts"

/*
 * The till's routes as indexes see them: by its documents, and by the 402 of a call without input and payment.
 */

/** An offer, with its amount in millionths of a dollar. */
export interface Offer {
  readonly network: string
  readonly amountAtomic: bigint | undefined
  readonly payTo: string
}

/** What a call without input and payment got. */
export interface AskedRoute {
  readonly status: number
  readonly offers: ReadonlyArray<Offer>
}

export interface ListedRoute extends DocumentedRoute {
  readonly description: string
  /** As the OpenAPI document has it, such as `$0.01`. */
  readonly price: string | undefined
  /** Those of the document with offers and examples. */
  readonly offers: ReadonlyArray<Offer>
  readonly isInListing: boolean
  readonly isInOpenApi: boolean
  /** `undefined`: it wasn't called. */
  readonly asked: AskedRoute | undefined
  readonly problems: ReadonlyArray<string>
}

export interface Listing {
  readonly at: Date
  readonly baseUrl: string
  readonly documents: SettingsInForce["documents"]
  readonly dnsRecord: string | undefined
  readonly routes: ReadonlyArray<ListedRoute>
  /** Checks of the till that concern what it offers, and don't pass. */
  readonly checks: ReadonlyArray<Check>
}

/** Checks whose faults change what is offered, or how it is found. */
const listingChecks: ReadonlySet<Check["name"]> = new Set([
  "start",
  "baseUrl",
  "clock",
  "facilitator",
  "node",
  "chain id",
  "payTo",
  "real money",
  "token",
  "token account"
])

/** What the console calls of a till. */
type Asked = Required<Pick<ConsoleSource, "settings" | "fetch" | "health">> & Pick<ConsoleSource, "dnsRecord">

/** The till behind a console; `undefined`: it shows books, which have no routes. */
export const askedTill = ({ dnsRecord, fetch, health, settings }: ConsoleSource): Asked | undefined =>
  fetch === undefined || health === undefined || settings === undefined
    ? undefined
    : { dnsRecord, fetch, health, settings }

interface Documents {
  readonly openApi: string
  readonly listing: string
  readonly manifest: string
}

const offerOf = ({ amount, network, payTo }: ListedOffer): Offer => ({
  network,
  payTo,
  amountAtomic: amount !== undefined && /^\d+$/.test(amount) ? BigInt(amount) : undefined
})

const textAt = (value: unknown, name: string): string => {
  const found = fieldOf(value, name)
  return typeof found === "string" ? found : ""
}

/** `/api/weather/:city` of a service at `/api` is `/weather/{city}` in its documents. */
const pathOfTemplate = (template: string, baseUrl: string): string => {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, "")
  const path = template.startsWith(`${prefix}/`) ? template.slice(prefix.length) : template
  return path.replaceAll(/:(\w+)/g, "{$1}")
}

interface Manifested extends DocumentedRoute {
  readonly description: string
  readonly offers: ReadonlyArray<Offer>
}

/** The items of the document with offers and examples. */
const ofManifest = (text: string, baseUrl: string): ReadonlyArray<Manifested> => {
  const items = fieldOf(readJson(text), "items")
  return (Array.isArray(items) ? items : []).map((item: unknown) => {
    const input = fieldOf(item, "input")
    const accepts = fieldOf(item, "accepts")
    return {
      method: textAt(input, "method") || "GET",
      path: pathOfTemplate(textAt(input, "routeTemplate"), baseUrl),
      description: textAt(fieldOf(item, "resource"), "description"),
      offers: (Array.isArray(accepts) ? (accepts as ReadonlyArray<ListedOffer>) : []).map(offerOf)
    }
  })
}

/** Dollars of a document: `100000.00` → `$100,000.00`. */
const dollarsOf = (decimal: string): string => {
  const [whole = "", ...fraction] = decimal.split(".")
  return `$${[grouped(whole), ...fraction].join(".")}`
}

/** The price of an operation in an OpenAPI document. */
const priceIn = (openApi: unknown, { method, path }: DocumentedRoute): string | undefined => {
  const operation = fieldOf(fieldOf(fieldOf(openApi, "paths"), path), method.toLowerCase())
  const price = fieldOf(fieldOf(operation, "x-payment-info"), "price")
  if (textAt(price, "mode") === "fixed") return dollarsOf(textAt(price, "amount"))
  return textAt(price, "mode") === "dynamic"
    ? `${dollarsOf(textAt(price, "min"))} to ${dollarsOf(textAt(price, "max"))}, quoted`
    : undefined
}

const sortedOffers = (offers: ReadonlyArray<Offer>): string =>
  offers
    .map(({ network, payTo }) => `${network} ${payTo}`)
    .toSorted()
    .join()

const sameName = (one: DocumentedRoute) => (other: DocumentedRoute) =>
  one.method === other.method && one.path === other.path

/** A 402 that was received, and the header that has it. */
interface Received {
  readonly status: number
  readonly header: string
  readonly challenge: ReadChallenge | undefined
}

const decoded = (base64: string): string => {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))
  } catch {
    return ""
  }
}

const receive = async ({ fetch }: Asked, baseUrl: string, route: DocumentedRoute): Promise<Received> => {
  const path = route.path.replaceAll(/\{\w+\}/g, "1")
  const response = await fetch(new Request(`${baseUrl}${path}`, { method: route.method }))
  await response.body?.cancel()
  const header = response.headers.get("payment-required") ?? ""
  return { status: response.status, header, challenge: readChallenge(decoded(header)) }
}

/** What an indexer stumbles over in a 402. */
const challengeProblems = (
  { challenge, header, status }: Received,
  { offers, path }: Manifested,
  baseUrl: string
): ReadonlyArray<string | undefined> => {
  if (status !== 402) return [statusFinding(status)]
  if (challenge === undefined) return ["its 402 has no PAYMENT-REQUIRED header that can be read"]
  const named = URL.parse(challenge.resource?.url ?? "")
  return [
    headerFinding(header),
    named !== null && `${named.origin}${named.pathname}`.startsWith(baseUrl)
      ? undefined
      : `its 402 names ${named?.href ?? "no address"}, which isn't below ${baseUrl}`,
    challenge.extensions?.bazaar === undefined
      ? "its 402 has no discovery data (extensions.bazaar), so no index lists it"
      : undefined,
    sortedOffers(challenge.accepts.map(offerOf)) === sortedOffers(offers)
      ? undefined
      : `its 402 offers other networks or wallets than the document with offers does for ${path}`
  ]
}

/** Reads the documents; one that isn't served is empty. */
const readDocuments = async (
  { fetch }: Asked,
  { baseUrl, documents: { listing, openapi } }: SettingsInForce
): Promise<Documents> => {
  const read = async (path: string | undefined): Promise<string> => {
    if (path === undefined) return ""
    const response = await fetch(new Request(`${baseUrl}${path}`))
    return response.ok ? response.text() : ""
  }
  const [openApi, listed, manifest] = await Promise.all([
    read(openapi),
    read(listing),
    read(listing === undefined ? undefined : `${listing}.json`)
  ])
  return { openApi, listing: listed, manifest }
}

/** Judges one route. */
const routeOf = (
  route: DocumentedRoute,
  documents: {
    readonly openApi: unknown
    readonly inOpenApi: ReadonlyArray<DocumentedRoute>
    readonly inListing: ReadonlyArray<DocumentedRoute>
    readonly inManifest: ReadonlyArray<Manifested>
  },
  received: Received | undefined,
  baseUrl: string
): ListedRoute => {
  const known = documents.inManifest.find(sameName(route))
  const manifested = known ?? { ...route, description: "", offers: [] }
  const { description, offers } = manifested
  const problems =
    known === undefined
      ? []
      : [
          descriptionFinding(description),
          offers.length === 0 ? "it offers no network: payments on all of them are withdrawn" : undefined
        ]
  const asked = received === undefined ? [] : challengeProblems(received, manifested, baseUrl)
  return {
    ...route,
    description,
    offers,
    price: priceIn(documents.openApi, route),
    isInListing: documents.inListing.some(sameName(route)),
    isInOpenApi: documents.inOpenApi.some(sameName(route)),
    asked: received && {
      status: received.status,
      offers: (received.challenge?.accepts ?? []).map(offerOf)
    },
    problems: [...problems, ...asked].filter((problem) => problem !== undefined)
  }
}

/**
 * Reads what indexes read of a till.
 *
 * @param calls whether each route is called without input and payment, as indexers do: it counts as a 402
 */
export const readListing = async (till: Asked, at: Date, calls: boolean): Promise<Listing> => {
  const settings = await till.settings()
  const { baseUrl } = settings
  const [documents, { checks }] = await Promise.all([readDocuments(till, settings), till.health()])
  const inOpenApi = ofOpenApi(documents.openApi)
  const inListing = ofListing(documents.listing)
  const inManifest = ofManifest(documents.manifest, baseUrl)
  const openApi = readJson(documents.openApi)
  const routes = new Map(
    [...inManifest, ...inOpenApi, ...inListing].map(({ method, path }) => [
      `${method} ${path}`,
      { method, path }
    ])
  )
  const listed: Array<ListedRoute> = []
  for (const route of routes.values()) {
    const received = calls ? await receive(till, baseUrl, route) : undefined
    listed.push(routeOf(route, { openApi, inOpenApi, inListing, inManifest }, received, baseUrl))
  }
  return {
    at,
    baseUrl,
    documents: settings.documents,
    dnsRecord: till.dnsRecord,
    routes: listed,
    checks: checks.filter(({ name, status }) => status !== "pass" && listingChecks.has(name))
  }
}
