import { Effect, Result, Schema, SchemaIssue, Struct } from "effect"
import { compiled } from "../runtime/compiled.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"

/*
 * Checks what a host's function returns once, at the boundary, so that a faulty upstream never breaks the shape of a
 * response.
 */

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const issuesNamed = 5

/** What a price or a count in quotes looks like: any other text may be a name, an address or a token. */
const numeric = /^-?[$€£]?\d{1,12}(?:[.,]\d{1,6})?%?$/

/** A plain value as `describe` shows it: `, got "349" (text)`; of other text only that it is text. */
const got = (value: unknown): string => {
  if (value === null) return ", got null"
  if (typeof value === "number" || typeof value === "boolean") return `, got ${value}`
  if (typeof value !== "string") return ""
  return numeric.test(value) ? `, got ${JSON.stringify(value)} (text)` : ", got text"
}

const partOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined

/** Lists the first five faults: `products.0.price: Expected number, got "349" (text)`. */
const describe = (issue: SchemaIssue.Issue, response: unknown): string => {
  const { issues } = issuesOf(issue)
  const named = issues.slice(0, issuesNamed).map(({ message, path = [] }) => {
    const text = message.replaceAll(/\s+/g, " ")
    const parts = path.map((key) => (typeof key === "object" ? key.key : key))
    const keys = parts.map(String).join(".")
    const value = /^Expected (?:number|string|boolean)/.test(text) ? got(parts.reduce(partOf, response)) : ""
    return keys === "" ? text : `${keys}: ${text}${/, got /.test(text) ? "" : value}`
  })
  return issues.length > issuesNamed ? `${named.join("; ")}; …` : named.join("; ")
}

/**
 * Makes a reader of responses of one shape. Drops unknown fields; its error names the first five faults. `lenient` is
 * tried if the strict shape doesn't fit: defaults can't be decoded by generated code.
 */
export const responseReader = <A>(
  schema: Schema.Decoder<A>,
  lenient: Schema.Decoder<A> = schema
): ((response: unknown) => Effect.Effect<A, MalformedResponse>) => {
  const decodeRight = Schema.decodeUnknownResult(compiled(schema))
  const decode = Schema.decodeUnknownResult(lenient, { errors: "all" })
  return (response) => {
    const right = decodeRight(response)
    if (Result.isSuccess(right)) return Effect.succeed(right.success)
    // Collecting every fault takes several times as long, so it happens only for a malformed response.
    const decoded = decode(response)
    return Result.isSuccess(decoded)
      ? Effect.succeed(decoded.success)
      : Effect.fail(new MalformedResponse({ message: describe(decoded.failure.issue, response) }))
  }
}

interface NullByDefault extends Struct.Lambda {
  <S extends Schema.Constraint>(field: S): S | Schema.withDecodingDefault<S>
  readonly "~lambda.out": this["~lambda.in"] extends Schema.Constraint
    ? null extends this["~lambda.in"]["Type"]
      ? Schema.withDecodingDefault<this["~lambda.in"]>
      : this["~lambda.in"]
    : never
}

const nullByDefault = Struct.lambda<NullByDefault>((field) =>
  Schema.is(field)(null) ? Schema.withDecodingDefault<typeof field>(Effect.succeed(null))(field) : field
)

/** The same shape, where a nullable field may also be missing or undefined and is then read as null. */
export const missingAsNull = <F extends Schema.Struct.Fields>(struct: Schema.Struct<F>) =>
  struct.mapFields(Struct.map(nullByDefault))
