import { Schema, SchemaAST } from "effect"
import type { Issue } from "../domain/ApiError.ts"
import type { OtherNames } from "../operations/Operation.ts"
import { closestName } from "../runtime/closestName.ts"
import { isObject } from "../runtime/isObject.ts"

/*
 * Names in an input that its schema doesn't have. Most are ignored: clients add marks of their own. One that stands for a
 * field, or changes what is sold, is a fault, since without it, another thing than the requested one would be sold.
 */

/** The fields of an object, and of the objects in it. */
interface Level {
  readonly names: ReadonlySet<string>
  readonly below: ReadonlyMap<string, Level>
}

/** `undefined` for a schema that takes names of any kind, or that is no object. */
const levelOf = (ast: SchemaAST.AST): Level | undefined => {
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return undefined
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    level: levelOf(type)
  }))
  const below = fields.flatMap(({ level, name }) => (level === undefined ? [] : ([[name, level]] as const)))
  return { names: new Set(fields.map(({ name }) => name)), below: new Map(below) }
}

/** Names without differences in case and separators: `max_price` is `maxPrice`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9.]/g, "")

/** The words of a name in one order: `priceMax` has those of `max_price`. */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .toSorted()
    .join(" ")

/** A shorter name resembles too many others; a longer one is no slip. */
const comparedLength = { min: 3, max: 32 }
/** Shorter beginnings are words of their own: `ship` isn't `shipDate`. */
const minAbbreviation = 5
/** Names of one object that are compared with its fields. Those that a list names are always found. */
const maxCompared = 20

/** Whether a name is a field with a word of its own: `contextId` isn't a misspelt `context`. */
const addsWord = (name: string, field: string): boolean =>
  name.startsWith(field) && /^[^a-z0-9]/.test(name.slice(field.length))

/** The field that an unknown name most likely misspells or abbreviates. */
const meantBy = (name: string, fields: ReadonlyArray<string>): string | undefined => {
  const same = fields.find((field) => plain(field) === plain(name) || wordsOf(field) === wordsOf(name))
  if (same !== undefined || name.length < comparedLength.min || name.length > comparedLength.max) return same
  const comparable = fields.filter((field) => field.length >= comparedLength.min && !addsWord(name, field))
  const close = closestName(name, comparable, Math.min(2, Math.floor(name.length / 3)))
  const isBeginning = (field: string) =>
    name.length >= minAbbreviation && plain(field).startsWith(plain(name))
  return close ?? fields.find(isBeginning)
}

/** What is said of a name in strict mode; one of another form isn't repeated. */
const unknownField = (path: string): Issue => {
  const isName = /^[\w.-]{1,64}$/.test(path)
  return isName
    ? { path, message: "is not a field of this request" }
    : { path: "", message: "has a field that this request doesn't have" }
}

const didYouMean = (path: string, field: string): Issue => ({
  path,
  message: `is not a field of this request: did you mean ${field}?`
})

/** The other names of an operation's fields, by their plain form: the field, or the fault. */
const listed = ({ names = {}, notOffered = {} }: OtherNames) => ({
  meant: new Map(
    Object.entries(names).flatMap(([field, others]) => others.map((name) => [plain(name), field] as const))
  ),
  faults: new Map(Object.entries(notOffered).map(([name, fault]) => [plain(name), fault] as const))
})

/** Finds the faulty names of an input. */
export type FindUnknown = (input: object) => ReadonlyArray<Issue>

const noFaults: FindUnknown = () => []

type Fields = Readonly<Record<string, unknown>>

/** The value at a path of names, if there is one. */
const isGiven = (input: Fields, path: string): boolean => {
  let value: unknown = input
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return false
    value = value[name]
  }
  return true
}

/**
 * Makes the search for faulty names in inputs of a schema. A name isn't taken for a field that is sent as well: it says
 * something else then. `refuseUnknown`: every unknown name is faulty.
 */
export const unknownFields = (
  schema: Schema.Top,
  { otherNames = {}, refuseUnknown }: { readonly otherNames?: OtherNames; readonly refuseUnknown: boolean }
): FindUnknown => {
  const root = levelOf(Schema.toEncoded(schema).ast)
  if (root === undefined) return noFaults
  const { faults, meant } = listed(otherNames)

  const faultOf = (name: string, at: string, level: Level, input: Fields, isCompared: boolean) => {
    const path = `${at}${name}`
    const fault = faults.get(plain(path))
    if (fault !== undefined) return { path, message: fault }
    const other = meant.get(plain(path))
    if (other !== undefined) return isGiven(input, other) ? undefined : didYouMean(path, other)
    const close = isCompared ? meantBy(name, [...level.names]) : undefined
    return close === undefined || isGiven(input, `${at}${close}`)
      ? undefined
      : didYouMean(path, `${at}${close}`)
  }

  const search = (given: Fields, at: string, level: Level, input: Fields): ReadonlyArray<Issue> => {
    let compared = 0
    return Object.keys(given).flatMap((name): ReadonlyArray<Issue> => {
      if (level.names.has(name)) {
        const [value, below] = [given[name], level.below.get(name)]
        return below === undefined || !isObject(value) ? [] : search(value, `${at}${name}.`, below, input)
      }
      const fault = faultOf(name, at, level, input, compared++ < maxCompared)
      return fault === undefined ? (refuseUnknown ? [unknownField(`${at}${name}`)] : []) : [fault]
    })
  }
  return (input) => (isObject(input) ? search(input, "", root, input) : [])
}
