/*
 * Lenient readers for fields of an upstream's documents. A field that is missing or of an unexpected type is
 * `null`, so that a change at the upstream affects the field and not the search.
 */

/** An object of a document, unchecked. */
export type Fields = { readonly [name: string]: unknown }

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const maxTextLength = 2_000

/** Text that is not empty, bounded. */
export const textOf = (value: unknown): string | null => {
  const text = typeof value === "string" ? value.trim().slice(0, maxTextLength) : ""
  return text === "" ? null : text
}

/** A number within bounds, also as decimal text, because upstreams send both. */
export const numberOf = (value: unknown, minimum: number, maximum: number): number | null => {
  const number =
    typeof value === "string" && /^\d{1,15}(\.\d{1,10})?$/.test(value.trim()) ? Number(value) : value
  return typeof number === "number" && number >= minimum && number <= maximum ? number : null
}

/** An absolute web address. One that is too long is dropped, because a shortened one would lead elsewhere. */
export const urlOf = (value: unknown): string | null => {
  const text = typeof value === "string" ? value.trim() : ""
  return text.length <= maxTextLength && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null
}

/** A product code of Amazon: ten capitals and digits. */
export const asinOf = (value: unknown): string | null => {
  const text = textOf(value)?.toUpperCase() ?? ""
  return /^[A-Z0-9]{10}$/.test(text) ? text : null
}

/** An ISO 4217 code. */
export const currencyOf = (value: unknown): string | null => {
  const text = textOf(value)?.toUpperCase() ?? ""
  return /^[A-Z]{3}$/.test(text) ? text : null
}

export const priceOf = (value: unknown): number | null => numberOf(value, 0, 1e9)
export const ratingOf = (value: unknown): number | null => numberOf(value, 0, 5)
export const countOf = (value: unknown): number | null => {
  const count = numberOf(value, 0, 1e12)
  return count === null ? null : Math.trunc(count)
}
