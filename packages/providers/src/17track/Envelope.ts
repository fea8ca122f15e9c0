import { Effect, Redacted } from "effect"
import { type Answer, parseJson } from "../upstream/Answer.ts"
import { AnswerMalformed, type Rejected } from "../upstream/UpstreamFault.ts"
import { at, field, integer, list, text } from "./Document.ts"
import { type CallFault, ProviderRefusal, type Rejection } from "./Rejection.ts"

/*
 * Every answer of the provider is `{ code, data }`: with code 0 some numbers are accepted and others
 * rejected; with another one the call is refused as a whole.
 */

export interface Envelope {
  readonly upstream: string
  readonly data: unknown
  readonly accepted: ReadonlyArray<unknown>
  readonly rejected: ReadonlyArray<unknown>
}

/** More than any call of 40 numbers has: a number may be registered with several carriers. */
const maxItems = 2_000

const codeOf = (document: unknown): number | null =>
  integer(field(document, "code")) ?? integer(field(list(at(document, "data", "errors"), 1)[0], "code"))

/** The envelope of an answer with status 2xx. */
export const readEnvelope = (answer: Answer): Effect.Effect<Envelope, CallFault> =>
  Effect.flatMap(parseJson(answer), (document): Effect.Effect<Envelope, CallFault> => {
    const code = codeOf(document)
    const data = field(document, "data")
    if (code === null || (code === 0 && (typeof data !== "object" || data === null))) {
      return Effect.fail(new AnswerMalformed({ upstream: answer.upstream, detail: "not an envelope" }))
    }
    if (code !== 0) return Effect.fail(new ProviderRefusal({ number: code }))
    return Effect.succeed({
      upstream: answer.upstream,
      data,
      accepted: list(field(data, "accepted"), maxItems),
      rejected: list(field(data, "rejected"), maxItems)
    })
  })

/**
 * The refusal behind an HTTP status: a status of the 4xx speaks of us and not of the provider's health,
 * and its envelope says what. 408 and 429 stay what they are: they say when to come again.
 */
export const refusalBehind = (rejected: Rejected): Effect.Effect<never, CallFault> => {
  const { status } = rejected
  if (status < 400 || status >= 500 || status === 408 || status === 429) return Effect.fail(rejected)
  return Effect.flatMap(
    Effect.orElseSucceed(parseJson(Redacted.value(rejected.answer)), () => undefined),
    (document) => {
      const code = codeOf(document)
      if (code !== null && code !== 0) return Effect.fail(new ProviderRefusal({ number: code }))
      return Effect.fail(
        status === 401 || status === 403 ? new ProviderRefusal({ number: status }) : rejected
      )
    }
  )
}

/** The rejection of one number. */
export const readRejection = (item: unknown): Rejection => ({
  code: integer(at(item, "error", "code")) ?? 0,
  message: text(at(item, "error", "message"), 1_000) ?? ""
})

export const sameNumber = (number: string): string => number.toUpperCase()

/** Items by their numbers, letter case aside. */
export const byNumber = (items: ReadonlyArray<unknown>): ReadonlyMap<string, ReadonlyArray<unknown>> => {
  const found = new Map<string, Array<unknown>>()
  for (const item of items) {
    const number = text(field(item, "number"), 100)
    if (number === null) continue
    const key = sameNumber(number)
    const known = found.get(key)
    if (known === undefined) found.set(key, [item])
    else known.push(item)
  }
  return found
}
