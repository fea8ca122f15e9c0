import { Schema, SchemaTransformation } from "effect"

/** What documents say about a field that callers send, as its JSON Schema has it. */
interface FieldWords {
  readonly default?: Schema.Json
  readonly examples?: ReadonlyArray<Schema.Json>
}

/** Describes a field to callers: by its encoded side, which is what they send. */
export const described = (description: string, words: FieldWords = {}) =>
  Schema.annotateEncoded<Schema.Top>({ description, ...words }) as <S extends Schema.Top>(
    schema: S
  ) => S["Rebuild"]

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
  const text = Schema.String.check(
    Schema.makeFilter((value: string) =>
      (multiline ? controlsButWhitespace : controls).test(value)
        ? "must not contain control characters"
        : value.isWellFormed() || "must be well-formed Unicode"
    ),
    // Last: an annotation belongs to the last check, and documents leave out one that JSON Schema can't express.
    Schema.isMaxCodePoints(max, { message: `must have at most ${max} characters` })
  )
  if (min === 0) return text
  const message = min === 1 ? "must not be empty" : `must have at least ${min} characters`
  return text.check(Schema.isMinCodePoints(min, { message }))
}

/** Text of white space and invisible characters alone says nothing. */
export const notBlank = Schema.makeFilter(
  (text: string) => /[^\p{Z}\p{Cc}\p{Cf}]/u.test(text) || "must not be blank",
  // The part of the rule that every reader of patterns understands.
  { toJsonSchema: () => ({ pattern: "\\S" }) }
)

// eslint-disable-next-line no-control-regex -- the pattern searches for control characters
const controls = /[\u0000-\u001f\u007f-\u009f]/u
// eslint-disable-next-line no-control-regex -- the pattern searches for control characters
const controlsButWhitespace = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u

/**
 * A number, from its text in a query string: digits with an optional fraction. Rejects exponents, hexadecimal, plus signs
 * and white space. Documents show the number.
 */
export const NumberInQuery = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^-?\d{1,12}(?:\.\d{1,12})?$/u, { message: "must be a number" })),
  Schema.decodeTo(Schema.Finite, SchemaTransformation.transform({ decode: Number, encode: String }))
)

/** A whole number, from its text in a query string. Documents show the number. */
export const IntegerInQuery = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^-?\d{1,12}$/u, { message: "must be a whole number" })),
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)

/** Canonical UUID text, any version, either case. */
export const Uuid = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u, {
      message: "must be a UUID"
    })
  ),
  // Says as much as the pattern, and more to a reader.
  Schema.annotate({ format: "uuid" })
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

export const isWeb = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "")

/** The address of a page or picture: one that a browser opens wherever it is read, unlike `/img/lamp.jpg`. */
export const isWebAddress = Schema.makeFilter((text: string) => isWeb(text) || "must be an http(s) URL", {
  toJsonSchema: () => ({ format: "uri" })
})
