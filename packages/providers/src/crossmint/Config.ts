import type { ConfigurationError } from "@till402/core"
import { Config, Effect, type Redacted } from "effect"
import type { Hex } from "../treasury/Hex.ts"
import type { TreasuryClient } from "../treasury/Treasury.ts"
import { listOf, optionalSettings, positiveInt, settingReaders, upstreamConfig } from "../upstream/index.ts"
import type { CrossmintSettings } from "./Options.ts"
import type { OrdersSettings } from "./Orders.ts"

/*
 * Crossmint's settings: checked, with defaults, and read from `Config`.
 */

/** Options of `Crossmint.layer`. The treasury is a service. */
export interface CrossmintLayerOptions extends CrossmintSettings {
  readonly apiKey: Redacted.Redacted<string>
}

export interface CrossmintConfig extends OrdersSettings {
  readonly payees: ReadonlyArray<Hex>
  readonly quoteTimeoutMillis: number
  readonly pollMillis: number
}

const read = settingReaders("crossmint")

const isAddress = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)

const readPayees = (payees: unknown): Effect.Effect<ReadonlyArray<Hex>, ConfigurationError> =>
  Array.isArray(payees) && payees.length >= 1 && payees.length <= 20 && payees.every(isAddress)
    ? Effect.succeed(payees)
    : read.invalid("payees must be 1 to 20 addresses of Crossmint's accounts")

/** Checks the options and adds defaults. Fails with the first error found. */
export const configure = Effect.fnUntraced(function* (
  options: CrossmintLayerOptions,
  treasury: Pick<TreasuryClient, "address" | "network">
): Effect.fn.Return<CrossmintConfig, ConfigurationError> {
  if (!isAddress(treasury.address)) return yield* read.invalid("treasury must have an address")
  return {
    apiKey: yield* read.secret("apiKey", options.apiKey),
    baseUrl: yield* read.url("baseUrl", options.baseUrl ?? "https://www.crossmint.com/api"),
    payees: yield* readPayees(options.payees),
    payer: treasury.address,
    paymentMethod: yield* read.text(
      "paymentMethod",
      options.paymentMethod ?? treasury.network,
      /^[a-z0-9-]{1,50}$/,
      "Crossmint's name of the treasury's network"
    ),
    locale: yield* read.text(
      "locale",
      options.locale ?? "en-US",
      /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/,
      "an IETF language tag"
    ),
    receiptEmail: yield* read.optional(options.receiptEmail, (email) =>
      read.text("receiptEmail", email, /^\S+@\S+$/, "an email address")
    ),
    quoteTimeoutMillis: yield* read.wholeNumber(
      "quoteTimeoutMillis",
      options.quoteTimeoutMillis ?? 12_000,
      1,
      120_000
    ),
    // Crossmint requires at least half a second between polls.
    pollMillis: yield* read.wholeNumber("pollMillis", options.pollMillis ?? 1_000, 500, 60_000)
  }
})

const config = Config.all({
  apiKey: Config.Redacted("CROSSMINT_API_KEY"),
  settings: optionalSettings({
    paymentMethod: Config.String("CROSSMINT_PAYMENT_METHOD"),
    locale: Config.String("CROSSMINT_LOCALE"),
    receiptEmail: Config.String("CROSSMINT_RECEIPT_EMAIL"),
    quoteTimeoutMillis: positiveInt("CROSSMINT_QUOTE_TIMEOUT_MILLIS"),
    pollMillis: positiveInt("CROSSMINT_POLL_MILLIS"),
    baseUrl: Config.String("CROSSMINT_BASE_URL")
  }),
  upstream: upstreamConfig("CROSSMINT")
})

/** Options read from `Config`; they take precedence over `defaults`. */
export const optionsFromConfig = Effect.fnUntraced(function* (
  defaults: Partial<CrossmintSettings>
): Effect.fn.Return<CrossmintLayerOptions, Config.ConfigError | ConfigurationError> {
  const { apiKey, settings, upstream } = yield* config
  const payees = listOf("CROSSMINT_PAYEES")
  const listed = yield* defaults.payees === undefined ? payees : Config.withDefault(payees, defaults.payees)
  return { ...defaults, ...upstream, ...settings, apiKey, payees: yield* readPayees(listed) }
})
