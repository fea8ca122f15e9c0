import { Effect } from "effect"
import { ApiFailure } from "../domain/ApiFailure.ts"
import { isOnSolana } from "../domain/PaymentPayload.ts"
import { StatusPages } from "../ports/StatusPages.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { PaymentEvents, type PaymentFeed } from "../runtime/PaymentEvents.ts"
import { Secrets } from "../runtime/Secrets.ts"
import { payerOf } from "../toll/exact/SignedPayment.ts"
import { canonicalJson } from "../toll/request/ChargeKey.ts"
import { type PaymentError, PaymentInProgress } from "../toll/request/PaymentErrors.ts"
import type { Payment } from "../toll/request/PaymentHeader.ts"
import { Toll } from "../toll/Toll.ts"
import type { Outcome, TollRequest } from "../toll/request/TollRequest.ts"
import type { Refusal } from "../toll/request/Verdict.ts"
import { CallPrices, onAllNetworks, worthOf } from "./CallPrices.ts"
import type { RequestPrice } from "./ComputedPrices.ts"
import { downloadOf, Downloads } from "./Downloads.ts"
import type { PlainResponse } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import type { Reading } from "./Input.ts"
import {
  failureResponse,
  notFoundBelow,
  paidResponse,
  responded,
  unsatisfiableResponse,
  withRefusal,
  withUnreadable
} from "./Responses.ts"
import type { DecodedCall, PaidRequest } from "./PaidRequest.ts"
import { needsChain, type PaidRoute } from "./PaidRoute.ts"
import { failureOfRepetition, faultOfName, repeatsOf } from "./RepeatGuard.ts"
import { secondText } from "./WrongClock.ts"
import { failureOfPayment } from "./PaymentFailures.ts"

/** The response with a whole file. */
interface Download {
  readonly whole: PlainResponse
  readonly body: Exclude<PaidOutcome["response"]["body"], { readonly _tag: "Text" }>
}

type PaidOutcome = Extract<Outcome, { readonly _tag: "Paid" }>

/** Times that one request presents its payment: again if a copy of the payment was accepted meanwhile. */
const maxAttempts = 3

/** Why a payment header is refused that isn't one. */
const unreadable = "invalid_payload"

const deliveredTwice: Refusal = {
  code: "payment_already_used",
  message: "this payment has received its file twice; sign a new one to receive it again"
}

const refusalText = ({ code, message }: Refusal): string => `${code}: ${message}`

/** Refusals because of the time, by the till or its facilitator. */
const ofTime = /valid_(?:after|before)|^payment_expired$/

/** For such a refusal, the payment's times and the till's: one of two clocks may be wrong. */
const timesOf = ({ code }: Refusal, { payload }: Payment, nowMillis: number): string => {
  if (!ofTime.test(code) || isOnSolana(payload)) return ""
  const { validAfter, validBefore } = payload.payload.authorization
  const [from, to] = [validAfter, validBefore].map((seconds) => secondText(Number(seconds) * 1000))
  return `. The payment is valid from ${from} to ${to}, and the time here is ${secondText(nowMillis)}`
}

/** Refusals of a payment that has bought something, or whose refund is due. */
const isFinal = (code: string): boolean => code === "payment_already_used" || code === "payment_refund_due"

/** Handles requests for paid operations: prices, payments, work and receipts. */
export class PaidCalls {
  private readonly settings: HttpSettings
  private readonly toll: Toll["Service"]
  private readonly pages: StatusPages["Service"]
  private readonly payments: PaymentFeed
  private readonly prices: CallPrices
  private readonly downloads = new Downloads()

  static readonly make = Effect.fnUntraced(function* (settings: HttpSettings) {
    return new PaidCalls(settings, yield* Toll, yield* Secrets, yield* StatusPages, yield* PaymentEvents)
  })

  private constructor(
    settings: HttpSettings,
    toll: Toll["Service"],
    secrets: Secrets["Service"],
    pages: StatusPages["Service"],
    payments: PaymentFeed
  ) {
    this.settings = settings
    this.payments = payments
    this.pages = pages
    this.toll = toll
    this.prices = new CallPrices(settings, secrets)
  }

  /** Fails a new payment while the till's clock is wrong. */
  private readonly unsold = Effect.flatMap(currentMillis, (nowMillis) =>
    Effect.fail(this.settings.wrongClock!.failureAt(nowMillis()))
  )

  private requestOf(
    { canonical, paid }: DecodedCall,
    input: unknown,
    presented: Payment,
    computed: RequestPrice | undefined
  ): TollRequest<ApiFailure> {
    const { paidRoute } = paid.match
    const { id, listed, operation, url } = paidRoute
    const { price, response } = operation
    const settlesFirst = operation.settlement?.beforeWork === true
    return {
      operation: id,
      canonical,
      payment: presented,
      resourceUrl: url,
      resource: listed,
      encrypted: response.encrypted === true,
      replayMillis: response.replayMillis,
      // After settlement, the work may use all remaining time.
      workMillis: settlesFirst ? 0 : this.settings.upstreamTimeoutMillis,
      proofRequired: (amountAtomic) => needsChain(operation, amountAtomic, this.settings),
      settlesFirst,
      repeats: repeatsOf(operation, input, paid.request),
      exposureAtomic: () => (settlesFirst ? 0n : (computed?.atomic ?? worthOf(price))),
      clientAddress: paid.clientAddress,
      offers:
        this.settings.wrongClock?.isWrong === true
          ? () => this.unsold
          : this.prices.offersFor(paidRoute, operation, input, canonical, computed),
      owedOffers: (key) =>
        this.prices.offersFor(onAllNetworks(paidRoute), operation, input, canonical, computed)(key),
      work: (key, agreed) => {
        const work =
          paid.handler?.work() ??
          operation.work(input, {
            key,
            payer: () => payerOf(presented.payload),
            agreed,
            quoteKeys: () => this.prices.quoteKeysOf(canonical)
          })
        return computed === undefined ? work : Effect.andThen(computed.accept, work)
      },
      costOf: (error) => (error instanceof ApiFailure ? error.costAtomic : undefined),
      reopen: (reference) =>
        this.downloads.reopen(
          downloadOf(paid.request, presented, true),
          response.reopen?.(reference) ?? Effect.fail(notFoundBelow(this.settings))
        )
    }
  }

  /** Delivers a file, whose download may be resumed, and is refused once its payment has downloaded it twice. */
  private readonly deliver = Effect.fnUntraced(
    { self: this },
    function* (
      call: DecodedCall,
      payment: Payment,
      { body, whole }: Download
    ): Effect.fn.Return<PlainResponse, ApiFailure> {
      const { corsOrigin, request } = call.paid
      const isReplay = body.isReplay === true
      const delivery = this.downloads.deliver(whole, body.content, downloadOf(request, payment, isReplay))
      switch (delivery._tag) {
        case "Sent":
          return delivery.response
        case "Unsatisfiable":
          return unsatisfiableResponse(delivery.size, this.settings.cors, corsOrigin)
        case "Spent":
          return withRefusal(
            yield* this.prices.challenged(call, refusalText(deliveredTwice)),
            deliveredTwice.code,
            payment.payload
          )
      }
    }
  )

  /** The response with what a payment bought. */
  private readonly served = Effect.fnUntraced(
    { self: this },
    function* (
      call: DecodedCall,
      payment: Payment,
      outcome: PaidOutcome,
      computed: RequestPrice | undefined
    ): Effect.fn.Return<PlainResponse, ApiFailure> {
      const { corsOrigin, match } = call.paid
      // A copy that waited for another call's response has computed the price, too.
      if (computed !== undefined) {
        this.prices.changes.sold(match.paidRoute.id)
        yield* computed.accept
      }
      const whole = paidResponse(outcome, payment.payload.x402Version, this.settings.cors, corsOrigin)
      const { body } = outcome.response
      return body._tag === "Text" ? whole : yield* this.deliver(call, payment, { whole, body })
    }
  )

  /** The 402 for a payment that is refused. */
  private readonly refused = Effect.fnUntraced(
    { self: this },
    function* (
      call: DecodedCall,
      payment: Payment,
      refusal: Refusal,
      computed: RequestPrice | undefined
    ): Effect.fn.Return<PlainResponse, ApiFailure> {
      if (computed?.atomic !== undefined)
        yield* this.prices.changes.refused(call.paid.match.paidRoute.id, call.canonical, computed.atomic)
      const detail = this.adviceOf(refusal) ?? timesOf(refusal, payment, (yield* currentMillis)())
      const challenged = yield* this.prices.challenged(call, refusalText(refusal), {
        detail,
        known: computed?.exit
      })
      return withRefusal(challenged, refusal.code, payment.payload)
    }
  )

  private readonly pay = Effect.fnUntraced(
    { self: this },
    function* (
      call: DecodedCall,
      input: unknown,
      payment: Payment
    ): Effect.fn.Return<PlainResponse, ApiFailure | PaymentError<ApiFailure>> {
      const { operation } = call.paid.match.paidRoute
      const misnamed = faultOfName(operation, payment)
      if (misnamed !== undefined) {
        yield* this.noteFault(call.paid, misnamed)
        return yield* misnamed
      }
      const isKnownPayer: Effect.Effect<boolean> = Effect.suspend(() => this.toll.isKnownPayer(request))
      const computed = this.prices.computedPriceOf(call, input, payment, isKnownPayer)
      const request: TollRequest<ApiFailure> = this.requestOf(call, input, payment, computed)
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const outcome = yield* this.toll.pay(request)
        if (outcome._tag === "Paid") return yield* this.served(call, payment, outcome, computed)
        const { refusal } = outcome
        const refused = yield* this.refused(call, payment, refusal, computed)
        // A price that is looked up or computed takes time, and a copy of the payment may have been accepted meanwhile.
        const isOpen = operation.price._tag !== "Fixed" && !isFinal(refusal.code)
        if (!isOpen || !(yield* this.toll.isUnderWay(request))) return refused
      }
      return yield* new PaymentInProgress()
    }
  )

  private readonly respond = Effect.fnUntraced(
    { self: this },
    function* (paid: PaidRequest): Effect.fn.Return<PlainResponse, ApiFailure | PaymentError<ApiFailure>> {
      const { corsOrigin, header, match } = paid
      const { paidRoute } = match
      const read = paidRoute.read(paid.request, match.params)
      const reading = yield* this.payments.isObserved && header._tag === "Payment"
        ? Effect.tapError(read, (fault) => this.noteFault(paid, fault))
        : read
      const canonical = reading._tag === "Input" ? canonicalOf(paidRoute, reading) : ""
      const call: DecodedCall = { paid, reading, canonical }
      switch (header._tag) {
        case "None":
          return yield* this.prices.unpaid(call)
        case "Malformed":
          return withUnreadable(
            yield* this.prices.challenged(call, refusalText({ code: unreadable, message: header.reason })),
            unreadable,
            paidRoute.listedOffers()[0]?.requirements.network
          )
        case "Payment":
          if (reading._tag !== "Nothing") return yield* this.pay(call, reading.input, header.payment)
          yield* this.noteFault(paid, reading.fault)
          return failureResponse(reading.fault, this.settings.cors, corsOrigin)
      }
    }
  )

  /** Publishes that a request with a payment has a fault, before its payment counts. */
  private noteFault({ match }: PaidRequest, { code: reason }: ApiFailure): Effect.Effect<void> {
    if (!this.payments.isObserved) return Effect.void
    const operation = match.paidRoute.id
    return Effect.map(currentMillis, (nowMillis) =>
      this.payments.publish({ code: "payment_failed", at: new Date(nowMillis()), operation, reason })
    )
  }

  /** Where the payer finds what a refused payment has bought. */
  private adviceOf({ bought }: Refusal): string | undefined {
    const url = bought && this.pages.urlOf(bought)
    return url === undefined
      ? undefined
      : `. What it bought is at ${url}: sign in there with the wallet that paid`
  }

  private failureOf({ match }: PaidRequest, error: ApiFailure | PaymentError<ApiFailure>): ApiFailure {
    return error._tag === "RequestRepeated"
      ? failureOfRepetition(match.paidRoute.operation, error, this.pages)
      : failureOfPayment(error)
  }

  /** Handles a request: with its response, or that to its error. */
  handle(paid: PaidRequest): Effect.Effect<PlainResponse | Response> {
    const { corsOrigin, handler } = paid
    return responded(
      this.respond(paid),
      this.settings,
      corsOrigin,
      (failure): Effect.Effect<PlainResponse | Response> =>
        handler?.outcomeOf(failure) ??
        Effect.succeed(failureResponse(this.failureOf(paid, failure), this.settings.cors, corsOrigin)),
      paid.match.paidRoute.id
    )
  }
}

/** Method, route and input as text. A payment buys the request with this text and no other. */
const canonicalOf = (
  { methodAndPath, operation }: PaidRoute,
  { input, raw }: Extract<Reading, { readonly _tag: "Input" }>
): string => `${methodAndPath}\n${canonicalJson(operation.input?.boundToRequest === true ? raw() : input)}`
