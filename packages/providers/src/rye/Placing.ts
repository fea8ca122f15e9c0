import { Clock, Effect } from "effect"
import { ResponseMalformed } from "../upstream/index.ts"
import { centsWithin } from "../fulfilment/Cents.ts"
import { type FailedPlacement, withOutcome, unknown } from "../fulfilment/PlacementOutcome.ts"
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
const obstacleOf = (intent: IntentDocument, agreedCents: bigint): RyeError | undefined => {
  if (intent.state === "failed") return new IntentFailed({ code: reasonOf(intent) })
  if (intent.state === "retrieving_offer") return new OfferNotReady()
  if (intent.state !== "awaiting_confirmation") {
    return new IntentNotPlaceable({ code: wordOf(intent.state) })
  }
  const verdict = costOf(intent.offer)
  if (verdict._tag === "Unusable") return new ResponseMalformed({ upstream: "rye", detail: verdict.detail })
  return verdict._tag === "Offered" && verdict.cost.totalCents <= agreedCents ? undefined : new OfferChanged()
}

/** Succeeds if the intent can be confirmed for the agreed total. */
const ensurePlaceable = (intent: IntentDocument, total: string): Effect.Effect<void, RyeError> => {
  const agreedCents = centsWithin(total)
  if (agreedCents === undefined) return Effect.fail(new OfferChanged())
  const obstacle = obstacleOf(intent, agreedCents)
  return obstacle === undefined ? Effect.void : Effect.fail(obstacle)
}

const unconfirmedStates: ReadonlySet<string> = new Set(["awaiting_confirmation", "retrieving_offer"])

/** Returns `null` if an unconfirmed intent proves that nothing was placed; fails if that is unknown. */
const unconfirmed = (
  intent: IntentDocument,
  sentAtMillis: number | undefined,
  now: number,
  isDurable: boolean
): Effect.Effect<null, RyeError> => {
  if (!unconfirmedStates.has(intent.state)) {
    return Effect.fail(new IntentNotPlaceable({ code: wordOf(intent.state) }))
  }
  if (sentAtMillis !== undefined) {
    const left = sentAtMillis + inFlightMillis - now
    return left > 0 ? Effect.fail(new ConfirmationInFlight({ retryAfterMillis: left })) : Effect.succeed(null)
  }
  const createdAt = createdAtOf(intent)
  const isExpired = createdAt !== undefined && now >= createdAt + intentLifetimeMillis
  return isDurable || isExpired ? Effect.succeed(null) : Effect.fail(new PlacementUnknown())
}

export interface PlacingSettings {
  readonly atOnce: OrdersAtOnce
  readonly buyers: Buyers
}

/** Sends the confirmation. If its outcome is unknown, looks up the intent. */
const confirm = (intents: Intents, reference: string, orderId: string): Effect.Effect<void, RyeError> =>
  Effect.matchEffect(intents.confirm(reference, orderId), {
    // In any state, including unknown ones, Rye accepted the confirmation.
    onSuccess: (intent) =>
      intent.state === "failed" ? Effect.fail(new IntentFailed({ code: reasonOf(intent) })) : Effect.void,
    onFailure: (fault): Effect.Effect<void, RyeError> =>
      wasNotSent(fault)
        ? Effect.fail(fault)
        : Effect.flatMap(
            // If the lookup fails too, report the first fault.
            Effect.mapError(intents.get(reference), () => fault),
            (intent) => (isConfirmed(intent) ? Effect.void : Effect.fail(fault))
          )
  })

/** Places orders, paid from the drawdown balance. */
export const makePlacing = (
  intents: Intents,
  placements: PlacementJournal,
  { atOnce, buyers }: PlacingSettings
) => {
  const { isDurable = true } = placements
  const oneAtATime = new KeyedMutex()

  const getIntent = (reference: string): Effect.Effect<IntentDocument, RyeError> =>
    idPattern.test(reference)
      ? intents.get(reference)
      : Effect.fail(new IntentNotPlaceable({ code: "reference" }))

  /** Records the intent and confirms it, unless it is already confirmed. */
  const place = Effect.fnUntraced(function* (
    placement: RyePlacement
  ): Effect.fn.Return<{ readonly reference: string }, FailedPlacement<RyeError>> {
    const { orderId } = placement
    const known = yield* withOutcome<RyeError>(unknown)(fromJournal(() => placements.find(orderId)))
    // The first recorded intent counts: another one would be a second order.
    const reference = known?.reference ?? placement.reference
    const atMillis = yield* Clock.currentTimeMillis
    const mayArrive = known !== undefined && atMillis < known.atMillis + inFlightMillis
    const before = withOutcome((error: RyeError) => beforeConfirming(error, { mayArrive }))
    const intent = yield* before(getIntent(reference))
    if (isConfirmed(intent)) {
      // Recorded before it is confirmed: without a record, it is another order's, or was confirmed by hand.
      if (known === undefined && isDurable)
        return yield* Effect.fail({ error: new PlacementUnknown(), outcome: unknown() })
      yield* buyers.record(placement)
      return { reference }
    }
    yield* before(ensurePlaceable(intent, placement.total))
    const retryAfterMillis = atOnce.enter(reference, atMillis)
    // An order that may already be confirmed goes on.
    if (retryAfterMillis !== undefined && !mayArrive) {
      return yield* before(Effect.fail(new TooManyOrders({ retryAfterMillis })))
    }
    yield* before(fromJournal(() => placements.record(orderId, { reference, atMillis })))
    const after = withOutcome((error: RyeError) => afterConfirming(error, { mayArrive }))
    yield* after(confirm(intents, reference, orderId))
    yield* buyers.record(placement)
    return { reference }
  })

  const find = Effect.fnUntraced(function* (
    orderId: string,
    quoted: string | undefined
  ): Effect.fn.Return<string | null, RyeError> {
    const known = yield* fromJournal(() => placements.find(orderId))
    const hasNoRecord = known === undefined && isDurable
    const reference = known?.reference ?? quoted
    if (reference === undefined || !idPattern.test(reference)) {
      return hasNoRecord ? null : yield* new PlacementUnknown()
    }
    const intent = yield* intents.get(reference)
    // Confirmed by hand, or as another order, as in `place`.
    if (hasNoRecord) return isConfirmed(intent) ? yield* new PlacementUnknown() : null
    if (isConfirmed(intent)) return reference
    if (intent.state === "failed") return null
    return yield* unconfirmed(intent, known?.atMillis, yield* Clock.currentTimeMillis, isDurable)
  })

  return {
    place: (placement: RyePlacement) =>
      oneAtATime.enter(
        placement.reference,
        Effect.tapError(place(placement), ({ outcome }) =>
          Effect.sync(() => {
            // Rye isn't placing it.
            if (outcome._tag !== "Unknown") atOnce.leave(placement.reference)
          })
        )
      ),
    find
  }
}
