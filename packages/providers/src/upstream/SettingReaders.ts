import { ConfigurationError } from "@till402/core"
import { Effect, Redacted } from "effect"
import type { UpstreamSettings } from "./UpstreamSettings.ts"

/*
 * Checks of a provider's settings. A wrong setting fails when the provider is made, not with the first paid
 * call. Types can't be relied on: options come from JavaScript and from the environment.
 */

type Read<A> = Effect.Effect<A, ConfigurationError>

const isWhole = (value: unknown, minimum: number, maximum: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= minimum && value <= maximum

const visible = /^[\x21-\x7e]{1,500}$/

const isLocalHost = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** Reads the settings of one provider. Each reader fails with a `ConfigurationError` that names the setting. */
export interface SettingReaders {
  /** Fails with a message that starts with the provider's name. */
  readonly invalid: (problem: string) => Effect.Effect<never, ConfigurationError>
  /** A key for a header or a query: 1 to 500 visible characters. The error never contains it. */
  readonly secret: (name: string, value: Redacted.Redacted<string>) => Read<Redacted.Redacted<string>>
  /** An address without trailing slashes. Keys are sent there, so it must be https or on this machine. */
  readonly url: (name: string, value: unknown) => Read<string>
  readonly text: (name: string, value: unknown, pattern: RegExp, expected: string) => Read<string>
  readonly wholeNumber: (name: string, value: unknown, minimum: number, maximum?: number) => Read<number>
  readonly oneOf: <A extends string>(name: string, value: unknown, choices: ReadonlyArray<A>) => Read<A>
  readonly phone: (name: string, value: unknown) => Read<string>
  readonly callback: <F>(name: string, value: F) => Read<F>
  /** Reads a setting unless it is `undefined`. */
  readonly optional: <A, B>(value: A | undefined, read: (value: A) => Read<B>) => Read<B | undefined>
}

export const settingReaders = (provider: string): SettingReaders => {
  const invalid: SettingReaders["invalid"] = (problem) =>
    Effect.fail(new ConfigurationError({ message: `${provider}: ${problem}` }))

  const text: SettingReaders["text"] = (name, value, pattern, expected) =>
    typeof value === "string" && pattern.test(value)
      ? Effect.succeed(value)
      : invalid(`${name} must be ${expected}`)

  return {
    invalid,
    text,
    secret: (name, value) => {
      const secret: unknown = Redacted.isRedacted(value) ? Redacted.value(value) : undefined
      if (typeof secret === "string" && visible.test(secret)) return Effect.succeed(value)
      const state = secret === undefined ? ": it is not set" : secret === "" ? ": it is empty" : ""
      return invalid(`${name} must be a key of 1 to 500 visible characters without spaces${state}`)
    },
    url: (name, value) => {
      const parsed = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined
      const isSafe =
        parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLocalHost(parsed.hostname))
      return typeof value === "string" && isSafe
        ? Effect.succeed(value.replace(/\/+$/, ""))
        : // Not the value: the address of a node or a proxy may contain a key.
          invalid(`${name} must be an https address`)
    },
    wholeNumber: (name, value, minimum, maximum = Number.MAX_SAFE_INTEGER) =>
      isWhole(value, minimum, maximum)
        ? Effect.succeed(value)
        : invalid(
            maximum === Number.MAX_SAFE_INTEGER
              ? `${name} must be a whole number of at least ${minimum}`
              : `${name} must be a whole number from ${minimum} to ${maximum}`
          ),
    oneOf: (name, value, choices) => {
      const choice = choices.find((each) => each === value)
      return choice === undefined
        ? invalid(`${name} must be one of ${choices.join(", ")}`)
        : Effect.succeed(choice)
    },
    phone: (name, value) => text(name, value, /^\+?[\d ().-]{7,30}$/, "a phone number"),
    callback: (name, value) =>
      typeof value === "function" ? Effect.succeed(value) : invalid(`${name} must be a function`),
    optional: (value, read) => (value === undefined ? Effect.succeed(undefined) : read(value))
  }
}

/** Lowest values of the settings: a `NaN` or a zero would disable a safeguard, or every call. */
const minimums: Required<{ readonly [name in keyof UpstreamSettings]: number }> = {
  timeoutMillis: 1,
  deadlineMillis: 1,
  retries: 0,
  maxResponseBytes: 1,
  maxConcurrent: 1,
  maxWaiting: 0,
  circuitFailures: 1,
  circuitOpenMillis: 1
}

/** @throws ConfigurationError for a setting that is not a whole number, or too low */
export const checkUpstreamSettings = (upstream: string, settings: UpstreamSettings): void => {
  for (const [name, minimum] of Object.entries(minimums)) {
    const value: unknown = Reflect.get(settings, name)
    if (value !== undefined && !isWhole(value, minimum, Number.MAX_SAFE_INTEGER)) {
      throw new ConfigurationError({
        message: `${upstream}: ${name} must be a whole number of at least ${minimum}`
      })
    }
  }
}
