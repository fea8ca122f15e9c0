import { getAddress, isAddress } from "viem"
import { ConfigurationError } from "./domain/Errors.ts"
import { parseAtomic } from "./domain/Money.ts"
import { findNetwork, type Network, networks as knownNetworks } from "./domain/Network.ts"
import type { OperationId } from "./Api.ts"
import type { Margin, NetworkOptions, Prices, PublicRoute, SecretKey, TillOptions } from "./Options.ts"
import { defaultPrices } from "./operations.ts"
import { domainSeparator } from "./toll/exact/Evm.ts"

/** A network on which the host takes payment, resolved. */
export interface PaidNetwork extends Network {
  readonly payTo: string
  readonly rpcUrl: string | undefined
  readonly confirmations: number
  readonly finalitySeconds: number
  readonly separator: `0x${string}`
}

/** The host's options, checked and completed. */
export interface Configuration {
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Path of `baseUrl`: `""` or `"/api"`. */
  readonly prefix: string
  readonly networks: ReadonlyArray<PaidNetwork>
  readonly secrets: ReadonlyArray<SecretKey>
  readonly prices: Prices
  readonly operations: ReadonlyArray<OperationId>
  readonly maxTimeoutSeconds: number
  readonly trustFacilitator: boolean
  readonly answerLifetimeMillis: number
  readonly secretAnswerLifetimeMillis: number
  readonly upstreamTimeoutMillis: number
  readonly maxUnsettledPerPayer: number
  readonly maxUnsettled: number
  readonly payerMemoryMillis: number
  readonly payerCreditMillis: number
  readonly exposureAtomic: bigint
  readonly maxExposureAtomic: bigint
  readonly creditAtomic: bigint
  readonly lossPerHourAtomic: bigint
  readonly maxUnverified: number
  /** Operations whose payments settle before the work. */
  readonly settlesFirst: ReadonlySet<OperationId>
  readonly owedResponseMillis: number
  readonly quotesPerMinute: number
  readonly quotesPerClientPerMinute: number
  readonly margin: Margin | undefined
  /** Most that is refunded to one payer in an hour: atomic units. */
  readonly refundsPerPayerPerHourAtomic: bigint
  readonly personalDataLifetimeMillis: number
  readonly clientAddress: ((request: Request) => string | undefined) | undefined
  readonly openapiPath: string | undefined
  readonly discoveryPath: string | undefined
  readonly publicRoutes: ReadonlyMap<string, PublicRoute>
  readonly cors: "*" | ReadonlyArray<string> | false
}

const isHttpUrl = (text: string): boolean => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

/**
 * Checks the options of a till and completes them with defaults. Names every fault at once.
 *
 * @throws ConfigurationError
 */
export const configure = (options: TillOptions): Configuration => {
  const faults: Array<string> = []
  const fault = (text: string): void => {
    faults.push(text)
  }
  const baseUrl = readBaseUrl(options.baseUrl, fault)
  const operations = operationsOf(options)
  if (operations.length === 0) {
    fault("no port is configured: give at least one of marketplaces, assistant, fulfilment, tracker, vault")
  }
  const networks = readNetworks(options, operations, fault)
  const configuration: Configuration = {
    baseUrl,
    prefix: (URL.parse(baseUrl)?.pathname ?? "").replace(/\/$/, ""),
    networks,
    secrets: readSecrets(options.secret, fault),
    prices: readPrices(options.prices, fault),
    operations,
    maxTimeoutSeconds: within("maxTimeoutSeconds", options.maxTimeoutSeconds ?? 120, 30, 600, fault),
    trustFacilitator: options.trustFacilitator ?? false,
    answerLifetimeMillis: within(
      "answerLifetimeMillis",
      options.answerLifetimeMillis ?? 86_400_000,
      60_000,
      2_592_000_000,
      fault
    ),
    secretAnswerLifetimeMillis: within(
      "secretAnswerLifetimeMillis",
      options.secretAnswerLifetimeMillis ?? 600_000,
      0,
      86_400_000,
      fault
    ),
    upstreamTimeoutMillis: within(
      "upstreamTimeoutMillis",
      options.upstreamTimeoutMillis ?? 20_000,
      1,
      40_000,
      fault
    ),
    maxUnsettledPerPayer: within(
      "limits.unsettledPerPayer",
      options.limits?.unsettledPerPayer ?? 64,
      1,
      10_000,
      fault
    ),
    payerMemoryMillis: within(
      "limits.payerMemoryMillis",
      options.limits?.payerMemoryMillis ?? 5_000,
      0,
      60_000,
      fault
    ),
    payerCreditMillis: within(
      "limits.payerCreditMillis",
      options.limits?.payerCreditMillis ?? 60_000,
      0,
      600_000,
      fault
    ),
    exposureAtomic: dollars("limits.exposurePerPayer", options.limits?.exposurePerPayer ?? "0.10", fault),
    maxExposureAtomic: dollars(
      "limits.maxExposurePerPayer",
      options.limits?.maxExposurePerPayer ?? "5.00",
      fault
    ),
    creditAtomic: dollars("limits.creditPerPayer", options.limits?.creditPerPayer ?? "5.00", fault),
    lossPerHourAtomic: dollars("limits.lossPerHour", options.limits?.lossPerHour ?? "20.00", fault),
    maxUnverified: within("limits.unverified", options.limits?.unverified ?? 64, 1, 10_000, fault),
    settlesFirst: readSettlement(options.settlement ?? {}, fault),
    owedResponseMillis: within(
      "owedResponseMillis",
      options.owedResponseMillis ?? 3_600_000,
      1_000,
      604_800_000,
      fault
    ),
    quotesPerMinute: within(
      "limits.quotesPerMinute",
      options.limits?.quotesPerMinute ?? 600,
      1,
      1_000_000,
      fault
    ),
    quotesPerClientPerMinute: within(
      "limits.quotesPerClientPerMinute",
      options.limits?.quotesPerClientPerMinute ?? 60,
      1,
      1_000_000,
      fault
    ),
    margin: readMargin(options.margin, fault),
    refundsPerPayerPerHourAtomic: readAmount(
      "refunds.perPayerPerHour",
      options.refunds?.perPayerPerHour ?? "500.00",
      fault
    ),
    personalDataLifetimeMillis: within(
      "personalDataLifetimeMillis",
      options.personalDataLifetimeMillis ?? 90 * 86_400_000,
      86_400_000,
      3_650 * 86_400_000,
      fault
    ),
    clientAddress: options.clientAddress,
    maxUnsettled: within("limits.unsettled", options.limits?.unsettled ?? 1_000, 1, 100_000, fault),
    openapiPath: readPath("openapiPath", options.openapiPath ?? "/openapi.json", fault),
    discoveryPath: readPath("discoveryPath", options.discoveryPath ?? "/.well-known/x402", fault),
    publicRoutes: readPublicRoutes(options.publicRoutes ?? {}, fault),
    cors: options.cors ?? "*"
  }
  checkFacilitator(options, fault)
  checkRefundWallet(options, fault)
  if (faults.length > 0) {
    throw new ConfigurationError({
      message: `Till.make: ${faults.length === 1 ? faults[0] : `\n${faults.map((text) => `- ${text}`).join("\n")}`}`
    })
  }
  return configuration
}

type Fault = (text: string) => void

const readBaseUrl = (text: unknown, fault: Fault): string => {
  const url = typeof text === "string" ? URL.parse(text) : null
  if (
    url === null ||
    !["http:", "https:"].includes(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  ) {
    fault(
      `baseUrl must be the public http(s) address of the mount, without query: got ${JSON.stringify(text)}`
    )
    return "http://invalid"
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

const readAddress = (name: string, text: unknown, fault: Fault): string => {
  if (typeof text === "string" && isAddress(text) && !/^0x0{40}$/.test(text)) return getAddress(text)
  fault(`${name} must be an EVM address with a right checksum: got ${JSON.stringify(text)}`)
  return "0x"
}

const within = (name: string, value: number, minimum: number, maximum: number, fault: Fault): number => {
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    fault(`${name} must be a whole number from ${minimum} to ${maximum}: got ${value}`)
  }
  return value
}

/** Dollars, as decimal text, in atomic units. */
const dollars = (name: string, text: unknown, fault: Fault): bigint => {
  const atomic = typeof text === "string" ? parseAtomic(text) : undefined
  if (atomic === undefined)
    fault(`${name} must be dollars as decimal text, e.g. "5.00": got ${JSON.stringify(text)}`)
  return atomic ?? 0n
}

const fixedPriced: ReadonlyArray<string> = Object.keys(defaultPrices)

const readSettlement = (
  settlement: NonNullable<TillOptions["settlement"]>,
  fault: Fault
): ReadonlySet<OperationId> => {
  for (const [operation, when] of Object.entries(settlement)) {
    if (!fixedPriced.includes(operation))
      fault(
        `settlement has no ${operation}; it has ${fixedPriced.join(", ")}: buy and vaultBuy deliver after settlement`
      )
    if (when !== "after-work" && when !== "before-work")
      fault(`settlement.${operation} must be "after-work" or "before-work": got ${JSON.stringify(when)}`)
  }
  const first = Object.entries(settlement).filter(([, when]) => when === "before-work")
  return new Set(first.map(([operation]) => operation as OperationId))
}

const readPath = (name: string, path: string | false, fault: Fault): string | undefined => {
  if (path === false) return undefined
  if (!/^(?:\/[A-Za-z0-9._~-]+)+$/.test(path) || path.startsWith("/x402/")) {
    fault(
      `${name} must be a path such as /openapi.json, outside /x402, or false: got ${JSON.stringify(path)}`
    )
  }
  return path
}

const readPublicRoutes = (
  routes: NonNullable<TillOptions["publicRoutes"]>,
  fault: Fault
): ReadonlyMap<string, PublicRoute> => {
  for (const [path, handler] of Object.entries(routes)) {
    readPath("publicRoutes", path, fault)
    if (typeof handler !== "function") fault(`publicRoutes: ${path} must be a function of a request`)
  }
  return new Map(Object.entries(routes))
}

/** What needs no port but the vault's shelf, and what needs which port. */
const operationsOf = (options: TillOptions): ReadonlyArray<OperationId> => {
  const { assistant, fulfilment, marketplaces, tracker, vault } = options
  const searchable = marketplaces?.marketplace_a !== undefined || marketplaces?.marketplace_b !== undefined
  const ids: ReadonlyArray<readonly [OperationId, boolean]> = [
    ["search", searchable],
    ["shop", assistant !== undefined],
    ["buy", fulfilment !== undefined],
    ["track", tracker !== undefined],
    ["vaultSearch", vault !== undefined],
    ["vaultBuy", vault !== undefined],
    ["vaultDownload", vault !== undefined]
  ]
  return ids.filter(([, configured]) => configured).map(([id]) => id)
}

const readNetworks = (
  options: TillOptions,
  operations: ReadonlyArray<OperationId>,
  fault: Fault
): ReadonlyArray<PaidNetwork> => {
  const given = Array.isArray(options.networks) ? options.networks : []
  const resolved: Array<PaidNetwork> = []
  const payTo = readAddress("payTo", options.payTo, fault)
  for (const entry of given as ReadonlyArray<string | NetworkOptions>) {
    const named: NetworkOptions = typeof entry === "string" ? { network: entry } : entry
    const network = findNetwork(named.network)
    if (network === undefined) {
      const known = knownNetworks.map(({ caip2, v1Name }) => v1Name ?? caip2).join(", ")
      fault(
        `unknown network ${JSON.stringify(named.network)}: known are ${known}, or their CAIP-2 identifiers`
      )
      continue
    }
    if (resolved.some(({ caip2 }) => caip2 === network.caip2)) {
      fault(`network ${network.caip2} is given twice`)
      continue
    }
    if (named.rpcUrl !== undefined && !isHttpUrl(named.rpcUrl))
      fault(`rpcUrl of ${named.network} must be an http(s) URL`)
    const needsProof = operations.includes("buy") || operations.includes("vaultBuy")
    if (needsProof && named.rpcUrl === undefined && options.trustFacilitator !== true) {
      fault(
        `network ${named.network} has no rpcUrl: buy and vault/buy count a settlement only when the chain shows it. Give an rpcUrl, or say trustFacilitator: true`
      )
    }
    const { confirmations = network.confirmations, finalitySeconds = network.finalitySeconds } = named
    resolved.push({
      ...network,
      confirmations: within(`confirmations of ${named.network}`, confirmations, 1, 64, fault),
      finalitySeconds: within(`finalitySeconds of ${named.network}`, finalitySeconds, 0, 86_400, fault),
      payTo: named.payTo === undefined ? payTo : readAddress(`payTo of ${named.network}`, named.payTo, fault),
      rpcUrl: named.rpcUrl,
      separator: domainSeparator(network)
    })
  }
  if (given.length === 0) fault("networks must name at least one network, e.g. base or base-sepolia")
  else if (resolved.length > 0 && resolved.every(({ v1Name }) => v1Name === undefined)) {
    fault(
      "at least one network must be on the version-1 list (base, base-sepolia, polygon, avalanche): the 402 body names no other"
    )
  }
  return resolved
}

const readSecrets = (secret: TillOptions["secret"], fault: Fault): ReadonlyArray<SecretKey> => {
  const keys = typeof secret === "string" ? [{ id: "1", secret }] : (secret ?? [])
  if (keys.length === 0) fault("secret must be given: a text of at least 32 characters that nobody can guess")
  for (const key of keys) {
    if (typeof key.secret !== "string" || key.secret.length < 32)
      fault(`secret ${JSON.stringify(key.id)} must have at least 32 characters`)
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(key.id))
      fault(`the id of a secret must be 1 to 32 letters, digits, _ or -: got ${JSON.stringify(key.id)}`)
  }
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) fault("ids of secrets must differ")
  return keys
}

const readPrices = (given: Partial<Prices> | undefined, fault: Fault): Prices => {
  const prices = { ...defaultPrices, ...given }
  for (const [name, price] of Object.entries(prices)) {
    if (!(name in defaultPrices)) {
      fault(`prices has no ${name}; it has ${Object.keys(defaultPrices).join(", ")}`)
      continue
    }
    const atomic = typeof price === "string" ? parseAtomic(price) : undefined
    if (atomic === undefined || atomic === 0n) {
      fault(`prices.${name} must be a decimal text above zero, e.g. "0.01": got ${JSON.stringify(price)}`)
    }
  }
  return prices
}

const readAmount = (name: string, text: unknown, fault: Fault): bigint => {
  const atomic = typeof text === "string" ? parseAtomic(text) : undefined
  if (atomic !== undefined && atomic > 0n) return atomic
  fault(`${name} must be a decimal text above zero, e.g. "100.00": got ${JSON.stringify(text)}`)
  return 0n
}

const maxBasisPoints = 10_000

const readMargin = (margin: Margin | undefined, fault: Fault): Margin | undefined => {
  const isShare =
    typeof margin === "number" && Number.isInteger(margin) && margin >= 0 && margin <= maxBasisPoints
  if (margin === undefined || isShare || typeof margin === "function")
    return margin === 0 ? undefined : margin
  fault(
    `margin must be basis points, a whole number from 0 to ${maxBasisPoints}, or a function: got ${String(margin)}`
  )
  return undefined
}

const checkRefundWallet = ({ refundWallet }: TillOptions, fault: Fault): void => {
  if (refundWallet === undefined) return
  readAddress("refundWallet.address", refundWallet.address, fault)
  if (typeof refundWallet.signTypedData !== "function")
    fault("refundWallet must have signTypedData: a LocalAccount of viem has")
}

const checkFacilitator = ({ facilitator }: TillOptions, fault: Fault): void => {
  if (typeof facilitator !== "object" || facilitator === null) fault("facilitator must be given: { url }")
  else if (!("verify" in facilitator) && !isHttpUrl(facilitator.url))
    fault("facilitator.url must be an http(s) URL")
}
