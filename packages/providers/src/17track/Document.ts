/*
 * Lenient readers for the provider's documents, which change without notice. A field that is missing or of an
 * unexpected type is null, never a failure.
 */

/** A field of any value. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined

/** A nested field. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown => path.reduce(field, value)

/** Control characters, which are removed from text. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001F\u007F]+/g

/** Text on one line, cut to `maxLength` characters; null if empty. */
export const text = (value: unknown, maxLength = 500): string | null => {
  if (typeof value !== "string") return null
  const line = value.replaceAll(controls, " ").trim()
  if (line === "") return null
  return line.length <= maxLength ? line : line.slice(0, maxLength).toWellFormed()
}

/** Text, or a number as text. */
export const textOrNumber = (value: unknown, maxLength?: number): string | null =>
  typeof value === "number" && Number.isFinite(value) ? String(value) : text(value, maxLength)

/** A number from zero up; null for anything else. */
export const natural = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

/** A carrier's code: a whole number above zero, also as text; null for 0, which means none. */
export const carrierCode = (value: unknown): number | null => {
  const code = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof code === "number" && Number.isSafeInteger(code) && code > 0 ? code : null
}

/** A whole number, also as text. */
export const integer = (value: unknown): number | null => {
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null
}

export const list = (value: unknown, maxLength: number): ReadonlyArray<unknown> =>
  Array.isArray(value) ? (value as ReadonlyArray<unknown>).slice(0, maxLength) : []

/** ISO 3166-1 alpha-2 in capitals. */
export const country = (value: unknown): string | null => {
  const code = text(value)?.toUpperCase() ?? ""
  return /^[A-Z]{2}$/.test(code) ? code : null
}

/** A web address. */
export const webAddress = (value: unknown): string | null => {
  const address = text(value, 2_000)
  return address !== null && /^https?:\/\//i.test(address) && URL.canParse(address) ? address : null
}
