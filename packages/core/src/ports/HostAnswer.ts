import { Data, Effect, Result, Schema, SchemaIssue } from "effect"
import { compiled } from "../compiled.ts"

/*
 * What a host's plain function answers is checked once, here at the boundary, so that a bad upstream
 * never breaks the shape of a response.
 */

/** An answer that does not have the port's shape. `message` names the fields, never their values. */
export class MalformedAnswer extends Data.TaggedError("MalformedAnswer")<{ readonly message: string }> {}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const issuesNamed = 5

/** `products.0.title: Expected string`, one for each fault, the first five. */
const describe = (issue: SchemaIssue.Issue): string => {
  const { issues } = issuesOf(issue)
  const named = issues.slice(0, issuesNamed).map(({ message, path = [] }) => {
    const text = message.replaceAll(/\s+/g, " ")
    const keys = path.map((key) => String(typeof key === "object" ? key.key : key)).join(".")
    return keys === "" ? text : `${keys}: ${text}`
  })
  return issues.length > issuesNamed ? `${named.join("; ")}; …` : named.join("; ")
}

/**
 * A reader of answers of one shape: fields that the shape does not know are dropped, every fault is
 * named in the one failure. `kinder` is tried where the strict shape does not fit, which is rare and
 * costs several times as much.
 */
export const answerReader = <S extends Schema.Decoder<unknown>>(
  schema: S,
  kinder?: Schema.Decoder<S["Type"]>
): ((answer: unknown) => Effect.Effect<S["Type"], MalformedAnswer>) => {
  const decode = Schema.decodeUnknownResult(compiled(schema))
  const decodeKindly = Schema.decodeUnknownResult(kinder ?? schema, { errors: "all" })
  return (answer) => {
    const strict = decode(answer)
    if (Result.isSuccess(strict)) return Effect.succeed(strict.success)
    const decoded = decodeKindly(answer)
    return Result.isSuccess(decoded)
      ? Effect.succeed(decoded.success as S["Type"])
      : Effect.fail(new MalformedAnswer({ message: describe(decoded.failure.issue) }))
  }
}

const mayBeNull = (field: Schema.Constraint): boolean =>
  Schema.is(field as unknown as Schema.Schema<unknown>)(null)

/**
 * The same shape, read more kindly: a field that may be null may be missing or undefined as well, and
 * is read as null.
 */
export const nullWhereMissing = <F extends Schema.Struct.Fields>(
  struct: Schema.Struct<F>
): Schema.Struct<F> =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(struct.fields).map(([name, field]) => [
        name,
        mayBeNull(field)
          ? Schema.withDecodingDefault(Effect.succeed(null))(field as unknown as Schema.NullOr<Schema.String>)
          : field
      ])
    )
  ) as unknown as Schema.Struct<F>
