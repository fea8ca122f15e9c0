import { Layer } from "effect"
import { findNetwork } from "../../domain/Network.ts"
import { pathForm } from "../../operations/Operation.ts"
import { ownOperationFaults } from "../../operations/OwnOperationOptions.ts"
import type { MailTemplates } from "../../shop/mail/Templates.ts"
import { countryCodes } from "../../shop/goods/Country.ts"
import { type GeneralMarketplace, isGeneralMarketplace } from "../../shop/goods/ProductUrl.ts"
import type { AssistantOptions } from "../../shop/ports/Assistant.ts"
import type { FulfilmentOptions } from "../../shop/ports/FulfilmentOptions.ts"
import type { MailerOptions } from "../../shop/ports/Mailer.ts"
import type { MarketplaceOptions, MarketplacesOptions } from "../../shop/ports/Marketplaces.ts"
import type { TrackerOptions } from "../../shop/ports/Tracker.ts"
import type { VaultOptions } from "../../shop/ports/VaultFiles.ts"
import { isAsyncFunction } from "../../runtime/isAsyncFunction.ts"
import { isObject } from "../../runtime/isObject.ts"
import { facilitator } from "./Facilitators.ts"
import { address } from "./Networks.ts"
import {
  callback,
  checked,
  type Faults,
  flag,
  group,
  isMountPath,
  isWholeNumber,
  minute,
  option,
  optional,
  type OptionsOf,
  port,
  type PortMembers,
  shown
} from "./OptionSchema.ts"
import { contractIds } from "./Settings.ts"
import type { TillOptions } from "./TillOptions.ts"
import type { TillHooks } from "./TillHooks.ts"
import type { TillSettings } from "./TillSettings.ts"

/*
 * The options that are functions and objects of the host. They are checked, and used as they are.
 */

/** The message never contains the value: it may be a private key. */
const checkRefundWallet = (given: unknown, faults: Faults): void => {
  if (!isObject(given)) {
    const hint =
      typeof given === "string" ? ": it is text. Give privateKeyToAccount(key) of viem/accounts" : ""
    faults.add(`must be a LocalAccount of viem, or an object with address and signTypedData${hint}`)
    return
  }
  faults.read(address, given["address"], "address")
  if (typeof given["signTypedData"] !== "function")
    faults.add("has no method signTypedData: a LocalAccount of viem has one")
}

/** The message never contains the value: it may be a secret key. */
const checkSolanaRefunds = (given: unknown, faults: Faults): void => {
  const { address: from, find, network, refund } = isObject(given) ? given : {}
  const known = typeof network === "string" ? findNetwork(network) : undefined
  const isSolana = known?.family === "solana" && known.caip2 === network
  if (isSolana && typeof from === "string" && typeof find === "function" && typeof refund === "function")
    return
  faults.add(
    "must be what solanaRefunds() of @till402/providers/solana-refunds returns, or an object with network (CAIP-2), address, find and refund"
  )
}

const checkTraces = (given: unknown, faults: Faults): void => {
  const { parentOf, tracer } = isObject(given) ? given : {}
  if (typeof parentOf !== "function" || !isObject(tracer) || typeof tracer["span"] !== "function")
    faults.add("must be what tillTraces() of @till402/telemetry/traces returns")
}

const checkPublicRoutes = (given: unknown, faults: Faults): void => {
  if (!isObject(given)) {
    faults.wrong("an object from paths to functions", given)
    return
  }
  for (const [path, handler] of Object.entries(given)) {
    if (!isMountPath(path))
      faults.add(`: a path must be like /webhooks/orders, outside /x402: got ${shown(path)}`)
    if (typeof handler !== "function") faults.wrong("a function of a request", handler, path)
  }
}

const template = <Name extends keyof MailTemplates>() => callback<MailTemplates[Name]>("a function")

const templates = {
  OrderConfirmed: template<"OrderConfirmed">(),
  OrderShipped: template<"OrderShipped">(),
  OrderFailed: template<"OrderFailed">(),
  OrderRefunded: template<"OrderRefunded">(),
  VaultPurchased: template<"VaultPurchased">()
} satisfies OptionsOf<MailTemplates>

export const hookFields = {
  mailTemplates: group(templates),
  refundWallet: checked<NonNullable<TillHooks["refundWallet"]>>(checkRefundWallet),
  solanaRefunds: checked<NonNullable<TillHooks["solanaRefunds"]>>(checkSolanaRefunds),
  onOrderChange: callback<NonNullable<TillHooks["onOrderChange"]>>(
    "a function such as ({ order, from }) => …"
  ),
  onPayment: callback<NonNullable<TillHooks["onPayment"]>>(
    "a function such as ({ code, operation, reason }) => …"
  ),
  onProviderError: callback<NonNullable<TillHooks["onProviderError"]>>(
    "a function such as ({ error, port, operation }) => …"
  ),
  clientAddress: optional<NonNullable<TillHooks["clientAddress"]>>(
    `a function that isn't async, such as (request) => request.headers.get("x-real-ip") ?? undefined`,
    (given) => typeof given === "function" && !isAsyncFunction(given)
  ),
  publicRoutes: checked<NonNullable<TillHooks["publicRoutes"]>>(checkPublicRoutes)
} satisfies OptionsOf<TillHooks>

const storages =
  "sqlite({ filename }) of @till402/core/sqlite, postgres({ url }) of @till402/core/postgres, memory() for tests, or storageFrom(stores)"

/** Suggests the storage that the host probably meant. */
const meantStorage = (given: unknown): string => {
  if (typeof given === "string") {
    // Doesn't print a database's address: it contains a password.
    return /^postgres(?:ql)?:/.test(given)
      ? "it is the address of a database. Give postgres({ url }) of @till402/core/postgres"
      : `it is text. For a file, give sqlite({ filename: ${shown(given)} }) of @till402/core/sqlite`
  }
  if (typeof given === "function") return "it is a function. Call it, and give what it returns"
  if (isObject(given)) {
    if ("charges" in given) return "it is an object of stores. Give storageFrom(stores) of @till402/core"
    if ("filename" in given)
      return "it is an object of options. Give sqlite({ filename }) of @till402/core/sqlite"
    if ("url" in given) return "it is an object of options. Give postgres({ url }) of @till402/core/postgres"
    return `it is another object. Give ${storages}`
  }
  return `${given === undefined ? "it is not set" : `it is ${shown(given)}`}. Give ${storages}`
}

/** Schemas may be functions, like those of arktype. */
const isStandardSchema = (given: unknown): boolean => {
  if (given === null || (typeof given !== "object" && typeof given !== "function")) return false
  const standard: unknown = Reflect.get(given, "~standard")
  return isObject(standard) && typeof standard["validate"] === "function"
}

const checkOperations = (given: unknown, faults: Faults): void => {
  if (!Array.isArray(given)) {
    faults.wrong("a list of operations such as operation({ id, method, path, price, work })", given)
    return
  }
  for (const [index, operation] of given.entries())
    if (!isObject(operation))
      faults.wrong("an object such as { id, method, path, price, work }", operation, index)
}

/** Every fault of the host's own paid routes, each with the operation's id. `isTaken` tells the paths of other routes. */
export const operationFaults = (
  operations: unknown,
  isTaken: (path: string) => boolean
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const seen = new Set<string>()
  for (const [index, operation] of (Array.isArray(operations) ? operations : []).entries()) {
    if (!isObject(operation)) continue
    const { id, input, path } = operation
    const name = typeof id === "string" ? id : `operations[${index}]`
    for (const fault of ownOperationFaults(operation)) faults.push(`operation ${name}: ${fault}`)
    if (contractIds.includes(name))
      faults.push(`operation ${name}: this id belongs to a route of the contract`)
    if (input !== undefined && !isStandardSchema(input))
      faults.push(
        `operation ${name}: input must be a Standard Schema, such as a schema of zod, valibot or arktype`
      )
    for (const key of [`id ${name}`, ...(typeof path === "string" ? [`path ${pathForm(path)}`] : [])]) {
      if (seen.has(key)) faults.push(`two operations have the same ${key}`)
      seen.add(key)
    }
    if (isTaken(String(path)))
      faults.push(
        `operation ${name}: the path ${String(path)} belongs to a document, a public route or a status page`
      )
  }
  return faults
}

const isNumber = (given: unknown): given is number => typeof given === "number"

/** The shortest time in which a purchase can be downloaded: a minute. */
const minAgeMillis = minute

const isCountries = (given: unknown): given is ReadonlyArray<string> =>
  Array.isArray(given) && given.length > 0 && given.every((code) => countryCodes.includes(code))

/** What the ports consist of, as plain functions and as services. */
export const portMembers = {
  marketplace: {
    search: "method",
    timeoutMillis: optional<number>("milliseconds above 0", (given) => isNumber(given) && given > 0)
  },
  assistant: {
    reply: "method",
    maxCostUsd: optional<number>("US dollars, 0 or more", (given) => isNumber(given) && given >= 0)
  },
  fulfilment: {
    quote: "method",
    place: "method",
    find: "optional method",
    status: "optional method",
    generalMarketplace: optional<GeneralMarketplace>(
      `an object with hosts in lower case, such as { hosts: ["amazon.com"], country: "US" }`,
      isGeneralMarketplace
    ),
    countries: optional<ReadonlyArray<string>>(
      'a list of ISO 3166-1 alpha-2 codes in upper case, such as ["US"]',
      isCountries
    ),
    placesOnce: optional<NonNullable<FulfilmentOptions["placesOnce"]>>(
      "true, false or a function of a quote's reference",
      (given) => typeof given === "boolean" || typeof given === "function"
    )
  },
  tracker: {
    track: "method",
    carriers: optional<number>("a whole number above 0", (given) =>
      isWholeNumber(given, 1, Number.MAX_SAFE_INTEGER)
    )
  },
  vault: {
    open: "method",
    maxAgeMillis: optional<number>(
      `milliseconds, ${minAgeMillis} or more`,
      (given) => isNumber(given) && given >= minAgeMillis
    ),
    maxDownloads: optional<number>("a whole number between 1 and 1000", (given) =>
      isWholeNumber(given, 1, 1_000)
    ),
    freeReaccess: flag(false)
  },
  mailer: { send: "method" }
} satisfies {
  readonly marketplace: PortMembers<MarketplaceOptions>
  readonly assistant: PortMembers<AssistantOptions>
  readonly fulfilment: PortMembers<FulfilmentOptions>
  readonly tracker: PortMembers<TrackerOptions>
  readonly vault: PortMembers<VaultOptions>
  readonly mailer: PortMembers<MailerOptions>
}

const marketplace = (name: keyof MarketplacesOptions) =>
  port<MarketplaceOptions>(`marketplaces.${name}`, portMembers.marketplace)

type Given<Name extends keyof TillOptions> = NonNullable<TillOptions[Name]>

export const portFields = {
  facilitator,
  storage: option<TillOptions["storage"], unknown>((given, faults) =>
    Layer.isLayer(given) ? given : faults.add(`must be a storage layer: ${meantStorage(given)}`)
  ),
  marketplaces: group(
    { marketplace_a: marketplace("marketplace_a"), marketplace_b: marketplace("marketplace_b") },
    "an object with marketplace_a or marketplace_b"
  ),
  assistant: port<AssistantOptions>("assistant", portMembers.assistant),
  fulfilment: port<FulfilmentOptions>("fulfilment", portMembers.fulfilment),
  tracker: port<TrackerOptions>("tracker", portMembers.tracker),
  vault: port<VaultOptions>("vault", portMembers.vault),
  operations: checked<Given<"operations">>(checkOperations),
  mailer: port<MailerOptions>("mailer", portMembers.mailer),
  onEvent: callback<Given<"onEvent">>("a function such as (event) => console.log(event)"),
  traces: checked<Given<"traces">>(checkTraces)
} satisfies OptionsOf<Omit<TillOptions, keyof TillSettings | keyof TillHooks>>
