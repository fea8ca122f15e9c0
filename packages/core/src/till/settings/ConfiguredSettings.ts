import type { OperationId } from "../../shop/routes/Api.ts"
import type { Margin } from "../../shop/orders/Margin.ts"
import type { SecretKey } from "../../runtime/Secrets.ts"
import { type Faults, isRecord, shown } from "./Faults.ts"
import { namesBelow, optionBounds } from "./OptionBounds.ts"
import { type PaidNetwork, readNetworks } from "./PaidNetworks.ts"
import { SettingsReader } from "./SettingsReader.ts"
import { defaultPrices, type Prices } from "../../shop/routes/ShopSettings.ts"
import type { FixedPriceOperation, TillSettings } from "./TillSettings.ts"
import { checkNames } from "./UnknownOptions.ts"

/** Settings, checked and completed. */
export interface ConfiguredSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Path of `baseUrl`: `""` or `"/api"`. */
  readonly prefix: "" | `/${string}`
  readonly networks: ReadonlyArray<PaidNetwork>
  readonly secrets: ReadonlyArray<SecretKey>
  readonly prices: Prices
  readonly maxTimeoutSeconds: number
  readonly trustFacilitator: boolean
  readonly responseLifetimeMillis: number
  readonly secretResponseLifetimeMillis: number
  readonly upstreamTimeoutMillis: number
  readonly maxUnsettledPerPayer: number
  readonly maxUnsettled: number
  readonly failedPayerMillis: number
  readonly exposureAtomic: bigint
  readonly maxExposureAtomic: bigint
  readonly lossPerHourAtomic: bigint
  readonly maxUnverified: number
  /** Operations whose payments settle before the work. */
  readonly settlesFirst: ReadonlySet<OperationId>
  readonly owedResponseMillis: number
  readonly quotesPerMinute: number
  readonly quotesPerClientPerMinute: number
  readonly margin: Margin | undefined
  readonly refundsPerPayerPerHourAtomic: bigint
  readonly personalDataLifetimeMillis: number
  readonly openapiPath: string | undefined
  readonly discoveryPath: string | undefined
  readonly cors: "*" | ReadonlyArray<string> | false
}

/**
 * Ids of the contract's routes. No other operation can have them, also where a till doesn't serve them: the ledger would
 * not tell the two apart.
 */
export const contractIds: ReadonlyArray<string> = Object.keys({
  ...defaultPrices,
  buy: "quoted",
  vaultBuy: "quoted"
} satisfies Record<OperationId, string>)

/** The names of the settings. */
export const settingNames: ReadonlyArray<string> = Object.keys({
  baseUrl: true,
  payTo: true,
  networks: true,
  secret: true,
  prices: true,
  settlement: true,
  margin: true,
  refunds: true,
  limits: true,
  maxTimeoutSeconds: true,
  upstreamTimeoutMillis: true,
  responseLifetimeMillis: true,
  secretResponseLifetimeMillis: true,
  owedResponseMillis: true,
  personalDataLifetimeMillis: true,
  trustFacilitator: true,
  openapiPath: true,
  discoveryPath: true,
  cors: true
} satisfies Record<keyof TillSettings, true>)

const prefixOf = (baseUrl: string): "" | `/${string}` => {
  const path = (URL.parse(baseUrl)?.pathname ?? "").replaceAll(/^\/|\/$/g, "")
  return path === "" ? "" : `/${path}`
}

/** Checks settings and completes them with defaults. Faults are reported, never thrown. */
export const readSettings = (
  settings: Readonly<Partial<Record<keyof TillSettings, unknown>>>,
  faults: Faults
): ConfiguredSettings => {
  const read = new SettingsReader(settings, faults)
  const baseUrl = readBaseUrl(settings.baseUrl, faults)
  for (const group of ["limits", "prices", "refunds"] as const) {
    checkGroup(group, settings[group], namesBelow(group), faults)
  }
  return {
    baseUrl,
    prefix: prefixOf(baseUrl),
    networks: readNetworks(settings.networks, settings.payTo, faults),
    secrets: readSecrets(settings.secret, faults),
    prices: {
      search: read.dollars("prices.search"),
      shop: read.dollars("prices.shop"),
      track: read.dollars("prices.track"),
      vaultSearch: read.dollars("prices.vaultSearch"),
      vaultDownload: read.dollars("prices.vaultDownload")
    },
    maxTimeoutSeconds: read.number("maxTimeoutSeconds"),
    trustFacilitator: read.boolean("trustFacilitator"),
    responseLifetimeMillis: read.number("responseLifetimeMillis"),
    secretResponseLifetimeMillis: read.number("secretResponseLifetimeMillis"),
    upstreamTimeoutMillis: read.number("upstreamTimeoutMillis"),
    maxUnsettledPerPayer: read.number("limits.unsettledPerPayer"),
    maxUnsettled: read.number("limits.unsettled"),
    failedPayerMillis: read.number("limits.failedPayerMillis"),
    exposureAtomic: read.atomic("limits.exposurePerPayer"),
    maxExposureAtomic: read.atomic("limits.maxExposurePerPayer"),
    lossPerHourAtomic: read.atomic("limits.lossPerHour"),
    maxUnverified: read.number("limits.unverified"),
    settlesFirst: readSettlement(settings.settlement, faults),
    owedResponseMillis: read.number("owedResponseMillis"),
    quotesPerMinute: read.number("limits.quotesPerMinute"),
    quotesPerClientPerMinute: read.number("limits.quotesPerClientPerMinute"),
    margin: readMargin(settings.margin, faults),
    refundsPerPayerPerHourAtomic: read.atomic("refunds.perPayerPerHour"),
    personalDataLifetimeMillis: read.number("personalDataLifetimeMillis"),
    openapiPath: read.path("openapiPath"),
    discoveryPath: read.path("discoveryPath"),
    cors: readCors(settings.cors, faults)
  }
}

/** Reports a group that isn't an object, and unknown names in it. */
const checkGroup = (group: string, given: unknown, known: ReadonlyArray<string>, faults: Faults): void => {
  if (given === undefined || isRecord(given)) checkNames({ given, group, known }, faults)
  else faults.wrong(group, `an object with any of ${known.join(", ")}`, given)
}

const readBaseUrl = (text: unknown, faults: Faults): string => {
  const url = typeof text === "string" ? URL.parse(text) : null
  const isHttp = url !== null && ["http:", "https:"].includes(url.protocol)
  const isBare = isHttp && url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  if (isBare && /\/x402\/*$/.test(url.pathname)) {
    faults.add(`${faults.nameOf("baseUrl")} must not end in /x402: leave it out, it is added to the routes`)
    return "http://invalid"
  }
  if (isBare) return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
  const expected = "the public http(s) address of the mount, without query, fragment or user"
  // An address with a user may hold a password.
  if (isHttp && url.username + url.password !== "") {
    faults.add(`${faults.nameOf("baseUrl")} must be ${expected}: it contains a user name`)
  } else faults.wrong("baseUrl", expected, text)
  return "http://invalid"
}

const fixedPriceOperations: ReadonlyArray<string> = namesBelow("prices")

const isFixedPrice = (name: string): name is FixedPriceOperation => fixedPriceOperations.includes(name)

const readSettlement = (settlement: unknown, faults: Faults): ReadonlySet<OperationId> => {
  const settlesFirst = new Set<OperationId>()
  if (settlement === undefined) return settlesFirst
  const group = faults.nameOf("settlement")
  if (!isRecord(settlement)) {
    faults.wrong("settlement", `an object such as { shop: "before-work" }`, settlement)
    return settlesFirst
  }
  for (const [operation, when] of Object.entries(settlement)) {
    if (contractIds.includes(operation) && !isFixedPrice(operation)) {
      faults.add(`${group} has no ${operation}: it always delivers after settlement. Leave it out`)
    } else if (!isFixedPrice(operation)) {
      checkNames({ given: { [operation]: when }, group, known: fixedPriceOperations }, faults)
    } else if (when === "before-work") settlesFirst.add(operation)
    else if (when !== "after-work" && when !== undefined) {
      faults.wrong(`settlement.${operation}`, `"after-work" or "before-work"`, when)
    }
  }
  return settlesFirst
}

const howToGenerate = "Generate one with: openssl rand -base64 32"

/** The message never contains the value: even a wrong secret must stay secret. */
const readSecrets = (given: unknown, faults: Faults): ReadonlyArray<SecretKey> => {
  const name = faults.nameOf("secret")
  if (typeof given === "string" && given !== "") {
    checkSecret(name, given, faults)
    return [{ id: "1", secret: given }]
  }
  if (!Array.isArray(given) || given.length === 0) {
    faults.add(`${name} must be given: ${missingSecret(given)}. ${howToGenerate}`)
    return []
  }
  const keys = given
    .map((entry, index) => readKey(entry, index === 0 ? name : faults.nameOf("olderSecrets"), faults))
    .filter((key) => key !== undefined)
  const ids = keys.map(({ id }) => id)
  const twice = ids.filter((id, index) => ids.indexOf(id) < index)
  if (twice.length > 0)
    faults.add(`${name}: ids of secrets must differ: ${twice.map(shown).join(", ")} is given twice`)
  return keys
}

const missingSecret = (given: unknown): string => {
  if (Array.isArray(given)) return "the list is empty"
  if (given !== undefined && given !== "") return "it must be text, or a list of { id, secret }"
  const state = given === undefined ? "it is not set" : "it is empty"
  return `${state}. If it comes from an environment variable, that variable is missing`
}

const checkSecret = (subject: string, secret: unknown, faults: Faults): secret is string => {
  const { minimumLength } = optionBounds["secret[].secret"]
  if (typeof secret === "string" && secret.length >= minimumLength) return true
  const state =
    secret === undefined || secret === ""
      ? "it is not set"
      : typeof secret === "string"
        ? "it is shorter"
        : "it is not text"
  faults.add(`${subject} must have at least ${minimumLength} characters: ${state}. ${howToGenerate}`)
  return false
}

const readKey = (entry: unknown, name: string, faults: Faults): SecretKey | undefined => {
  if (!isRecord(entry)) {
    faults.add(`${name} must be text, or a list of objects { id, secret }`)
    return undefined
  }
  checkNames({ given: entry, group: `a key of ${name}`, known: ["id", "secret"] }, faults)
  const { id, secret } = entry
  const { maximumLength, minimumLength } = optionBounds["secret[].id"]
  const isId =
    typeof id === "string" && new RegExp(`^[A-Za-z0-9_-]{${minimumLength},${maximumLength}}$`).test(id)
  if (!isId) {
    faults.add(
      `${name}: the id of a secret must be ${minimumLength} to ${maximumLength} letters, digits, _ or -`
    )
  }
  const isSecret = checkSecret(isId ? `${name} ${shown(id)}` : `a key of ${name}`, secret, faults)
  return isId && isSecret ? { id, secret } : undefined
}

type MarginFunction = Extract<Margin, (...args: never) => unknown>

const isMarginFunction = (margin: unknown): margin is MarginFunction => typeof margin === "function"

const readMargin = (margin: unknown, faults: Faults): Margin | undefined => {
  if (margin === undefined || margin === 0) return undefined
  if (isMarginFunction(margin)) return margin
  const { maximum, minimum } = optionBounds.margin
  if (typeof margin === "number" && Number.isInteger(margin) && margin >= minimum && margin <= maximum) {
    return margin
  }
  faults.wrong(
    "margin",
    `basis points (2.5 % is 250), a whole number from ${minimum} to ${maximum}, or a function`,
    margin
  )
  return undefined
}

/** `scheme://host`, as browsers send it: without a path, not even `/`. */
const isOrigin = (text: unknown): text is string =>
  typeof text === "string" && (text === "null" || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/.test(text))

const readCors = (cors: unknown, faults: Faults): ConfiguredSettings["cors"] => {
  if (cors === undefined || cors === "*") return "*"
  if (cors === false) return false
  if (Array.isArray(cors) && cors.every(isOrigin)) return cors
  const name = faults.nameOf("cors")
  if (Array.isArray(cors)) {
    faults.add(
      `${name} must list origins such as "https://agents.example", without a path: got ${shown(cors.find((each) => !isOrigin(each)))}`
    )
  } else {
    faults.wrong(
      "cors",
      `"*" for every origin (the default), a list of origins such as ["https://agents.example"], or false for none`,
      cors
    )
  }
  return "*"
}
