import { Clock, Effect, Exit } from "effect"
import { type ApiFailure, rateLimited } from "../domain/ApiFailure.ts"
import type { Price } from "../operations/Operation.ts"
import { ClientBudget } from "../runtime/ClientBudget.ts"
import type { HttpSettings } from "./HttpSettings.ts"

type Computed = Extract<Price<unknown>, { readonly _tag: "Computed" }>

/** A request for which a function of the host computes the price. */
interface ComputedPriceRequest {
  readonly price: Computed
  readonly input: unknown
  readonly clientAddress: string | undefined
}

/**
 * Calls the functions of the host that compute prices, within budgets: a price that isn't paid costs the caller nothing.
 *
 * Unpaid requests share the budget of quotes. Refused payments have their own, counted by client alone: strangers can
 * neither compute without end by worthless payments, nor use up the budget of those who pay.
 */
export class ComputedPrices {
  private readonly unpaid: ClientBudget
  private readonly refused: ClientBudget

  constructor(settings: Pick<HttpSettings, "quotesPerMinute" | "quotesPerClientPerMinute">) {
    const perClient = settings.quotesPerClientPerMinute
    this.unpaid = new ClientBudget({ perClient, inAll: settings.quotesPerMinute })
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

  /** The price of a request with a payment. Fails with a 429 after too many refused payments of the client. */
  readonly ofPayment = ({
    clientAddress,
    input,
    price
  }: ComputedPriceRequest): Effect.Effect<bigint, ApiFailure> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const waitSeconds = this.refused.waitSeconds(clientAddress, nowMillis)
      return waitSeconds === undefined ? price.of(input) : Effect.fail(rateLimited(waitSeconds))
    })

  /** Counts a payment that was refused after its price was computed. */
  readonly countRefused = (clientAddress: string | undefined): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (nowMillis) => {
      this.refused.take(clientAddress, nowMillis)
    })
}

/** The computed price of one request: computed at most once. */
export class RequestPrice {
  private readonly compute: Effect.Effect<bigint, ApiFailure>
  /** `undefined`: not computed yet. */
  exit: Exit.Exit<bigint, ApiFailure> | undefined

  constructor(compute: RequestPrice["compute"]) {
    this.compute = compute
  }

  /** `undefined`: not computed yet, or without a result. */
  get atomic(): bigint | undefined {
    return this.exit !== undefined && Exit.isSuccess(this.exit) ? this.exit.value : undefined
  }

  readonly get: Effect.Effect<bigint, ApiFailure> = Effect.suspend(
    () =>
      this.exit ??
      Effect.onExit(this.compute, (exit) => {
        this.exit = exit
        return Effect.void
      })
  )
}
