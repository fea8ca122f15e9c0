import { networks } from "@till402/core/effect"
import { durationText, type OptionNotes } from "../../packages/core/src/till/settings/OptionSchema.ts"
import { describedOptions } from "../../packages/core/src/till/settings/Settings.ts"
import { networkPaths, variableOf, variablePaths } from "../../packages/core/src/till/settings/TillConfig.ts"
import { read } from "./documents.ts"

/*
 * Makes the tables of docs/options.md and its pages from the schemas of the options and the docstrings of their types.
 */

const folder = "packages/core/src"
const settingsFolder = `${folder}/till/settings`
const settingsFile = `${settingsFolder}/TillSettings.ts`
const hooksFile = `${settingsFolder}/TillHooks.ts`
const limitsFile = `${settingsFolder}/LimitOptions.ts`
const networksFile = `${settingsFolder}/NetworkOptions.ts`
const optionsFile = `${settingsFolder}/TillOptions.ts`
const facilitatorFile = `${folder}/toll/facilitator/FacilitatorOptions.ts`
const pricesFile = `${folder}/shop/routes/ShopSettings.ts`
const secretsFile = `${folder}/runtime/Secrets.ts`

/** One member of an option type. */
export interface DocumentedOption {
  readonly name: string
  readonly isRequired: boolean
  /** The docstring on one line, without its tags. */
  readonly text: string
  /** The text of its `@default`. */
  readonly default: string | undefined
}

/** The members of an interface with their docstrings. */
export const optionsOf = (path: string, type: string): ReadonlyArray<DocumentedOption> => {
  const block = new RegExp(`^export interface ${type}(?: extends [\\w, ]+)? \\{\\n(.*?)^\\}`, "ms").exec(
    read(path).text
  )
  if (block === null) throw new Error(`${path} has no interface ${type}`)
  return Array.from(
    block[1]!.matchAll(/(?:^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n)? {2}readonly (\w+)(\??):/gms),
    ([, comment = "", name = "", mark]) => {
      const text = comment.replaceAll(/^ *\*? ?/gm, "").trim()
      return {
        name,
        isRequired: mark === "",
        text: text
          .replace(/@default.*$/s, "")
          .trim()
          .replaceAll(/\s+/g, " "),
        default: /@default (.*)$/m.exec(text)?.[1]?.trim()
      }
    }
  )
}

/** A number as written in code: `86_400_000`. */
const literal = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, "_")

/** The text that a `@default` tag must have. */
export const defaultOf = (bound: OptionNotes): string | undefined => {
  if (!("default" in bound) || bound.default === undefined) return undefined
  return typeof bound.default === "number" ? literal(bound.default) : JSON.stringify(bound.default)
}

const boundOf = (path: string): OptionNotes | undefined => describedOptions.get(path)

const unitOf = (bound: OptionNotes | undefined): string => {
  if (bound?.kind === "number") return bound.unit
  return bound?.kind === "dollars" ? "US dollars" : ""
}

const quantity = (value: number, unit: string): string => {
  if (unit !== "milliseconds" || value === 0) return literal(value)
  return durationText(value) ?? `${literal(value)} ms`
}

const rangeOf = (bound: OptionNotes | undefined): string => {
  switch (bound?.kind) {
    case "number":
      return `${quantity(bound.minimum, bound.unit)} to ${quantity(bound.maximum, bound.unit)}`
    case "dollars":
      return bound.minimum === "zero" ? "0 or more" : "above 0"
    case "text":
      return bound.maximumLength === undefined
        ? `at least ${bound.minimumLength} characters`
        : `${bound.minimumLength} to ${bound.maximumLength} characters`
    default:
      return ""
  }
}

const shownDefault = (option: DocumentedOption, bound: OptionNotes | undefined): string => {
  if (option.default === undefined) return ""
  const isMillis = bound?.kind === "number" && bound.unit === "milliseconds" && "default" in bound
  const duration = isMillis && typeof bound.default === "number" ? durationText(bound.default) : undefined
  return `\`${option.default}\`${duration === undefined ? "" : ` (${duration})`}`
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`.replaceAll(/\| {2}(?=\|)/g, "| "))
    .join("\n")

const meanings = (options: ReadonlyArray<DocumentedOption>): string =>
  table(
    ["option", "meaning"],
    options.map(({ name, text }) => [`\`${name}\``, text])
  )

const bounded = (options: ReadonlyArray<DocumentedOption>, prefix = ""): string =>
  table(
    ["option", "unit", "default", "bounds", "meaning"],
    options.map((option) => {
      const bound = boundOf(`${prefix}${option.name}`)
      return [`\`${option.name}\``, unitOf(bound), shownDefault(option, bound), rangeOf(bound), option.text]
    })
  )

const ports = ["marketplaces", "assistant", "fulfilment", "tracker", "vault", "mailer"]

const knownNetworks = (): string =>
  table(
    ["name", "CAIP-2", "`confirmations`", "`finalitySeconds`", "clients"],
    networks.map(({ caip2, confirmations, family, finalitySeconds, v1Name }) => [
      v1Name === undefined ? "" : `\`${v1Name}\``,
      `\`${caip2}\``,
      family === "solana" ? "fixed" : String(confirmations),
      family === "solana" ? "fixed" : String(finalitySeconds),
      v1Name === undefined ? "version 2 only" : "all"
    ])
  )

/** Formats of variables that differ from the text of their option. */
const values: Readonly<Record<string, string>> = {
  networks: "names or CAIP-2 identifiers, separated by commas",
  "networks[].token": "`address,name,version`",
  secret: "the current secret",
  secretId: "id of the current secret, if there are older ones; default `1`",
  olderSecrets: "`id:secret` pairs, separated by commas, newest first",
  retiredKeys: "ids, separated by commas",
  settlement: "operations whose payments settle before the work, separated by commas",
  openapiPath: "a path, or `false`",
  discoveryPath: "a path, or `false`",
  statusPath: "a path, or `false`",
  cors: "`*`, origins separated by commas, or `false`"
}

const optionOf = (path: string): string =>
  path === "secretId" || path === "olderSecrets" ? "`secret`" : `\`${path}\``

const valueOf = (path: string): string => {
  const bound = boundOf(path)
  const unit = unitOf(bound)
  if (bound?.kind === "boolean") return "`true` or `false`"
  return values[path] ?? (bound?.kind === "number" ? `${unit}, ${rangeOf(bound)}` : unit || "text")
}

const required = new Set(["baseUrl", "payTo", "networks", "secret", "facilitator.url"])

const variableTable = (): string =>
  table(
    ["variable", "option", "value"],
    [
      ...variablePaths.map((path) => [
        `\`${variableOf(path)}\`${required.has(path) ? " (required)" : ""}`,
        optionOf(path),
        valueOf(path)
      ]),
      ...networkPaths.map((name) => [
        `\`${variableOf(name)}_<NETWORK>\``,
        `\`networks[].${name}\``,
        valueOf(`networks[].${name}`)
      ])
    ]
  )

/** The tables by the name of their place. */
export const optionTables = (): ReadonlyMap<string, string> => {
  const settings = optionsOf(settingsFile, "TillSettings")
  const hooks = optionsOf(hooksFile, "TillHooks")
  const options = optionsOf(optionsFile, "TillOptions")
  return new Map([
    ["required", meanings([...settings, ...options].filter(({ isRequired }) => isRequired))],
    ["ports", meanings(options.filter(({ name }) => ports.includes(name)))],
    ["settings", bounded(settings.filter(({ isRequired }) => !isRequired))],
    [
      "callbacks",
      meanings([...hooks, ...options.filter(({ isRequired, name }) => !isRequired && !ports.includes(name))])
    ],
    ["limits", bounded(optionsOf(limitsFile, "LimitOptions"), "limits.")],
    ["refunds", bounded(optionsOf(limitsFile, "RefundLimitOptions"), "refunds.")],
    ["prices", bounded(optionsOf(pricesFile, "Prices"), "prices.")],
    ["network", bounded(optionsOf(networksFile, "NetworkOptions"), "networks[].")],
    ["networks", knownNetworks()],
    ["facilitator", bounded(optionsOf(facilitatorFile, "FacilitatorOptions"), "facilitator.")],
    ["secret", bounded(optionsOf(secretsFile, "SecretKey"), "secret[].")],
    ["variables", variableTable()]
  ])
}

/** All option types, by the prefix of their paths in the table of bounds. */
export const optionTypes: ReadonlyArray<readonly [prefix: string, path: string, type: string]> = [
  ["", settingsFile, "TillSettings"],
  ["", hooksFile, "TillHooks"],
  ["", optionsFile, "TillOptions"],
  ["limits.", limitsFile, "LimitOptions"],
  ["refunds.", limitsFile, "RefundLimitOptions"],
  ["prices.", pricesFile, "Prices"],
  ["networks[].", networksFile, "NetworkOptions"],
  ["facilitator.", facilitatorFile, "FacilitatorOptions"],
  ["secret[].", secretsFile, "SecretKey"]
]

const place = /<!-- table: (\w+) -->\n.*?<!-- end -->/gs

/** The pages that have a table. */
export const tablePages = ["options", "networks", "secret", "environment"].map((name) => `docs/${name}.md`)

/** Those pages by path, with every table replaced by the generated one. */
export const withTables = (): ReadonlyArray<readonly [path: string, text: string]> => {
  const tables = optionTables()
  const used = new Set<string>()
  const replaced = tablePages.map((path) => {
    const text = read(path).text.replaceAll(place, (_, name: string) => {
      const made = tables.get(name)
      if (made === undefined) throw new Error(`${path}: there is no table ${name}`)
      used.add(name)
      return `<!-- table: ${name} -->\n${made}\n<!-- end -->`
    })
    return [path, text] as const
  })
  const unused = [...tables.keys()].filter((name) => !used.has(name))
  if (unused.length > 0) throw new Error(`${tablePages.join(", ")} have no place for: ${unused.join(", ")}`)
  return replaced
}
