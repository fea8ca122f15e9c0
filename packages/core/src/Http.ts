import { Cause, Context, Effect, Layer, Option } from "effect"
import { ApiFailure } from "./ApiFailure.ts"
import type { Configuration } from "./Configuration.ts"
import type { IncomingRequest, PlainResponse } from "./Exchange.ts"
import type { Operation, Reading } from "./Operation.ts"
import type { PublicRoute } from "./Options.ts"
import type { Caller } from "./RunningTill.ts"
import { makeRouter, type Mounted, paymentNeeded } from "./Router.ts"
import { Secrets } from "./Secrets.ts"
import {
  challengeResponse,
  failureResponse,
  jsonResponse,
  paidResponse,
  preflightResponse
} from "./Responses.ts"
import { makeChallenge } from "./toll/Challenge.ts"
import { canonicalJson } from "./toll/ChargeKey.ts"
import { type HeaderReading, type Payment, readPayment, withoutQuery } from "./toll/PaymentHeader.ts"
import { Toll } from "./toll/Toll.ts"
import { inProgress } from "./toll/TollFailures.ts"
import { PaymentRefused, type TollRequest } from "./toll/TollRequest.ts"
import type { Refusal } from "./toll/Verdict.ts"

/** An answer of our own, or of a route that is the host's. */
export type Answered = PlainResponse | Response

/** How a request is answered: at once, or by an effect. */
export type Answering = PlainResponse | Effect.Effect<Answered>

export class Http extends Context.Service<
  Http,
  { readonly answer: (request: IncomingRequest, caller?: Caller) => Answering }
>()("@till402/core/Http") {
  static readonly layer = (configuration: Configuration, operations: ReadonlyArray<Operation>) =>
    Layer.effect(
      Http,
      Effect.map(make(configuration, operations), (answer) => Http.of({ answer }))
    )
}

/** What an answer depends on beside the input of a request. */
interface Asker {
  /** Found out for those who are quoted a price. */
  readonly clientAddress: () => string | undefined
  readonly origin: string | null
  /** The query as it came. */
  readonly search: string
}

const sayRefusal = ({ code, message }: Refusal): string => `${code}: ${message}`

/** How often a payment is presented to the toll for one request: again where a copy of it got on meanwhile. */
const maxAttempts = 3

/** Refusals of a payment that has bought something, or is owed back: what became of it is told with them. */
const isFinal = (code: string): boolean => code === "payment_already_used" || code === "payment_refund_due"

const notFound = new ApiFailure({ status: 404, code: "NOT_FOUND", message: "Nothing is found at this path." })

const methodNotAllowed = (allow: string) =>
  new ApiFailure({
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    message: `Use ${allow.split(", ")[0]} on this path.`,
    allow
  })

const make = Effect.fnUntraced(function* (
  configuration: Configuration,
  operations: ReadonlyArray<Operation>
) {
  const toll = yield* Toll
  const secrets = yield* Secrets
  const { cors } = configuration
  const router = makeRouter(configuration, operations)

  const fingerprintOf = (canonical: string): string => secrets.digest("quote", canonical)!

  const broken = (cause: Cause.Cause<unknown>, origin: string | null) => {
    const id = crypto.randomUUID()
    return Effect.as(
      Effect.logError("A request failed by a defect", id, cause),
      failureResponse(internalError(id), cors, origin)
    )
  }

  /** A 402 for this very request: its price where it has one of its own. */
  const challenge = Effect.fnUntraced(function* (
    { fixedOffers, offersOf, operation, resource, unpaid }: Mounted,
    reading: Reading<unknown>,
    canonical: string,
    error: string | undefined,
    { clientAddress, search }: Asker
  ) {
    const { price } = operation
    if (price._tag === "Fixed") {
      return error === undefined ? unpaid(search) : makeChallenge(fixedOffers, resource(search), error)
    }
    if (reading._tag === "Nothing") return unpaid(search)
    const quoted = yield* price.quote(reading.input, fingerprintOf(canonical), clientAddress())
    return makeChallenge(
      offersOf(quoted),
      { ...resource(search), description: quoted.description },
      error ?? paymentNeeded
    )
  })

  const offersFor = (
    { fixedOffers, offersOf, operation: { price } }: Mounted,
    input: unknown,
    canonical: string,
    chargeKey: string
  ): ReturnType<TollRequest["offers"]> =>
    price._tag === "Fixed"
      ? fixedOffers
      : Effect.flatMap(price.standing(input, fingerprintOf(canonical), chargeKey), (standing) =>
          standing === undefined ? Effect.fail(quoteMissing) : Effect.succeed(offersOf(standing))
        )

  const pay = function* (
    mounted: Mounted,
    reading: Extract<Reading<unknown>, { _tag: "Input" }>,
    canonical: string,
    presented: Payment,
    asker: Asker
  ): Effect.fn.Return<PlainResponse, ApiFailure> {
    const { info, operation } = mounted
    const { input } = reading
    const settlesFirst = configuration.settlesFirst.has(operation.id)
    const { origin } = asker
    const payment = operation.namesQuery ? presented : withoutQuery(presented)
    const tolled: TollRequest = {
      operation: operation.id,
      canonical,
      payment,
      resource: info,
      sealed: operation.sealed,
      replayMillis: operation.replayMillis,
      // After settlement the work has all the time it needs.
      workMillis: settlesFirst ? 0 : configuration.upstreamTimeoutMillis,
      proofRequired: (operation.proofRequired || settlesFirst) && !configuration.trustFacilitator,
      settlesFirst,
      // What a quote buys is ordered after settlement: until then it costs nothing.
      exposureAtomic: operation.price._tag === "Fixed" && !settlesFirst ? operation.price.atomic : 0n,
      clientAddress: () => addressOrUnknown(asker.clientAddress),
      alwaysVerified: operation.proofRequired,
      offers: (chargeKey) => offersFor(mounted, input, canonical, chargeKey),
      work: (key, agreed) =>
        operation.work(input, { key, agreed, fingerprint: () => fingerprintOf(canonical) }),
      reopen: (slug) => operation.reopen?.(slug) ?? Effect.fail(notFound)
    }
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const outcome = yield* toll.pay(tolled)
      if (outcome._tag === "Paid") return paidResponse(outcome, payment.payload.x402Version, cors, origin)
      const { refusal } = outcome
      const made = yield* challenge(mounted, reading, canonical, sayRefusal(refusal), asker)
      // A new price takes its time, and a copy of the payment may have met it meanwhile.
      const isOpen = operation.price._tag === "Quoted" && !isFinal(refusal.code)
      if (!isOpen || !(yield* toll.isUnderWay(tolled))) return challengeResponse(made, cors, origin)
    }
    return yield* inProgress
  }

  /** Begins at once: what needs no waiting needs no fiber. */
  const call = Effect.fnUntracedEager(
    function* (mounted: Mounted, request: IncomingRequest, header: HeaderReading, asker: Asker) {
      const { origin } = asker
      const reading = yield* mounted.operation.read(request)
      const canonical = reading._tag === "Input" ? `${mounted.route}\n${canonicalJson(reading.input)}` : ""
      switch (header._tag) {
        case "None":
          return challengeResponse(
            yield* challenge(mounted, reading, canonical, undefined, asker),
            cors,
            origin
          )
        case "Malformed": {
          const error = sayRefusal({ code: "invalid_payload", message: header.reason })
          return challengeResponse(yield* challenge(mounted, reading, canonical, error, asker), cors, origin)
        }
        case "Payment":
          return reading._tag === "Nothing"
            ? failureResponse(reading.fault, cors, origin)
            : yield* pay(mounted, reading, canonical, header.payment, asker)
      }
    },
    (effect, _mounted, _request, _header, { origin }) =>
      Effect.catchCause(effect, (cause) => {
        const failure = Cause.hasDies(cause) ? Option.none() : Cause.findErrorOption(cause)
        return Option.isSome(failure)
          ? Effect.succeed(failureResponse(failure.value, cors, origin))
          : broken(cause, origin)
      })
  )

  const answerPublicly = (
    answer: PublicRoute,
    request: IncomingRequest,
    origin: string | null
  ): Effect.Effect<Answered> =>
    Effect.catchCause(
      Effect.promise(async (): Promise<Answered> => answer(request.toRequest())),
      (cause) => broken(cause, origin)
    )

  return (request: IncomingRequest, caller: Caller = {}): Answering => {
    // Looked up only where an answer differs by it.
    const origin = Array.isArray(cors) ? request.header("origin") : null
    const found = router(request.url.pathname)
    if (found === undefined) return failureResponse(notFound, cors, origin)
    if (found._tag === "Public") return answerPublicly(found.answer, request, origin)
    const { method } = request
    const isGet = found._tag === "Document" || found.mounted.method === "GET"
    const allow = isGet ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"
    if (method === "OPTIONS") return preflightResponse(allow, cors, origin)
    const isHead = isGet && method === "HEAD"
    if (!isHead && method !== (isGet ? "GET" : "POST"))
      return failureResponse(methodNotAllowed(allow), cors, origin)
    if (found._tag === "Document") return jsonResponse(found.text, cors, origin, isHead)
    const { mounted } = found
    const { search } = request.url
    // HEAD shows what an unpaid GET would, and never takes a payment: there is no body to pay for.
    if (isHead) return challengeResponse(mounted.unpaid(search), cors, origin, true)
    const header = readPayment(request)
    if (header._tag === "None" && mounted.operation.price._tag === "Fixed") {
      return challengeResponse(mounted.unpaid(search), cors, origin)
    }
    // The host's function reads a proxy's header; where it says nothing, the adapter's word stands.
    const clientAddress = () => configuration.clientAddress?.(request.toRequest()) ?? caller.clientAddress
    return call(mounted, request, header, { clientAddress, origin, search })
  }
})

/** A paid call needs no address: where the host's function fails, its client is unknown. */
const addressOrUnknown = (clientAddress: () => string | undefined): string | undefined => {
  try {
    return clientAddress()
  } catch {
    return undefined
  }
}

/** A payment for a request whose quote has lapsed, or has bought an order already. */
const quoteMissing = new PaymentRefused({
  refusal: {
    code: "quote_expired",
    message: "no quote stands for this request any more; nothing was charged, pay the new amount"
  }
})

const internalError = (id: string) =>
  new ApiFailure({
    status: 500,
    code: "INTERNAL_ERROR",
    message: "Something broke on our side. If you paid, send the same payment again.",
    details: { id }
  })
