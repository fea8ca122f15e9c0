import { Config, Option, Schema } from "effect"
import { closestName } from "../../runtime/closestName.ts"

/*
 * Variables that look like settings, and that nothing reads: behind a misspelled name, a price silently keeps its default.
 */

type Path = ReadonlyArray<string>

/** The names at the top that may hold variables; others are never read. */
const Root = Schema.Record(Schema.TemplateLiteral(["TILL", Schema.String]), Schema.UndefinedOr(Schema.String))
const Names = Schema.Record(Schema.String, Schema.UndefinedOr(Schema.String))

/** The variables below a path; a source that can't list its names has none. */
const below = (path: Path): Config.Config<ReadonlyArray<string>> =>
  Config.schema(path.length === 0 ? Root : Names, path).pipe(
    Config.orElse(() => Config.succeed<Readonly<Record<string, string | undefined>>>({})),
    Config.flatMap((values) =>
      Config.all(
        Object.entries(values).map(([key, value]) => {
          const name = [...path, key]
          return Config.map(below(name), (others) =>
            value === undefined ? others : [name.join("_"), ...others]
          )
        })
      )
    ),
    Config.map((names) => names.flat())
  )

/**
 * The names of the variables that begin with `TILL_`. An environment doesn't list those that end in a number, so others
 * that may be set are `suspected`.
 */
export const givenVariables = (suspected: ReadonlyArray<string>): Config.Config<ReadonlyArray<string>> =>
  Config.map(
    Config.all([below([]), Config.all(suspected.map((name) => Config.option(Config.String(name))))]),
    ([names, values]) => [
      ...new Set([
        ...names.filter((name) => name.startsWith("TILL_")),
        ...suspected.filter((_, index) => Option.isSome(values[index] ?? Option.none()))
      ])
    ]
  )

/** A variable that nothing reads. */
export interface UnreadVariable {
  readonly name: string
  /** What the host probably meant. */
  readonly meant: string | undefined
  /** It is another spelling of a variable that isn't set. */
  readonly isMisspelled: boolean
}

const maxEdits = 2

/** Hosts number variables of their own: `TILL_SECRET_2` isn't `TILL_SECRET_ID`. */
const mayDiffer = (part: string): boolean => part.length > 2 && !/\d/.test(part)

/** The words of a name in alphabetical order, in the singular: `TILL_TRACK_PRICE` has those of `TILL_PRICES_TRACK`. */
const wordsOf = (name: string): string =>
  name
    .split("_")
    .map((part) => part.replace(/S$/, ""))
    .toSorted()
    .join("_")

const isSpelling = (given: string, name: string): boolean => {
  if (given.replaceAll("_", "") === name.replaceAll("_", "") || wordsOf(given) === wordsOf(name)) return true
  const parts = given.split("_")
  const others = name.split("_")
  return (
    closestName(given, [name], maxEdits) !== undefined &&
    parts.length === others.length &&
    parts.every(
      (part, index) => part === others[index] || (mayDiffer(part) && mayDiffer(others[index] ?? ""))
    )
  )
}

/** Whether a name leaves out parts of another, in the same order: `TILL_RPC_BASE` of `TILL_RPC_URL_BASE`. */
const isShortened = (given: string, name: string): boolean => {
  const parts = given.split("_")
  let matched = 0
  for (const part of name.split("_")) if (part === parts[matched]) matched++
  return matched === parts.length
}

/**
 * Returns the given variables that aren't `known`. `aliases` has other names of variables, which aren't read either. Pure.
 */
export const unreadVariables = (
  given: ReadonlyArray<string>,
  known: ReadonlySet<string>,
  aliases: ReadonlyMap<string, string>
): ReadonlyArray<UnreadVariable> => {
  const missing = [...known].filter((name) => !given.includes(name))
  return given
    .filter((name) => !known.has(name))
    .map((name) => {
      const alias = missing.find((each) => each === aliases.get(name))
      const meant = alias ?? missing.find((each) => isSpelling(name, each))
      const shortened =
        missing.find((each) => each.startsWith(`${name}_`)) ?? missing.find((each) => isShortened(name, each))
      const hint = meant ?? shortened ?? closestName(name, missing)
      return { name, meant: hint, isMisspelled: meant !== undefined }
    })
}
