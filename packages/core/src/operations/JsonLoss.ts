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

/** Whether JSON has nothing of a value's contents. It loses less elsewhere, which a host may mean. */
export const losesContents = (kind: string, value: unknown): boolean =>
  /^(?:stream|thenable)$/.test(kind) ||
  ((contained.test(kind) || kind === "Effect") &&
    (value as { readonly size?: unknown }).size !== 0 &&
    JSON.stringify(value) === "{}")

/** Nodes of a value: all that were found, and those still to be read; what was lost first, and whether any was data. */
interface Walk {
  readonly seen: Set<object>
  readonly waiting: Array<object>
  loss: JsonLoss | undefined
  readonly isLoss: (kind: string, value: unknown) => boolean
  hasData: boolean
  hasMissing: boolean
}

const isIterable = (value: object): boolean =>
  isFunction((value as AsyncIterable<unknown>)[Symbol.asyncIterator])

/** A page of results, as clients return it: it can be iterated for the next ones, has a list of its own and no events. */
const isPage = (value: object): boolean =>
  isIterable(value) &&
  !isFunction((value as { readonly on?: unknown }).on) &&
  Object.values(value).some(Array.isArray)

/** The kind of an object of a class, if JSON keeps none of what matters in it. */
const lostOfClass = (value: object): string | undefined => {
  const { getReader, on, pipe, then, toJSON } = value as Record<string, unknown>
  if (value instanceof Error) return isFunction(toJSON) ? undefined : "Error"
  if (Effect.isEffect(value)) return "Effect"
  // A query or promise that nobody awaited: its members are settings, even passwords.
  if (value instanceof Promise) {
    // A rejection that nobody handles would end the host's process.
    Promise.prototype.then.call(value, undefined, () => undefined)
    return "Promise"
  }
  if (isFunction(then)) return "thenable"
  // `pipe` alone is that of Effect's values.
  const isStream = isFunction(getReader) || (isIterable(value) && !isPage(value))
  if (isStream || (isFunction(pipe) && isFunction(on))) return "stream"
  return value instanceof Date && Number.isNaN(value.getTime()) ? "invalid Date" : undefined
}

/** Reads the members of an object of which JSON writes members. */
const walkMembers = (value: object, walk: Walk): void => {
  if (Array.isArray(value)) {
    walk.hasData ||= value.length === 0
    for (const member of value as ReadonlyArray<unknown>) visit(member, "", walk)
    return
  }
  const isRead = isPage(value)
  for (const [name, member] of Object.entries(value))
    // The response that a page was read from isn't part of its data.
    if (!isRead || name !== "response" || tagOf(Object(member)) !== "Response") visit(member, name, walk)
}

const visitObject = (value: object, name: string, walk: Walk): void => {
  if (walk.seen.has(value)) return
  walk.seen.add(value)
  const isOfClass = !Array.isArray(value) && !isPlain(value)
  const lost = isOfClass ? lostOfClass(value) : undefined
  if (lost !== undefined) return lose(lost, name, walk, value)
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === "function") {
    const written: unknown = toJSON.call(value, name)
    // As JSON.stringify does, without asking again.
    if (typeof written !== "object" || written === null) return visit(written, name, walk)
    walk.waiting.push(written)
    return
  }
  if (isOfClass) {
    const tag = tagOf(value)
    if (tag === "Number") return visit(Number(value), name, walk)
    if (tag === "String" || tag === "Boolean") return visit(true, name, walk)
    if (contained.test(tag) || Object.keys(value).length === 0)
      return lose(tag === "Object" ? withoutMembers : tag, name, walk, value)
  } else if (!Array.isArray(value) && Object.keys(value).length === 0) {
    if (Reflect.ownKeys(value).length > 0) return lose(withoutMembers, name, walk)
    walk.hasData = true
  }
  walk.waiting.push(value)
}

const lose = (kind: string, name: string, walk: Walk, value?: unknown): void => {
  if (walk.isLoss(kind, value)) walk.loss ??= { kind, name }
}

const visit = (value: unknown, name: string, walk: Walk): void => {
  if (typeof value === "object" && value !== null) visitObject(value, name, walk)
  else if (value === undefined) walk.hasMissing = true
  else if (typeof value === "function" || typeof value === "symbol") lose(typeof value, name, walk)
  else if (typeof value === "number" && !Number.isFinite(value)) lose(String(value), name, walk)
  else walk.hasData = true
}

/**
 * The first value that JSON loses. Members that are undefined are optional members, and no loss; but where nothing else is
 * there, as in `{ temp: undefined }`, the caller would pay for an empty object, most likely because of a misspelt name: a
 * host that has nothing says so by null or `{}`. Reads on after a loss: each promise in the value is handled.
 */
export const jsonLoss = (
  output: unknown,
  isLoss: (kind: string, value: unknown) => boolean = () => true
): JsonLoss | undefined => {
  const walk: Walk = {
    isLoss,
    seen: new Set(),
    waiting: [],
    loss: undefined,
    hasData: false,
    hasMissing: false
  }
  visit(output, "", walk)
  // A loop, since data may be deeper than the stack of calls.
  for (let value; (value = walk.waiting.pop()) !== undefined;) walkMembers(value, walk)
  if (walk.hasMissing && !walk.hasData) lose("undefined in all members", "", walk)
  return walk.loss
}
