/** A carrier as 17TRACK numbers it. */
export interface Carrier {
  /** The tracking provider's numeric code, as in `carrier` of `GET /x402/track`. */
  readonly code: number
  readonly name: string
  readonly homepage: string | null
  /** ISO 3166-1 alpha-2; null for international carriers. */
  readonly country: string | null
}

/** A carrier in the bundled lists: code, name, country, homepage. */
export type CarrierRow = readonly [code: number, name: string, country: string, homepage: string]

export const carrierOfRow = ([code, name, country, homepage]: CarrierRow): Carrier => ({
  code,
  name,
  homepage: homepage === "" ? null : homepage,
  country: country === "" ? null : country
})
