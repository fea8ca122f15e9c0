import { Clock, Effect, type Scope } from "effect"
import { discardBody } from "../runtime/BoundedBody.ts"
import type { ApiFailure } from "../domain/ApiFailure.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import { ClientBudget } from "../runtime/ClientBudget.ts"
import { Secrets } from "../runtime/Secrets.ts"
import { SpanCounts } from "../runtime/SpanCounts.ts"
import { makeChallenge, type Resource } from "../toll/request/Challenge.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import type { Refusal } from "../toll/exact/Refusal.ts"
import type { FreeContent, Holding } from "../toll/signin/FreeAccess.ts"
import {
  makeSignIn,
  randomHex,
  signInExtension,
  type SignInTarget,
  signInWithX
} from "../toll/signin/SignInChallenge.ts"
import { readProof } from "../toll/signin/SignInProof.ts"
import { isSignedByWallet } from "../toll/signin/WalletSignature.ts"
import { Downloads, factsOf, wantedOf } from "./Downloads.ts"
import type { IncomingRequest, PlainResponse } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { paymentNeeded } from "./PaidRoute.ts"
import {
  challengeResponse,
  failureResponse,
  freeResponse,
  responded,
  unsatisfiableResponse,
  withSignInHeaders
} from "./Responses.ts"
import type { OperationMatch } from "./Router.ts"

/**
 * Proofs per minute whose signature and right to the content are looked up: for one client, and in total. Only
 * requests with the secret of what they name count, so that strangers use up nobody's. `perSecret`: with one secret, from all clients.
 */
const perMinute = { perClient: 60, inAll: 600, perSecret: 60 }
/** Proofs without the secret, or with one that can't be checked, of one client. */
const withoutSecret = { perClient: 60, inAll: Number.MAX_SAFE_INTEGER }
const secretLimits = { maxKeys: 10_000, spanMillis: 60_000 }

/** A request without payment for a route that lets wallets sign in. */
export interface SignInRequest {
  readonly match: OperationMatch
  readonly freeAccess: NonNullable<AnyOperation["freeAccess"]>
  readonly request: IncomingRequest
  readonly corsOrigin: string | null
  readonly clientAddress: () => string | undefined
}

// One text for every reason: it tells nobody what exists, or whose it is.
const notTheirs: Refusal = {
  code: "sign_in_refused",
  message: "this wallet has no free access here; pay instead, or sign in with the wallet that paid"
}
const used: Refusal = {
  code: "invalid_siwx_nonce",
  message: "this proof was used before; sign the new challenge"
}
const spent: Refusal = {
  code: "sign_in_budget_spent",
  message: "what is free in 24 hours is used up; pay for this request, or try again later"
}
const tooMany: Refusal = {
  code: "sign_in_rate_limited",
  message: "too many proofs in a minute; pay instead, or try again later"
}

/** What a proof is for: the request without its query. */
const resourceOf = ({ match }: SignInRequest) => match.paidRoute.resource("")

const targetOf = (call: SignInRequest): SignInTarget => ({
  uri: resourceOf(call).url,
  statement: call.freeAccess.statement
})

type Outcome = PlainResponse | Refusal

const isRefusal = (outcome: Outcome): outcome is Refusal => "code" in outcome

/**
 * Handles requests without payment for routes that a wallet may use again free of charge: the 402 has a challenge, and a
 * proof in `SIGN-IN-WITH-X` gets the content. A proof counts once, for one resource, for 5 minutes.
 */
export class SignIns {
  private readonly settings: HttpSettings
  private readonly secrets: Secrets["Service"]
  private readonly chain: Chain["Service"]
  private readonly networks: ReadonlyArray<string>
  private readonly downloads = new Downloads()
  private readonly budget = new ClientBudget(perMinute)
  private readonly strangers = new ClientBudget(withoutSecret)
  private readonly holders = new SpanCounts(secretLimits)

  static readonly make = Effect.fnUntraced(function* (settings: HttpSettings) {
    return new SignIns(settings, yield* Secrets, yield* Chain)
  })

  private constructor(settings: HttpSettings, secrets: Secrets["Service"], chain: Chain["Service"]) {
    this.settings = settings
    this.secrets = secrets
    this.chain = chain
    this.networks = settings.networks.map(({ caip2 }) => caip2)
  }

  private challenged({ corsOrigin, match }: SignInRequest, resource: Resource, error: string): PlainResponse {
    const made = makeChallenge(match.paidRoute.listedOffers(), resource, error)
    return withSignInHeaders(challengeResponse(made, this.settings.cors, corsOrigin))
  }

  /** The 402 with a challenge of its own, which no cache may keep. */
  private challenge(call: SignInRequest, error: string): Effect.Effect<PlainResponse> {
    return Effect.map(Clock.currentTimeMillis, (nowMillis) => {
      const resource = resourceOf(call)
      const info = makeSignIn(this.secrets, targetOf(call), { nowMillis, random: randomHex() })
      const extensions = { ...resource.extensions, ...signInExtension(info, this.networks) }
      return this.challenged(call, { ...resource, extensions }, error)
    })
  }

  /** The 402 to a proof that is refused. It has no challenge for those who send too many. */
  private refuse(call: SignInRequest, refusal: Refusal): Effect.Effect<PlainResponse> {
    const error = `${refusal.code}: ${refusal.message}`
    return refusal === tooMany
      ? Effect.succeed(this.challenged(call, resourceOf(call), error))
      : this.challenge(call, error)
  }

  private readonly deliver = Effect.fnUntraced(
    { self: this },
    function* (
      { corsOrigin, request }: SignInRequest,
      { id, redeem, response }: FreeContent
    ): Effect.fn.Return<Outcome, ApiFailure> {
      const { downloads } = this
      const { cors } = this.settings
      const whole = freeResponse(response, cors, corsOrigin)
      const { content } = response.body
      const facts = factsOf(content)
      const { size } = facts
      const asked = { range: request.header("range"), ifRange: request.header("if-range") }
      const wanted = wantedOf(asked, facts)
      if (wanted._tag === "Unsatisfiable" && size !== undefined) {
        discardBody(whole.body)
        return unsatisfiableResponse(size, cors, corsOrigin)
      }
      const redemption = yield* redeem(wanted._tag === "Part" ? wanted.end - wanted.start : size).pipe(
        Effect.onError(() => Effect.sync(() => discardBody(whole.body)))
      )
      if (redemption !== "Redeemed") {
        discardBody(whole.body)
        return redemption === "Used" ? used : spent
      }
      // The store has counted the bytes, for all processes.
      const delivery = downloads.deliver(whole, content, {
        paymentKey: id,
        isReplay: true,
        isUnlimited: true,
        ...asked
      })
      return delivery._tag === "Sent" ? delivery.response : spent
    }
  )

  /** Whether a request may have its proof looked up. Its own secret tells, so that strangers lock out no holder. */
  private isAdmitted(held: Holding | undefined, client: string | undefined, nowMillis: number): boolean {
    if (held?.isProven !== true) return this.strangers.take(client, nowMillis) === undefined
    if ((this.holders.find(held.id, nowMillis)?.count ?? 0) >= perMinute.perSecret) return false
    if (this.budget.take(client, nowMillis) !== undefined) return false
    this.holders.add(held.id, nowMillis)
    return true
  }

  private readonly judge = Effect.fnUntraced(
    { self: this },
    function* (call: SignInRequest, header: string): Effect.fn.Return<Outcome, ApiFailure, Scope.Scope> {
      const { networks, secrets } = this
      const { freeAccess, match, request } = call
      const nowMillis = yield* Clock.currentTimeMillis
      const reading = readProof(header, { secrets, target: targetOf(call), networks, nowMillis })
      if (reading._tag === "Refused") return reading.refusal
      const input = yield* match.paidRoute.read(request, match.params)
      if (input._tag === "Nothing") return yield* input.fault
      const held = freeAccess.holding(input.input)
      if (!this.isAdmitted(held, call.clientAddress(), nowMillis)) return tooMany
      if (held === undefined) return notTheirs
      const { proof } = reading
      const { address, network, nonce } = proof
      const isSigned = (paidNetwork: string) => isSignedByWallet(this.chain, proof, paidNetwork)
      const content = yield* freeAccess.open(input.input, { address, network, nonce, isSigned })
      if (content === "NotTheirs") return notTheirs
      return content === "Used" ? used : yield* this.deliver(call, content)
    }
  )

  private readonly respond = Effect.fnUntraced(
    { self: this },
    function* (call: SignInRequest): Effect.fn.Return<PlainResponse, ApiFailure> {
      const header = call.request.header(signInWithX)
      if (header === null) return yield* this.challenge(call, paymentNeeded)
      const outcome = yield* Effect.scoped(this.judge(call, header))
      return isRefusal(outcome) ? yield* this.refuse(call, outcome) : withSignInHeaders(outcome)
    }
  )

  /** Handles a request: with its response, or that to its error. */
  handle(call: SignInRequest): Effect.Effect<PlainResponse> {
    const { corsOrigin } = call
    return responded(
      this.respond(call),
      this.settings,
      corsOrigin,
      (failure) => Effect.succeed(failureResponse(failure, this.settings.cors, corsOrigin)),
      call.match.paidRoute.id
    )
  }
}
