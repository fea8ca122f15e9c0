import { Clock, Effect, Redacted, Schema, Semaphore } from "effect"
import { HttpClientRequest } from "effect/http"
import { readJson, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import { CatalogueRefused } from "./CatalogueRefused.ts"

/*
 * The token tier: exchanges client credentials of Shopify's Dev Dashboard for a token of the catalogue.
 * https://shopify.dev/docs/agents/get-started/authentication
 */

/** Client credentials (OAuth 2.0, RFC 6749, 4.4) of a catalogue in the Dev Dashboard. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
}

/** A token that is renewed before it expires. */
export interface AccessToken {
  /** Returns the current token, or a new one. Concurrent callers share one request. */
  readonly get: Effect.Effect<Redacted.Redacted<string>, UpstreamFault | CatalogueRefused>
  /** Drops a token that the catalogue no longer accepts. */
  readonly drop: (token: Redacted.Redacted<string>) => Effect.Effect<void>
}

/**
 * Tokens are used for up to 50 minutes. They last an hour, even if `expires_in` claims a day as in the
 * documentation's examples.
 */
const maxSeconds = 3_000
/** A token is renewed this long before it expires, so that it is valid when it arrives. */
const marginSeconds = 60

const readToken = readJson(
  Schema.Struct({
    access_token: Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/u)),
    expires_in: Schema.optionalKey(Schema.Finite)
  })
)

/** Faults of a token request. A refusal means that the credentials are wrong. */
const refusedCredentials = (fault: UpstreamFault): UpstreamFault | CatalogueRefused =>
  fault._tag === "Rejected" && [400, 401, 403].includes(fault.status)
    ? new CatalogueRefused({ upstream: fault.upstream, code: "invalid_client" })
    : fault

export const makeAccessToken = (
  upstream: Upstream,
  { clientId, clientSecret, url }: Credentials & { readonly url: string }
): AccessToken => {
  let held: { readonly token: Redacted.Redacted<string>; readonly until: number } | undefined
  const oneAtATime = Semaphore.makeUnsafe(1)

  const current = Effect.map(Clock.currentTimeMillis, (now) =>
    held !== undefined && now < held.until ? held.token : undefined
  )

  const renew = Effect.fnUntraced(function* () {
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.setHeader("accept", "application/json"),
      HttpClientRequest.bodyJsonUnsafe({
        client_id: clientId,
        client_secret: Redacted.value(clientSecret),
        grant_type: "client_credentials"
      })
    )
    // A second request makes a second token, which is harmless.
    const response = yield* Effect.mapError(upstream.call(request, { idempotent: true }), refusedCredentials)
    const { access_token, expires_in = maxSeconds } = yield* readToken(response)
    const seconds = Math.max(0, Math.min(expires_in - marginSeconds, maxSeconds))
    const token = Redacted.make(access_token, { label: "Shopify access token" })
    held = { token, until: (yield* Clock.currentTimeMillis) + seconds * 1_000 }
    return token
  })

  return {
    get: Effect.flatMap(current, (token) =>
      token === undefined
        ? oneAtATime.withPermit(
            // Another caller may have renewed it in between.
            Effect.flatMap(current, (renewed) => (renewed === undefined ? renew() : Effect.succeed(renewed)))
          )
        : Effect.succeed(token)
    ),
    drop: (token) =>
      Effect.sync(() => {
        if (held?.token === token) held = undefined
      })
  }
}
