import type { ConfigurationError } from "@till402/core"
import { Config, Effect, type Redacted } from "effect"
import {
  naturalInt,
  optionalSettings,
  positiveInt,
  settingReaders,
  upstreamConfig
} from "../upstream/index.ts"
import type { EstimateSettings } from "./Estimate.ts"
import type { CostAllowance, ZincSettings } from "./Options.ts"
import type { OrdersSettings } from "./Orders.ts"
import type { WebhookSettings } from "./Webhook.ts"

/*
 * Zinc's settings: checked, with defaults, and read from `Config`.
 */

/** Options of `Zinc.layer`. */
export interface ZincLayerOptions extends ZincSettings {
  readonly apiKey: Redacted.Redacted<string>
  /** `zn_whsec_…`; without it `webhook` responds with a 404. */
  readonly webhookSecret?: Redacted.Redacted<string> | undefined
}

export interface ZincConfig extends OrdersSettings, EstimateSettings, WebhookSettings {}

const read = settingReaders("zinc")

const readAllowance = Effect.fnUntraced(function* ({
  shippingCents,
  taxBasisPoints
}: CostAllowance): Effect.fn.Return<CostAllowance, ConfigurationError> {
  return {
    taxBasisPoints: yield* read.wholeNumber("allowance.taxBasisPoints", taxBasisPoints, 0, 10_000),
    shippingCents: yield* read.wholeNumber("allowance.shippingCents", shippingCents, 0, 1_000_000)
  }
})

/** Checks the options and adds defaults. Fails with the first error found. */
export const configure = Effect.fnUntraced(function* (
  options: ZincLayerOptions
): Effect.fn.Return<ZincConfig, ConfigurationError> {
  return {
    apiKey: yield* read.secret("apiKey", options.apiKey),
    webhookSecret: yield* read.optional(options.webhookSecret, (secret) =>
      read.secret("webhookSecret", secret)
    ),
    baseUrl: yield* read.url("baseUrl", options.baseUrl ?? "https://api.zinc.com"),
    defaultPhone: yield* read.optional(options.defaultPhone, (phone) => read.phone("defaultPhone", phone)),
    retailerCredentialsId: yield* read.optional(options.retailerCredentialsId, (id) =>
      read.text("retailerCredentialsId", id, /^[\w-]{1,100}$/, "an id such as zn_acct_XXXXXXXX")
    ),
    onUpdate: yield* read.optional(options.onUpdate, (onUpdate) => read.callback("onUpdate", onUpdate)),
    allowance: yield* read.optional(options.allowance, readAllowance),
    quoteLifetimeMillis: yield* read.wholeNumber(
      "quoteLifetimeMillis",
      options.quoteLifetimeMillis ?? 600_000,
      60_000,
      86_400_000
    )
  }
})

const config = Config.all({
  apiKey: Config.Redacted("ZINC_API_KEY"),
  settings: optionalSettings({
    webhookSecret: Config.Redacted("ZINC_WEBHOOK_SECRET"),
    defaultPhone: Config.String("ZINC_DEFAULT_PHONE"),
    retailerCredentialsId: Config.String("ZINC_RETAILER_CREDENTIALS_ID"),
    quoteLifetimeMillis: positiveInt("ZINC_QUOTE_LIFETIME_MILLIS"),
    allowance: Config.all({
      taxBasisPoints: naturalInt("ZINC_ALLOWANCE_TAX_BASIS_POINTS"),
      shippingCents: naturalInt("ZINC_ALLOWANCE_SHIPPING_CENTS")
    }),
    baseUrl: Config.String("ZINC_BASE_URL")
  }),
  upstream: upstreamConfig("ZINC")
})

/** Options read from `Config`; they take precedence over `defaults`. */
export const optionsFromConfig = (
  defaults: ZincSettings
): Effect.Effect<ZincLayerOptions, Config.ConfigError> =>
  Effect.map(config, ({ apiKey, settings, upstream }) => ({ ...defaults, ...upstream, ...settings, apiKey }))
