import { Effect, Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { type Fields, fieldsOf } from "../listing/Fields.ts"
import type { AccessToken } from "../shopify/AccessToken.ts"
import {
  type CallOptions,
  parseJson,
  RateLimited,
  ResponseMalformed,
  type Upstream,
  type UpstreamResponse
} from "../upstream/index.ts"
import type { Operation } from "./Documents.ts"
import { type AdminFault, ShopRefused } from "./Errors.ts"

/*
 * GraphQL over HTTP, as the Admin API speaks it: errors have the status 200 and a code.
 * https://shopify.dev/docs/api/usage/response-codes
 */

/** A token that is fixed, or renewed before it expires. */
export type AdminToken = Pick<AccessToken, "drop"> & {
  readonly get: Effect.Effect<Redacted.Redacted<string>, AdminFault>
}

export interface AdminApi {
  /** Runs a query. It may be sent twice. */
  readonly query: RunOperation
  /** Runs a mutation, sent once. */
  readonly mutate: RunOperation
}

type RunOperation = <Data>(operation: Operation<Data>, variables: Fields) => Effect.Effect<Data, AdminFault>

/** A code that is safe in a log. */
const codeOf = (error: unknown): string => {
  const { code } = fieldsOf(fieldsOf(error)["extensions"])
  return typeof code === "string" && /^[A-Za-z]\w{1,59}$/.test(code) ? code : "error"
}

const maxPauseMillis = 60_000

/** The pause until a throttled request is affordable. Shopify counts points, restored every second. */
const pauseMillisOf = (extensions: unknown): number => {
  const { requestedQueryCost, throttleStatus } = fieldsOf(fieldsOf(extensions)["cost"])
  const { currentlyAvailable, restoreRate } = fieldsOf(throttleStatus)
  const missing = Number(requestedQueryCost) - Number(currentlyAvailable)
  const millis = Math.ceil((missing / Number(restoreRate)) * 1_000)
  return millis > 0 && millis <= maxPauseMillis ? millis : 1_000
}

/** Fails with the first error of a response. */
const withoutErrors = Effect.fnUntraced(function* (
  response: UpstreamResponse
): Effect.fn.Return<UpstreamResponse, AdminFault> {
  const { errors, extensions } = fieldsOf(yield* parseJson(response))
  if (errors === undefined || errors === null) return response
  const { upstream } = response
  if (!Array.isArray(errors) || errors.length === 0) {
    return yield* new ResponseMalformed({ upstream, detail: "errors" })
  }
  const codes = errors.map(codeOf)
  if (codes.includes("THROTTLED")) {
    return yield* new RateLimited({ upstream, retryAfterMillis: pauseMillisOf(extensions) })
  }
  return yield* new ShopRefused({ code: codes.find((code) => code !== "error") ?? "error" })
})

export interface AdminApiSettings {
  readonly upstream: Upstream
  /** Address of the GraphQL API, with its version. */
  readonly endpoint: string
  readonly token: AdminToken
}

export const makeAdminApi = ({ endpoint, token, upstream }: AdminApiSettings): AdminApi => {
  const send = (text: string, variables: Fields, options: CallOptions) => (key: Redacted.Redacted<string>) =>
    upstream.call(
      HttpClientRequest.post(endpoint).pipe(
        HttpClientRequest.setHeader("accept", "application/json"),
        HttpClientRequest.setHeader("x-shopify-access-token", Redacted.value(key)),
        HttpClientRequest.bodyJsonUnsafe({ query: text, variables })
      ),
      options
    )

  /** Retries once with a new token: a response with 401 did nothing. */
  const sendWithToken = Effect.fnUntraced(function* (text: string, variables: Fields, options: CallOptions) {
    const sending = send(text, variables, options)
    const key = yield* token.get
    const result = yield* Effect.result(sending(key))
    if (Result.isSuccess(result)) return result.success
    const fault = result.failure
    if (fault._tag !== "Rejected" || fault.status !== 401) return yield* Effect.fail(fault)
    yield* token.drop(key)
    const renewed = yield* token.get
    return yield* renewed === key ? Effect.fail(fault) : sending(renewed)
  })

  const run =
    (options: CallOptions): RunOperation =>
    ({ read, text }, variables) =>
      sendWithToken(text, variables, options).pipe(
        Effect.flatMap(withoutErrors),
        Effect.flatMap(read),
        Effect.map(({ data }) => data)
      )

  return { query: run({ idempotent: true }), mutate: run({ idempotent: false }) }
}
