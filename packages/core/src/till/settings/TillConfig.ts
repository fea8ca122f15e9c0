import { Config, Effect, Option, Result, Schema, SchemaIssue } from "effect"
import type { FacilitatorOptions } from "../../toll/facilitator/FacilitatorOptions.ts"
import { facilitator } from "./Facilitators.ts"
import { networkFields } from "./Networks.ts"
import { isRecord, type OptionFields } from "./OptionSchema.ts"
import { keyAt, listed, networkAt, type OptionNames, readOptions } from "./Configuration.ts"
import { describedOptions, settingFields } from "./Settings.ts"
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
export const variableOf = (path: string, network?: string): string => {
  if (path === "settlement") return "TILL_SETTLEMENT_BEFORE_WORK"
  return `TILL_${capitals(path)}${network === undefined ? "" : `_${capitals(network)}`}`
}

/** Names a fault of settings by the variable that contains it. */
const variableAt: OptionNames = (path, given) => {
  const [name, index, member] = path
  if (name === "networks" && member !== undefined)
    // One variable holds the whole token.
    return variableOf(String(member), networkAt(path, given))
  if (name === "secret" && typeof index === "number")
    return `${variableOf(index === 0 ? "secret" : "olderSecrets")}${keyAt(path, given)}`
  const isOneVariable = name === "networks" || name === "secret" || name === "settlement" || name === "cors"
  return variableOf(isOneVariable ? name : path.join("."))
}

const listOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")

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

/** Options whose text has a format of its own. */
const formats: Readonly<Record<string, (text: string) => unknown>> = {
  settlement: (text) => Object.fromEntries(listOf(text).map((operation) => [operation, "before-work"])),
  cors: (text) => (text === "false" ? false : text === "*" ? "*" : listOf(text)),
  olderSecrets: (text) => listOf(text).map(keyOf),
  retiredKeys: listOf,
  "networks[].token": tokenOf
}

/** The value that a text stands for; a text that stands for none stays, and is reported with its variable. */
const valueOf = (path: string, text: string): unknown => {
  const format = formats[path]
  if (format !== undefined) return format(text)
  const kind = describedOptions.get(path)?.kind
  if (kind === "number") return /^\d+$/.test(text) ? Number(text) : text
  if (text === "false" && (kind === "boolean" || kind === "path")) return false
  return kind === "boolean" && text === "true" ? true : text
}

const facilitatorPaths = [
  "facilitator.url",
  "facilitator.verifyTimeoutMillis",
  "facilitator.settleTimeoutMillis"
]
const secretPaths = ["secret", "secretId", "olderSecrets"]

const settingPaths = [...describedOptions]
  .filter(([path, { kind }]) => kind !== "group" && !/\[\]|^facilitator\./.test(path))
  .flatMap(([path]) => (path === "secret" ? secretPaths : [path]))

/** The options that have a variable, except those of single networks. */
export const variablePaths: ReadonlyArray<string> = [...settingPaths, ...facilitatorPaths]

/** The options that have a variable for each network. */
export const networkPaths = Object.keys(networkFields).filter((name) => name !== "network")

type Values = Readonly<Record<string, unknown>>

/** The options that are set: `limits.unsettled` is in `limits`. `network` is the entry of TILL_NETWORKS they are for. */
const valuesOf = (paths: ReadonlyArray<string>, network?: string): Config.Config<Values> =>
  Config.map(
    Config.all(paths.map((path) => Config.option(Config.String(variableOf(path, network))))),
    (texts) => {
      const values: Record<string, unknown> = {}
      for (const [index, path] of paths.entries()) {
        const text = Option.getOrUndefined(texts[index] ?? Option.none())
        if (text === undefined) continue
        const value = valueOf(network === undefined ? path : `networks[].${path}`, text)
        const [group = "", name] = path.split(".")
        const others = isRecord(values[group]) ? values[group] : {}
        values[group] = name === undefined ? value : { ...others, [name]: value }
      }
      return values
    }
  )

const networkEntry = (network: string): Config.Config<Values> =>
  Config.map(valuesOf(networkPaths, network), (values) => ({ network, ...values }))

/** The settings with `secret` as the secret alone, or as a list of keys if there is an id or an older one. */
const withSecret = ({ olderSecrets = [], secretId, ...settings }: Values): Values => {
  const older = Array.isArray(olderSecrets) ? olderSecrets : []
  const { secret } = settings
  if (secret === undefined || (older.length === 0 && secretId === undefined)) return settings
  return { ...settings, secret: [{ id: secretId ?? "1", secret }, ...older] }
}

/** The settings with an entry for each of TILL_NETWORKS. */
const withNetworks = (settings: Values): Config.Config<Values> =>
  Config.map(Config.all(listOf(String(settings["networks"] ?? "")).map(networkEntry)), (networks) => ({
    ...settings,
    networks
  }))

/** Succeeds with options that can be read; otherwise, one error lists all faults, each with its variable. */
const accepted = <Options>(
  fields: OptionFields,
  given: Values
): Effect.Effect<Options, Config.ConfigError> => {
  const read = readOptions(fields, given, variableAt)
  if (Result.isSuccess(read)) return Effect.succeed(given as Options)
  const issue = new SchemaIssue.InvalidValue({ message: listed(read.failure) })
  return Effect.fail(new Config.ConfigError(new Schema.SchemaError(issue)))
}

/**
 * Reads the settings of a till from the host's `ConfigProvider`; docs/options.md lists the variables. Its error lists
 * every variable that is missing or wrong.
 *
 * @example
 * const settings = Effect.runSync(tillConfig)
 */
export const tillConfig: Config.Config<TillSettings> = Config.mapEffect(
  Config.flatMap(valuesOf(settingPaths), withNetworks),
  (values) => {
    const given = withSecret(values)
    return accepted<TillSettings>(settingFields(given), given)
  }
)

/**
 * Reads the address and timeouts of a facilitator: TILL_FACILITATOR_URL, TILL_FACILITATOR_VERIFY_TIMEOUT_MILLIS and
 * TILL_FACILITATOR_SETTLE_TIMEOUT_MILLIS.
 */
export const facilitatorConfig: Config.Config<FacilitatorOptions> = Config.mapEffect(
  valuesOf(facilitatorPaths),
  (values) =>
    Effect.map(
      accepted<{ readonly facilitator: FacilitatorOptions }>({ facilitator }, { facilitator: {}, ...values }),
      (given) => given.facilitator
    )
)
