import { Schema, SchemaTransformation } from "effect"
import type { Issue } from "../../domain/ApiError.ts"
import { Country } from "./Country.ts"
import { described, Text } from "../../domain/Text.ts"
import { usPostalCodeOf, usStateOf } from "./UnitedStates.ts"

const phoneCharacters = /^[\p{L}\p{Nd}\p{Z}\p{Pd}()（）[\].,/#*:;+＋·]*$/u
const fewestDigits = 4

/** Accepts every plausible phone number, since formats differ between countries; `""` means none. */
const isPhone = (text: string): boolean =>
  text.trim() === "" || (phoneCharacters.test(text) && (text.match(/\p{Nd}/gu) ?? []).length >= fewestDigits)

const fields = {
  /** Name of the recipient, 1 to 200 characters. */
  name: Text({ min: 1, max: 200 }).pipe(described("Name of the recipient.")),
  /** Street and number. */
  line1: Text({ min: 1, max: 200 }).pipe(described("Street and number.")),
  /** Apartment, floor or company. */
  line2: Schema.optionalKey(Text({ max: 200 }).pipe(described("Apartment, floor or company."))),
  /** City or town. */
  city: Text({ min: 1, max: 100 }).pipe(described("City or town.")),
  /** State, province or region; in the United States its two-letter code or its name. */
  state: Text({ min: 1, max: 100 }).pipe(
    described(
      "State, province or region; in the United States its two-letter code or its name. Where a country has none, send the city again."
    )
  ),
  /** Postal code; in the United States a ZIP code or ZIP+4 of the state. */
  postalCode: Text({ min: 1, max: 20 }).pipe(
    described("Postal code; in the United States a ZIP code or ZIP+4 of the state.")
  ),
  /** ISO 3166-1 alpha-2 code. */
  country: Country.pipe(described("Assigned ISO 3166-1 alpha-2 code, such as US.")),
  /** Phone number of the recipient, for the carrier. */
  phone: Schema.optionalKey(
    Text({ max: 30 })
      .check(
        Schema.makeFilter(
          (text: string) => isPhone(text) || "must be a phone number, such as +1 503 555 0100",
          {
            toJsonSchema: () => ({})
          }
        )
      )
      .pipe(described("Phone number of the recipient, for the carrier."))
  )
}

/** Whether a country that was sent is the United States. */
export const isUnitedStates = (country: unknown): boolean =>
  typeof country === "string" && country.toUpperCase() === "US"

/** Whether a field was sent as text, so that further checks apply. */
const isSent = (value: unknown): value is string => typeof value === "string" && value !== ""

/**
 * Faults of an address beyond the format of each field: `state` and `postalCode` in the United States. Addresses in
 * other countries are accepted as sent.
 */
export const addressFaults = (
  sent: Readonly<Partial<Record<"country" | "state" | "postalCode", unknown>>>
): ReadonlyArray<Issue> => {
  const { country, postalCode, state } = sent
  if (!isUnitedStates(country)) return []
  return [
    ...(isSent(state) && usStateOf(state) === undefined
      ? [{ path: "state", message: "must be a US state, district or territory, such as CA, or AA, AE, AP" }]
      : []),
    ...(isSent(postalCode) && usPostalCodeOf(postalCode) === undefined
      ? [{ path: "postalCode", message: "must be a US ZIP code, such as 97201 or 97201-1234" }]
      : [])
  ]
}

const Sent = Schema.Struct(fields)
  .check(
    Schema.makeFilter(
      (address) => addressFaults(address).map(({ message, path }) => ({ path: [path], issue: message })),
      // Without it, documents leave out the description as well.
      { toJsonSchema: () => ({}) }
    )
  )
  .annotate({ identifier: "ShippingAddress", description: "Where the product is delivered." })

/**
 * The address that an order is delivered to. Names, lines and cities may use any script. The country exists, and is in
 * upper case once decoded. In the United States `state` becomes its two-letter code (`Oregon` → `OR`) and `postalCode`
 * a standard ZIP code or ZIP+4, as upstreams expect; elsewhere both are kept as sent.
 */
export const ShippingAddress = Sent.pipe(
  Schema.decodeTo(
    Schema.toType(Schema.Struct(fields)),
    SchemaTransformation.transform({
      decode: (address) =>
        isUnitedStates(address.country)
          ? {
              ...address,
              state: usStateOf(address.state) ?? address.state,
              postalCode: usPostalCodeOf(address.postalCode) ?? address.postalCode
            }
          : address,
      encode: (address) => address
    })
  )
)
export type ShippingAddress = typeof ShippingAddress.Type
