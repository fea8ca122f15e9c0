import { Effect, Predicate } from "effect"
import type { ErrorCode } from "../domain/ApiError.ts"
import type { ApiFailure } from "../domain/ApiFailure.ts"
import { isErrorStatus, listsErrors, mayRefuse, saysRefused } from "../runtime/refusal.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import { maxResponseLength } from "./BodyLimits.ts"
import { jsonLoss } from "./JsonLoss.ts"

/*
 * What a host's own work may return, and the errors of work that failed.
 */

/** The code of `timedOut`, for the documents. */
export const timeoutCode: ErrorCode = {
  code: "OPERATION_TIMEOUT",
  status: 503,
  meaning: "the work took too long"
}

/**
 * The JSON of what an operation returned.
 *
 * @throws MalformedResponse if it isn't JSON data: the caller must not be charged for an empty object
 */
export const jsonOf = (id: string, output: unknown): string => {
  if (Effect.isEffect(output))
    throw new MalformedResponse({
      message: `operation ${id} returned an Effect, and must return a promise or data: run it (Effect.runPromise), or use Operation.make`
    })
  if (output === undefined)
    throw new MalformedResponse({
      message: `operation ${id} returned nothing: return data, or null if there is none`
    })
  const text = JSON.stringify(output) as string | undefined
  if (text !== undefined && text.length > maxResponseLength)
    throw new MalformedResponse({
      message: `operation ${id} must return at most ${maxResponseLength} characters of JSON`
    })
  const lost = lostOf(output)
  if (lost !== undefined) throw new MalformedResponse({ message: `operation ${id} returned ${lost}` })
  if (text === undefined)
    throw new MalformedResponse({ message: `operation ${id} must return data that JSON can hold` })
  return text
}

/** What JSON loses of a value, in words. */
export const lostOf = (
  value: unknown,
  isLoss?: (kind: string, value: unknown) => boolean
): string | undefined => {
  const loss = jsonLoss(value, isLoss)
  return (
    loss &&
    `a value of the kind ${loss.kind}${isMemberName(loss.name) ? ` as ${loss.name}` : ""}, which JSON can't hold: return plain data, null where there is none, and await what is a promise`
  )
}

/** Whether a member is named by the host's code: what a caller sent may be a key, and is never shown. */
const isMemberName = (name: string): boolean => /^[A-Za-z_]\w{0,39}$/.test(name)

/** Members of data that says nothing but that something failed. */
const ofErrors =
  /^(?:cod|code|details?|description|documentation_url|errorCode|errors?|estimated_time|headers|body|instance|jsonrpc|message|more_info|msg|object|ok|path|servedby|(?:correlation|request|trace)_?[iI]d|status(?:Code|Text)?|(?:error|status)_(?:code|description|message)|success|timestamp|title|type)$/

/** The page of a proxy whose server failed: `<title>502 Bad Gateway</title>`. */
const errorPage =
  /^\s*<[^]*<title>[^<]*\b[45]\d\d:? (?:bad (?:gateway|request)|service (?:temporarily )?unavailable|gateway time-?out|internal server error|unauthorized|forbidden|not found|too many requests)\s*<\/title>/i
/** Its title is near its beginning. */
const maxPageHead = 2_000

/** What APIs write that refuse without a member of an error. Texts that somebody wanted may begin so, and go on. */
const bareRefusal =
  /^(?:(?:access denied|forbidden|not found)(?:$| ?[-.,:;!])|(?:bad credentials|(?:invalid|missing)(?: (?:api|authentication|credentials|key|token))+|not (?:allowed|authenticated|authorized)|rate.?limit(?:ed)?|too many requests|unauthenticated|unauthori[sz]ed)\b)/i
/** Such a refusal has no more members: a message, and perhaps a code. */
const maxBare = 2

/** What clients have in place of data. */
const isNothing = (value: unknown): boolean =>
  typeof value === "object" && JSON.stringify(value ?? {}).length === 2

/** Whether a result looks like a refusal that should have been thrown: it is charged. It may be all that is beside an echo. */
export const looksRefused = (output: unknown): boolean => {
  if (isRefusal(output)) return true
  if (!Predicate.isObject(output)) return false
  const [only, ...more] = Object.values(output).filter((value) => typeof value === "object" && value !== null)
  // A status alone is what a checker of links sells.
  const says =
    Predicate.isObject(only) && Object.keys(only).some((name) => /^(?:error|message|msg)$/.test(name))
  return more.length === 0 && says && isRefusal(only)
}

const isRefusal = (output: unknown): boolean => {
  if (typeof output === "string") return errorPage.test(output.slice(0, maxPageHead))
  if (Array.isArray(output))
    return output.length === 2 && isErrorStatus(output[0]) && typeof output[1] !== "number"
  if (typeof output !== "object" || output === null) return false
  const {
    data,
    description,
    detail,
    status,
    msg = detail,
    message = msg
  } = output as Readonly<Record<string, unknown>>
  const says = Object.keys(output)
  const hasMessage = typeof (message ?? description) === "string"
  const failed =
    // Of some, in one of these.
    [output, detail, status].some((each) => saysRefused(Object(each) as object)) ||
    (says.length <= maxBare && typeof message === "string" && bareRefusal.test(message)) ||
    (hasMessage && mayRefuse(output)) ||
    // Of GraphQL, where data is null.
    ((hasMessage || data === null) && listsErrors(output))
  // Data has these, too: JSON-RPC names a request by its id, and a check of an address has a reason.
  const isOfErrors = (name: string): boolean =>
    ofErrors.test(name) ||
    (name === "id" && "jsonrpc" in output) ||
    (/^(?:hint|reason)$/.test(name) && "error" in output)
  return failed && Object.entries(output).every(([name, value]) => isNothing(value) || isOfErrors(name))
}

/**
 * By its tag, as the errors of ports are known: a package of the host may have a copy of core of its own. Data with the tag,
 * which a caller may have sent, is a result.
 */
export const isApiFailure = (given: unknown): given is ApiFailure =>
  given instanceof Error && Predicate.isTagged(given, "ApiFailure")

/** A refusal by the host's function. Any other error, and a status other than these, is a defect. */
export const refused = (failure: unknown): Effect.Effect<never, ApiFailure> => {
  if (!isApiFailure(failure)) return Effect.die(failure)
  const { status } = failure
  const isRefusal = Number.isInteger(status) && status >= 400 && status < 500 && status !== 402
  return isRefusal || status === 502 || status === 503
    ? Effect.fail(failure)
    : Effect.die(
        new MalformedResponse({
          message: `the status of an ApiFailure must be 4xx but 402, or 502, or 503: got ${status}`
        })
      )
}
