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
  naturalInt,
  optionalSettings,
  positiveInt,
  settingReaders,
  upstreamConfig
} from "../upstream/index.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"

/** A flat price of shipping, instead of the shop's own rates. */
export interface ShopifyAdminShipping {
  /** Shown on the order; default `Shipping`. */
  readonly title?: string | undefined
  /** Price in cents, before tax. */
  readonly cents: number
}

/** Settings of a Shopify shop, without keys. */
export interface ShopifyAdminSettings extends UpstreamSettings {
  /** Domain of the shop: `northwind.myshopify.com`. Its currency must be US dollars. */
  readonly shop: string
  /** Client id of an app of your own organization, with `clientSecret`. */
  readonly clientId?: string | undefined
  /** Default: the cheapest rate that the shop offers for the address. */
  readonly shipping?: ShopifyAdminShipping | undefined
  /** How long a quote is valid, in milliseconds; default 20 minutes. */
  readonly quoteLifetimeMillis?: number | undefined
  /**
   * Unpaid quotes that the shop holds at once, of one process; default 2500. One client address has a tenth at most, and
   * half is reserved for new ones.
   */
  readonly maxOpenQuotes?: number | undefined
  /** Version of the Admin API; default `2026-10`. */
  readonly apiVersion?: string | undefined
  /** Address of the shop; default `https://` and `shop`. Must be https or on this machine. */
  readonly baseUrl?: string | undefined
}

/** Options of `ShopifyAdmin.layer`: an `accessToken`, or `clientId` with `clientSecret`. */
export interface ShopifyAdminLayerOptions extends ShopifyAdminSettings {
  readonly accessToken?: Redacted.Redacted<string> | undefined
  readonly clientSecret?: Redacted.Redacted<string> | undefined
}

/** Options of the plain function `shopifyAdmin`: an `accessToken`, or `clientId` with `clientSecret`. */
export interface ShopifyAdminOptions extends ShopifyAdminSettings, FetchOptions {
  /** `shpat_…` of an app that was made in the shop's admin. */
  readonly accessToken?: string | undefined
  /** `shpss_…` of the Dev Dashboard; it is exchanged for tokens of a day. */
  readonly clientSecret?: string | undefined
}

/** `fulfilment` of a till that sells the goods of one shop. */
export interface ShopifyAdminFulfilment extends FulfilmentOptions {
  /** A draft order is completed once. */
  readonly placesOnce: true
  readonly find: NonNullable<FulfilmentOptions["find"]>
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  /**
   * Cancels an order in the shop and restocks its goods. A canceled order stays canceled. The till sees it with the
   * order's next status, and refunds the buyer. `note`: for the shop's staff, up to 255 characters.
   */
  readonly cancel: (reference: string, note?: string) => Promise<void>
  /** Adds a refund that the till sent to the order's note, once for each transaction. */
  readonly noteRefund: (reference: string, refund: RefundNote) => Promise<void>
  /** Search of the shop's goods: `marketplace_b` of a till. */
  readonly marketplace: MarketplaceOptions<ProductPage>
  readonly usage: () => UpstreamUsage
}

export type AdminCredentials =
  | { readonly _tag: "Token"; readonly accessToken: Redacted.Redacted<string> }
  | {
      readonly _tag: "Client"
      readonly clientId: string
      readonly clientSecret: Redacted.Redacted<string>
      /** Issues tokens. */
      readonly url: string
    }

export interface ShopifyAdminConfig {
  /** Address of the GraphQL API. */
  readonly endpoint: string
  /** Address of the shop's pages. */
  readonly shopUrl: string
  readonly credentials: AdminCredentials
  /** `undefined`: the shop's rates. */
  readonly shipping: { readonly title: string; readonly cents: number } | undefined
  readonly quoteLifetimeMillis: number
  readonly maxOpenQuotes: number
}

const config = Config.all({
  settings: optionalSettings({
    shop: Config.String("SHOPIFY_ADMIN_SHOP"),
    clientId: Config.String("SHOPIFY_ADMIN_CLIENT_ID"),
    clientSecret: Config.Redacted("SHOPIFY_ADMIN_CLIENT_SECRET"),
    accessToken: Config.Redacted("SHOPIFY_ADMIN_ACCESS_TOKEN"),
    quoteLifetimeMillis: positiveInt("SHOPIFY_ADMIN_QUOTE_LIFETIME_MILLIS"),
    maxOpenQuotes: positiveInt("SHOPIFY_ADMIN_MAX_OPEN_QUOTES"),
    apiVersion: Config.String("SHOPIFY_ADMIN_API_VERSION"),
    baseUrl: Config.String("SHOPIFY_ADMIN_BASE_URL")
  }),
  shipping: optionalSettings({ cents: naturalInt("SHOPIFY_ADMIN_SHIPPING_CENTS") }),
  upstream: upstreamConfig("SHOPIFY_ADMIN")
})

/** Options read from `Config`; they take precedence over `defaults`. */
export const optionsFromConfig = Effect.fnUntraced(function* (
  defaults: Partial<ShopifyAdminSettings>
): Effect.fn.Return<ShopifyAdminLayerOptions, Config.ConfigError> {
  const { settings, shipping, upstream } = yield* config
  const { cents } = shipping
  return {
    ...defaults,
    ...upstream,
    ...settings,
    ...(cents === undefined ? {} : { shipping: { ...defaults.shipping, cents } }),
    shop: settings.shop ?? defaults.shop ?? (yield* Config.String("SHOPIFY_ADMIN_SHOP"))
  }
})

const read = settingReaders("shopify-admin")

const readCredentials = Effect.fnUntraced(function* (
  { accessToken, clientId, clientSecret }: ShopifyAdminLayerOptions,
  baseUrl: string
): Effect.fn.Return<AdminCredentials, ConfigurationError> {
  if (accessToken !== undefined && clientId === undefined && clientSecret === undefined) {
    return { _tag: "Token", accessToken: yield* read.secret("accessToken", accessToken) }
  }
  if (accessToken !== undefined || clientId === undefined || clientSecret === undefined) {
    return yield* read.invalid("give accessToken, or clientId and clientSecret")
  }
  return {
    _tag: "Client",
    clientId: yield* read.text(
      "clientId",
      clientId,
      /^[\x21-\x7e]{1,500}$/,
      "visible characters without spaces"
    ),
    clientSecret: yield* read.secret("clientSecret", clientSecret),
    url: `${baseUrl}/admin/oauth/access_token`
  }
})

const readShipping = Effect.fnUntraced(function* ({ cents, title = "Shipping" }: ShopifyAdminShipping) {
  return {
    title: yield* read.text("shipping.title", title, /^.{1,100}$/, "a title of up to 100 characters"),
    cents: yield* read.wholeNumber("shipping.cents", cents, 0, 1_000_000)
  }
})

/** Checks the options and adds defaults. Fails with the first error found. */
export const configure = Effect.fnUntraced(function* (
  options: ShopifyAdminLayerOptions
): Effect.fn.Return<ShopifyAdminConfig, ConfigurationError> {
  const { apiVersion = "2026-10", quoteLifetimeMillis = 1_200_000, shop } = options
  const domain = yield* read.text(
    "shop",
    shop,
    /^[a-z0-9][a-z0-9-]{0,99}\.myshopify\.com$/,
    "a domain such as northwind.myshopify.com"
  )
  const version = yield* read.text("apiVersion", apiVersion, /^\d{4}-\d{2}$/, "a version such as 2026-10")
  const baseUrl = yield* read.url("baseUrl", options.baseUrl ?? `https://${domain}`)
  return {
    endpoint: `${baseUrl}/admin/api/${version}/graphql.json`,
    shopUrl: `https://${domain}`,
    credentials: yield* readCredentials(options, baseUrl),
    shipping: yield* read.optional(options.shipping, readShipping),
    quoteLifetimeMillis: yield* read.wholeNumber(
      "quoteLifetimeMillis",
      quoteLifetimeMillis,
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
