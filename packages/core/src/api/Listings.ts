import { formatAtomic } from "../domain/Money.ts"
import type { PaymentRequirements, ServiceIdentity } from "../domain/PaymentRequired.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import { paymentDescription } from "./paymentDescription.ts"

/*
 * The documents by which agents and crawlers find a till, all made of its operations:
 * - `/.well-known/x402` and the record of the DNS: specification of the extension "discovery", a draft
 * - `/.well-known/x402.json`: "well-known-discovery", a draft
 * - `/llms.txt`: https://llmstxt.org
 */

/** The service that the documents are about. */
export interface ListedService {
  /** Public address of the mount. */
  readonly baseUrl: string
  readonly service?: ServiceIdentity | undefined
  /** An email address or an https address. */
  readonly support?: string | undefined
  readonly openapiPath: string | undefined
  readonly discoveryPath: string | undefined
  /** The networks that are paid on, as CAIP-2. */
  readonly networks: ReadonlyArray<{ readonly caip2: string }>
}

/** A route with what its 402 offers. */
export interface ListedRoute {
  readonly operation: AnyOperation
  readonly accepts: ReadonlyArray<PaymentRequirements>
  readonly discovery: Readonly<Record<string, unknown>>
}

type Json = Readonly<Record<string, unknown>>

/** An endpoint's path in the notation of documents: `/weather/{city}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

const methodAndPath = ({ endpoint }: AnyOperation): string =>
  `${endpoint.method} ${templateOf(endpoint.path)}`

const nameOf = ({ baseUrl, service }: ListedService): string => service?.serviceName ?? new URL(baseUrl).host

/** A till of one route is described by it. */
const descriptionOf = (operations: ReadonlyArray<AnyOperation>): string =>
  operations.map(({ documents }) => documents.description).join(". ")

/** The contract's listing, with the fields that the draft requires. */
export const listing = (
  of: ListedService,
  operations: ReadonlyArray<AnyOperation>,
  nowMillis: number
): string => {
  const { baseUrl, openapiPath, support } = of
  return JSON.stringify({
    version: 1,
    resources: operations.filter(({ documents }) => documents.unlisted !== true).map(methodAndPath),
    x402Version: 2,
    kind: "resource-server",
    name: nameOf(of),
    description: descriptionOf(operations),
    ...(openapiPath === undefined ? {} : { docs: `${baseUrl}${openapiPath}` }),
    ...(support === undefined ? {} : { contact: support }),
    updated: new Date(nowMillis).toISOString()
  })
}

interface Bazaar {
  readonly info: { readonly input: Json; readonly output: Json }
}

const itemOf = (
  { baseUrl, service }: ListedService,
  { accepts, discovery, operation: { documents, endpoint } }: ListedRoute
): Json => {
  const { description, mimeType } = documents
  const { input, output } = (discovery["bazaar"] as Bazaar).info
  const { type: _, ...call } = input
  return {
    resource: { url: `${baseUrl}${endpoint.path}`, description, mimeType, ...service },
    type: "http",
    accepts,
    input: { ...call, routeTemplate: `${new URL(baseUrl).pathname.replace(/\/$/, "")}${endpoint.path}` },
    output: { mimeType, ...("example" in output ? { example: output["example"] } : {}) }
  }
}

/** Every resource with its offers and its example, unlisted ones too: this document is none of the contract's. */
export const manifest = (of: ListedService, routes: ReadonlyArray<ListedRoute>, nowMillis: number): string =>
  JSON.stringify({
    x402Version: 2,
    lastUpdated: Math.floor(nowMillis / 1000),
    items: routes.map((route) => itemOf(of, route))
  })

const priceOf = ({ price }: AnyOperation): string =>
  price._tag === "Fixed"
    ? `$${formatAtomic(price.atomic)}`
    : `$${formatAtomic(price.minAtomic)} to $${formatAtomic(price.maxAtomic)}, quoted for each request`

const fieldsOf = ({ documents, endpoint }: AnyOperation): string => {
  const names = Object.keys(documents.example.input)
  if (names.length === 0) return ""
  return ` Example: ${endpoint.method === "GET" ? "" : "body "}\`${JSON.stringify(documents.example.input)}\`.`
}

const lineOf = (
  { baseUrl }: ListedService,
  operation: AnyOperation,
  operations: ReadonlyArray<AnyOperation>
): string => {
  const { documents, endpoint } = operation
  const before = operations.find(({ endpoint: { identifier } }) => identifier === documents.follows)
  return `- [${methodAndPath(operation)}](${baseUrl}${templateOf(endpoint.path)}): ${documents.description}. ${priceOf(operation)}.${
    before === undefined ? "" : ` Call ${methodAndPath(before)} first: its response has what this needs.`
  }${fieldsOf(operation)}`
}

/** What an agent needs to know before its first call, in Markdown. */
export const llmsText = (of: ListedService, operations: ReadonlyArray<AnyOperation>): string => {
  const { baseUrl, discoveryPath, networks, openapiPath, support } = of
  const documents = [
    ...(openapiPath === undefined ? [] : [`- [OpenAPI](${baseUrl}${openapiPath}): every field and error`]),
    ...(discoveryPath === undefined
      ? []
      : [`- [Resources](${baseUrl}${discoveryPath}.json): offers and examples as JSON`]),
    ...(support === undefined ? [] : [`- Questions: ${support}`])
  ]
  return `# ${nameOf(of)}

> ${descriptionOf(operations)}

${paymentDescription}

## How to pay

1. Send the request without payment. The 402 has the offers: in its header PAYMENT-REQUIRED (version 2), and in its body (version 1).
2. Sign one of them with an x402 client. Networks: ${networks.map(({ caip2 }) => caip2).join(", ")}. Many clients refuse to pay more than $1 (version 1: $0.10) until their limit is raised.
3. Send the same request with the payment in the header PAYMENT-SIGNATURE. Keep the payment until you have the response.
4. A call that fails isn't charged, unless its error says so. If a response is lost, or has Retry-After, send the same payment again: it buys once. After a 402, read its error before you sign a new one. A result that is empty is a result, and is charged.

## Calls

${operations.map((operation) => lineOf(of, operation, operations)).join("\n")}
${documents.length === 0 ? "" : `\n## Documents\n\n${documents.join("\n")}\n`}`
}

/** Longest text of a TXT record that isn't in pieces. */
const maxRecordLength = 255

/**
 * The TXT record that leads crawlers to the listing: `_x402.shop.example. IN TXT "v=x402-1; …"`. `undefined` without a
 * listing, or without https.
 */
export const dnsRecordOf = ({
  baseUrl,
  discoveryPath,
  networks
}: Pick<ListedService, "baseUrl" | "discoveryPath" | "networks">): string | undefined => {
  const { hostname, protocol } = new URL(baseUrl)
  if (discoveryPath === undefined || protocol !== "https:") return undefined
  const record = `v=x402-1; wk=${baseUrl}${discoveryPath}; k=resource-server; scheme=exact`
  // Optional, and a text of the DNS has an end.
  const withNetworks = `${record}; net=${networks.map(({ caip2 }) => caip2).join(",")}`
  return `_x402.${hostname}. IN TXT "${withNetworks.length <= maxRecordLength ? withNetworks : record}"`
}

/** The paths of a till's documents, below the mount. */
export const documentPathsOf = ({
  discoveryPath,
  llmsPath,
  openapiPath
}: {
  readonly openapiPath: string | undefined
  readonly discoveryPath: string | undefined
  readonly llmsPath?: string | undefined
}): ReadonlyArray<string> => [
  ...(openapiPath === undefined ? [] : [openapiPath]),
  ...(discoveryPath === undefined ? [] : [discoveryPath, manifestPathOf(discoveryPath)]),
  ...(llmsPath === undefined ? [] : [llmsPath])
]

/** The path of the listing with offers and examples. */
export const manifestPathOf = (discoveryPath: string): string => `${discoveryPath}.json`
