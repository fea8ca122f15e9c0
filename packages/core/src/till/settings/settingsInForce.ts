import type { ConfiguredSettings, PaidNetwork } from "./Configuration.ts"
import type { TillOptions } from "./TillOptions.ts"
import { isObject } from "../../runtime/isObject.ts"

/*
 * The settings of a till, defaults included, for operators. Loaded on the first call of `till.settings()`.
 */

/** The value of an option: an amount is a bigint of millionths, and `undefined` is off. */
export type OptionInForce = string | number | boolean | bigint | ReadonlyArray<string> | undefined

/** A network on which callers can pay, as a till has it. */
export interface NetworkInForce {
  /** CAIP-2 identifier. */
  readonly network: string
  readonly payTo: string
  /** Contract or mint of the token. */
  readonly asset: string
  /** Host of its node; `undefined`: its chain isn't read. */
  readonly node: string | undefined
  readonly confirmations: number
  readonly finalitySeconds: number
}

/** The settings of a till as it runs. It contains no secrets: keys by their ids, nodes by their hosts. */
export interface SettingsInForce {
  readonly baseUrl: string
  readonly networks: ReadonlyArray<NetworkInForce>
  /** Names of the facilitators, in their order. */
  readonly facilitators: ReadonlyArray<string>
  /** Ids of the keys of `secret`, the current one first. */
  readonly keyIds: ReadonlyArray<string>
  /** Ports and functions that the host gave, by the names of their options. */
  readonly given: ReadonlyArray<string>
  /** Paths of the documents below `baseUrl`; `undefined`: not served. */
  readonly documents: Readonly<Record<"openapi" | "listing" | "llms", string | undefined>>
  /** The other options by their names in docs/options.md, such as `limits.unsettled`. */
  readonly options: Readonly<Record<string, OptionInForce>>
}

const networkOf = ({
  asset,
  caip2,
  confirmations,
  finalitySeconds,
  payTo,
  rpcUrl
}: PaidNetwork): NetworkInForce => ({
  network: caip2,
  payTo,
  asset,
  // Addresses of nodes contain keys: in the path, the query, or as a user.
  node: rpcUrl === undefined ? undefined : new URL(rpcUrl).host,
  confirmations,
  finalitySeconds
})

const valueOf = (value: unknown): OptionInForce =>
  typeof value === "function" ? "a function" : (value as OptionInForce)

const flat = (prefix: string, group: object): ReadonlyArray<readonly [name: string, value: OptionInForce]> =>
  Object.entries(group).flatMap(([name, value]) =>
    isObject(value) ? flat(`${prefix}${name}.`, value) : [[`${prefix}${name}`, valueOf(value)] as const]
  )

/** Settings that have a place of their own, or none: the examples are what a buyer would enter. */
const hidden: ReadonlySet<string> = new Set([
  "baseUrl",
  "payTo",
  "networks",
  "secret",
  "examples",
  "openapiPath",
  "discoveryPath",
  "llmsPath"
])

/** What the till knows of its options; this module loads none of it again. */
export interface Known {
  /** Names of the settings. `configured` also has the ports and wallets that the host gave, which are never shown. */
  readonly names: ReadonlyArray<string>
  readonly facilitators: ReadonlyArray<string>
}

export const settingsInForce = (
  configured: ConfiguredSettings,
  given: TillOptions,
  { facilitators, names }: Known
): SettingsInForce => {
  const {
    baseUrl,
    discoveryPath: listing,
    llmsPath: llms,
    networks,
    openapiPath: openapi,
    secret
  } = configured
  const shown = names.filter((name) => !hidden.has(name))
  return {
    baseUrl,
    networks: networks.map(networkOf),
    facilitators,
    keyIds: secret.map(({ id }) => id),
    given: Object.entries(given).flatMap(([name, value]) =>
      value === undefined || name === "facilitator" || names.includes(name) ? [] : [name]
    ),
    documents: { openapi, listing, llms },
    options: Object.fromEntries(
      flat("", Object.fromEntries(shown.map((name) => [name, Reflect.get(configured, name)])))
    )
  }
}
