import { ConfigurationError } from "@till402/core"
import { Config, Effect, Option, Redacted, Schema } from "effect"
import type { UpstreamSettings } from "./Settings.ts"

/*
 * What a provider is configured with, checked when it is made: a wrong key or address is told at start,
 * without the key, and not by the first paid call.
 */

/** A key that can stand in a header or a query: one to 500 visible characters, no spaces. */
export const keyOf = (
  upstream: string,
  key: Redacted.Redacted<string>
): Effect.Effect<Redacted.Redacted<string>, ConfigurationError> => {
  const value: unknown = Redacted.value(key)
  return typeof value === "string" && /^[\x21-\x7e]{1,500}$/.test(value)
    ? Effect.succeed(key)
    : Effect.fail(
        new ConfigurationError({
          message: `${upstream}: the key must be 1 to 500 visible characters without spaces`
        })
      )
}

/** An address without a slash at its end. Keys travel to it, so it is https, or on this machine. */
export const baseUrlOf = (upstream: string, url: string): Effect.Effect<string, ConfigurationError> => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isLocal = parsed !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname)
  return parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLocal)
    ? Effect.succeed(url.replace(/\/+$/, ""))
    : Effect.fail(
        new ConfigurationError({
          message: `${upstream}: baseUrl must be an https address: ${url.slice(0, 200)}`
        })
      )
}

const positive = (name: string) =>
  Config.option(Config.schema(Schema.Int.check(Schema.isGreaterThan(0)), name))
const natural = (name: string) =>
  Config.option(Config.schema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), name))

/** Limits of the settings: a `NaN` or a zero would switch a safeguard off, or every call. */
const lowest: Required<UpstreamSettings> = {
  timeoutMillis: 1,
  deadlineMillis: 1,
  retries: 0,
  maxAnswerBytes: 1,
  maxConcurrent: 1,
  maxWaiting: 0,
  circuitFailures: 1,
  circuitOpenMillis: 1
}

/** @throws ConfigurationError for a setting that is no whole number or too low. */
export const checkSettings = (upstream: string, settings: UpstreamSettings): void => {
  for (const [name, minimum] of Object.entries(lowest)) {
    const value: unknown = settings[name as keyof UpstreamSettings]
    if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) >= minimum)) {
      throw new ConfigurationError({
        message: `${upstream}: ${name} must be a whole number of at least ${minimum}`
      })
    }
  }
}

/**
 * Settings from the configuration, each of them optional: `<PREFIX>_TIMEOUT_MILLIS`,
 * `<PREFIX>_DEADLINE_MILLIS`, `<PREFIX>_RETRIES` and `<PREFIX>_MAX_CONCURRENT`.
 */
export const settingsConfig = (prefix: string): Config.Config<UpstreamSettings> =>
  Config.map(
    Config.all({
      timeoutMillis: positive(`${prefix}_TIMEOUT_MILLIS`),
      deadlineMillis: positive(`${prefix}_DEADLINE_MILLIS`),
      retries: natural(`${prefix}_RETRIES`),
      maxConcurrent: positive(`${prefix}_MAX_CONCURRENT`)
    }),
    (given) =>
      Object.fromEntries(
        Object.entries(given).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
      )
  )
