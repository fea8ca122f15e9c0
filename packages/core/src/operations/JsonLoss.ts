import { Effect } from "effect"

/*
 * What JSON.stringify leaves out of a value, or writes as null or {}, without an error. A caller must not pay for that.
 */

/** A value that JSON can't hold. */
export interface JsonLoss {
  readonly kind: string
  /** The member that has it; empty for the whole value. */
  readonly name: string
}

const isFunction = (value: unknown): boolean => typeof value === "function"

const tagOf = (value: object): string => Object.prototype.toString.call(value).slice("[object ".length, -1)

/** Plain in any realm: without a prototype, or with one that has none. */
const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const withoutMembers = "object without members that JSON writes"

/** Kinds whose contents are elsewhere than in members. */
const contained =
  /^(?:Error|Map|Set|Weak\w+|Promise|Response|Request|Headers|FormData|URLSearchParams|Blob|File|\w*Stream)$/

/** Nodes of a value that are still to be read, and whether any was data. */
interface Walk {
  readonly waiting: Array<object>
  hasData: boolean
  hasMissing: boolean
}

/** The kind of an object of a class, if JSON keeps none of what matters in it. */
const lostOfClass = (value: object): string | undefined => {
  if (value instanceof Error) return "Error"
  if (Effect.isEffect(value)) return "Effect"
  const { getReader, on, pipe, then } = value as Record<string, unknown>
  // A query or promise that nobody awaited: its members are settings, even passwords.
  if (isFunction(then)) return value instanceof Promise ? "Promise" : "thenable"
  // `pipe` alone is that of Effect's values.
  const isStream =
    isFunction((value as AsyncIterable<unknown>)[Symbol.asyncIterator]) || isFunction(getReader)
  if (isStream || (isFunction(pipe) && isFunction(on))) return "stream"
  return value instanceof Date && Number.isNaN(value.getTime()) ? "invalid Date" : undefined
}

/** Reads the members of an object of which JSON writes members. */
const walkMembers = (value: object, walk: Walk): JsonLoss | undefined => {
  if (Array.isArray(value)) {
    walk.hasData ||= value.length === 0
    for (const member of value as ReadonlyArray<unknown>) {
      const loss = visit(member, "", walk)
      if (loss !== undefined) return loss
    }
    return undefined
  }
  for (const name of Object.keys(value)) {
    const loss = visit((value as Record<string, unknown>)[name], name, walk)
    if (loss !== undefined) return loss
  }
  return undefined
}

const visitObject = (value: object, name: string, walk: Walk): JsonLoss | undefined => {
  const isOfClass = !Array.isArray(value) && !isPlain(value)
  const lost = isOfClass ? lostOfClass(value) : undefined
  if (lost !== undefined) return { kind: lost, name }
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === "function") {
    const written: unknown = toJSON.call(value, name)
    // As JSON.stringify does, without asking again.
    if (typeof written !== "object" || written === null) return visit(written, name, walk)
    walk.waiting.push(written)
    return undefined
  }
  if (isOfClass) {
    const tag = tagOf(value)
    if (tag === "Number") return visit(Number(value), name, walk)
    if (tag === "String" || tag === "Boolean") return visit(true, name, walk)
    if (contained.test(tag) || Object.keys(value).length === 0)
      return { kind: tag === "Object" ? withoutMembers : tag, name }
  } else if (!Array.isArray(value) && Object.keys(value).length === 0) {
    if (Reflect.ownKeys(value).length > 0) return { kind: withoutMembers, name }
    walk.hasData = true
  }
  walk.waiting.push(value)
  return undefined
}

const visit = (value: unknown, name: string, walk: Walk): JsonLoss | undefined => {
  if (typeof value === "object" && value !== null) return visitObject(value, name, walk)
  if (value === undefined) {
    walk.hasMissing = true
    return undefined
  }
  if (typeof value === "function" || typeof value === "symbol") return { kind: typeof value, name }
  if (typeof value === "number" && !Number.isFinite(value)) return { kind: String(value), name }
  walk.hasData = true
  return undefined
}

/**
 * The first value that JSON loses. Members that are undefined are optional members, and no loss; but where nothing else is
 * there, as in `{ temp: undefined }`, the caller would pay for an empty object, most likely because of a misspelt name: a
 * host that has nothing says so by null or `{}`. Reads as many values as JSON.stringify, which must have succeeded: a circle
 * has no end.
 */
export const jsonLoss = (output: unknown): JsonLoss | undefined => {
  const walk: Walk = { waiting: [], hasData: false, hasMissing: false }
  let loss = visit(output, "", walk)
  // A loop, since data may be deeper than the stack of calls.
  while (loss === undefined) {
    const value = walk.waiting.pop()
    if (value === undefined) break
    loss = walkMembers(value, walk)
  }
  if (loss === undefined && walk.hasMissing && !walk.hasData)
    return { kind: "undefined in all members", name: "" }
  return loss
}
