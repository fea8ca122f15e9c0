import { Effect, Result, Schema, type SchemaAST, type SchemaIssue } from "effect"
import { documentPathsOf } from "../../api/Listings.ts"
import { ConfigurationError } from "../../domain/Errors.ts"
import { closestName } from "../../runtime/closestName.ts"
import { isObject } from "../../runtime/isObject.ts"
import { hookFields, operationFaults, portFields } from "./HostOptions.ts"
import { unreadableNetworks } from "./Networks.ts"
import { checked, notesOf, type OptionFields, readAll, shown } from "./OptionSchema.ts"
import { serviceFaults } from "./ServiceFields.ts"
import {
  type ConfiguredSettings,
  defaultStatusPath,
  documentPaths,
  isKeyId,
  settingFields,
  withPrefix
} from "./Settings.ts"
import type { TillOptions } from "./TillOptions.ts"
import type { TillHooks } from "./TillHooks.ts"
import type { TillSettings } from "./TillSettings.ts"

export type { PaidNetwork } from "./Networks.ts"
export type { ConfiguredSettings } from "./Settings.ts"

type Path = ReadonlyArray<PropertyKey>

/** Returns the name of an option as the host wrote it; `given` are all the options. */
export type OptionNames = (path: Path, given: unknown) => string

const memberOf = (value: unknown, key: PropertyKey | undefined): unknown =>
  typeof value === "object" && value !== null && key !== undefined ? Reflect.get(value, key) : undefined

/** The network of the entry of `networks` into which a path leads. */
export const networkAt = ([, index]: Path, given: unknown): string => {
  const entry = memberOf(memberOf(given, "networks"), index)
  return String(typeof entry === "string" ? entry : memberOf(entry, "network"))
}

const dotted = (path: Path): string =>
  path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`
      if (!/^\w+$/.test(String(key))) return `[${JSON.stringify(key)}]`
      return `${index === 0 ? "" : "."}${String(key)}`
    })
    .join("")

/** Names the key of `secret` whose text a path leads to: ` "2027"`. */
export const keyAt = ([, index, member]: Path, given: unknown): string => {
  const id = memberOf(memberOf(memberOf(given, "secret"), index), "id")
  return member === "secret" && isKeyId(id) ? ` ${shown(id)}` : ""
}

/** Names as in `Till.make({ … })`. */
export const optionName: OptionNames = (path, given) => {
  const [name, index, ...rest] = path
  if (name === "secret") return `${name}${keyAt(path, given)}`
  if (name !== "networks" || typeof index !== "number") return dotted(path)
  return rest.length === 0 ? name : `${dotted(rest)} of ${networkAt(path, given)}`
}

/** Reads options by their schemas: the settings of the same names, or every fault. */
export const readOptions = <const Fields extends OptionFields>(
  fields: Fields,
  given: unknown,
  nameOf: OptionNames
) =>
  Result.mapError(Schema.decodeUnknownResult(Schema.Struct(fields), readAll)(given), ({ issue }) =>
    faultTexts(issue, given, nameOf)
  )

const faultTexts = (
  issue: SchemaIssue.Issue,
  given: unknown,
  nameOf: OptionNames,
  path: Path = []
): ReadonlyArray<string> => {
  switch (issue._tag) {
    case "Pointer":
      return faultTexts(issue.issue, given, nameOf, [...path, ...issue.path])
    case "Encoding":
      return faultTexts(issue.issue, given, nameOf, path)
    case "Composite":
      return issue.issues.flatMap((each) => faultTexts(each, given, nameOf, path))
    case "UnexpectedKey":
      return [unknownName(path, issue.ast, given, nameOf)]
    default: {
      const text = ("annotations" in issue ? issue.annotations?.["message"] : undefined) ?? "is wrong"
      const name = nameOf(path, given)
      return [name === "" ? `${text}` : `${name}${`${text}`.startsWith(":") ? "" : " "}${text}`]
    }
  }
}

/** Lists up to this length are printed if no name is close. */
const maxListed = 8

/** An option that isn't there, with the one that was probably meant. */
const unknownName = (path: Path, ast: SchemaAST.AST, given: unknown, nameOf: OptionNames): string => {
  const holder = path.slice(0, -1)
  const name = String(path.at(-1))
  const known = ast._tag === "Objects" ? ast.propertySignatures : []
  const names = known.map((each) => String(each.name))
  const subject =
    holder.length === 0 ? `there is no option ${name}` : `${holderName(holder, given, nameOf)} has no ${name}`
  const elsewhere = holder.length === 0 ? nestedOptions(known) : []
  const meant = elsewhere.find((each) => each.endsWith(`.${name}`)) ?? closestName(name, names)
  if (meant !== undefined) return `${subject}: did you mean ${meant}?`
  if (names.length <= maxListed) return `${subject}; it has ${names.join(", ")}`
  return `${subject}; docs/options.md lists the options`
}

/** Options in groups, which hosts often give at the top level by mistake. */
const nestedOptions = (known: ReadonlyArray<SchemaAST.PropertySignature>): ReadonlyArray<string> => [
  ...known.flatMap(({ name, type }) => {
    const notes = notesOf(type)
    return notes.kind === "group" ? Object.keys(notes.fields).map((each) => `${String(name)}.${each}`) : []
  }),
  "facilitator.url",
  "networks[].rpcUrl"
]

const holderName = (path: Path, given: unknown, nameOf: OptionNames): string => {
  const [first, , member] = path
  if (first === "secret") return `a key of ${nameOf(["secret"], given)}`
  if (first !== "networks") return nameOf(path, given)
  return `the ${member === undefined ? "entry of network" : "token of"} ${networkAt(path, given)}`
}

/** Joins texts: one is inline, several are on a line each. */
export const listed = (texts: ReadonlyArray<string>): string =>
  texts.length === 1 ? String(texts[0]) : `\n${texts.map((text) => `- ${text}`).join("\n")}`

/** Whether a path is below that of the status pages. */
export const isStatusPage = (path: string, statusPath: string | false | undefined): boolean =>
  typeof statusPath === "string" && path.startsWith(`${statusPath}/`)

/** Documents and public routes that hide each other. */
const documentFaults = (
  settings: Pick<ConfiguredSettings, keyof typeof documentPaths | "statusPath">,
  publicRoutes: unknown
): ReadonlyArray<string> => {
  const { statusPath } = settings
  const documents = documentPathsOf(settings)
  const names = Object.keys(documentPaths) as ReadonlyArray<keyof typeof documentPaths>
  const routes = isObject(publicRoutes) ? Object.keys(publicRoutes) : []
  return [
    ...names.flatMap((name, index) =>
      names
        .slice(index + 1)
        .filter((other) => settings[name] !== undefined && settings[name] === settings[other])
        .map((other) => `${name} and ${other} are both ${settings[name]}`)
    ),
    ...routes
      .filter((path) => documents.includes(path))
      .map(
        (path) =>
          `publicRoutes: ${path} is the path of a document: move that with openapiPath, discoveryPath or llmsPath`
      ),
    ...routes
      .filter((path) => isStatusPage(path, statusPath))
      .map((path) => `publicRoutes: ${path} is the path of a status page: move those with statusPath`)
  ]
}

/** Reads options with these fields; `others` finds what is wrong among them. */
const settingsOf = <Options>(
  given: Options,
  subject: string,
  hostFields: OptionFields,
  others: (given: Options) => ReadonlyArray<string> = () => []
): Result.Result<ConfiguredSettings, ConfigurationError> => {
  const failure = (message: string) => Result.fail(new ConfigurationError({ message }))
  // Nothing can be checked in a value that isn't an object.
  if (!isObject(given)) {
    const state = given === undefined ? "none was given" : `got ${shown(given)}`
    return failure(`The ${subject} must be an object: ${state}. See docs/options.md`)
  }
  const read = readOptions({ ...hostFields, ...settingFields(given) }, given, optionName)
  const faults = [
    ...(Result.isSuccess(read)
      ? [...documentFaults(read.success, given["publicRoutes"]), ...serviceFaults(read.success)]
      : read.failure),
    ...others(given)
  ]
  return Result.isSuccess(read) && faults.length === 0
    ? Result.succeed(withPrefix(read.success))
    : failure(`Till402 can't start: ${listed(faults)}`)
}

/** What replaces options of `Till.make` that aren't ports. */
const insteadOf: Readonly<Record<string, string>> = {
  operations: "pass operations as the second argument of Till.layer",
  onEvent: "with Till.layer, events go to Effect's logger"
}

/** With `Till.layer`, the ports are services: their options of `Till.make` are refused with another text than misspelled ones. */
const portServices = Object.fromEntries(
  Object.keys(portFields)
    .filter((name) => name !== "traces")
    .map((name) => [
      name,
      checked<never>((_given, faults) =>
        faults.add(`is an option of Till.make: ${insteadOf[name] ?? "provide its layer to Till.layer"}`)
      )
    ])
)

/** Checks settings and hooks, and completes the settings with defaults. Fails with every fault. */
export const checkSettings = (
  settings: TillSettings & TillHooks
): Effect.Effect<ConfiguredSettings, ConfigurationError> =>
  Effect.suspend(() =>
    Effect.fromResult(settingsOf(settings, "settings of a till", { ...hookFields, ...portServices }))
  )

/**
 * Checks all options of `Till.make`, and completes the settings with defaults.
 *
 * @throws ConfigurationError that lists every fault
 */
export const configureOptions = (options: TillOptions): ConfiguredSettings =>
  Result.getOrThrow(
    settingsOf(options, "options of Till.make", { ...hookFields, ...portFields }, (given) => [
      ...missingPort(given),
      ...operationFaults(given.operations, takenPaths(given)),
      ...missingProof(given)
    ])
  )

/** Whether a path belongs to a document, a public route or a status page. */
const takenPaths = (options: TillOptions): ((path: string) => boolean) => {
  const { publicRoutes, statusPath = defaultStatusPath } = options
  const pathOf = (name: keyof typeof documentPaths): string | undefined =>
    options[name] === false ? undefined : (options[name] ?? documentPaths[name])
  const taken = new Set<unknown>([
    ...documentPathsOf({
      openapiPath: pathOf("openapiPath"),
      discoveryPath: pathOf("discoveryPath"),
      llmsPath: pathOf("llmsPath")
    }),
    ...(isObject(publicRoutes) ? Object.keys(publicRoutes) : [])
  ])
  return (path) => taken.has(path) || isStatusPage(path, statusPath)
}

const missingPort = (options: TillOptions): ReadonlyArray<string> => {
  const { assistant, fulfilment, marketplaces = {}, operations, tracker, vault } = options
  const isGiven = [assistant, fulfilment, operations, tracker, vault].some((port) => port !== undefined)
  if (isGiven || marketplaces.marketplace_a !== undefined || marketplaces.marketplace_b !== undefined)
    return []
  return [
    "no port is configured: give at least one of marketplaces, assistant, fulfilment, tracker, vault, operations (an empty list if you only price handlers)"
  ]
}

/** Networks whose chain can't prove a settlement, which `buy`, `vault/buy` and operations with `proof: "chain"` need. */
const missingProof = ({
  fulfilment,
  networks,
  operations,
  trustFacilitator,
  vault
}: TillOptions): ReadonlyArray<string> => {
  if (trustFacilitator === true) return []
  const own: ReadonlyArray<unknown> = Array.isArray(operations) ? operations : []
  const proven = own.flatMap((each) => (isObject(each) && each["proof"] === "chain" ? [`${each["id"]}`] : []))
  const needing = [
    ...(fulfilment === undefined && vault === undefined ? [] : ["buy", "vault/buy"]),
    ...proven
  ]
  if (needing.length === 0) return []
  return unreadableNetworks(networks).map(
    (network) =>
      `network ${network} has no rpcUrl: ${needing.join(" and ")} count a settlement only when the chain shows it. Give rpcUrl of ${network}, or set trustFacilitator to true. See docs/networks.md, "A network"`
  )
}
