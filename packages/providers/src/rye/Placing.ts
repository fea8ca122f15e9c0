import { Clock, Effect } from "effect"
import { AnswerMalformed } from "../upstream/index.ts"
import { centsWithin } from "../fulfilment/Cents.ts"
import { type FailedPlacement, judged, unknown } from "../fulfilment/Placement.ts"
import {
  ConfirmationUnderWay,
  IntentFailed,
  IntentNotPlaceable,
  JournalFailed,
  OfferChanged,
  OfferNotReady,
  PlacementUnknown,
  type RyeError
} from "./Errors.ts"
import { wordOf } from "./FailureReason.ts"
import { createdAtOf, type IntentDocument, idPattern } from "./IntentDocument.ts"
import type { Intents } from "./Intents.ts"
import { costOf, intentLifetimeMillis } from "./Offer.ts"
import { afterConfirming, beforeConfirming, wasNotSent } from "./Outcome.ts"
import type { PlacementJournal } from "./PlacementJournal.ts"
import { Turnstile } from "../fulfilment/Turnstile.ts"
import { fieldsOf } from "../listing/fields.ts"

/*
 * Placing: an intent is confirmed once, and only where Rye says that it is not confirmed yet. Its states go one
 * way, so that is what makes a second confirmation harmless.
 */

/** A paid order of the till, to be placed. */
export interface RyePlacement {
  /** Idempotency key. */
  readonly orderId: string
  /** Rye's intent, as `quote` gave it. */
  readonly reference: string
  /** What was agreed: decimal text in dollars. */
  readonly total: string
}

export interface Journal {
  readonly placements: PlacementJournal
  /** Whether it outlives the process: then what is not in it was never placed. */
  readonly isDurable: boolean
}

/** How long a confirmation may still be on its way after it was sent. */
const underWayMillis = 60_000

/** Whether an intent was confirmed: the order is placed or about to be. */
const isConfirmed = ({ state }: IntentDocument): boolean => state === "placing_order" || state === "completed"

const asked = <A>(ask: () => Promise<A>): Effect.Effect<A, JournalFailed> =>
  Effect.tryPromise({ try: ask, catch: (cause) => new JournalFailed({ cause }) })

const reasonOf = ({ failureReason }: IntentDocument): string => wordOf(fieldsOf(failureReason)["code"])

/** Why an unconfirmed intent can't be confirmed; `undefined`: it can. */
const obstacleOf = (intent: IntentDocument, agreedCents: bigint): RyeError | undefined => {
  if (intent.state === "failed") return new IntentFailed({ code: reasonOf(intent) })
  if (intent.state === "retrieving_offer") return new OfferNotReady()
  if (intent.state !== "awaiting_confirmation") return new IntentNotPlaceable({ code: wordOf(intent.state) })
  const verdict = costOf(intent.offer)
  if (verdict._tag === "Unusable") return new AnswerMalformed({ upstream: "rye", detail: verdict.detail })
  return verdict._tag === "Offered" && verdict.cost.totalCents <= agreedCents ? undefined : new OfferChanged()
}

const placeable = (intent: IntentDocument, total: string): Effect.Effect<void, RyeError> => {
  const agreedCents = centsWithin(total)
  const obstacle = agreedCents === undefined ? new OfferChanged() : obstacleOf(intent, agreedCents)
  return obstacle === undefined ? Effect.void : Effect.fail(obstacle)
}

export const makePlacing = (intents: Intents, { isDurable, placements }: Journal) => {
  const turnstile = new Turnstile()

  const look = (reference: string): Effect.Effect<IntentDocument, RyeError> =>
    idPattern.test(reference)
      ? intents.get(reference)
      : Effect.fail(new IntentNotPlaceable({ code: "reference" }))

  /** Sends the confirmation; after an outcome that is not known, Rye is asked what became of it. */
  const confirm = (reference: string, orderId: string): Effect.Effect<void, RyeError> =>
    Effect.matchEffect(intents.confirm(reference, orderId), {
      // Whatever state it is in now, new ones included: Rye took the confirmation.
      onSuccess: (intent) =>
        intent.state === "failed" ? Effect.fail(new IntentFailed({ code: reasonOf(intent) })) : Effect.void,
      onFailure: (fault): Effect.Effect<void, RyeError> =>
        wasNotSent(fault)
          ? Effect.fail(fault)
          : Effect.flatMap(
              // Where it can't be asked either, the first fault is what is told.
              Effect.mapError(intents.get(reference), () => fault),
              (intent) => (isConfirmed(intent) ? Effect.void : Effect.fail(fault))
            )
    })

  /** Looks at the intent, writes it down and confirms it, unless it is confirmed already. */
  const place = Effect.fnUntraced(function* (
    placement: RyePlacement
  ): Effect.fn.Return<{ readonly reference: string }, FailedPlacement<RyeError>> {
    const { orderId } = placement
    const known = yield* judged<RyeError>(unknown)(asked(() => placements.find(orderId)))
    // The intent that was written down first is the one: another would be a second order.
    const reference = known?.reference ?? placement.reference
    const atMillis = yield* Clock.currentTimeMillis
    const mayArrive = known !== undefined && atMillis < known.atMillis + underWayMillis
    const before = judged((error: RyeError) => beforeConfirming(error, mayArrive))
    const intent = yield* before(look(reference))
    if (isConfirmed(intent)) return { reference }
    yield* before(placeable(intent, placement.total))
    yield* before(asked(() => placements.record(orderId, { reference, atMillis })))
    yield* judged((error: RyeError) => afterConfirming(error, mayArrive))(confirm(reference, orderId))
    return { reference }
  })

  /** What an intent that is not confirmed says of an order: nothing placed, or not yet certain. */
  const unconfirmed = (
    intent: IntentDocument,
    sentAtMillis: number | undefined,
    now: number
  ): Effect.Effect<undefined, RyeError> => {
    if (intent.state === "failed") return Effect.succeed(undefined)
    if (intent.state !== "awaiting_confirmation" && intent.state !== "retrieving_offer") {
      return Effect.fail(new IntentNotPlaceable({ code: wordOf(intent.state) }))
    }
    if (sentAtMillis !== undefined) {
      const left = sentAtMillis + underWayMillis - now
      return left > 0
        ? Effect.fail(new ConfirmationUnderWay({ retryAfterMillis: left }))
        : Effect.succeed(undefined)
    }
    const createdAt = createdAtOf(intent)
    const isLapsed = createdAt !== undefined && now >= createdAt + intentLifetimeMillis
    return isDurable || isLapsed ? Effect.succeed(undefined) : Effect.fail(new PlacementUnknown())
  }

  const find = Effect.fnUntraced(function* (
    orderId: string,
    quoted: string | undefined
  ): Effect.fn.Return<string | undefined, RyeError> {
    const known = yield* asked(() => placements.find(orderId))
    if (known === undefined && isDurable) return undefined
    const reference = known?.reference ?? quoted
    if (reference === undefined || !idPattern.test(reference)) return yield* new PlacementUnknown()
    const intent = yield* intents.get(reference)
    if (isConfirmed(intent)) return reference
    return yield* unconfirmed(intent, known?.atMillis, yield* Clock.currentTimeMillis)
  })

  return {
    place: (placement: RyePlacement) => turnstile.enter(placement.reference, place(placement)),
    find
  }
}
