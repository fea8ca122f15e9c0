import type { TrackQuery } from "@till402/core"
import { field, textOrNumber } from "./Document.ts"
import { type CheckedField, checkedFields, type RegistrationTags } from "./RegistrationTag.ts"
import type { ExtraField } from "./Rejection.ts"

/*
 * Further data that a number is registered with. Carriers check a phone number or a postal code before they
 * reveal anything. The provider checks it only at registration, and then returns the shipment to every holder
 * of the key. So the check is repeated here for each caller.
 */

/** A number at a carrier: what the provider registers. */
export interface Subject {
  readonly number: string
  readonly carrier?: number
}

/** An item of `register`, in the provider's names. */
export interface RegisterItem extends Subject {
  readonly lang?: string
  readonly destination_country?: string
  readonly destination_postal_code?: string
  readonly ship_date?: string
  readonly phone_number?: string
  readonly phone_number_last_4?: string
  readonly cpf_or_cnpj?: string
  readonly tag?: string
}

/** A number that the provider shall track at another carrier. */
export interface CarrierChange {
  readonly number: string
  readonly carrier_old: number
  readonly carrier_new: number
}

export interface RegistrationSettings {
  readonly formatDate: FormatDate
  readonly language: string
  readonly tags: RegistrationTags
}

/** Formats a ship date (`YYYY-MM-DD`) for the provider. */
export type FormatDate = (date: string) => string

const digits = (text: string): string => text.replaceAll(/\D/g, "")
const alphanumeric = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")

/** Carriers require the last four digits or the whole number, so both are sent. */
const phoneFields = (phone: string): Pick<RegisterItem, "phone_number" | "phone_number_last_4"> => {
  const all = digits(phone)
  return all.length <= 4
    ? { phone_number_last_4: all }
    : { phone_number: phone, phone_number_last_4: all.slice(-4) }
}

export const subjectOf = ({ carrier, number }: TrackQuery): Subject =>
  carrier === undefined ? { number } : { number, carrier }

/**
 * The registration of a query, with only the given fields. Fields that the carrier doesn't require are not
 * disclosed, and don't exclude later callers who lack them.
 */
export const registerItem = (
  query: TrackQuery,
  fields: ReadonlySet<ExtraField>,
  { formatDate, language, tags }: RegistrationSettings
): RegisterItem => {
  const given = (name: ExtraField): string | undefined => (fields.has(name) ? query[name] : undefined)
  const [country, postalCode, date, phone, taxId] = [
    given("destinationCountry"),
    given("destinationPostalCode"),
    given("shipDate"),
    given("phone"),
    given("cpfOrCnpj")
  ]
  const tag = tags.write({ destinationPostalCode: postalCode, shipDate: date, phone, cpfOrCnpj: taxId })
  return {
    ...subjectOf(query),
    lang: language,
    ...(country === undefined ? {} : { destination_country: country.toUpperCase() }),
    ...(postalCode === undefined ? {} : { destination_postal_code: postalCode }),
    ...(date === undefined ? {} : { ship_date: formatDate(date) }),
    ...(phone === undefined ? {} : phoneFields(phone)),
    ...(taxId === undefined ? {} : { cpf_or_cnpj: digits(taxId) }),
    ...(tag === undefined ? {} : { tag })
  }
}

/** How a query compares with the data that its number is registered with. */
export type RegistrationMatch =
  | { readonly _tag: "Same" }
  /** The registration has a field that the query lacks. */
  | { readonly _tag: "Lacks"; readonly field: ExtraField }
  /** Both have a field, and differ in it. */
  | { readonly _tag: "Differs" }
  /** The query has a tax id, which no error requests, and the registration has none. */
  | { readonly _tag: "Adds" }

/**
 * Whether two phone numbers are the same: the shorter one ends the longer one, ignoring leading zeros and
 * country codes. At least four digits must match.
 */
const isSamePhone = (registered: string, given: string): boolean => {
  const [a, b] = [digits(registered).replace(/^0+/, ""), digits(given).replace(/^0+/, "")]
  if (a.length < 4 || b.length < 4) return a === b
  return a.length <= b.length ? b.endsWith(a) : a.endsWith(b)
}

interface Check {
  readonly field: CheckedField
  readonly registered: string | null
  readonly isSame: (registered: string, given: string) => boolean
}

const checksOf = (item: unknown): ReadonlyArray<Check> => {
  const registered = (name: string): string | null => textOrNumber(field(item, name), 200)
  const sameText = (a: string, b: string) => alphanumeric(a) === alphanumeric(b)
  const sameDigits = (a: string, b: string) => digits(a) === digits(b)
  // The provider may echo a date with a time of day.
  const sameDay = (a: string, b: string) => digits(a).slice(0, 8) === digits(b)
  return [
    { field: "destinationPostalCode", registered: registered("destination_postal_code"), isSame: sameText },
    {
      field: "phone",
      registered: registered("phone_number") ?? registered("phone_number_last_4"),
      isSame: isSamePhone
    },
    { field: "shipDate", registered: registered("ship_date"), isSame: sameDay },
    { field: "cpfOrCnpj", registered: registered("cpf_or_cnpj"), isSame: sameDigits }
  ]
}

/** Whether an echoed value can be compared: a carrier may hide it, as in `****1234`. */
const isWhole = (name: CheckedField, value: string): boolean =>
  name === "phone" ? digits(value).length > 4 && !value.includes("*") : false

/**
 * Compares queries with the registration in an item of the provider's response. Doesn't retain the item.
 *
 * A field in the tag is compared with it, whatever the provider returns of the field; of a phone number, the tag has
 * the last digits only, so a whole number in the response is compared too.
 */
export const matcherFor = (
  item: unknown,
  tags: RegistrationTags
): ((query: TrackQuery) => RegistrationMatch) => {
  const checks = checksOf(item)
  const tag = textOrNumber(field(item, "tag"), 200)
  return (query) => {
    const results = checks.map(({ field: name, isSame, registered }) => {
      const given = query[name]
      const byTag = tags.check(tag, name, given)
      if (byTag === undefined && registered === null) {
        return name === "cpfOrCnpj" && given !== undefined ? ("adds" as const) : ("same" as const)
      }
      if (given === undefined) return name
      const comparesEcho = registered !== null && (byTag === undefined || isWhole(name, registered))
      const isEqual = byTag !== false && (!comparesEcho || isSame(registered, given))
      return isEqual ? ("same" as const) : ("differs" as const)
    })
    const lacking = checkedFields.find((name) => results.includes(name))
    if (lacking !== undefined) return { _tag: "Lacks", field: lacking }
    if (results.includes("differs")) return { _tag: "Differs" }
    return results.includes("adds") ? { _tag: "Adds" } : { _tag: "Same" }
  }
}
