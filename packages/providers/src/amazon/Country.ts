/*
 * Amazon's shops. A shop's prices are in its own currency; price filters of a till are in US dollars.
 */

/** A country with its own shop, named as in Canopy's `domain` parameter. */
export type AmazonCountry = keyof typeof shops

interface Shop {
  readonly host: string
  /** ISO 4217; the currency of prices listed without one. */
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
  PL: { host: "amazon.pl", currency: "PLN" },
  ES: { host: "amazon.es", currency: "EUR" },
  IN: { host: "amazon.in", currency: "INR" },
  JP: { host: "amazon.co.jp", currency: "JPY" },
  AU: { host: "amazon.com.au", currency: "AUD" }
} as const satisfies Record<string, Shop>

/** Every country, the United States first. */
export const amazonCountries = Object.keys(shops) as [AmazonCountry, ...Array<AmazonCountry>]

export const shopOf = (country: AmazonCountry): Shop => shops[country]
