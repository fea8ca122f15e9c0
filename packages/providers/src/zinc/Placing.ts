import { Clock, Effect } from "effect"
import { fieldsOf } from "../listing/fields.ts"
import { addressFault, type OrderRequest } from "../fulfilment/Buyer.ts"
import { centsWithin } from "../fulfilment/Cents.ts"
import { type FailedPlacement, judged, unknown } from "../fulfilment/Placement.ts"
import { Turnstile } from "../fulfilment/Turnstile.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import { OrderUnderWay, PlacementUnknown, ReferenceUnknown, TotalUnusable, type ZincError } from "./Errors.ts"
import { idPattern } from "./OrderDocument.ts"
import { idempotencyKeyOf, type NewOrder, type Orders } from "./Orders.ts"
import { afterSending, beforeSending } from "./Outcome.ts"
import { duplicateIn, refusalIn } from "./Refusal.ts"

/*
 * Placing: an order is sent under a key of its own, which Zinc takes once. An order that it has already is looked
 * up in the account's list.
 */

/** A paid order of the till, to be placed. */
export interface ZincPlacement extends OrderRequest {
  /** Idempotency key. */
  readonly orderId: string
  /** What was agreed, decimal text in dollars: the most that Zinc may spend. */
  readonly total: string
}

/** How long an order may still be on its way after it was sent. */
const underWayMillis = 60_000

/** Pages of the account's orders that are looked through. */
const maxPages = 5

/** Orders sent a moment ago that are remembered. */
const maxSent = 10_000

/** The id of an order in a page that was sent under this order's name. */
const matchIn = (orders: ReadonlyArray<unknown>, orderId: string): string | undefined => {
  for (const order of orders) {
    const { id, idempotency_key, metadata } = fieldsOf(order)
    const isOurs = fieldsOf(metadata)["orderId"] === orderId || idempotency_key === idempotencyKeyOf(orderId)
    if (isOurs && typeof id === "string" && idPattern.test(id)) return id
  }
  return undefined
}

/**
 * Whether a page is the last one, by its length. Zinc documents no pages yet, all orders come at once, and it has
 * announced some. A page that was cut short has a round length; one of another length was not cut.
 */
const isLast = (length: number): boolean => length === 0 || length % 5 !== 0

/** Whether an answer says nothing for certain: Zinc broke over it, or an attempt before it may have been taken. */
const isAmbiguous = (fault: UpstreamFault): boolean =>
  fault._tag === "Rejected" && (fault.status >= 500 || fault.afterLostAttempt === true)

/** An attempt to place an order. */
type Attempt = Effect.Effect<{ readonly reference: string }, FailedPlacement<ZincError>>

/** The most that an order may cost, in cents, where it can be sent at all. */
const priced = (
  { shippingAddress, total }: ZincPlacement,
  defaultPhone: string | undefined
): Effect.Effect<number, ZincError> => {
  const maxPriceCents = Number(centsWithin(total) ?? 0n)
  if (maxPriceCents < 1 || !Number.isSafeInteger(maxPriceCents)) return Effect.fail(new TotalUnusable())
  const fault = addressFault(shippingAddress, { defaultPhone, upstream: "Zinc" })
  return fault === undefined ? Effect.succeed(maxPriceCents) : Effect.fail(fault)
}

export const makePlacing = (
  orders: Orders,
  { defaultPhone }: { readonly defaultPhone: string | undefined }
) => {
  const turnstile = new Turnstile()
  /** When orders were last sent by this process. */
  const sentAt = new Map<string, number>()

  const noteSent = (orderId: string, now: number): void => {
    sentAt.delete(orderId)
    sentAt.set(orderId, now)
    const [oldest] = sentAt.keys()
    if (sentAt.size > maxSent && oldest !== undefined) sentAt.delete(oldest)
  }

  /** Zinc's id of an order; `undefined` where the whole list was read without it. */
  const lookUp = Effect.fnUntraced(function* (
    orderId: string
  ): Effect.fn.Return<string | undefined, PlacementUnknown | UpstreamFault> {
    const seen = new Set<unknown>()
    for (let page = 0; page < maxPages; page++) {
      const { orders: told, saysMore } = yield* orders.list(seen.size)
      const found = matchIn(told, orderId)
      if (found !== undefined) return found
      if (isLast(told.length) && !saysMore) return undefined
      const before = seen.size
      for (const order of told) seen.add(fieldsOf(order)["id"])
      // The same page again: there is no second one to be had.
      if (seen.size === before) break
    }
    return yield* new PlacementUnknown()
  })

  /** An order that Zinc has already: its id, from the refusal or from the list. */
  const existing = Effect.fnUntraced(function* (
    orderId: string,
    id: unknown
  ): Effect.fn.Return<{ readonly reference: string }, ZincError> {
    if (typeof id === "string" && idPattern.test(id)) return { reference: id }
    const reference = yield* Effect.catchTag(lookUp(orderId), "PlacementUnknown", () =>
      Effect.succeed(undefined)
    )
    return reference === undefined ? yield* new ReferenceUnknown() : { reference }
  })

  /** An order that Zinc has taken, or may have: only where it stands can be told. */
  const taken = judged<ZincError>(unknown)

  /** Sends an order; one that Zinc has already is looked up. */
  const send = (order: NewOrder, mayArrive: boolean): Attempt =>
    Effect.matchEffect(orders.create(order), {
      onSuccess: ({ id }) => Effect.succeed({ reference: id }),
      onFailure: (failure): Attempt => {
        const { orderId } = order
        const duplicate = duplicateIn(failure)
        if (duplicate !== undefined) return taken(existing(orderId, duplicate.id))
        // Taken, but answered with something unreadable: the list knows.
        if (failure._tag === "AnswerMalformed" || failure._tag === "AnswerTooLarge") {
          const looking = Effect.mapError(lookUp(orderId), () => failure)
          return taken(
            Effect.flatMap(looking, (reference) =>
              reference === undefined ? Effect.fail(failure) : Effect.succeed({ reference })
            )
          )
        }
        const error = refusalIn(failure) ?? failure
        const isInDoubt = mayArrive || isAmbiguous(failure)
        return Effect.fail({ error, outcome: isInDoubt ? unknown() : afterSending(error) })
      }
    })

  const place = Effect.fnUntraced(function* (
    placement: ZincPlacement
  ): Effect.fn.Return<{ readonly reference: string }, FailedPlacement<ZincError>> {
    const { orderId } = placement
    const now = yield* Clock.currentTimeMillis
    const mayArrive = now < (sentAt.get(orderId) ?? -Infinity) + underWayMillis
    const judge = judged((error: ZincError) => (mayArrive ? unknown() : beforeSending(error)))
    const maxPriceCents = yield* judge(priced(placement, defaultPhone))
    noteSent(orderId, now)
    return yield* Effect.tapError(send({ ...placement, maxPriceCents }, mayArrive), ({ outcome }) =>
      Effect.sync(() => {
        // Nothing is on its way any more.
        if (outcome._tag !== "Unknown") sentAt.delete(orderId)
      })
    )
  })

  const find = Effect.fnUntraced(function* (
    orderId: string
  ): Effect.fn.Return<string | undefined, ZincError> {
    const reference = yield* lookUp(orderId)
    if (reference !== undefined) return reference
    const left = (sentAt.get(orderId) ?? 0) + underWayMillis - (yield* Clock.currentTimeMillis)
    return left > 0 ? yield* new OrderUnderWay({ retryAfterMillis: left }) : undefined
  })

  return {
    place: (placement: ZincPlacement) => turnstile.enter(placement.orderId, place(placement)),
    find
  }
}
