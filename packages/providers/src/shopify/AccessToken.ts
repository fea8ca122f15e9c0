import { Clock, Effect, Redacted, Schema, Semaphore } from "effect"
import { HttpClientRequest } from "effect/http"
import { readJson, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import { CatalogueRefused } from "./Refused.ts"

/*
 * The token tier: client credentials of Shopify's Dev Dashboard for a token that the catalogue takes.
 * https://shopify.dev/docs/agents/get-started/authentication
 */

/** Client credentials (OAuth 2.0, RFC 6749, 4.4) of a catalogue in the Dev Dashboard. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
}

/** A token that is renewed before it lapses. */
export interface AccessToken {
  /** The token at hand, or a new one; many who ask at once cause one request. */
  readonly get: Effect.Effect<Redacted.Redacted<string>, UpstreamFault | CatalogueRefused>
  /** Forgets a token that the catalogue no longer takes. */
  readonly drop: (token: Redacted.Redacted<string>) => Effect.Effect<void>
}

/**
 * Tokens last an hour whatever `expires_in` says (its examples say a day), so that one is used for 50
 * minutes at most.
 */
const longestSeconds = 3_000
/** A token is renewed that much before its end: it must still hold when it arrives. */
const marginSeconds = 60

const readToken = readJson(
  Schema.Struct({
    access_token: Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/u)),
    expires_in: Schema.optionalKey(Schema.Finite)
  })
)

/** Faults of the token's address, where a refusal means that the credentials are wrong. */
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
    // Asking twice makes two tokens and does no harm.
    const answer = yield* Effect.mapError(upstream.call(request, { idempotent: true }), refusedCredentials)
    const { access_token, expires_in = longestSeconds } = yield* readToken(answer)
    const seconds = Math.max(0, Math.min(expires_in - marginSeconds, longestSeconds))
    const token = Redacted.make(access_token, { label: "Shopify access token" })
    held = { token, until: (yield* Clock.currentTimeMillis) + seconds * 1_000 }
    return token
  })

  return {
    get: Effect.flatMap(current, (token) =>
      token === undefined
        ? oneAtATime.withPermit(
            // Whoever held the permit before may have renewed it.
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
