import { Config, Effect, Option, Redacted, Schema, SchemaIssue } from "effect"
import type { FacilitatorOptions } from "../../toll/facilitator/FacilitatorOptions.ts"
import { readSettings } from "./ConfiguredSettings.ts"
import { Faults, isRecord, listed, type OptionNames } from "./Faults.ts"
import { optionBounds } from "./OptionBounds.ts"
import { networkOptionNames } from "./PaidNetworks.ts"
import { checkFacilitator } from "./FacilitatorChecks.ts"
import type { TillSettings } from "./TillSettings.ts"

/*
 * Settings from the host's ConfigProvider: environment variables, a file, or an object. A variable is the path of its
 * option in capitals behind TILL_: `limits.unsettledPerPayer` is TILL_LIMITS_UNSETTLED_PER_PAYER.
 */

const capitals = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase()

/** Returns the variable of an option; `network` is the entry of TILL_NETWORKS that it is for. */
export const variableOf: OptionNames = (path, network) => {
  if (path.startsWith("settlement")) return "TILL_SETTLEMENT_BEFORE_WORK"
  // One variable holds the whole token.
  const named = path.startsWith("token.") ? "token" : path
  return `TILL_${capitals(named)}${network === undefined ? "" : `_${capitals(network)}`}`
}

/** Options with text, numbers or amounts, which need no special rule. */
const plainPaths: ReadonlyArray<string> = [
  "baseUrl",
  "payTo",
  ...Object.keys(optionBounds).filter((path) => !path.includes("[]") && !path.startsWith("facilitator."))
]

/** The options that have a variable, except those of single networks. */
export const variablePaths: ReadonlyArray<string> = [
  ...plainPaths.slice(0, 2),
  "networks",
  "secret",
  "secretId",
  "olderSecrets",
  "facilitator.url",
  "facilitator.verifyTimeoutMillis",
  "facilitator.settleTimeoutMillis",
  "trustFacilitator",
  "settlement",
  ...plainPaths.slice(2),
  "cors"
]

const textOf = (path: string, network?: string): Config.Config<string | undefined> =>
  Config.map(Config.option(Config.String(variableOf(path, network))), Option.getOrUndefined)

const secretOf = (path: string): Config.Config<Redacted.Redacted | undefined> =>
  Config.map(Config.option(Config.Redacted(variableOf(path))), Option.getOrUndefined)

const listOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")

/** Converts text to a number if possible; other text stays, and is reported with its variable. */
const numberOr = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text)

const booleanOr = (text: string): boolean | string => text === "true" || (text === "false" ? false : text)

const isNumber = (path: string): boolean =>
  Object.entries(optionBounds).some(([each, { kind }]) => each === path && kind === "number")

const valueOf = (path: string, text: string): unknown => {
  if (isNumber(path)) return numberOr(text)
  return (path === "openapiPath" || path === "discoveryPath") && text === "false" ? false : text
}

/** Sets `limits.unsettled` below `limits`. */
const put = (settings: Record<string, unknown>, path: string, value: unknown): void => {
  const [group = "", name] = path.split(".")
  if (name === undefined) settings[group] = value
  else settings[group] = { ...(isRecord(settings[group]) ? settings[group] : {}), [name]: value }
}

/** Reads `id:secret`; the id ends at the first colon. */
const keyOf = (text: string): { readonly id: string; readonly secret: string } => {
  const colon = text.indexOf(":")
  return { id: text.slice(0, Math.max(0, colon)), secret: text.slice(colon + 1) }
}

/** Reads `address,name,version`; a name may contain commas. */
const tokenOf = (text: string): Readonly<Record<string, string>> => {
  const parts = text.split(",").map((part) => part.trim())
  return { address: parts[0] ?? "", name: parts.slice(1, -1).join(", "), version: parts.at(-1) ?? "" }
}

const networkValue = (name: string, text: string): unknown => {
  if (name === "token") return tokenOf(text)
  return isNumber(`networks[].${name}`) ? numberOr(text) : text
}

const networkEntry = (network: string): Config.Config<Readonly<Record<string, unknown>>> =>
  Config.map(
    Config.all(
      networkOptionNames
        .filter((name) => name !== "network")
        .map((name) => Config.map(textOf(name, network), (text) => [name, text] as const))
    ),
    (texts) =>
      Object.fromEntries([
        ["network", network],
        ...texts
          .filter(([, text]) => text !== undefined)
          .map(([name, text = ""]) => [name, networkValue(name, text)])
      ])
  )

const given = Config.all({
  plain: Config.all(plainPaths.map((path) => Config.map(textOf(path), (text) => ({ path, text })))),
  networks: Config.flatMap(textOf("networks"), (text) => Config.all(listOf(text ?? "").map(networkEntry))),
  secret: secretOf("secret"),
  secretId: textOf("secretId"),
  olderSecrets: secretOf("olderSecrets"),
  settlement: textOf("settlement"),
  trustFacilitator: textOf("trustFacilitator"),
  cors: textOf("cors")
})

const settingsOf = (texts: Config.Success<typeof given>): Readonly<Record<string, unknown>> => {
  const settings: Record<string, unknown> = { networks: texts.networks }
  for (const { path, text } of texts.plain) if (text !== undefined) put(settings, path, valueOf(path, text))
  if (texts.secret !== undefined) {
    const older = texts.olderSecrets === undefined ? [] : listOf(Redacted.value(texts.olderSecrets))
    const secret = Redacted.value(texts.secret)
    const isSingle = older.length === 0 && texts.secretId === undefined
    settings["secret"] = isSingle ? secret : [{ id: texts.secretId ?? "1", secret }, ...older.map(keyOf)]
  }
  if (texts.settlement !== undefined) {
    const operations = listOf(texts.settlement)
    settings["settlement"] = Object.fromEntries(operations.map((operation) => [operation, "before-work"]))
  }
  if (texts.trustFacilitator !== undefined) settings["trustFacilitator"] = booleanOr(texts.trustFacilitator)
  if (texts.cors !== undefined) {
    settings["cors"] = texts.cors === "false" ? false : texts.cors === "*" ? "*" : listOf(texts.cors)
  }
  return settings
}

/** Fails with one error that lists all faults, each with its variable. */
const failWith = (faults: Faults): Effect.Effect<never, Config.ConfigError> =>
  Effect.fail(
    new Config.ConfigError(
      new Schema.SchemaError(new SchemaIssue.InvalidValue({ message: listed(faults.texts) }))
    )
  )

const areSettings = (
  settings: Readonly<Partial<Record<keyof TillSettings, unknown>>>,
  faults: Faults
): settings is TillSettings => {
  readSettings(settings, faults)
  return faults.texts.length === 0
}

/**
 * Reads the settings of a till from the host's `ConfigProvider`; docs/options.md lists the variables. Its error lists
 * every variable that is missing or wrong.
 *
 * @example
 * const settings = Effect.runSync(tillConfig)
 */
export const tillConfig: Config.Config<TillSettings> = Config.mapEffect(given, (texts) => {
  const settings = settingsOf(texts)
  const faults = new Faults(variableOf)
  return areSettings(settings, faults) ? Effect.succeed(settings) : failWith(faults)
})

const isFacilitator = (
  options: Readonly<Partial<Record<keyof FacilitatorOptions, unknown>>>,
  faults: Faults
): options is FacilitatorOptions => {
  checkFacilitator(options, faults)
  return faults.texts.length === 0
}

/**
 * Reads the address and timeouts of a facilitator: TILL_FACILITATOR_URL, TILL_FACILITATOR_VERIFY_TIMEOUT_MILLIS and
 * TILL_FACILITATOR_SETTLE_TIMEOUT_MILLIS.
 */
export const facilitatorConfig: Config.Config<FacilitatorOptions> = Config.mapEffect(
  Config.all({
    url: textOf("facilitator.url"),
    verifyTimeoutMillis: textOf("facilitator.verifyTimeoutMillis"),
    settleTimeoutMillis: textOf("facilitator.settleTimeoutMillis")
  }),
  ({ settleTimeoutMillis, url, verifyTimeoutMillis }) => {
    const options = {
      url,
      ...(verifyTimeoutMillis === undefined ? {} : { verifyTimeoutMillis: numberOr(verifyTimeoutMillis) }),
      ...(settleTimeoutMillis === undefined ? {} : { settleTimeoutMillis: numberOr(settleTimeoutMillis) })
    }
    const faults = new Faults(variableOf)
    return isFacilitator(options, faults) ? Effect.succeed(options) : failWith(faults)
  }
)
