import { Effect } from "effect"
import type { ErrorCode } from "../domain/ApiError.ts"
import { ApiFailure, nothingCharged } from "../domain/ApiFailure.ts"
import { maxResponseLength } from "./BodyLimits.ts"

/*
 * What a host's own work may return, and the errors of work that failed.
 */

/** 503: the work of a host's operation missed its deadline. */
export const timedOut = (id: string) =>
  new ApiFailure({
    status: 503,
    code: "OPERATION_TIMEOUT",
    message: `${id} took too long.${nothingCharged} Retry later.`,
    retryAfterSeconds: 30
  })

/** The code of `timedOut`, for the documents. */
export const timeoutCode: ErrorCode = {
  code: "OPERATION_TIMEOUT",
  status: 503,
  meaning: "the work took too long"
}

/** The kind of an object of which JSON keeps nothing, such as a Map, an iterator, or a promise that nobody awaited. */
const emptiedKind = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || Object.keys(value).length > 0) return undefined
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1)
  return /^(?:Object|Array|String|Number|Boolean)$/.test(kind) ? undefined : kind
}

/** Fails if JSON wrote `{}` for a member that isn't an empty object. */
const refuseEmptied = (id: string, output: unknown): void => {
  JSON.stringify(output, (name, value: unknown) => {
    const kind = emptiedKind(value)
    if (kind === undefined) return value
    const where = name === "" ? "" : ` as ${name}`
    throw new TypeError(
      `operation ${id} returned a value of the kind ${kind}${where}, of which JSON keeps nothing: return plain data, and await what is a promise`
    )
  })
}

/**
 * The JSON of what an operation returned.
 *
 * @throws TypeError if it isn't JSON data: the caller must not be charged for an empty object
 */
export const jsonOf = (id: string, output: unknown): string => {
  if (Effect.isEffect(output))
    throw new TypeError(
      `operation ${id} returned an Effect, and must return a promise or data: run it (Effect.runPromise), or use Operation.make`
    )
  if (output === undefined)
    throw new TypeError(`operation ${id} returned nothing: return data, or null if there is none`)
  const isData = ![Response, Error, Map, Set].some((kind) => output instanceof kind)
  // JSON writes null for NaN.
  const isNumber = typeof output !== "number" || Number.isFinite(output)
  const text = isData && isNumber ? JSON.stringify(output) : undefined
  if (typeof text !== "string") throw new TypeError(`operation ${id} must return data that JSON can hold`)
  if (text.length > maxResponseLength)
    throw new TypeError(`operation ${id} must return at most ${maxResponseLength} characters of JSON`)
  // Most responses have no empty object, and need no second walk.
  if (text.includes("{}")) refuseEmptied(id, output)
  return text
}

/** A refusal by the host's function; a status other than these is a defect. */
export const refused = (failure: ApiFailure): Effect.Effect<never, ApiFailure> => {
  const { status } = failure
  const isRefusal = Number.isInteger(status) && status >= 400 && status < 500 && status !== 402
  return isRefusal || status === 502 || status === 503
    ? Effect.fail(failure)
    : Effect.die(
        new RangeError(`the status of an ApiFailure must be 4xx but 402, or 502, or 503: got ${status}`)
      )
}
