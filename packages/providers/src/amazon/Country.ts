import { ConfigurationError } from "@till402/core"
import { Effect } from "effect"

/*
 * Amazon's shops. Prices of a shop are in its currency; the service's price filters are in US dollars.
 */

/** A country with a shop of its own, as Canopy names its `domain`. */
export type AmazonCountry = keyof typeof shops

interface Shop {
  readonly host: string
  /** ISO 4217: what a price without a currency is in. */
  readonly currency: string
}

const shops = {
  US: { host: "amazon.com", currency: "USD" },
  CA: { host: "amazon.ca", currency: "CAD" },
  MX: { host: "amazon.com.mx", currency: "MXN" },
  BR: { host: "amazon.com.br", currency: "BRL" },
  UK: { host: "amazon.co.uk", currency: "GBP" },
  DE: { host: "amazon.de", currency: "EUR" },
  FR: { host: "amazon.fr", currency: "EUR" },
  IT: { host: "amazon.it", currency: "EUR" },
  ES: { host: "amazon.es", currency: "EUR" },
  IN: { host: "amazon.in", currency: "INR" },
  JP: { host: "amazon.co.jp", currency: "JPY" },
  AU: { host: "amazon.com.au", currency: "AUD" }
} as const satisfies Record<string, Shop>

/** Every country, the United States first. */
export const amazonCountries = Object.keys(shops) as [AmazonCountry, ...Array<AmazonCountry>]

export const shopOf = (country: AmazonCountry): Shop => shops[country]

/** A country out of a host's options, which no compiler may have checked. */
export const countryOf = (
  upstream: string,
  country: AmazonCountry
): Effect.Effect<AmazonCountry, ConfigurationError> =>
  Object.hasOwn(shops, country)
    ? Effect.succeed(country)
    : Effect.fail(
        new ConfigurationError({
          message: `${upstream}: country must be one of ${amazonCountries.join(", ")}`
        })
      )
