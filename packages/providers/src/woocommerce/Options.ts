import type {
  ConfigurationError,
  FulfilmentOptions,
  FulfilmentStatus,
  MarketplaceOptions,
  ProductPage
} from "@till402/core"
import { Config, Effect, type Redacted } from "effect"
import { defaultMaxOpenQuotes, mostOpenQuotes } from "../fulfilment/QuotePlaces.ts"
import type { RefundNote } from "../fulfilment/RefundNote.ts"
import {
  listOf,
  naturalInt,
  optionalSettings,
  positiveInt,
  settingReaders,
  upstreamConfig
} from "../upstream/index.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"

/** How orders are shipped: a flat price, because the API computes no shipping. */
export interface WooCommerceShipping {
  /** WooCommerce's name of the method; default `flat_rate`. */
  readonly methodId?: string | undefined
  /** Shown on the order; default `Shipping`. */
  readonly methodTitle?: string | undefined
  /** Price in cents, before tax. */
  readonly cents: number
}

/** Settings of WooCommerce, without keys. */
export interface WooCommerceSettings extends UpstreamSettings {
  /** Address of the shop, with its folder if it has one. Must be https or on this machine. */
  readonly storeUrl: string
  readonly shipping: WooCommerceShipping
  /** Countries that the shop delivers to, ISO 3166-1 alpha-2; default `["US"]`. */
  readonly countries?: ReadonlyArray<string> | undefined
  /** The shop's currency, ISO 4217; default `USD`. Only US dollars can be sold. */
  readonly currency?: string | undefined
  /** How long a quote is valid, in milliseconds; default 20 minutes. */
  readonly quoteLifetimeMillis?: number | undefined
  /**
   * Unpaid quotes that the shop holds at once, of one process; default 2500. One client address has a tenth at most, and
   * half is reserved for new ones.
   */
  readonly maxOpenQuotes?: number | undefined
}

/** Options of `WooCommerce.layer`. */
export interface WooCommerceLayerOptions extends WooCommerceSettings {
  /** `ck_…`, with the right to read and write. */
  readonly consumerKey: Redacted.Redacted<string>
  /** `cs_…` */
  readonly consumerSecret: Redacted.Redacted<string>
}

/** Options of the plain function `wooCommerce`. */
export interface WooCommerceOptions extends WooCommerceSettings, FetchOptions {
  /** `ck_…`, with the right to read and write. */
  readonly consumerKey: string
  /** `cs_…` */
  readonly consumerSecret: string
}

/** `fulfilment` of a till that sells the goods of one shop. */
export interface WooCommerceFulfilment extends FulfilmentOptions {
  /** An order is placed by marking it as paid, which is possible once. */
  readonly placesOnce: true
  readonly find: NonNullable<FulfilmentOptions["find"]>
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  /**
   * Cancels an order that was not sent, and the shop restocks its goods. A canceled order stays canceled. The till sees
   * it with the order's next status, and refunds the buyer. `note`: for the shop's staff.
   *
   * @throws OrderNotCancelable if the order was sent
   */
  readonly cancel: (reference: string, note?: string) => Promise<void>
  /** Adds a refund that the till sent to the order's notes, once for each transaction. */
  readonly noteRefund: (reference: string, refund: RefundNote) => Promise<void>
  /** Search of the shop's goods: `marketplace_b` of a till. */
  readonly marketplace: MarketplaceOptions<ProductPage>
  readonly usage: () => UpstreamUsage
}

export interface WooCommerceConfig {
  readonly api: string
  readonly consumerKey: Redacted.Redacted<string>
  readonly consumerSecret: Redacted.Redacted<string>
  readonly shipping: Required<{
    readonly [name in keyof WooCommerceShipping]: NonNullable<WooCommerceShipping[name]>
  }>
  readonly countries: ReadonlySet<string>
  readonly currency: string
  readonly quoteLifetimeMillis: number
  readonly maxOpenQuotes: number
}

const config = Config.all({
  consumerKey: Config.Redacted("WOOCOMMERCE_CONSUMER_KEY"),
  consumerSecret: Config.Redacted("WOOCOMMERCE_CONSUMER_SECRET"),
  settings: optionalSettings({
    storeUrl: Config.String("WOOCOMMERCE_STORE_URL"),
    countries: listOf("WOOCOMMERCE_COUNTRIES"),
    currency: Config.String("WOOCOMMERCE_CURRENCY"),
    quoteLifetimeMillis: positiveInt("WOOCOMMERCE_QUOTE_LIFETIME_MILLIS"),
    maxOpenQuotes: positiveInt("WOOCOMMERCE_MAX_OPEN_QUOTES")
  }),
  shipping: optionalSettings({ cents: naturalInt("WOOCOMMERCE_SHIPPING_CENTS") }),
  upstream: upstreamConfig("WOOCOMMERCE")
})

/** Options read from `Config`; they take precedence over `defaults`. */
export const optionsFromConfig = Effect.fnUntraced(function* (
  defaults: Partial<WooCommerceSettings>
): Effect.fn.Return<WooCommerceLayerOptions, Config.ConfigError> {
  const { settings, shipping, upstream, ...keys } = yield* config
  const storeUrl = settings.storeUrl ?? defaults.storeUrl ?? (yield* Config.String("WOOCOMMERCE_STORE_URL"))
  const cents =
    shipping.cents ?? defaults.shipping?.cents ?? (yield* naturalInt("WOOCOMMERCE_SHIPPING_CENTS"))
  return {
    ...defaults,
    ...upstream,
    ...settings,
    ...keys,
    storeUrl,
    shipping: { ...defaults.shipping, cents }
  }
})

const read = settingReaders("woocommerce")

const isCountry = (country: unknown): boolean => typeof country === "string" && /^[A-Z]{2}$/.test(country)

/** Checks the options and adds defaults. Fails with the first error found. */
export const configure = Effect.fnUntraced(function* (
  options: WooCommerceLayerOptions
): Effect.fn.Return<WooCommerceConfig, ConfigurationError> {
  const { countries = ["US"], shipping } = options
  if (!Array.isArray(countries) || countries.length === 0 || !countries.every(isCountry)) {
    return yield* read.invalid("countries must be codes of two capitals, such as US")
  }
  const word = /^[\w.:-]{1,100}$/
  return {
    api: `${yield* read.url("storeUrl", options.storeUrl)}/wp-json/wc/v3`,
    consumerKey: yield* read.secret("consumerKey", options.consumerKey),
    consumerSecret: yield* read.secret("consumerSecret", options.consumerSecret),
    shipping: {
      methodId: yield* read.text(
        "shipping.methodId",
        shipping?.methodId ?? "flat_rate",
        word,
        "a method such as flat_rate"
      ),
      methodTitle: yield* read.text(
        "shipping.methodTitle",
        shipping?.methodTitle ?? "Shipping",
        /^.{1,100}$/,
        "a title of up to 100 characters"
      ),
      cents: yield* read.wholeNumber("shipping.cents", shipping?.cents, 0, 1_000_000)
    },
    countries: new Set(countries),
    currency: yield* read.text("currency", options.currency ?? "USD", /^[A-Z]{3}$/, "a code such as USD"),
    quoteLifetimeMillis: yield* read.wholeNumber(
      "quoteLifetimeMillis",
      options.quoteLifetimeMillis ?? 1_200_000,
      60_000,
      86_400_000
    ),
    maxOpenQuotes: yield* read.wholeNumber(
      "maxOpenQuotes",
      options.maxOpenQuotes ?? defaultMaxOpenQuotes,
      10,
      mostOpenQuotes
    )
  }
})
