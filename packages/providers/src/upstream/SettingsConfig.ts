import { Config, Option, Schema } from "effect"
import type { UpstreamSettings } from "./UpstreamSettings.ts"

/*
 * Settings from Effect's `Config`. Every name starts with the provider's: `CANOPY_API_KEY`.
 */

/** A whole number of at least 1. */
export const positiveInt = (name: string): Config.Config<number> =>
  Config.schema(Schema.Int.check(Schema.isGreaterThan(0)), name)

/** A whole number of at least 0. */
export const naturalInt = (name: string): Config.Config<number> =>
  Config.schema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), name)

/** Texts separated by commas. */
export const listOf = (name: string): Config.Config<ReadonlyArray<string>> =>
  Config.map(Config.String(name), (list) => list.split(",").map((item) => item.trim()))

/** Several settings, none required. Settings without a value are left out. */
export const optionalSettings = <A extends object>(settings: {
  readonly [name in keyof A]: Config.Config<A[name]>
}): Config.Config<Partial<A>> =>
  Object.entries<Config.Config<unknown>>(settings).reduce<Config.Config<Partial<A>>>(
    (read, [name, config]) =>
      Config.map(Config.all([read, Config.option(config)]), ([known, value]) =>
        Option.isSome(value) ? { ...known, [name]: value.value } : known
      ),
    Config.succeed<Partial<A>>({})
  )

/** The settings that all providers share, none required: `<PREFIX>_TIMEOUT_MILLIS`, `<PREFIX>_RETRIES`, … */
export const upstreamConfig = (prefix: string): Config.Config<Partial<UpstreamSettings>> =>
  optionalSettings({
    timeoutMillis: positiveInt(`${prefix}_TIMEOUT_MILLIS`),
    deadlineMillis: positiveInt(`${prefix}_DEADLINE_MILLIS`),
    retries: naturalInt(`${prefix}_RETRIES`),
    maxResponseBytes: positiveInt(`${prefix}_MAX_RESPONSE_BYTES`),
    maxConcurrent: positiveInt(`${prefix}_MAX_CONCURRENT`),
    maxWaiting: naturalInt(`${prefix}_MAX_WAITING`),
    circuitFailures: positiveInt(`${prefix}_CIRCUIT_FAILURES`),
    circuitOpenMillis: positiveInt(`${prefix}_CIRCUIT_OPEN_MILLIS`)
  })
