import { Effect, type Exit } from "effect"
import type { ApiFailure } from "../domain/ApiFailure.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import type { Secrets } from "../runtime/Secrets.ts"
import { payerOf } from "../toll/exact/SignedPayment.ts"
import { type Challenge, makeChallenge } from "../toll/request/Challenge.ts"
import { quoteExpired } from "../toll/request/PaymentErrors.ts"
import type { Payment } from "../toll/request/PaymentHeader.ts"
import { ComputedPrices, RequestPrice } from "./ComputedPrices.ts"
import { FailedExamples } from "./Examples.ts"
import type { PlainResponse } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import type { DecodedCall } from "./PaidRequest.ts"
import { type PaidRoute, paymentNeeded, plainQuote } from "./PaidRoute.ts"
import { PriceChanges } from "./PriceChanges.ts"
import { challengeResponse } from "./Responses.ts"

/** What a request costs: the 402 that says it, and the offers that a payment may match. */
export class CallPrices {
  private readonly settings: HttpSettings
  private readonly secrets: Secrets["Service"]
  private readonly computedPrices: ComputedPrices
  readonly changes = new PriceChanges()
  private readonly failedExamples = new FailedExamples()

  constructor(settings: HttpSettings, secrets: Secrets["Service"]) {
    this.settings = settings
    this.secrets = secrets
    this.computedPrices = new ComputedPrices(settings.limits)
  }

  /**
   * The fingerprints under which quotes of a request are stored, that of the current secret first. Not the charge's
   * fingerprint, which is a digest for another purpose.
   */
  quoteKeysOf(canonical: string): ReadonlyArray<string> {
    return this.secrets.keyIds.map((id) => `${id}:${this.secrets.digest("quote", canonical, id)}`)
  }

  /**
   * The 402 of one request, with its own price if it has one; `known` if that was computed before. `detail` continues
   * the error in its body.
   */
  private readonly challenge = Effect.fnUntraced(
    { self: this },
    function* (
      { canonical, paid, reading }: DecodedCall,
      error: string | undefined,
      {
        detail,
        known
      }: { readonly detail?: string; readonly known?: Exit.Exit<bigint, ApiFailure> | undefined } = {}
    ): Effect.fn.Return<Challenge, ApiFailure> {
      const { paidRoute } = paid.match
      const { price } = paidRoute.operation
      const { search } = paid.request.url
      const described = paidRoute.resource(search)
      // A refusal says itself what to do, to a client that knows how to call.
      const resource =
        error === undefined ? described : { ...described, notice: undefined, discovery: undefined }
      if (price._tag === "Fixed")
        return error === undefined
          ? paidRoute.unpaid(search)
          : makeChallenge(paidRoute.listedOffers(), resource, error, detail)
      if (reading._tag === "Nothing") return paidRoute.unpaid(search)
      if (price._tag === "Computed") {
        const clientAddress = paid.clientAddress()
        const priced = known ?? this.computedPrices.quote({ price, input: reading.input, clientAddress })
        const atomic = yield* priced
        this.changes.show(paidRoute.id, canonical, atomic)
        const quoted = plainQuote(atomic)
        return makeChallenge(paidRoute.offersOf(quoted), resource, error ?? paymentNeeded, detail)
      }
      const quoted = yield* price.quote(reading.input, this.quoteKeysOf(canonical), paid.clientAddress())
      const offered = { ...resource, offered: quoted.description }
      return makeChallenge(paidRoute.offersOf(quoted), offered, error ?? paymentNeeded, detail)
    }
  )

  /** The response with that 402. */
  challenged(...made: Parameters<CallPrices["challenge"]>): Effect.Effect<PlainResponse, ApiFailure> {
    const [{ paid }] = made
    return Effect.map(this.challenge(...made), (challenge) =>
      challengeResponse(challenge, this.settings.cors, paid.corsOrigin)
    )
  }

  /**
   * The response to a request without payment: its price. The published example, if it can't be quoted, is shown the
   * indicative price, since indexers leave out what fails with it.
   */
  unpaid(call: DecodedCall): Effect.Effect<PlainResponse, ApiFailure> {
    const { paid, reading } = call
    const { id } = paid.match.paidRoute
    const { failedExamples } = this
    const isExample = () => reading._tag === "Input" && reading.isExample()
    const indicative = Effect.sync(() =>
      challengeResponse(
        paid.match.paidRoute.unpaid(paid.request.url.search),
        this.settings.cors,
        paid.corsOrigin
      )
    )
    const quoted = Effect.catch(this.challenged(call, undefined), (failure) =>
      (failure.status === 400 || failure.status === 404) && isExample()
        ? Effect.flatMap(currentMillis, (nowMillis) => {
            failedExamples.add(id, nowMillis())
            return indicative
          })
        : Effect.fail(failure)
    )
    if (failedExamples.isEmpty) return quoted
    return Effect.flatMap(currentMillis, (nowMillis) =>
      failedExamples.has(id, nowMillis()) && isExample() ? indicative : quoted
    )
  }

  /** The offers that a new payment may match, by its charge's key. */
  offersFor(
    { listedOffers, offersOf }: Pick<PaidRoute, "listedOffers" | "offersOf">,
    { price }: PaidRoute["operation"],
    input: unknown,
    canonical: string,
    computed: RequestPrice | undefined
  ) {
    if (price._tag === "Quoted")
      return (chargeKey: string) =>
        Effect.flatMap(price.currentQuote(input, this.quoteKeysOf(canonical), chargeKey), (quote) =>
          quote === undefined ? Effect.fail(quoteExpired) : Effect.succeed(offersOf(quote))
        )
    if (computed === undefined) return listedOffers
    // Only a new payment needs the price; a payment that has bought its response is replayed without it.
    const offersAt = (atomic: bigint) => offersOf(plainQuote(atomic))
    return () =>
      computed.atomic === undefined ? Effect.map(computed.get, offersAt) : offersAt(computed.atomic)
  }

  computedPriceOf(
    { paid }: DecodedCall,
    input: unknown,
    { payload }: Payment,
    isKnownPayer: Effect.Effect<boolean>
  ): RequestPrice | undefined {
    const { price } = paid.match.paidRoute.operation
    if (price._tag !== "Computed") return undefined
    const payer = payerOf(payload)
    return new RequestPrice(
      Effect.suspend(() => {
        const clientAddress = paid.clientAddress()
        return this.computedPrices.ofPayment({ price, input, clientAddress, payer, isKnownPayer })
      })
    )
  }
}

/** The offers of a route, on all networks. */
export const onAllNetworks = ({
  allOffersOf: offersOf,
  operation: { price }
}: PaidRoute): Pick<PaidRoute, "listedOffers" | "offersOf"> => ({
  offersOf,
  listedOffers: () => offersOf(price._tag === "Fixed" ? plainQuote(price.atomic) : price.indicative)
})

/** The highest price of work that is done before settlement. What a stored quote promises comes only after it. */
export const worthOf = (price: PaidRoute["operation"]["price"]): bigint => {
  switch (price._tag) {
    case "Fixed":
      return price.atomic
    case "Computed":
      return price.maxAtomic
    case "Quoted":
      return 0n
  }
}
