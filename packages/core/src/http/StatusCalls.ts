import { Clock, Effect } from "effect"
import { ApiFailure, rateLimited, storeFailure } from "../domain/ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import { plainHex } from "../domain/Hex.ts"
import { isSolana } from "../domain/Network.ts"
import { isTransactionId } from "../domain/transactionId.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import {
  type Facts,
  type StatusKind,
  type StatusPage,
  StatusPages,
  statusTokenHeader
} from "../ports/StatusPages.ts"
import { ClientBudget } from "../runtime/ClientBudget.ts"
import { ExpiringMap } from "../runtime/ExpiringMap.ts"
import { Secrets } from "../runtime/Secrets.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { RecordedResponses } from "../toll/perform/RecordedResponses.ts"
import { isPayer, paidNetworkOf } from "../toll/signin/isPayer.ts"
import {
  challengeMillis,
  makeSignIn,
  randomHex,
  signInExtension,
  type SignInTarget,
  signInWithX
} from "../toll/signin/SignInChallenge.ts"
import { readProof, skewMillis, type WalletProof } from "../toll/signin/SignInProof.ts"
import { isSignedByWallet } from "../toll/signin/WalletSignature.ts"
import type { IncomingRequest, PlainResponse } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { failureResponse, freeResponse, responded, withSignInHeaders } from "./Responses.ts"
import type { StatusMatch } from "./Router.ts"

/** Requests per minute: of one client, and in total. */
const perMinute = { perClient: 60, inAll: 6_000 }
/** Proofs of contract wallets per minute. Each costs a call to the host's node, also one that a stranger makes up. */
const contractProofs = { perClient: 10, inAll: 600 }
/** Proofs that were used here, for as long as they are valid. */
const proofLimits = { capacity: 10_000, lifetimeMillis: challengeMillis + skewMillis }
/** Payments of one transaction that are searched: a facilitator may settle several at once. */
const maxOfTransaction = 100
/** Bounds of `Retry-After`, in seconds. */
const soonestSeconds = 5
const latestSeconds = 3_600

/** A request for a status page. */
export interface StatusRequest {
  readonly match: StatusMatch
  readonly request: IncomingRequest
  readonly corsOrigin: string | null
  readonly clientAddress: () => string | undefined
}

// One text for every reason: it tells nobody what exists, or whose it is.
const unknown = new ApiFailure({
  status: 404,
  code: "STATUS_NOT_FOUND",
  message:
    "Nothing can be shown here: there is no such id, or another wallet has paid for it, or the token is that of another one."
})

/** An ordinary signature has 65 bytes, and is checked without the chain. */
const isContractProof = ({ network, signature }: WalletProof): boolean =>
  !isSolana(network) && signature.length !== 2 + 2 * 65

const tooMany = "Too many requests for a status in a minute."

const refundOf = ({ refund }: Charge) => {
  if (refund === undefined) return null
  return refund._tag === "Sent"
    ? { status: "sent", transaction: refund.transaction }
    : { status: "due", transaction: null }
}

/** A page with the charge that pays for it. */
interface FoundPage {
  readonly page: StatusPage
  readonly charge: Charge | undefined
}

/**
 * Shows the status of a payment, free of charge: all of it for a signature of the wallet that paid, less for the status
 * token, and the state alone for the transaction. A stranger gets the same response, whether an id exists or not.
 */
export class StatusCalls {
  private readonly settings: HttpSettings
  private readonly services: {
    readonly charges: Charges["Service"]
    readonly chain: Chain["Service"]
    readonly pages: StatusPages["Service"]
    readonly secrets: Secrets["Service"]
  }
  private readonly responses: RecordedResponses
  private readonly networks: ReadonlyArray<string>
  private readonly budget = new ClientBudget(perMinute)
  private readonly contractBudget = new ClientBudget(contractProofs)
  private readonly nonces = new ExpiringMap<string, true>(proofLimits)

  static readonly make = Effect.fnUntraced(function* (settings: HttpSettings) {
    const services = {
      charges: yield* Charges,
      chain: yield* Chain,
      pages: yield* StatusPages,
      secrets: yield* Secrets
    }
    return new StatusCalls(settings, services)
  })

  private constructor(settings: HttpSettings, services: StatusCalls["services"]) {
    this.settings = settings
    this.services = services
    this.responses = new RecordedResponses(services.secrets)
    this.networks = settings.networks.map(({ caip2 }) => caip2)
  }

  /** The page that a path names, by its id or by the transaction that paid for it. */
  private readonly find = Effect.fnUntraced(
    { self: this },
    function* (
      kind: StatusKind,
      name: string,
      isTheirs: (page: Pick<StatusPage, "chargeKey" | "id">) => boolean
    ): Effect.fn.Return<FoundPage | undefined, StoreError> {
      const { charges } = this.services
      if (!isTransactionId(name)) {
        const page = yield* kind.find(name.toLowerCase())
        if (page === undefined || !isTheirs(page)) return undefined
        return { page, charge: yield* charges.find(page.chargeKey) }
      }
      const transaction = plainHex(name)
      for (const charge of yield* charges.list({ transaction, limit: maxOfTransaction })) {
        const { key, subject } = charge
        if (subject?.kind !== kind.subject || !isTheirs({ chargeKey: key, id: subject.id })) continue
        const page = yield* kind.find(subject.id)
        if (page !== undefined) return { page, charge }
      }
      return undefined
    }
  )

  /** The response that the payment got first, while it is kept. */
  private firstResponse({ refund, response, state }: Charge): Effect.Effect<Facts | null> {
    if (state !== "settled" || refund !== undefined || response === undefined) return Effect.succeed(null)
    return this.responses.open({ reopen: () => Effect.fail(undefined) }, response).pipe(
      Effect.map(({ body, status }) =>
        body._tag === "Text" ? { status, body: JSON.parse(body.text) } : null
      ),
      // It was encrypted with a key that is gone: the rest can be shown.
      Effect.catchCause(() => Effect.succeed(null))
    )
  }

  private readonly wholeOf = Effect.fnUntraced(
    { self: this },
    function* ({ charge, page }: FoundPage): Effect.fn.Return<Facts, StoreError> {
      const facts = { ...outlineOf({ charge, page }), ...(yield* page.whole) }
      if (charge === undefined) return facts
      const { amountAtomic, network, receipt } = charge
      return {
        ...facts,
        payment: { network, amountAtomic, transaction: receipt?.transaction ?? null },
        response: page.isResponseStale === true ? null : yield* this.firstResponse(charge)
      }
    }
  )

  private targetOf({ action, kind, url }: StatusMatch): SignInTarget {
    return { uri: url, statement: (action ?? kind).statement }
  }

  /** A challenge of its own for a request. */
  private challengeFor({ match }: StatusRequest, nowMillis: number): Facts {
    const info = makeSignIn(this.services.secrets, this.targetOf(match), { nowMillis, random: randomHex() })
    const { [signInWithX]: extension } = signInExtension(info, this.networks)
    return { [signInWithX]: { ...extension, info: { ...info } } }
  }

  /** 401 with a challenge, whatever the path names. */
  private challenged(call: StatusRequest, code: string, message: string, nowMillis: number): PlainResponse {
    const { corsOrigin } = call
    const failure = new ApiFailure({
      status: 401,
      code,
      message,
      details: this.challengeFor(call, nowMillis)
    })
    const response = failureResponse(failure, this.settings.cors, corsOrigin)
    return { ...response, headers: { ...response.headers, "www-authenticate": signInWithX.toUpperCase() } }
  }

  private shown(
    { corsOrigin, request }: StatusRequest,
    facts: Facts,
    retryAfterSeconds?: number,
    headers: Readonly<Record<string, string>> = {}
  ): PlainResponse {
    const retry = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }
    const shown = freeResponse(
      {
        status: 200,
        contentType: "application/json",
        headers: { ...headers, ...retry },
        body: { _tag: "Text", text: JSON.stringify(facts) }
      },
      this.settings.cors,
      corsOrigin
    )
    return request.method === "HEAD" ? { ...shown, body: null } : shown
  }

  /** What a proof's wallet gets. A proof counts once. */
  private readonly forWallet = Effect.fnUntraced(
    { self: this },
    function* (
      call: StatusRequest,
      proof: WalletProof,
      nowMillis: number
    ): Effect.fn.Return<PlainResponse, ApiFailure> {
      const { action, kind, name } = call.match
      const { address, network, nonce } = proof
      const isSigned = (paidNetwork: string) => isSignedByWallet(this.services.chain, proof, paidNetwork)
      const signIn = { address, network, isSigned }
      // Of several payments of one transaction, the wallet's own.
      const isTheirs = ({ chargeKey }: Pick<StatusPage, "chargeKey">) =>
        paidNetworkOf(chargeKey, proof) !== undefined
      const found = yield* Effect.mapError(this.find(kind, name, isTheirs), storeFailure)
      if (found !== undefined && isContractProof(proof)) {
        const waitSeconds = this.contractBudget.take(call.clientAddress(), nowMillis)
        if (waitSeconds !== undefined) return yield* rateLimited(waitSeconds, tooMany)
      }
      if (found === undefined || !(yield* isPayer(found.page.chargeKey, signIn))) return yield* unknown
      if (this.nonces.get(nonce, nowMillis) !== undefined)
        return this.challenged(
          call,
          "SIGN_IN_REFUSED",
          "This proof was used before: sign the new challenge.",
          nowMillis
        )
      this.nonces.set(nonce, true, nowMillis)
      if (action !== undefined) return this.shown(call, yield* action.run(found.page.id, nonce))
      const facts = yield* Effect.mapError(this.wholeOf(found), storeFailure)
      const headers = this.services.pages.headersOf({ kind: kind.subject, id: found.page.id })
      return this.shown(call, facts, retryAfter(found.page, nowMillis), headers)
    }
  )

  private readonly respond = Effect.fnUntraced(
    { self: this },
    function* (call: StatusRequest): Effect.fn.Return<PlainResponse, ApiFailure> {
      const { match, request } = call
      const { action, kind, name } = match
      const nowMillis = yield* Clock.currentTimeMillis
      const waitSeconds = this.budget.take(call.clientAddress(), nowMillis)
      if (waitSeconds !== undefined) return yield* rateLimited(waitSeconds, tooMany)
      const header = request.header(signInWithX)
      if (header !== null) {
        const { networks, services } = this
        const terms = { secrets: services.secrets, target: this.targetOf(match), networks, nowMillis }
        const reading = readProof(header, terms)
        return reading._tag === "Refused"
          ? this.challenged(
              call,
              "SIGN_IN_REFUSED",
              `The proof is refused: ${reading.refusal.message}.`,
              nowMillis
            )
          : yield* this.forWallet(call, reading.proof, nowMillis)
      }
      const token = action === undefined ? request.header(statusTokenHeader) : null
      if (token !== null) {
        const isTheirs = ({ id }: Pick<StatusPage, "id">) => this.services.pages.isToken(kind.path, id, token)
        // A wrong token of an id costs no look-up.
        const isKnown = isTransactionId(name) || isTheirs({ id: name.toLowerCase() })
        const found = isKnown
          ? yield* Effect.mapError(this.find(kind, name, isTheirs), storeFailure)
          : undefined
        if (found === undefined) return yield* unknown
        return this.shown(call, outlineOf(found), retryAfter(found.page, nowMillis))
      }
      if (action === undefined && isTransactionId(name)) {
        const found = yield* Effect.mapError(
          this.find(kind, name, () => true),
          storeFailure
        )
        if (found === undefined) return yield* unknown
        const facts = { status: found.page.stateOf(found.charge), ...this.challengeFor(call, nowMillis) }
        return this.shown(call, facts, retryAfter(found.page, nowMillis))
      }
      return this.challenged(call, "SIGN_IN_REQUIRED", signInNeeded(call.match), nowMillis)
    }
  )

  /** Handles a request: with its response, or that to its error. */
  handle(call: StatusRequest): Effect.Effect<PlainResponse> {
    const { corsOrigin } = call
    const response = responded(this.respond(call), this.settings, corsOrigin, (failure) =>
      Effect.succeed(failureResponse(failure, this.settings.cors, corsOrigin))
    )
    return Effect.map(response, (shown) => withSignInHeaders(shown, "Status-Token"))
  }
}

const signInNeeded = ({ action }: StatusMatch): string =>
  "Sign the challenge in details with the wallet that paid, and send it in the header SIGN-IN-WITH-X" +
  (action === undefined ? "; or send the Status-Token of the paid response." : ".")

const outlineOf = ({ charge, page }: FoundPage): Facts => ({
  status: page.stateOf(charge),
  ...page.outline,
  refund: charge === undefined ? null : refundOf(charge)
})

const retryAfter = ({ changesAtMillis }: StatusPage, nowMillis: number): number | undefined =>
  changesAtMillis === undefined
    ? undefined
    : Math.min(Math.max(Math.ceil((changesAtMillis - nowMillis) / 1000), soonestSeconds), latestSeconds)
