/*
 * Fields of an upstream's listing, read kindly: what is missing, null or of another kind than documented
 * is `null`, so that an upstream's new habit costs a field and never the search.
 */

/** A document's object as it came. */
export type Fields = { readonly [name: string]: unknown }

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const maxTextLength = 2_000

/** Text with something in it, bounded. */
export const textOf = (value: unknown): string | null => {
  const text = typeof value === "string" ? value.trim().slice(0, maxTextLength) : ""
  return text === "" ? null : text
}

/** A finite number within bounds; decimal text counts as one, since upstreams send both. */
export const numberOf = (value: unknown, minimum: number, maximum: number): number | null => {
  const number =
    typeof value === "string" && /^\d{1,15}(\.\d{1,10})?$/.test(value.trim()) ? Number(value) : value
  return typeof number === "number" && number >= minimum && number <= maximum ? number : null
}

/** An absolute web address; one that is too long is none, since cut short it would lead elsewhere. */
export const urlOf = (value: unknown): string | null => {
  const text = typeof value === "string" ? value.trim() : ""
  return text.length <= maxTextLength && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null
}

/** A code of Amazon's catalogue: ten capitals and digits. */
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
