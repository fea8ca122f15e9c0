import { Schema, SchemaTransformation } from "effect"

/**
 * Text that a caller sends: bounded in code points, well-formed Unicode (no lone surrogates), and without control
 * characters, which don't belong in names or queries and cause trouble in logs, mails and upstream requests.
 *
 * `multiline` admits tab, line feed and carriage return.
 */
export const Text = (options: {
  readonly min?: number
  readonly max: number
  readonly multiline?: boolean
}) => {
  const { max, min = 0, multiline = false } = options
  return Schema.String.pipe(
    Schema.check(
      Schema.isMinCodePoints(min, {
        message: min === 1 ? "must not be empty" : `must have at least ${min} characters`
      }),
      Schema.isMaxCodePoints(max, { message: `must have at most ${max} characters` }),
      Schema.makeFilter((value: string) =>
        (multiline ? controlsButWhitespace : controls).test(value)
          ? "must not contain control characters"
          : value.isWellFormed() || "must be well-formed Unicode"
      )
    )
  )
}

/** Text of white space and invisible characters alone says nothing. */
export const notBlank = Schema.makeFilter(
  (text: string) => /[^\p{Z}\p{Cc}\p{Cf}]/u.test(text) || "must not be blank"
)

// eslint-disable-next-line no-control-regex -- the pattern searches for control characters
const controls = /[\u0000-\u001f\u007f-\u009f]/u
// eslint-disable-next-line no-control-regex -- the pattern searches for control characters
const controlsButWhitespace = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u

/**
 * A decimal number in a query string: digits with an optional fraction. Rejects exponents, hexadecimal, plus signs and
 * white space.
 */
export const NumberText = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^-?\d{1,12}(?:\.\d{1,12})?$/u, { message: "must be a number" }))
)

/** A whole number as it stands in a query string. */
export const IntegerText = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^-?\d{1,12}$/u, { message: "must be a whole number" }))
)

/** A whole number, from its text in a query string. */
export const IntegerInQuery = IntegerText.pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)

/** Canonical UUID text, any version, either case. */
export const Uuid = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u, {
      message: "must be a UUID"
    })
  )
)

/** ISO 3166-1 alpha-2 country code: two letters, in upper case once decoded. */
export const CountryCode = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[A-Za-z]{2}$/u, { message: "must be a two-letter ISO 3166-1 alpha-2 country code" })
  ),
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (code: string) => code.toUpperCase(), encode: (code) => code })
  )
)

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Escapes text for use between tags of HTML, or in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character]!)
