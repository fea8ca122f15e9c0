import { Effect, Redacted } from "effect"
import { parseJson } from "../upstream/ResponseReader.ts"
import type { UpstreamResponse } from "../upstream/UpstreamResponse.ts"
import { ResponseMalformed, type Rejected } from "../upstream/UpstreamFault.ts"
import { at, field, integer, list, text } from "./Document.ts"
import { type CallFault, ProviderRefusal, type Rejection } from "./Rejection.ts"

/*
 * Every response of the provider is `{ code, data }`. With code 0, each number is accepted or rejected; any
 * other code refuses the whole call.
 */

export interface Envelope {
  readonly upstream: string
  readonly data: unknown
  readonly accepted: ReadonlyArray<unknown>
  readonly rejected: ReadonlyArray<unknown>
}

/** More than any call with 40 numbers returns: a number may be registered with several carriers. */
const maxItems = 2_000

const codeOf = (document: unknown): number | null =>
  integer(field(document, "code")) ?? integer(field(list(at(document, "data", "errors"), 1)[0], "code"))

/** Reads the envelope of a response with status 2xx. */
export const readEnvelope = (response: UpstreamResponse): Effect.Effect<Envelope, CallFault> =>
  Effect.flatMap(parseJson(response), (document): Effect.Effect<Envelope, CallFault> => {
    const code = codeOf(document)
    const data = field(document, "data")
    if (code === null || (code === 0 && (typeof data !== "object" || data === null))) {
      return Effect.fail(new ResponseMalformed({ upstream: response.upstream, detail: "not an envelope" }))
    }
    if (code !== 0) return Effect.fail(new ProviderRefusal({ number: code }))
    return Effect.succeed({
      upstream: response.upstream,
      data,
      accepted: list(field(data, "accepted"), maxItems),
      rejected: list(field(data, "rejected"), maxItems)
    })
  })

/**
 * Fails with the refusal in the envelope of a 4xx, which concerns the request and not the provider's health.
 * 408 and 429 remain faults, because they are retried.
 */
export const refusalBehind = (rejected: Rejected): Effect.Effect<never, CallFault> => {
  const { status } = rejected
  if (status < 400 || status >= 500 || status === 408 || status === 429) return Effect.fail(rejected)
  return Effect.flatMap(
    Effect.orElseSucceed(parseJson(Redacted.value(rejected.response)), () => undefined),
    (document) => {
      const code = codeOf(document)
      if (code !== null && code !== 0) return Effect.fail(new ProviderRefusal({ number: code }))
      return Effect.fail(
        status === 401 || status === 403 ? new ProviderRefusal({ number: status }) : rejected
      )
    }
  )
}

/** Reads the rejection of one number. */
export const readRejection = (item: unknown): Rejection => ({
  code: integer(at(item, "error", "code")) ?? 0,
  message: text(at(item, "error", "message"), 1_000) ?? ""
})

export const sameNumber = (number: string): string => number.toUpperCase()

/** Items by number, ignoring case. */
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
