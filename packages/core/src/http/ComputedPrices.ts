import { Clock, Effect, Exit } from "effect"
import { type ApiFailure, rateLimited } from "../domain/ApiFailure.ts"
import type { Price } from "../operations/Operation.ts"
import { ClientBudget } from "../runtime/ClientBudget.ts"
import { SpanCounts } from "../runtime/SpanCounts.ts"
import type { HttpSettings } from "./HttpSettings.ts"

type Computed = Extract<Price<unknown>, { readonly _tag: "Computed" }>

/** A request for which a function of the host computes the price. */
interface ComputedPriceRequest {
  readonly price: Computed
  readonly input: unknown
  readonly clientAddress: string | undefined
}

interface ComputedPaymentRequest extends ComputedPriceRequest {
  readonly payer: string
  /** The payer, proven by the payment's signature, has paid here within a day. */
  readonly isKnownPayer: Effect.Effect<boolean>
}

interface PriceOfPayment {
  readonly atomic: bigint
  /** Gives back what its computation took from a budget. */
  readonly giveBack: (nowMillis: number) => void
}

const tooManyRefused =
  "Too many payments at prices that are computed were refused in this minute. Nothing was charged; send the same payment again."
const payerLimits = { maxKeys: 10_000, spanMillis: 60_000 }

/**
 * Calls the functions of the host that compute prices, within budgets: a price that isn't paid costs the caller
 * nothing.
 *
 * Unpaid requests share the budget of quotes. Payments that are not accepted have their own, counted by client alone:
 * strangers can neither compute without end by worthless payments, nor use up the budget of those who pay. Payers who
 * have paid here have another, as strangers may share their address.
 */
export class ComputedPrices {
  private readonly unpaid: ClientBudget
  private readonly refused: ClientBudget
  private readonly refusedOfPayers = new SpanCounts(payerLimits)
  private readonly perClient: number

  constructor(limits: HttpSettings["limits"]) {
    const perClient = limits.quotesPerClientPerMinute
    this.perClient = perClient
    this.unpaid = new ClientBudget({ perClient, inAll: limits.quotesPerMinute })
    this.refused = new ClientBudget({ perClient, inAll: Number.MAX_SAFE_INTEGER })
  }

  /** The price of a request without payment. Fails with a 429 over the budget. */
  readonly quote = ({
    clientAddress,
    input,
    price
  }: ComputedPriceRequest): Effect.Effect<bigint, ApiFailure> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const waitSeconds = this.unpaid.take(clientAddress, nowMillis)
      return waitSeconds === undefined ? price.of(input) : Effect.fail(rateLimited(waitSeconds))
    })

  /**
   * The price of a request with a payment. Takes from the budget of its client, until the payment is accepted; above it,
   * a payer who has paid here has a budget of their own. Fails with a 429 over both.
   */
  readonly ofPayment = (request: ComputedPaymentRequest): Effect.Effect<PriceOfPayment, ApiFailure> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const { clientAddress, input, payer, price } = request
      const ofClient = (atomic: bigint): PriceOfPayment => ({
        atomic,
        giveBack: (atMillis) => this.refused.giveBack(clientAddress, atMillis)
      })
      const waitSeconds = this.refused.take(clientAddress, nowMillis)
      if (waitSeconds === undefined) return Effect.map(price.of(input), ofClient)
      const ofPayer = (atomic: bigint): PriceOfPayment => ({
        atomic,
        giveBack: (atMillis) => this.refusedOfPayers.remove(payer, atMillis)
      })
      return Effect.flatMap(request.isKnownPayer, (isKnown) =>
        isKnown && this.refusedOfPayers.add(payer, nowMillis) <= this.perClient
          ? Effect.map(price.of(input), ofPayer)
          : Effect.fail(rateLimited(waitSeconds, tooManyRefused))
      )
    })
}

/** The computed price of one payment: computed at most once. */
export class RequestPrice {
  private readonly compute: Effect.Effect<PriceOfPayment, ApiFailure>
  private priced: PriceOfPayment | undefined
  private isAccepted = false
  /** `undefined`: not computed yet. */
  exit: Exit.Exit<bigint, ApiFailure> | undefined

  constructor(compute: RequestPrice["compute"]) {
    this.compute = compute
  }

  /** `undefined`: not computed yet, or without a result. */
  get atomic(): bigint | undefined {
    return this.priced?.atomic
  }

  readonly get: Effect.Effect<bigint, ApiFailure> = Effect.suspend(
    () =>
      this.exit ??
      this.compute.pipe(
        Effect.map((priced) => {
          this.priced = priced
          return priced.atomic
        }),
        Effect.onExit((exit) => {
          this.exit = exit
          return Effect.void
        })
      )
  )

  /** Gives back what the computation took: the payment was accepted, and its work begins. */
  readonly accept: Effect.Effect<void> = Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    const { priced } = this
    if (priced === undefined || this.isAccepted) return
    this.isAccepted = true
    priced.giveBack(nowMillis)
  })
}
