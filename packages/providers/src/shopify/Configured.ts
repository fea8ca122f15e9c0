import { ConfigurationError } from "@till402/core"
import { Effect, type Redacted } from "effect"
import { baseUrlOf, keyOf } from "../upstream/index.ts"
import type { Credentials } from "./AccessToken.ts"
import { defaultUcpVersion } from "./AgentProfile.ts"
import type { ShopifySettings } from "./Options.ts"
import type { Market, Selection } from "./SearchCall.ts"

/*
 * The options, checked and completed. Wrong ones are told at start, by the name of the option.
 */

/** What an Effect host gives. */
export interface ShopifyLayerOptions extends ShopifySettings {
  readonly clientSecret?: Redacted.Redacted<string>
}

/** A shop that is asked by itself. */
export interface Shop {
  readonly name: string
  readonly origin: string
}

export interface Configured {
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

const wrong = (message: string): Effect.Effect<never, ConfigurationError> =>
  Effect.fail(new ConfigurationError({ message: `shopify: ${message}` }))

/** Options come from hosts that no compiler may have checked, and from the environment. */
const text = (name: string, value: unknown, pattern: RegExp, shape: string) =>
  typeof value === "string" && pattern.test(value) ? Effect.succeed(value) : wrong(`${name} must be ${shape}`)

const whole = (name: string, value: unknown, maximum: number) =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= maximum
    ? Effect.succeed(value)
    : wrong(`${name} must be a whole number from 1 to ${maximum}`)

const country = (name: string, value: unknown) =>
  text(name, value, /^[A-Z]{2}$/, "a country of two capitals (ISO 3166-1 alpha-2)")

const profileOf = Effect.fnUntraced(function* (profileUrl: unknown) {
  if (typeof profileUrl !== "string" || profileUrl.length > 2_000) {
    return yield* wrong("profileUrl must be the https address of the agent profile")
  }
  yield* Effect.mapError(
    baseUrlOf("shopify", profileUrl),
    () => new ConfigurationError({ message: "shopify: profileUrl must be an https address" })
  )
  const { hash, pathname } = new URL(profileUrl)
  if (hash !== "") return yield* wrong("profileUrl must have no fragment")
  return { profileUrl, profilePath: pathname }
})

const credentialsOf = Effect.fnUntraced(function* ({ clientId, clientSecret, shops }: ShopifyLayerOptions) {
  if (clientId === undefined && clientSecret === undefined) return undefined
  if (clientId === undefined || clientSecret === undefined) {
    return yield* wrong("clientId and clientSecret go together: give both, or none for the anonymous tier")
  }
  if (shops !== undefined) {
    return yield* wrong("shops are asked without credentials: leave out clientId and clientSecret, or shops")
  }
  return {
    clientId: yield* text("clientId", clientId, /^[\x21-\x7e]{1,500}$/, "visible characters without spaces"),
    clientSecret: yield* keyOf("shopify clientSecret", clientSecret)
  }
})

const shopOf = Effect.fnUntraced(function* (shop: unknown) {
  const url = typeof shop === "string" && !shop.includes("://") ? `https://${shop}` : shop
  if (typeof url !== "string" || !URL.canParse(url)) return yield* wrong("shops must be domains")
  const { host, origin } = new URL(yield* baseUrlOf("shopify shops", url))
  if (origin !== url.replace(/\/$/, "").toLowerCase()) return yield* wrong("shops must be domains alone")
  return { name: `shopify:${host}`, origin }
})

const maxShops = 10

const shopsOf = Effect.fnUntraced(function* (shops: ReadonlyArray<string> | undefined) {
  if (shops === undefined) return []
  if (!Array.isArray(shops) || shops.length < 1 || shops.length > maxShops) {
    return yield* wrong(`shops must be 1 to ${maxShops} domains`)
  }
  const named = yield* Effect.forEach(shops, shopOf)
  if (new Set(named.map(({ name }) => name)).size < named.length) {
    return yield* wrong("shops names one twice")
  }
  return named
})

const selectionOf = Effect.fnUntraced(function* ({ condition, shipsTo, shopIds }: ShopifySettings) {
  if (condition !== undefined && condition !== "new" && condition !== "secondhand") {
    return yield* wrong("condition must be new or secondhand")
  }
  if (shopIds !== undefined && (!Array.isArray(shopIds) || shopIds.length > 50)) {
    return yield* wrong("shopIds must be 50 shops at most")
  }
  const shops = yield* Effect.forEach(shopIds ?? [], (id) =>
    text("shopIds", id, /^gid:\/\/shopify\/Shop\/\d{1,20}$/, "of the form gid://shopify/Shop/<digits>")
  )
  return {
    ...(shipsTo === undefined || shipsTo === false ? {} : { shipsTo: yield* country("shipsTo", shipsTo) }),
    ...(condition === undefined ? {} : { condition }),
    ...(shops.length === 0 ? {} : { shopIds: shops })
  }
})

/** Checks the options; fails with the first fault found. */
export const configure = Effect.fnUntraced(function* (
  options: ShopifyLayerOptions
): Effect.fn.Return<Configured, ConfigurationError> {
  const market = {
    country: yield* country("country", options.country ?? "US"),
    currency: yield* text("currency", options.currency ?? "USD", /^[A-Z]{3}$/, "three capitals (ISO 4217)"),
    language: yield* text(
      "language",
      options.language ?? "en",
      /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/,
      "an IETF language tag"
    )
  }
  const credentials = yield* credentialsOf(options)
  const version = options.ucpVersion ?? defaultUcpVersion
  return {
    ...(yield* profileOf(options.profileUrl)),
    ucpVersion: yield* text("ucpVersion", version, /^\d{4}-\d{2}-\d{2}$/, "a date, YYYY-MM-DD"),
    market,
    selection: yield* selectionOf({ ...options, shipsTo: options.shipsTo ?? market.country }),
    credentials,
    baseUrl: yield* baseUrlOf("shopify", options.baseUrl ?? "https://catalog.shopify.com"),
    tokenUrl: yield* baseUrlOf(
      "shopify token",
      options.tokenUrl ?? "https://api.shopify.com/auth/access_token"
    ),
    shops: yield* shopsOf(options.shops),
    pageSize: yield* whole("pageSize", options.pageSize ?? 50, 50),
    maxPages: yield* whole("maxPages", options.maxPages ?? 20, 100),
    requestsPerSecond: yield* whole(
      "requestsPerSecond",
      options.requestsPerSecond ?? (credentials === undefined ? 2 : 5),
      1_000
    )
  }
})
