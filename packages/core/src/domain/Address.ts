import { Schema, SchemaTransformation } from "effect"
import type { Issue } from "./ApiError.ts"
import { Country } from "./Country.ts"
import { Text } from "./Text.ts"
import { usPostalCodeOf, usStateOf } from "./UnitedStates.ts"

const phoneCharacters = /^[\p{L}\p{Nd}\p{Z}\p{Pd}()（）[\].,/#*:;+＋·]*$/u
const fewestDigits = 4

/** Countries write their numbers in many ways; only what can be none is refused. `""` says that there is none. */
const isPhone = (text: string): boolean =>
  text.trim() === "" || (phoneCharacters.test(text) && (text.match(/\p{Nd}/gu) ?? []).length >= fewestDigits)

const fields = {
  name: Text({ min: 1, max: 200 }),
  line1: Text({ min: 1, max: 200 }),
  line2: Schema.optionalKey(Text({ max: 200 })),
  city: Text({ min: 1, max: 100 }),
  state: Text({ min: 1, max: 100 }).annotateKey({
    description: "State, province or region. In the United States its two-letter code or its name."
  }),
  postalCode: Text({ min: 1, max: 20 }).annotateKey({
    description: "In the United States a ZIP code or ZIP+4."
  }),
  country: Country,
  phone: Schema.optionalKey(
    Text({ max: 30 }).check(
      Schema.makeFilter((text: string) => isPhone(text) || "must be a phone number, such as +1 503 555 0100")
    )
  )
}

const isUnitedStates = (country: unknown): boolean =>
  typeof country === "string" && country.toUpperCase() === "US"

/** Whether a field was sent and is text, so that more can be said of it than its schema does. */
const isSent = (value: unknown): value is string => typeof value === "string" && value !== ""

/**
 * Faults of an address, or of what was sent for one, beyond the form of each field: those of `state` and
 * `postalCode` where the country is the United States. Other countries' are taken as they come.
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
    Schema.makeFilter((address) =>
      addressFaults(address).map(({ message, path }) => ({ path: [path], issue: message }))
    )
  )
  .annotate({ identifier: "ShippingAddress" })

/**
 * Where an order goes. Names, lines and cities may be of any script. The country is one that exists, in upper
 * case once decoded. Within the United States `state` becomes its two-letter code (`Oregon` → `OR`) and
 * `postalCode` a ZIP code or ZIP+4 as the post writes it, which is what upstreams take; elsewhere both are kept
 * as they came.
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
