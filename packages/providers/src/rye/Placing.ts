import { Clock, Effect } from "effect"
import { ResponseMalformed } from "../upstream/index.ts"
import { centsWithin } from "../fulfilment/Cents.ts"
import { type FailedPlacement, refused, withOutcome, unknown } from "../fulfilment/PlacementOutcome.ts"
import {
  ConfirmationInFlight,
  IntentFailed,
  IntentNotPlaceable,
  JournalFailed,
  OfferChanged,
  OfferNotReady,
  PlacementUnknown,
  type RyeError,
  TooManyOrders
} from "./Errors.ts"
import { wordOf } from "./FailureReason.ts"
import { createdAtOf, type IntentDocument, idPattern } from "./IntentDocument.ts"
import type { Intents } from "./Intents.ts"
import { costOf, intentLifetimeMillis } from "./Offer.ts"
import { afterConfirming, beforeConfirming, wasNotSent } from "./Outcome.ts"
import type { OrdersAtOnce } from "./OrdersAtOnce.ts"
import type { PlacementJournal } from "./PlacementJournal.ts"
import type { Buyers } from "./Buyers.ts"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { KeyedMutex } from "../fulfilment/KeyedMutex.ts"
import { fieldsOf } from "../listing/Fields.ts"
import type { PaymentState } from "../treasury/Treasury.ts"
import type { PaidOrder, X402Payment } from "./X402Payment.ts"

/*
 * An order is placed by confirming its intent. An intent is confirmed only while Rye reports it unconfirmed.
 * Its states never go back, so it can't be confirmed twice.
 */

/** A paid order of the till, to be placed. */
export interface RyePlacement extends OrderRequest {
  /** Idempotency key. */
  readonly orderId: string
  /** Rye's intent: the `reference` of its quote. */
  readonly reference: string
  /** The agreed total: decimal text in dollars. */
  readonly total: string
}

/** How long a confirmation may be in flight after it was sent. */
const inFlightMillis = 60_000

/** Whether an intent was confirmed: the order is placed or about to be. */
const isConfirmed = ({ state }: IntentDocument): boolean => state === "placing_order" || state === "completed"

const fromJournal = <A>(call: () => Promise<A>): Effect.Effect<A, JournalFailed> =>
  Effect.tryPromise({ try: call, catch: (cause) => new JournalFailed({ cause }) })

const reasonOf = ({ failureReason }: IntentDocument): string => wordOf(fieldsOf(failureReason)["code"])

/** Why an unconfirmed intent can't be confirmed; `undefined` if it can. */
const obstacleOf = (
  intent: IntentDocument,
  agreedCents: bigint,
  paysByX402: boolean
): RyeError | undefined => {
  if (intent.state === "failed") return new IntentFailed({ code: reasonOf(intent) })
  if (intent.state === "retrieving_offer") return new OfferNotReady()
  // An intent that was confirmed by x402 awaits its payment.
  if (intent.state !== "awaiting_confirmation" && !(paysByX402 && intent.state === "requires_action")) {
    return new IntentNotPlaceable({ code: wordOf(intent.state) })
  }
  const verdict = costOf(intent.offer, paysByX402)
  if (verdict._tag === "Unusable") return new ResponseMalformed({ upstream: "rye", detail: verdict.detail })
  return verdict._tag === "Offered" && verdict.cost.totalCents <= agreedCents ? undefined : new OfferChanged()
}

/** Returns the agreed total in cents, if the intent can be confirmed for it. */
const ensurePlaceable = (
  intent: IntentDocument,
  total: string,
  paysByX402: boolean
): Effect.Effect<bigint, RyeError> => {
  const agreedCents = centsWithin(total)
  if (agreedCents === undefined) return Effect.fail(new OfferChanged())
  const obstacle = obstacleOf(intent, agreedCents, paysByX402)
  return obstacle === undefined ? Effect.succeed(agreedCents) : Effect.fail(obstacle)
}

const unconfirmedStates: ReadonlySet<string> = new Set(["awaiting_confirmation", "retrieving_offer"])

/** Facts by which an intent is judged that isn't confirmed. */
interface UnconfirmedFacts {
  readonly nowMillis: number
  /** When its confirmation was sent; `undefined`: no confirmation is recorded. */
  readonly sentAtMillis: number | undefined
  /** Whether the record outlives this process. */
  readonly isDurable: boolean
  readonly paysByX402: boolean
}

/** Returns `undefined` if an unconfirmed intent proves that nothing was placed; fails if that is unknown. */
const unconfirmed = (
  intent: IntentDocument,
  { isDurable, nowMillis, paysByX402, sentAtMillis }: UnconfirmedFacts
): Effect.Effect<undefined, RyeError> => {
  // By x402, `requires_action` is an intent that awaits its payment.
  const isUnconfirmed =
    unconfirmedStates.has(intent.state) || (paysByX402 && intent.state === "requires_action")
  if (!isUnconfirmed) {
    return Effect.fail(new IntentNotPlaceable({ code: wordOf(intent.state) }))
  }
  if (sentAtMillis !== undefined) {
    const left = sentAtMillis + inFlightMillis - nowMillis
    return left > 0
      ? Effect.fail(new ConfirmationInFlight({ retryAfterMillis: left }))
      : Effect.succeed(undefined)
  }
  const createdAt = createdAtOf(intent)
  const isExpired = createdAt !== undefined && nowMillis >= createdAt + intentLifetimeMillis
  return isDurable || isExpired ? Effect.succeed(undefined) : Effect.fail(new PlacementUnknown())
}

/** An attempt to place an order. */
type Attempt = Effect.Effect<{ readonly reference: string }, FailedPlacement<RyeError>>

export interface PlacingSettings {
  readonly atOnce: OrdersAtOnce
  readonly buyers: Buyers
  /** `undefined`: orders are paid from the drawdown balance. */
  readonly x402: X402Payment | undefined
}

/** Places orders, paid by `x402` or from the drawdown balance. */
export class Placing {
  private readonly intents: Intents
  private readonly placements: PlacementJournal
  private readonly settings: PlacingSettings
  private readonly isDurable: boolean
  private readonly oneAtATime = new KeyedMutex()

  constructor(intents: Intents, placements: PlacementJournal, settings: PlacingSettings) {
    this.intents = intents
    this.placements = placements
    this.settings = settings
    this.isDurable = placements.isDurable ?? true
  }

  /** Records the intent and confirms it, unless it is already confirmed. */
  place(placement: RyePlacement): Attempt {
    return this.oneAtATime.enter(
      placement.reference,
      Effect.tapError(this.placeNow(placement), ({ outcome }) =>
        Effect.sync(() => {
          // Rye isn't placing it.
          if (outcome._tag !== "Unknown") this.settings.atOnce.leave(placement.reference)
        })
      )
    )
  }

  /** Finds the intent of an order that Rye is placing or has placed, and completes a payment that was begun. */
  readonly find = Effect.fnUntraced(
    { self: this },
    function* (orderId: string, quoted: string | undefined): Effect.fn.Return<string | undefined, RyeError> {
      const { isDurable, settings } = this
      const { x402 } = settings
      const known = yield* fromJournal(() => this.placements.find(orderId))
      const hasNoRecord = known === undefined && isDurable
      const reference = known?.reference ?? quoted
      if (reference === undefined || !idPattern.test(reference)) {
        return hasNoRecord ? undefined : yield* new PlacementUnknown()
      }
      const intent = yield* this.intents.get(reference)
      // Confirmed by hand, or as another order, as in `place`.
      if (hasNoRecord) return isConfirmed(intent) ? yield* new PlacementUnknown() : undefined
      if (isConfirmed(intent)) return reference
      // A payment that was begun is not sent any more: it would buy nothing.
      if (intent.state === "failed") return undefined
      const payment = yield* this.paymentOf(orderId)
      if (x402 !== undefined && payment.status !== "none" && payment.status !== "failed") {
        yield* this.confirm(reference, orderId, yield* x402.resume(payment, orderId))
        return reference
      }
      return yield* unconfirmed(intent, {
        nowMillis: yield* Clock.currentTimeMillis,
        sentAtMillis: known?.atMillis,
        isDurable,
        paysByX402: x402 !== undefined
      })
    }
  )

  private readonly placeNow = Effect.fnUntraced(
    { self: this },
    function* (
      placement: RyePlacement
    ): Effect.fn.Return<{ readonly reference: string }, FailedPlacement<RyeError>> {
      const { placements, settings } = this
      const { atOnce, buyers, x402 } = settings
      const { orderId } = placement
      const known = yield* withOutcome<RyeError>(unknown)(fromJournal(() => placements.find(orderId)))
      // The first recorded intent counts: another one would be a second order.
      const reference = known?.reference ?? placement.reference
      const atMillis = yield* Clock.currentTimeMillis
      const payment = yield* withOutcome<RyeError>(unknown)(this.paymentOf(orderId))
      const isInFlight = known !== undefined && atMillis < known.atMillis + inFlightMillis
      const mayArrive = isInFlight || payment.status !== "none"
      const before = withOutcome((error: RyeError) => beforeConfirming(error, { mayArrive }))
      const intent = yield* before(this.getIntent(reference))
      if (isConfirmed(intent)) {
        // Recorded before it is confirmed: without a record, it is another order's, or was confirmed by hand.
        if (known === undefined && this.isDurable)
          return yield* Effect.fail({ error: new PlacementUnknown(), outcome: unknown() })
        yield* buyers.record(placement)
        return { reference }
      }
      const agreedCents = yield* before(ensurePlaceable(intent, placement.total, x402 !== undefined))
      const retryAfterMillis = atOnce.enter(reference, atMillis)
      // An order that may already be paid or confirmed goes on.
      if (retryAfterMillis !== undefined && !mayArrive) {
        return yield* before(Effect.fail(new TooManyOrders({ retryAfterMillis })))
      }
      yield* before(fromJournal(() => placements.record(orderId, { reference, atMillis })))
      const proof = yield* this.pay({ orderId, reference, agreedCents }, payment)
      // Once an order is paid, only a failed intent settles its outcome.
      const isPaid = proof !== undefined
      const after = withOutcome((error: RyeError) =>
        afterConfirming(error, { mayArrive: mayArrive || isPaid })
      )
      yield* after(this.confirm(reference, orderId, proof))
      yield* buyers.record(placement)
      return { reference }
    }
  )

  private getIntent(reference: string): Effect.Effect<IntentDocument, RyeError> {
    return idPattern.test(reference)
      ? this.intents.get(reference)
      : Effect.fail(new IntentNotPlaceable({ code: "reference" }))
  }

  private paymentOf(orderId: string): Effect.Effect<PaymentState, RyeError> {
    const { x402 } = this.settings
    return x402 === undefined ? Effect.succeed({ status: "none" }) : x402.find(orderId)
  }

  /** Pays by x402, or completes a payment that was begun. Returns the header that proves it. */
  private pay(
    order: PaidOrder,
    payment: PaymentState
  ): Effect.Effect<string | undefined, FailedPlacement<RyeError>> {
    const { x402 } = this.settings
    if (x402 === undefined) return Effect.succeed(undefined)
    if (payment.status === "none") return x402.pay(order)
    return withOutcome<RyeError>((error) =>
      error._tag === "PaymentFailed" ? refused("payment_failed") : unknown()
    )(x402.resume(payment, order.orderId))
  }

  /** Sends the confirmation. If its outcome is unknown, looks up the intent. */
  private confirm(reference: string, orderId: string, proof?: string): Effect.Effect<void, RyeError> {
    return Effect.matchEffect(this.intents.confirm(reference, orderId, proof), {
      // In any state, including unknown ones, Rye accepted the confirmation.
      onSuccess: (intent) =>
        intent.state === "failed" ? Effect.fail(new IntentFailed({ code: reasonOf(intent) })) : Effect.void,
      onFailure: (fault): Effect.Effect<void, RyeError> =>
        wasNotSent(fault)
          ? Effect.fail(fault)
          : Effect.flatMap(
              // If the lookup fails too, report the first fault.
              Effect.mapError(this.intents.get(reference), () => fault),
              (intent) => (isConfirmed(intent) ? Effect.void : Effect.fail(fault))
            )
    })
  }
}
