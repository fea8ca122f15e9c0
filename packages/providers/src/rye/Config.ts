import type { ConfigurationError } from "@till402/core"
import { Config, Effect, type Redacted } from "effect"
import {
  naturalInt,
  optionalSettings,
  positiveInt,
  settingReaders,
  upstreamConfig
} from "../upstream/index.ts"
import type { IntentsSettings } from "./Intents.ts"
import type { RyeSettings } from "./Options.ts"
import type { QuotingSettings } from "./Quoting.ts"
import type { WebhookSettings } from "./Webhook.ts"

/*
 * Rye's settings: checked, with defaults, and read from `Config`.
 */

/** Options of `Rye.layer`. The journal of placements is a service. */
export interface RyeLayerOptions extends RyeSettings {
  readonly apiKey: Redacted.Redacted<string>
  /** Secret of the webhook endpoint in Rye's console. Without it `webhook` responds with a 404. */
  readonly webhookSecret?: Redacted.Redacted<string> | undefined
}

export interface RyeConfig extends IntentsSettings, QuotingSettings, WebhookSettings {
  readonly mutationsPerSecond: number
  readonly readsPerSecond: number
  readonly lookupsPerSecond: number
  readonly intentsPerDay: number
  readonly intentsForBuyers: number
  readonly ordersAtOnce: number
}

const read = settingReaders("rye")

const efforts = ["max", "low"] as const

/** Checks the options and adds defaults. Fails with the first error found. */
export const configure = Effect.fnUntraced(function* (
  options: RyeLayerOptions
): Effect.fn.Return<RyeConfig, ConfigurationError> {
  const intentsPerDay = yield* read.wholeNumber("intentsPerDay", options.intentsPerDay ?? 50, 1, 100_000)
  const rate = (name: "mutationsPerSecond" | "readsPerSecond" | "lookupsPerSecond", standard: number) =>
    read.wholeNumber(name, options[name] ?? standard, 1, 1_000)
  return {
    apiKey: yield* read.secret("apiKey", options.apiKey),
    webhookSecret: yield* read.optional(options.webhookSecret, (secret) =>
      read.secret("webhookSecret", secret)
    ),
    baseUrl: yield* read.url("baseUrl", options.baseUrl ?? "https://api.rye.com"),
    defaultPhone: yield* read.optional(options.defaultPhone, (phone) => read.phone("defaultPhone", phone)),
    offerRetrievalEffort: yield* read.optional(options.offerRetrievalEffort, (effort) =>
      read.oneOf("offerRetrievalEffort", effort, efforts)
    ),
    onUpdate: yield* read.optional(options.onUpdate, (onUpdate) => read.callback("onUpdate", onUpdate)),
    quoteTimeoutMillis: yield* read.wholeNumber(
      "quoteTimeoutMillis",
      options.quoteTimeoutMillis ?? 18_000,
      1,
      600_000
    ),
    pollMillis: yield* read.wholeNumber("pollMillis", options.pollMillis ?? 1_000, 200, 60_000),
    // Rye's limits of an account: https://rye.com/docs/api-v2/rate-limits
    mutationsPerSecond: yield* rate("mutationsPerSecond", 5),
    readsPerSecond: yield* rate("readsPerSecond", 10),
    lookupsPerSecond: yield* rate("lookupsPerSecond", 10),
    ordersAtOnce: yield* read.wholeNumber("ordersAtOnce", options.ordersAtOnce ?? 10, 1, 100_000),
    intentsPerDay,
    intentsForBuyers: yield* read.wholeNumber(
      "intentsForBuyers",
      options.intentsForBuyers ?? Math.floor((intentsPerDay * 2) / 5),
      0,
      intentsPerDay
    )
  }
})

const config = Config.all({
  apiKey: Config.Redacted("RYE_API_KEY"),
  settings: optionalSettings({
    webhookSecret: Config.Redacted("RYE_WEBHOOK_SECRET"),
    defaultPhone: Config.String("RYE_DEFAULT_PHONE"),
    offerRetrievalEffort: Config.Literals(efforts, "RYE_OFFER_RETRIEVAL_EFFORT"),
    quoteTimeoutMillis: positiveInt("RYE_QUOTE_TIMEOUT_MILLIS"),
    pollMillis: positiveInt("RYE_POLL_MILLIS"),
    mutationsPerSecond: positiveInt("RYE_MUTATIONS_PER_SECOND"),
    readsPerSecond: positiveInt("RYE_READS_PER_SECOND"),
    lookupsPerSecond: positiveInt("RYE_LOOKUPS_PER_SECOND"),
    intentsPerDay: positiveInt("RYE_INTENTS_PER_DAY"),
    intentsForBuyers: naturalInt("RYE_INTENTS_FOR_BUYERS"),
    ordersAtOnce: positiveInt("RYE_ORDERS_AT_ONCE"),
    baseUrl: Config.String("RYE_BASE_URL")
  }),
  upstream: upstreamConfig("RYE")
})

/** Options read from `Config`; they take precedence over `defaults`. */
export const optionsFromConfig = (
  defaults: RyeSettings
): Effect.Effect<RyeLayerOptions, Config.ConfigError> =>
  Effect.map(config, ({ apiKey, settings, upstream }) => ({ ...defaults, ...upstream, ...settings, apiKey }))
