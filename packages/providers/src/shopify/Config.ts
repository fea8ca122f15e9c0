import type { ConfigurationError } from "@till402/core"
import { Config, Effect, type Redacted } from "effect"
import { listOf, optionalSettings, positiveInt, settingReaders, upstreamConfig } from "../upstream/index.ts"
import type { Credentials } from "./AccessToken.ts"
import { defaultUcpVersion } from "./AgentProfile.ts"
import type { ShopifySettings } from "./Options.ts"
import type { Market, Selection } from "./SearchCall.ts"

/*
 * Shopify's settings: checked, with defaults, and read from `Config`.
 */

/** Options of `Shopify.layer`. */
export interface ShopifyLayerOptions extends ShopifySettings {
  readonly clientSecret?: Redacted.Redacted<string> | undefined
}

/** A shop that is searched through its own catalogue. */
export interface Shop {
  readonly name: string
  readonly origin: string
}

export interface ShopifyConfig {
  readonly profileUrl: string
  readonly profilePath: string
  readonly ucpVersion: string
  readonly market: Market
  readonly selection: Selection
  readonly credentials: Credentials | undefined
  readonly baseUrl: string
  readonly tokenUrl: string
  readonly shops: ReadonlyArray<Shop>
  readonly pageSize: number
  readonly maxPages: number
  readonly requestsPerSecond: number
}

const read = settingReaders("shopify")

const readCountry = (name: string, value: unknown) =>
  read.text(name, value, /^[A-Z]{2}$/, "a country of two capitals (ISO 3166-1 alpha-2)")

const readProfile = Effect.fnUntraced(function* (profileUrl: string) {
  yield* read.url("profileUrl", profileUrl)
  if (profileUrl.length > 2_000) return yield* read.invalid("profileUrl must have at most 2000 characters")
  const { hash, pathname } = new URL(profileUrl)
  if (hash !== "") return yield* read.invalid("profileUrl must have no fragment")
  return { profileUrl, profilePath: pathname }
})

const readCredentials = Effect.fnUntraced(function* ({ clientId, clientSecret, shops }: ShopifyLayerOptions) {
  if (clientId === undefined && clientSecret === undefined) return undefined
  if (clientId === undefined || clientSecret === undefined) {
    return yield* read.invalid(
      "clientId and clientSecret go together: give both, or neither for the anonymous tier"
    )
  }
  if (shops !== undefined) {
    return yield* read.invalid(
      "shops are searched without credentials: leave out clientId and clientSecret, or shops"
    )
  }
  return {
    clientId: yield* read.text(
      "clientId",
      clientId,
      /^[\x21-\x7e]{1,500}$/,
      "visible characters without spaces"
    ),
    clientSecret: yield* read.secret("clientSecret", clientSecret)
  }
})

const readShop = Effect.fnUntraced(function* (shop: unknown) {
  const url = typeof shop === "string" && !shop.includes("://") ? `https://${shop}` : shop
  if (typeof url !== "string" || !URL.canParse(url)) return yield* read.invalid("shops must be domains")
  const { host, origin } = new URL(yield* read.url("shops", url))
  if (origin !== url.replace(/\/$/, "").toLowerCase()) {
    return yield* read.invalid("shops must be domains without a path")
  }
  return { name: `shopify:${host}`, origin }
})

const maxShops = 10

const readShops = Effect.fnUntraced(function* (shops: ReadonlyArray<string> | undefined) {
  if (shops === undefined) return []
  if (!Array.isArray(shops) || shops.length < 1 || shops.length > maxShops) {
    return yield* read.invalid(`shops must be 1 to ${maxShops} domains`)
  }
  const named = yield* Effect.forEach(shops, readShop)
  if (new Set(named.map(({ name }) => name)).size < named.length) {
    return yield* read.invalid("shops must name each shop once")
  }
  return named
})

const maxShopIds = 50

const readSelection = Effect.fnUntraced(function* ({ condition, shipsTo, shopIds }: ShopifySettings) {
  if (shopIds !== undefined && (!Array.isArray(shopIds) || shopIds.length > maxShopIds)) {
    return yield* read.invalid(`shopIds must be at most ${maxShopIds} shops`)
  }
  const shops = yield* Effect.forEach(shopIds ?? [], (id) =>
    read.text("shopIds", id, /^gid:\/\/shopify\/Shop\/\d{1,20}$/, "of the form gid://shopify/Shop/<digits>")
  )
  return {
    ...(shipsTo === undefined || shipsTo === false
      ? {}
      : { shipsTo: yield* readCountry("shipsTo", shipsTo) }),
    ...(condition === undefined
      ? {}
      : { condition: yield* read.oneOf("condition", condition, ["new", "secondhand"]) }),
    ...(shops.length === 0 ? {} : { shopIds: shops })
  }
})

/** Checks the options and adds defaults. Fails with the first error found. */
export const configure = Effect.fnUntraced(function* (
  options: ShopifyLayerOptions
): Effect.fn.Return<ShopifyConfig, ConfigurationError> {
  const market = {
    country: yield* readCountry("country", options.country ?? "US"),
    currency: yield* read.text(
      "currency",
      options.currency ?? "USD",
      /^[A-Z]{3}$/,
      "three capitals (ISO 4217)"
    ),
    language: yield* read.text(
      "language",
      options.language ?? "en",
      /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/,
      "an IETF language tag"
    )
  }
  const credentials = yield* readCredentials(options)
  const version = options.ucpVersion ?? defaultUcpVersion
  const defaultRate = credentials === undefined ? 2 : 5
  return {
    ...(yield* readProfile(options.profileUrl)),
    ucpVersion: yield* read.text("ucpVersion", version, /^\d{4}-\d{2}-\d{2}$/, "a date, YYYY-MM-DD"),
    market,
    selection: yield* readSelection({ ...options, shipsTo: options.shipsTo ?? market.country }),
    credentials,
    baseUrl: yield* read.url("baseUrl", options.baseUrl ?? "https://catalog.shopify.com"),
    tokenUrl: yield* read.url("tokenUrl", options.tokenUrl ?? "https://api.shopify.com/auth/access_token"),
    shops: yield* readShops(options.shops),
    pageSize: yield* read.wholeNumber("pageSize", options.pageSize ?? 50, 1, 50),
    maxPages: yield* read.wholeNumber("maxPages", options.maxPages ?? 20, 1, 100),
    requestsPerSecond: yield* read.wholeNumber(
      "requestsPerSecond",
      options.requestsPerSecond ?? defaultRate,
      1,
      1_000
    )
  }
})

const config = Config.all({
  settings: optionalSettings({
    clientId: Config.String("SHOPIFY_CLIENT_ID"),
    clientSecret: Config.Redacted("SHOPIFY_CLIENT_SECRET"),
    country: Config.String("SHOPIFY_COUNTRY"),
    currency: Config.String("SHOPIFY_CURRENCY"),
    language: Config.String("SHOPIFY_LANGUAGE"),
    shipsTo: Config.map(Config.String("SHOPIFY_SHIPS_TO"), (country) => country !== "all" && country),
    condition: Config.Literals(["new", "secondhand"], "SHOPIFY_CONDITION"),
    shopIds: listOf("SHOPIFY_SHOP_IDS"),
    shops: listOf("SHOPIFY_SHOPS"),
    pageSize: positiveInt("SHOPIFY_PAGE_SIZE"),
    maxPages: positiveInt("SHOPIFY_MAX_PAGES"),
    requestsPerSecond: positiveInt("SHOPIFY_REQUESTS_PER_SECOND"),
    ucpVersion: Config.String("SHOPIFY_UCP_VERSION"),
    baseUrl: Config.String("SHOPIFY_BASE_URL"),
    tokenUrl: Config.String("SHOPIFY_TOKEN_URL")
  }),
  upstream: upstreamConfig("SHOPIFY")
})

/** Options read from `Config`; they take precedence over `defaults`. */
export const optionsFromConfig = Effect.fnUntraced(function* (
  defaults: Partial<ShopifySettings>
): Effect.fn.Return<ShopifyLayerOptions, Config.ConfigError> {
  const { settings, upstream } = yield* config
  const profileUrl = Config.String("SHOPIFY_PROFILE_URL")
  return {
    ...defaults,
    ...upstream,
    ...settings,
    profileUrl: yield* defaults.profileUrl === undefined
      ? profileUrl
      : Config.withDefault(profileUrl, defaults.profileUrl)
  }
})
