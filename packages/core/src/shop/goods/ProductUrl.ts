import { Schema, SchemaTransformation } from "effect"
import { hasPublicHost } from "../../domain/PublicHost.ts"
import { Text } from "../../domain/Text.ts"

const credentials = "must not contain a user name or password"
const privateHost = "must name a public host"

const faultOf = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return "must be an https URL of a product page"
  const faults = [
    ...(url.protocol === "https:" ? [] : ["must be an https URL"]),
    ...(url.username === "" && url.password === "" ? [] : [credentials]),
    // Other schemes need no host.
    ...(!/^https?:$/.test(url.protocol) || hasPublicHost(url) ? [] : [privateHost])
  ]
  return faults.length === 0 ? undefined : faults.join("; ")
}

const Sent = Text({ max: 2048 }).check(
  Schema.makeFilter((text: string) => faultOf(text) ?? true, {
    toJsonSchema: () => ({ format: "uri" })
  })
)

/** Whether a text is a valid `productUrl`. */
export const isProductUrl = Schema.is(Sent)

/**
 * URL of a product's page: https, without credentials, on a public host. The till never fetches it. Decoding normalizes
 * it, so that every reader sees the same host.
 */
export const ProductUrl = Sent.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (text: string) => new URL(text).href, encode: (href) => href })
  )
)

/** The general marketplace that products are bought from. Pages of other hosts are none of its products. */
export interface GeneralMarketplace {
  /** Hosts of its pages, their subdomains included: `["amazon.com"]`. */
  readonly hosts: ReadonlyArray<string>
  /** ISO 3166-1 alpha-2 code of the country whose shop it is; errors name it. */
  readonly country?: string | undefined
}

const hostPattern = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/

/** Whether a value of a host is a `GeneralMarketplace`. */
export const isGeneralMarketplace = (given: unknown): given is GeneralMarketplace => {
  if (typeof given !== "object" || given === null) return false
  const { country, hosts } = given as Partial<Record<keyof GeneralMarketplace, unknown>>
  const isCountry = country === undefined || (typeof country === "string" && /^[A-Z]{2}$/.test(country))
  const isHost = (host: unknown) => typeof host === "string" && hostPattern.test(host)
  return isCountry && Array.isArray(hosts) && hosts.length > 0 && hosts.every(isHost)
}

/** Whether a page is one of the marketplace. */
export const isPageOf = (productUrl: string, { hosts }: GeneralMarketplace): boolean => {
  const hostname = URL.parse(productUrl)?.hostname.replace(/\.$/, "") ?? ""
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
}

/** The marketplace in words: `amazon.com (US)`. */
export const nameOf = ({ country, hosts }: GeneralMarketplace): string =>
  `${hosts.join(" or ")}${country === undefined ? "" : ` (${country})`}`

/** Product code in the path of a general marketplace's page, in upper case. */
export const asinOfUrl = (productUrl: string): string | undefined => {
  const path = URL.parse(productUrl)?.pathname ?? ""
  return /\/(?:dp|gp\/product|gp\/aw\/d)\/([A-Za-z0-9]{10})(?=\/|$)/.exec(path)?.[1]?.toUpperCase()
}

/** The distinct variants in a storefront product's URL. */
export const variantsOfUrl = (productUrl: string): ReadonlyArray<string> => [
  ...new Set(
    URL.parse(productUrl)
      ?.searchParams.getAll("variant")
      .filter((variant) => variant !== "")
  )
]

/** `variant` in a storefront product's URL. */
export const variantOfUrl = (productUrl: string): string | undefined => variantsOfUrl(productUrl)[0]
