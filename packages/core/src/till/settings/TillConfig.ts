import { Config, ConfigProvider, Effect, Option, Redacted, Result, Schema, SchemaIssue } from "effect"
import { findNetwork, networks as knownNetworks } from "../../domain/Network.ts"
import { report } from "../../runtime/events.ts"
import { isObject } from "../../runtime/isObject.ts"
import type { FacilitatorOptions } from "../../toll/facilitator/FacilitatorOptions.ts"
import { facilitator } from "./Facilitators.ts"
import { networkFields } from "./Networks.ts"
import { type OptionFields } from "./OptionSchema.ts"
import { keyAt, listed, networkAt, type OptionNames, readOptions } from "./Configuration.ts"
import { describedOptions, settingFields } from "./Settings.ts"
import type { TillSettings } from "./TillSettings.ts"
import { givenVariables, type UnreadVariable, unreadVariables } from "./UnreadVariables.ts"

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

/** Options that one variable holds whole. */
const oneVariable: ReadonlySet<unknown> = new Set([
  "networks",
  "secret",
  "settlement",
  "cors",
  "tags",
  "examples"
])

/** Names a fault of settings by the variable that contains it. */
const variableAt: OptionNames = (path, given) => {
  const [name, index, member] = path
  if (name === "networks" && member !== undefined)
    // One variable holds the whole token.
    return variableOf(String(member), networkAt(path, given))
  if (name === "secret" && typeof index === "number")
    return `${variableOf(index === 0 ? "secret" : "olderSecrets")}${keyAt(path, given)}`
  return variableOf(oneVariable.has(name) ? String(name) : path.join("."))
}

const listOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")

/** Reads `id:secret`; the id ends at the first colon. */
const keyOf = (text: string): { readonly id: string; readonly secret: Redacted.Redacted<string> } => {
  const colon = text.indexOf(":")
  return { id: text.slice(0, Math.max(0, colon)), secret: Redacted.make(text.slice(colon + 1)) }
}

/** Reads `address,name,version`; a name may contain commas. */
const tokenOf = (text: string): Readonly<Record<string, string>> => {
  const parts = text.split(",").map((part) => part.trim())
  return { address: parts[0] ?? "", name: parts.slice(1, -1).join(", "), version: parts.at(-1) ?? "" }
}

/** The value of JSON; another text stays, and is reported. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Options whose text has a format of its own. */
const formats: Readonly<Record<string, (text: string) => unknown>> = {
  settlement: (text) => Object.fromEntries(listOf(text).map((operation) => [operation, "before-work"])),
  cors: (text) => (text === "false" ? false : text === "*" ? "*" : listOf(text)),
  olderSecrets: (text) => listOf(text).map(keyOf),
  retiredKeys: listOf,
  tags: listOf,
  examples: jsonOf,
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
        const others = isObject(values[group]) ? values[group] : {}
        values[group] = name === undefined ? value : { ...others, [name]: value }
      }
      return values
    }
  )

const networkEntry = (network: string): Config.Config<Values> =>
  Config.map(valuesOf(networkPaths, network), (values) => ({ network, ...values }))

/** The settings with `secret` as the secret alone, or as a list of keys if there is an id or an older one. */
const withSecret = ({ olderSecrets = [], secret: text, secretId, ...settings }: Values): Values => {
  const older = Array.isArray(olderSecrets) ? olderSecrets : []
  if (text === undefined) return settings
  const secret = Redacted.make(text)
  if (older.length === 0 && secretId === undefined) return { ...settings, secret }
  return { ...settings, secret: [{ id: secretId ?? "1", secret }, ...older] }
}

const networksOf = (values: Values): ReadonlyArray<string> => listOf(String(values["networks"] ?? ""))

/** The settings with an entry for each of TILL_NETWORKS. */
const withNetworks = (settings: Values): Config.Config<Values> =>
  Config.map(Config.all(networksOf(settings).map(networkEntry)), (networks) => ({ ...settings, networks }))

/** Whether the environment has a variable without a value, as of `${RPC_URL}` in a file. `Config` takes it for none. */
const isEmptyVariable = Effect.fnUntraced(function* (variable: string) {
  const { load } = yield* ConfigProvider.ConfigProvider
  const path = variable.split("_")
  const above = yield* load(path.slice(0, -1))
  return above?._tag === "Record" && above.keys.has(path.at(-1)!) && (yield* load(path)) === undefined
})

/** The networks, with options whose variables are empty as `undefined`: what is missing is reported. */
const withEmptyOptions = (networks: ReadonlyArray<Values>): Effect.Effect<ReadonlyArray<Values>> =>
  Effect.forEach(networks, (entry) =>
    Effect.map(
      Effect.filter(networkPaths, (path) => isEmptyVariable(variableOf(path, String(entry["network"])))),
      (empty) => ({ ...Object.fromEntries(empty.map((path) => [path, undefined])), ...entry })
    ).pipe(Effect.orElseSucceed(() => entry))
  )

/** Variables of the command `till402`. */
const commandVariables = ["TILL_CONSOLE_PASSWORD", "TILL_DATABASE", "TILL_FILES"]

/** Variables of the networks' other names, by which no option is read: TILL_PAY_TO_BASE where `eip155:8453` is listed. */
const aliasesOf = (networks: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    networks.flatMap((network) => {
      const { caip2, v1Name } = findNetwork(network) ?? {}
      return [caip2, v1Name]
        .filter((other) => other !== undefined && other !== network)
        .flatMap((other) =>
          networkPaths.map((path) => [variableOf(path, other), variableOf(path, network)] as const)
        )
    })
  )

/** The variables that nothing reads, where TILL_NETWORKS lists these networks. */
const unreadBeside = (networks: ReadonlyArray<string>): Config.Config<ReadonlyArray<UnreadVariable>> => {
  const aliases = aliasesOf(networks)
  const known = new Set([
    ...variablePaths.map((path) => variableOf(path)),
    ...commandVariables,
    ...networks.flatMap((network) => networkPaths.map((path) => variableOf(path, network)))
  ])
  // One environment may serve tills on several networks.
  const elsewhere = new Set(
    knownNetworks.flatMap(({ caip2, v1Name }) =>
      [caip2, v1Name]
        .filter((name) => name !== undefined)
        .flatMap((name) => networkPaths.map((path) => variableOf(path, name)))
    )
  )
  return Config.map(givenVariables([...aliases.keys()]), (given) =>
    unreadVariables(
      given.filter((name) => known.has(name) || aliases.has(name) || !elsewhere.has(name)),
      known,
      aliases
    )
  )
}

const maxNamed = 20

/** Merely unknown variables may be the host's own, so a till starts with them. */
const reportUnread = (unread: ReadonlyArray<UnreadVariable>): Effect.Effect<void> => {
  const names = unread
    .slice(0, maxNamed)
    .map(({ meant, name }) => (meant === undefined ? name : `${name} (did you mean ${meant}?)`))
  return unread.length === 0
    ? Effect.void
    : report("Warn", "unknown_variable", `The till reads no variable ${names.join(", ")}`)
}

/** How the environment is read. */
interface Reading {
  readonly paths: ReadonlyArray<string>
  /** The options, in place of those that aren't set. */
  readonly start?: Values
  readonly fields: (given: Values) => OptionFields
}

/** Succeeds with options that can be read; otherwise, one error lists all faults, each with its variable. */
const readEnvironment = <Options>(
  { fields, paths, start = {} }: Reading,
  reporting: "report" | "silent"
): Config.Config<Options> =>
  Config.mapEffect(
    valuesOf(paths).pipe(
      Config.flatMap((values) =>
        Config.all({ settings: withNetworks(values), unread: unreadBeside(networksOf(values)) })
      ),
      Config.map(({ settings, unread }) => ({ given: withSecret({ ...start, ...settings }), unread }))
    ),
    ({ given, unread }) => {
      const read = readOptions(fields(given), given, variableAt)
      const wrong = Result.isFailure(read) ? read.failure : []
      const faults = [
        ...wrong,
        // Beside a variable that is missing, one that resembles it is why.
        ...unread.flatMap(({ isMisspelled, meant, name }) =>
          isMisspelled || wrong.some((fault) => fault.startsWith(`${meant} `))
            ? [`there is no variable ${name}: did you mean ${meant}?`]
            : []
        )
      ]
      if (faults.length === 0)
        return Effect.andThen(
          reporting === "report" ? reportUnread(unread) : Effect.void,
          Effect.map(
            withEmptyOptions(given["networks"] as ReadonlyArray<Values>),
            (networks) => ({ ...given, networks }) as Options
          )
        )
      const issue = new SchemaIssue.InvalidValue({ message: listed(faults) })
      return Effect.fail(new Config.ConfigError(new Schema.SchemaError(issue)))
    }
  )

const settingsReading = { paths: settingPaths, fields: settingFields }

/**
 * Reads the settings of a till from the host's `ConfigProvider`; docs/environment.md lists the variables. Its error lists
 * every variable that is missing, wrong or misspelled. Other variables whose names begin with `TILL_` are reported.
 *
 * @example
 * const settings = Effect.runSync(tillConfig)
 */
export const tillConfig: Config.Config<TillSettings> = readEnvironment(settingsReading, "report")

/** The same, for a layer beside one that reports. */
export const silentTillConfig: Config.Config<TillSettings> = readEnvironment(settingsReading, "silent")

/** Settings with a facilitator over HTTP. */
type SettingsWithFacilitator = TillSettings & { readonly facilitator: FacilitatorOptions }

const allReading = {
  paths: variablePaths,
  start: { facilitator: {} },
  fields: (given: Values) => ({ ...settingFields(given), facilitator })
}

/**
 * Reads the settings of a till and its facilitator over HTTP: TILL_FACILITATOR_URL, TILL_FACILITATOR_VERIFY_TIMEOUT_MILLIS
 * and TILL_FACILITATOR_SETTLE_TIMEOUT_MILLIS. One error lists the faults of all.
 *
 * @example
 * const options = Effect.runSync(tillConfigWithFacilitator)
 */
export const tillConfigWithFacilitator: Config.Config<SettingsWithFacilitator> = readEnvironment(
  allReading,
  "report"
)

/** The same, for a layer beside one that reports. */
export const silentConfigWithFacilitator: Config.Config<SettingsWithFacilitator> = readEnvironment(
  allReading,
  "silent"
)
