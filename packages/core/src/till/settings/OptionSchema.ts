import { accidentIn } from "../../domain/Accident.ts"
import {
  type Duration,
  Effect,
  Layer,
  Option,
  Result,
  Schema,
  type SchemaAST,
  SchemaGetter,
  SchemaIssue
} from "effect"
import { type DecimalText, parseAtomic } from "../../domain/Money.ts"
import { closestName } from "../../runtime/closestName.ts"
import { isAsyncFunction } from "../../runtime/isAsyncFunction.ts"
import { millisOf } from "../../runtime/millisOf.ts"
import { isObject } from "../../runtime/isObject.ts"

/*
 * What options are made of. Each is an Effect schema: it reads what the host gave, `undefined` included, into the
 * setting of the same name, and carries its bounds as an annotation.
 */

/** What the documents, and the environment, need to know about an option. */
export type OptionNotes =
  | {
      readonly kind: "number"
      readonly unit: string
      readonly minimum: number
      readonly maximum: number
      readonly default: number | undefined
    }
  | { readonly kind: "dollars"; readonly default: DecimalText; readonly minimum: "zero" | "above zero" }
  | { readonly kind: "text"; readonly minimumLength: number; readonly maximumLength: number | undefined }
  | { readonly kind: "path"; readonly default: string }
  | { readonly kind: "boolean"; readonly default: boolean }
  | { readonly kind: "group"; readonly fields: OptionFields }
  | { readonly kind: "other" }

/** The notes of an option. */
export const notesOf = ({ annotations }: SchemaAST.AST): OptionNotes =>
  (annotations?.["till402"] as OptionNotes | undefined) ?? { kind: "other" }

/** Stands for the value of an option that is wrong. */
const failed = Symbol("failed")
export type Failed = typeof failed

/** Finds all faults, unknown names among them. */
export const readAll: SchemaAST.ParseOptions = { errors: "all", onExcessProperty: "error" }

/** Collects what is wrong with one option. */
export class Faults {
  readonly issues: Array<SchemaIssue.Issue> = []

  /**
   * Reports a fault of the option, or of its member at `path`. The name is put before `text`: "must be …", or ": …". Never
   * quote a secret in it.
   */
  add(text: string, ...path: ReadonlyArray<PropertyKey>): Failed {
    this.issues.push(new SchemaIssue.Pointer(path, new SchemaIssue.InvalidValue({ message: text })))
    return failed
  }

  /** Reports a value other than `expected`. The message quotes the value: never use it for secrets. */
  wrong(expected: string, given: unknown, ...path: ReadonlyArray<PropertyKey>): Failed {
    const state = given === undefined ? "it is not set" : `got ${shown(given)}`
    return this.add(`must be ${expected}: ${state}`, ...path)
  }

  /** Reads a value, or the member at `path`, by a schema of its own. */
  read<A>(
    schema: Schema.ConstraintDecoder<A>,
    given: unknown,
    ...path: ReadonlyArray<PropertyKey>
  ): A | Failed {
    const result = Schema.decodeUnknownResult(schema, readAll)(given)
    if (Result.isSuccess(result)) return result.success
    this.issues.push(new SchemaIssue.Pointer(path, result.failure.issue))
    return failed
  }
}

/** Whether a value could be read. */
export const isRead = <A>(value: A | Failed): value is A => value !== failed

const anything = <A>() => Schema.declare((_given: unknown): _given is A => true)

/** An option: hosts give it as `Given`, and it is read as `Read`. Its faults are collected, never thrown. */
export const option = <Given, Read = Given>(
  read: (given: unknown, faults: Faults) => Read | Failed,
  notes: OptionNotes = { kind: "other" }
) => {
  const setting = anything<Read>().annotate({ till402: notes })
  return Schema.optionalKey(anything<Given>()).pipe(
    Schema.decodeTo(setting, {
      decode: SchemaGetter.transformOptionalEffect((given: Option.Option<unknown>) => {
        const faults = new Faults()
        const value = read(Option.getOrUndefined(given), faults)
        const [first, ...others] = faults.issues
        return first === undefined && isRead(value)
          ? Effect.succeedSome(value)
          : Effect.fail(
              new SchemaIssue.Composite(setting.ast, [first ?? new SchemaIssue.InvalidValue(), ...others])
            )
      }),
      encode: SchemaGetter.forbidden(() => "options are only read")
    })
  )
}

// eslint-disable-next-line typescript/no-explicit-any -- what an option is read as is its own
type OptionOf<Given> = ReturnType<typeof option<Given, any>>

/** The schemas of all options of a type: TypeScript reports one that is missing, or is of another type. */
export type OptionsOf<Options> = {
  readonly [Name in keyof Options]-?: OptionOf<Exclude<Options[Name], undefined>>
}

/** The options of a group, by their names. */
// eslint-disable-next-line typescript/no-explicit-any -- of any type
export type OptionFields = Readonly<Record<string, OptionOf<any>>>

const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

const timeUnits = [
  [day, "day"],
  [hour, "hour"],
  [minute, "minute"],
  [second, "second"]
] as const

/** Milliseconds in the largest unit that divides them: `90 days`. */
export const durationText = (millis: number): string | undefined => {
  const [size, name] = timeUnits.find(([each]) => millis >= each && millis % each === 0) ?? []
  if (size === undefined) return undefined
  const count = millis / size
  return `${count} ${name}${count === 1 ? "" : "s"}`
}

/** A number in a message: `86400000 (1 day)`. */
export const boundText = (value: number, unit: string): string => {
  const duration = unit === "milliseconds" ? durationText(value) : undefined
  return duration === undefined ? String(value) : `${value} (${duration})`
}

/** Whether a value is a whole number within bounds, both included. */
export const isWholeNumber = (given: unknown, minimum: number, maximum: number): given is number =>
  typeof given === "number" && Number.isInteger(given) && given >= minimum && given <= maximum

/** A whole number within bounds, both included, as `read` makes it of what the host gave. */
const numberOf = <Given, const Default extends number | undefined>(
  read: (given: unknown) => unknown,
  notes: Extract<OptionNotes, { readonly kind: "number" }> & { readonly default: Default }
) => {
  const { default: fallback, maximum, minimum, unit } = notes
  const expected = `a whole number of ${unit} from ${boundText(minimum, unit)} to ${boundText(maximum, unit)}`
  return option<Given, number | Default>((given, faults) => {
    if (given === undefined) return fallback
    const value = read(given)
    return isWholeNumber(value, minimum, maximum) ? value : faults.wrong(expected, given)
  }, notes)
}

/** A whole number within bounds, both included; without a default, it may be left out. */
export const number = <const Default extends number | undefined>(
  unit: string,
  fallback: Default,
  minimum: number,
  maximum: number
) =>
  numberOf<number, Default>((given) => given, { kind: "number", unit, minimum, maximum, default: fallback })

/** A time in milliseconds, or another form of a duration. */
export const millis = (fallback: number, minimum: number, maximum: number) =>
  numberOf<Duration.Input, number>(millisOf, {
    kind: "number",
    unit: "milliseconds",
    minimum,
    maximum,
    default: fallback
  })

/** An amount, as decimal text; read as atomic units. Zero, where it is allowed, turns the feature off. */
export const dollars = (fallback: DecimalText, minimum: "zero" | "above zero" = "zero") => {
  const expected = `a decimal text${minimum === "zero" ? "" : " above zero"} in dollars, e.g. "${fallback}"`
  return option<DecimalText, bigint>(
    (given, faults) => {
      const atomic = parseAtomic(typeof given === "string" ? given : given === undefined ? fallback : "")
      const isRight = atomic !== undefined && (atomic > 0n || minimum === "zero")
      return isRight ? atomic : faults.wrong(expected, given)
    },
    { kind: "dollars", default: fallback, minimum }
  )
}

export const isMountPath = (path: unknown): path is string =>
  typeof path === "string" && /^(?:\/[A-Za-z0-9._~-]+)+$/.test(path) && !path.startsWith("/x402/")

/** A path below the mount, or `false`. */
export const mountPath = (fallback: string) =>
  option<string | false, string | undefined>(
    (given = fallback, faults) => {
      if (given === false) return undefined
      return isMountPath(given)
        ? given
        : faults.wrong(`a path such as ${fallback}, outside /x402, or false`, given)
    },
    { kind: "path", default: fallback }
  )

export const flag = (fallback: boolean) =>
  option<boolean>(
    (given = fallback, faults) => (typeof given === "boolean" ? given : faults.wrong("true or false", given)),
    { kind: "boolean", default: fallback }
  )

/** A value that may be left out. */
export const optional = <Given>(expected: string, is: (given: unknown) => boolean) =>
  option<Given, Given | undefined>((given, faults) =>
    given === undefined || is(given) ? (given as Given | undefined) : faults.wrong(expected, given)
  )

/** A function of the host. */
export const callback = <F>(expected: string) => optional<F>(expected, (given) => typeof given === "function")

/** A value of the host that `check` reads, if there is one. It is used as it is. */
export const checked = <Given>(check: (given: unknown, faults: Faults) => unknown) =>
  option<Given, unknown>((given, faults) => {
    if (given !== undefined) check(given, faults)
    return given
  })

/** An object of options; without it, they have their defaults. */
export const group = <const Fields extends OptionFields>(
  fields: Fields,
  expected = `an object with any of ${Object.keys(fields).join(", ")}`
) => {
  const struct = Schema.Struct(fields)
  return option<typeof struct.Encoded, typeof struct.Type>(
    (given = {}, faults) => (isObject(given) ? faults.read(struct, given) : faults.wrong(expected, given)),
    { kind: "group", fields }
  )
}

/** What a member of a port must be. */
type Member = "method" | "optional method" | "any" | Schema.ConstraintDecoder<unknown>

/** Every member of a port: TypeScript keeps the lists complete. */
export type PortMembers<Port> = { readonly [Name in keyof Port]-?: Member }

/** Hosts may add members to ports, so only near misses are reported. */
const maxPortEdits = 2

const memberOf = (port: unknown, name: string): unknown =>
  (typeof port === "object" && port !== null) || typeof port === "function"
    ? Reflect.get(port, name)
    : undefined

/** How the methods of a port are written: as async functions, or as functions that return effects. */
export interface MethodKind {
  readonly example: string
  /** What to do with async functions that should return effects; `undefined`: they are right. */
  readonly promiseCure?: string
}

const asyncMethods: MethodKind = { example: "async (…) => …" }

/** Reports a port that lacks a method or misspells one. Ignores members that it doesn't know. */
export const checkPort = (
  port: string,
  given: unknown,
  members: Readonly<Record<string, Member>>,
  faults: Faults,
  { example, promiseCure }: MethodKind = asyncMethods
): void => {
  const known = Object.keys(members)
  const methods = known.filter((name) => members[name] === "method")
  const such = `{ ${methods.map((name) => `${name}: ${example}`).join(", ")} }`
  const isMissingMethods = methods.some((name) => typeof memberOf(given, name) !== "function")
  // A mock may seem to be anything, and has every method.
  if (isMissingMethods && (given instanceof Promise || Layer.isLayer(given))) {
    const what = given instanceof Promise ? "promise. Await it" : "layer. Layers are provided to Till.layer"
    faults.add(`must be an object of functions: it is a ${what}`)
    return
  }
  const isCallable =
    typeof given === "function" && methods.every((name) => memberOf(given, name) !== undefined)
  if (!isObject(given) && !isCallable) {
    faults.wrong(`an object with ${methods.join(" and ")}, such as ${such}`, given)
    return
  }
  const missing = known.filter((name) => memberOf(given, name) === undefined)
  const misspelled = new Set<string>()
  for (const name of Object.keys(given).filter((each) => !known.includes(each))) {
    const meant = closestName(name, missing, maxPortEdits)
    if (meant === undefined) continue
    misspelled.add(meant)
    faults.add(`has no ${name}: did you mean ${meant}?`)
  }
  for (const [name, member] of Object.entries(members)) {
    const value = memberOf(given, name)
    if (typeof member !== "string") faults.read(member, value, name)
    else if (promiseCure !== undefined && member !== "any" && isAsyncFunction(value))
      faults.add(`is an async function, and must return an Effect: ${promiseCure}`, name)
    else if (member === "any" || typeof value === "function") continue
    else if (value !== undefined) faults.wrong("a function", value, name)
    else if (member === "method" && !misspelled.has(name))
      faults.add(`has no method ${name}: give ${port} an object such as ${such}`)
  }
}

/** A port of the host, which may be left out. */
export const port = <Port>(name: string, members: PortMembers<Port>) =>
  option<Port, unknown>((given, faults) => {
    if (given !== undefined) checkPort(name, given, members, faults)
    return given
  })

const shownLength = 80

/** What is wrong with an address that was made of a variable without a value; `undefined`: nothing. */
export const missingPart = (url: string): string | undefined => {
  const accident = accidentIn(url)
  return accident === undefined
    ? undefined
    : `has "${accident}" in it: the variable that it is made of is not set`
}

/** Formats a value for a message: short, and without the contents of objects. */
export const shown = (value: unknown): string => {
  if (typeof value === "string") {
    return JSON.stringify(value.length > shownLength ? `${value.slice(0, shownLength)}…` : value)
  }
  if (typeof value === "function") return "a function"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}
