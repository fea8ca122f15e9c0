import { Schema } from "effect"
import type { SecretKey } from "../../runtime/Secrets.ts"
import { type SecretText, unwrapped, whyWrapped } from "../../runtime/SecretText.ts"
import { isObject } from "../../runtime/isObject.ts"
import type { Margin } from "../../shop/orders/Margin.ts"
import { httpsUrl } from "../../shop/mail/Html.ts"
import type { OperationId } from "../../shop/routes/Api.ts"
import { defaultPrices, type Prices } from "../../shop/routes/ShopSettings.ts"
import { facilitatorFields } from "./Facilitators.ts"
import { networkFields, networksPaidTo, payToBeside } from "./Networks.ts"
import {
  day,
  dollars,
  type Failed,
  type Faults,
  flag,
  group,
  hour,
  isRead,
  isWholeNumber,
  millis,
  minute,
  missingPart,
  mountPath,
  notesOf,
  number,
  option,
  optional,
  type OptionNotes,
  type OptionsOf,
  shown
} from "./OptionSchema.ts"
import { serviceFields } from "./ServiceFields.ts"
import type { LimitOptions, RefundLimitOptions } from "./LimitOptions.ts"
import type { FixedPriceOperation, TillSettings } from "./TillSettings.ts"

/*
 * The settings of a till, group by group: how each is read, with its default and bounds. docs/options.md is generated
 * from them and from the docstrings of their types (`npm run docs`).
 */

const limitFields = {
  unsettledPerPayer: number("payments", 64, 1, 10_000),
  unsettled: number("payments", 1_000, 1, 100_000),
  exposurePerPayer: dollars("0.10"),
  maxExposurePerPayer: dollars("5.00"),
  lossPerHour: dollars("20.00"),
  unverified: number("verifications", 64, 1, 10_000),
  failedPayerMillis: millis(5_000, 0, minute),
  quotesPerMinute: number("quotes", 600, 1, 1_000_000),
  quotesPerClientPerMinute: number("quotes", 60, 1, 1_000_000)
} satisfies OptionsOf<LimitOptions>

const refundFields = {
  perPayerPerHour: dollars("500.00", "above zero")
} satisfies OptionsOf<RefundLimitOptions>

const priceFields = {
  search: dollars(defaultPrices.search, "above zero"),
  shop: dollars(defaultPrices.shop, "above zero"),
  track: dollars(defaultPrices.track, "above zero"),
  vaultSearch: dollars(defaultPrices.vaultSearch, "above zero"),
  vaultDownload: dollars(defaultPrices.vaultDownload, "above zero")
} satisfies OptionsOf<Prices>

/**
 * Ids of the contract's routes. No other operation can have them, also where a till doesn't serve them: the ledger would
 * not tell the two apart.
 */
export const contractIds: ReadonlyArray<string> = Object.keys({
  ...defaultPrices,
  buy: "quoted",
  vaultBuy: "quoted"
} satisfies Record<OperationId, string>)

type SettlementTime = "after-work" | "before-work"

const settlementTime = option<SettlementTime>((given = "after-work", faults) =>
  given === "after-work" || given === "before-work"
    ? given
    : faults.wrong(`"after-work" or "before-work"`, given)
)

const settlement = Schema.Struct({
  search: settlementTime,
  shop: settlementTime,
  track: settlementTime,
  vaultSearch: settlementTime,
  vaultDownload: settlementTime
} satisfies OptionsOf<Record<FixedPriceOperation, SettlementTime>>)

const readSettlement = (given: unknown = {}, faults: Faults): typeof settlement.Type | Failed => {
  if (!isObject(given)) return faults.wrong(`an object such as { shop: "before-work" }`, given)
  const isQuoted = (id: string): boolean => contractIds.includes(id) && !(id in priceFields)
  for (const id of Object.keys(given).filter(isQuoted))
    faults.add(`has no ${id}: it always delivers after settlement. Leave it out`)
  const fixed = Object.entries(given).filter(([id]) => !isQuoted(id))
  return faults.read(settlement, Object.fromEntries(fixed))
}

const readBaseUrl = (text: unknown, faults: Faults): string | Failed => {
  const url = typeof text === "string" ? URL.parse(text) : null
  const isHttp = url !== null && ["http:", "https:"].includes(url.protocol)
  const isBare = isHttp && url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  const missing = isBare ? missingPart(url.href) : undefined
  if (missing) return faults.add(missing)
  if (isBare && /\/x402\/*$/.test(url.pathname))
    return faults.add("must not end in /x402: leave it out, it is added to the routes")
  if (isBare) return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
  const expected = "the public http(s) address of the mount, without query, fragment or user"
  // An address with a user may hold a password.
  return isHttp && url.username + url.password !== ""
    ? faults.add(`must be ${expected}: it contains a user name`)
    : faults.wrong(expected, text)
}

const howToGenerate = "Generate one with: npx till402 secret"
const idLength = { minimumLength: 1, maximumLength: 32 }
const secretLength = { minimumLength: 32, maximumLength: undefined }

/** The message never contains the value: even a wrong secret must stay secret. */
const readSecretText = (given: unknown, faults: Faults): SecretText | Failed => {
  const text = unwrapped(given)
  if (typeof text === "string" && text.length >= secretLength.minimumLength) return given as SecretText
  const isMissing = text === undefined || text === ""
  const state = isMissing ? "it is not set" : `it is ${typeof text === "string" ? "shorter" : "not text"}`
  return faults.add(
    `must have at least ${secretLength.minimumLength} characters: ${state}${whyWrapped(text)}. ${howToGenerate}`
  )
}

/** Whether a text is the id of a key. Another is never quoted: it may be a secret in the wrong place. */
export const isKeyId = (given: unknown): given is string =>
  typeof given === "string" && /^[A-Za-z0-9_-]+$/.test(given) && given.length <= idLength.maximumLength

const idRule = `: the id of a secret must be ${idLength.minimumLength} to ${idLength.maximumLength} letters, digits, _ or -`

const keyFields = {
  id: option<string>((given, faults) => (isKeyId(given) ? given : faults.add(idRule)), {
    kind: "text",
    ...idLength
  }),
  secret: option<SecretText>(readSecretText, { kind: "text", ...secretLength })
} satisfies OptionsOf<SecretKey>

const key = Schema.Struct(keyFields)

const readSecret = (given: unknown, faults: Faults): ReadonlyArray<SecretKey> | Failed => {
  const text = unwrapped(given)
  if (typeof text === "string" && text !== "") {
    const secret = readSecretText(given, faults)
    return isRead(secret) ? [{ id: "1", secret }] : secret
  }
  if (!Array.isArray(given) || given.length === 0)
    return faults.add(`must be given: ${missingSecret(text)}. ${howToGenerate}`)
  const ids = given.map((entry) => (isObject(entry) ? entry["id"] : undefined))
  const twice = ids.filter((id, index) => isKeyId(id) && ids.indexOf(id) < index)
  if (twice.length > 0)
    faults.add(`: ids of secrets must differ: ${twice.map(shown).join(", ")} is given twice`)
  return given
    .map((entry, index) =>
      isObject(entry)
        ? faults.read(key, entry, index)
        : faults.add("must be text, or a list of objects { id, secret }", index)
    )
    .filter(isRead)
}

/** Keys that the host has given up: by id, and none of `secret`. */
const retiredBeside = (secret: unknown) =>
  option<ReadonlyArray<string>>((given = [], faults) => {
    if (!Array.isArray(given) || !given.every(isKeyId))
      return faults.add(`must be a list of ids of keys, such as ["1"]`)
    const listed = Array.isArray(secret)
      ? secret.map((entry) => (isObject(entry) ? entry["id"] : undefined))
      : secret === undefined
        ? []
        : ["1"]
    const both = given.filter((id) => listed.includes(id))
    return both.length === 0
      ? given
      : faults.add(`: secret has ${both.map(shown).join(", ")}, too: remove it from one of them`)
  })

const missingSecret = (given: unknown): string => {
  if (Array.isArray(given)) return "the list is empty"
  if (given !== undefined && given !== "")
    return `it must be text, or a list of { id, secret }${whyWrapped(given)}`
  const state = given === undefined ? "it is not set" : "it is empty"
  return `${state}. If it comes from an environment variable, that variable is missing`
}

const marginNotes = { kind: "number", unit: "basis points", default: 0, minimum: 0, maximum: 10_000 } as const

const isMarginFunction = (margin: unknown): margin is Extract<Margin, (...args: never) => unknown> =>
  typeof margin === "function"

const readMargin = (given: unknown = 0, faults: Faults): Margin | Failed =>
  isMarginFunction(given) || isWholeNumber(given, marginNotes.minimum, marginNotes.maximum)
    ? given
    : faults.wrong(
        `basis points (2.5 % is 250), a whole number from 0 to ${marginNotes.maximum}, or a function`,
        given
      )

/** `scheme://host`, as browsers send it: without a path, not even `/`, in lower case and without the default port. */
const isOrigin = (text: unknown): text is string =>
  typeof text === "string" &&
  (text === "null" ||
    (/^https?:/i.test(text)
      ? URL.parse(text)?.origin === text
      : /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/.test(text)))

const readCors = (given: unknown = "*", faults: Faults): "*" | ReadonlyArray<string> | false | Failed => {
  if (given === "*" || given === false) return given
  if (!Array.isArray(given))
    return faults.wrong(
      `"*" for every origin (the default), a list of origins such as ["https://agents.example"], or false for none`,
      given
    )
  if (given.every(isOrigin)) return given
  const wrong = shown(given.find((each) => !isOrigin(each)))
  return faults.add(
    `must list origins as browsers send them, such as "https://agents.example", without a path: got ${wrong}`
  )
}

/** Bytes of an example, which each 402's header contains. */
const maxExampleBytes = 256

const readExamples = (
  given: unknown = {},
  faults: Faults
): NonNullable<TillSettings["examples"]> | Failed => {
  if (!isObject(given))
    return faults.wrong(
      `an object such as { vaultBuy: { slug: "…", walletAddress: "…", email: "…" } }`,
      given
    )
  for (const [id, input] of Object.entries(given)) {
    if (!contractIds.includes(id)) faults.add(`has no ${id}; it has ${contractIds.join(", ")}`)
    else if (!isObject(input)) faults.add("must be the fields of a request", id)
    else {
      const bytes = new TextEncoder().encode(JSON.stringify(input)).length
      if (bytes > maxExampleBytes)
        faults.add(`must have at most ${maxExampleBytes} bytes of JSON: got ${bytes}`, id)
    }
  }
  return given as NonNullable<TillSettings["examples"]>
}

const isContact = (given: unknown): boolean =>
  typeof given === "string" &&
  given.length <= 200 &&
  (/^[^\s@:/]+@[^\s@:/]+$/.test(given) || httpsUrl(given) !== undefined)

/** Where the documents of a till are by default. */
export const documentPaths = {
  openapiPath: "/openapi.json",
  discoveryPath: "/.well-known/x402",
  llmsPath: "/llms.txt"
}
export const defaultStatusPath = "/x402-status"

const fields = {
  baseUrl: option<string>(readBaseUrl),
  payTo: payToBeside(undefined),
  networks: networksPaidTo(undefined),
  secret: option<TillSettings["secret"], ReadonlyArray<SecretKey>>(readSecret),
  retiredKeys: retiredBeside(undefined),
  prices: group(priceFields),
  settlement: option<Partial<typeof settlement.Type>, typeof settlement.Type>(readSettlement),
  margin: option<Margin>(readMargin, marginNotes),
  refunds: group(refundFields),
  limits: group(limitFields),
  maxTimeoutSeconds: number("seconds", 120, 30, 600),
  upstreamTimeoutMillis: millis(20_000, 1, 40_000),
  responseLifetimeMillis: millis(day, minute, 30 * day),
  secretResponseLifetimeMillis: millis(10 * minute, 0, day),
  duplicateOrderMillis: millis(10 * minute, 0, day),
  owedResponseMillis: millis(hour, 1_000, 7 * day),
  personalDataLifetimeMillis: millis(90 * day, day, 3_650 * day),
  trustFacilitator: flag(false),
  proofAbove: dollars("1.00"),
  allowPlayMoney: flag(false),
  support: optional<string>("an email address or an https address, up to 200 characters", isContact),
  ...serviceFields,
  examples: option<NonNullable<TillSettings["examples"]>>(readExamples),
  refuseUnknownFields: flag(false),
  openapiPath: mountPath(documentPaths.openapiPath),
  discoveryPath: mountPath(documentPaths.discoveryPath),
  llmsPath: mountPath(documentPaths.llmsPath),
  statusPath: mountPath(defaultStatusPath),
  cors: option<NonNullable<TillSettings["cors"]>>(readCors)
} satisfies OptionsOf<TillSettings>

/** The settings, beside what the host gave for those that are read together. */
export const settingFields = ({
  networks,
  payTo,
  secret
}: Readonly<Partial<Record<keyof TillSettings, unknown>>>): typeof fields => ({
  ...fields,
  payTo: payToBeside(networks),
  networks: networksPaidTo(payTo),
  retiredKeys: retiredBeside(secret)
})

/** The settings of a till, checked and completed. Each has the name of its option. */
export type ConfiguredSettings = Schema.Struct.Type<typeof fields> & {
  /** Path of `baseUrl`: `""` or `"/api"`. */
  readonly prefix: "" | `/${string}`
}

/** Completes settings that have been read. */
export const withPrefix = (settings: Omit<ConfiguredSettings, "prefix">): ConfiguredSettings => {
  const path = (URL.parse(settings.baseUrl)?.pathname ?? "").replaceAll(/^\/|\/$/g, "")
  return { ...settings, prefix: path === "" ? "" : `/${path}` }
}

/** The options that have bounds or a default, by their paths: `limits.unsettled`, `networks[].confirmations`. */
export const describedOptions: ReadonlyMap<string, OptionNotes> = new Map(
  Object.entries({
    "": fields,
    "limits.": limitFields,
    "refunds.": refundFields,
    "prices.": priceFields,
    "networks[].": networkFields,
    "facilitator.": facilitatorFields,
    "secret[].": keyFields
  }).flatMap(([prefix, fields]) =>
    Object.entries(fields).map(([name, { ast }]) => [`${prefix}${name}`, notesOf(ast)] as const)
  )
)
