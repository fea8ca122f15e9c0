import { Clock, Effect } from "effect"
import { BoundedMap } from "@till402/core/effect"
import { fieldsOf } from "../listing/Fields.ts"
import { addressFault, type OrderRequest } from "../fulfilment/Buyer.ts"
import { centsWithin } from "../fulfilment/Cents.ts"
import { type FailedPlacement, refusalReason, unknown, withOutcome } from "../fulfilment/PlacementOutcome.ts"
import { KeyedMutex } from "../fulfilment/KeyedMutex.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import { feeIn } from "./Estimate.ts"
import { OrderInFlight, PlacementUnknown, ReferenceUnknown, TotalUnusable, type ZincError } from "./Errors.ts"
import { idPattern } from "./OrderDocument.ts"
import type { NewOrder, Orders } from "./Orders.ts"
import { afterSending, beforeSending } from "./Outcome.ts"
import { duplicateIn, refusalIn } from "./Refusal.ts"

/*
 * An order is sent with its own key, which Zinc accepts once. An order that Zinc already has is looked up in
 * the account's list.
 */

/** A paid order of the till, to be placed. */
export interface ZincPlacement extends OrderRequest {
  /** Idempotency key. */
  readonly orderId: string
  /** The `reference` of its quote. */
  readonly reference: string
  /** The agreed total, decimal text in dollars. Without Zinc's fee, it is the most that an order may cost. */
  readonly total: string
}

/** How long an order may be in flight after it was sent. */
const inFlightMillis = 60_000

/** Pages of the account's orders that are searched. */
const maxPages = 5

/** Recently sent orders that are remembered. */
const maxSent = 10_000

/** The id of the order in a page, by the till's order id. */
const matchIn = (orders: ReadonlyArray<unknown>, orderId: string): string | undefined => {
  for (const order of orders) {
    const { id, metadata } = fieldsOf(order)
    const isOurs = fieldsOf(metadata)["orderId"] === orderId
    if (isOurs && typeof id === "string" && idPattern.test(id)) return id
  }
  return undefined
}

/** Returns Zinc's id of an order; `undefined` if the complete list lacks it. */
const lookUp = Effect.fnUntraced(function* (
  orders: Orders,
  orderId: string
): Effect.fn.Return<string | undefined, PlacementUnknown | UpstreamFault> {
  let seen = 0
  for (let count = 0; count < maxPages; count++) {
    const { orders: page, total } = yield* orders.list(orderId, seen)
    const found = matchIn(page, orderId)
    if (found !== undefined) return found
    seen += page.length
    if (total === undefined || seen >= total) return undefined
    if (page.length === 0) break
  }
  return yield* new PlacementUnknown()
})

/** Returns the id of an order that Zinc already has, from the refusal or from the list. */
const existing = Effect.fnUntraced(function* (
  orders: Orders,
  orderId: string,
  id: unknown
): Effect.fn.Return<{ readonly reference: string }, ZincError> {
  if (typeof id === "string" && idPattern.test(id)) return { reference: id }
  const reference = yield* Effect.catchTag(lookUp(orders, orderId), "PlacementUnknown", () =>
    Effect.succeed(undefined)
  )
  return reference === undefined ? yield* new ReferenceUnknown() : { reference }
})

/** For an order that Zinc has or may have accepted. */
const outcomeUnknown = withOutcome<ZincError>(unknown)

/** Whether a response leaves the outcome open: Zinc failed, or may have accepted an earlier attempt. */
const isAmbiguous = (fault: UpstreamFault): boolean =>
  fault._tag === "Rejected" && (fault.status >= 500 || fault.afterLostAttempt === true)

/** An attempt to place an order. */
type Attempt = Effect.Effect<{ readonly reference: string }, FailedPlacement<ZincError>>

/** The most that an order may cost, in cents, if it can be sent. */
const priced = (
  { reference, shippingAddress, total }: ZincPlacement,
  defaultPhone: string | undefined
): Effect.Effect<number, ZincError> => {
  // Zinc charges its fee on top of the price of the order.
  const maxPriceCents = Number((centsWithin(total) ?? 0n) - feeIn(reference))
  if (maxPriceCents < 1 || !Number.isSafeInteger(maxPriceCents)) return Effect.fail(new TotalUnusable())
  const fault = addressFault(shippingAddress, { defaultPhone, upstream: "Zinc", isInternational: true })
  return fault === undefined ? Effect.succeed(maxPriceCents) : Effect.fail(fault)
}

export const makePlacing = (
  orders: Orders,
  { defaultPhone }: { readonly defaultPhone: string | undefined }
) => {
  const oneAtATime = new KeyedMutex()
  /** When orders were last sent by this process. */
  const sentAt = new BoundedMap<string, number>(maxSent)

  /** Sends an order. Looks it up if Zinc already has it. */
  const send = (order: NewOrder, mayArrive: boolean): Attempt =>
    Effect.matchEffect(orders.create(order), {
      onSuccess: ({ id }) => Effect.succeed({ reference: id }),
      onFailure: (failure): Attempt => {
        const { orderId } = order
        const duplicate = duplicateIn(failure)
        if (duplicate !== undefined) return outcomeUnknown(existing(orders, orderId, duplicate.id))
        // Accepted, but the response is unreadable: search the list.
        if (failure._tag === "ResponseMalformed" || failure._tag === "ResponseTooLarge") {
          const looking = Effect.mapError(lookUp(orders, orderId), () => failure)
          return outcomeUnknown(
            Effect.flatMap(looking, (reference) =>
              reference === undefined ? Effect.fail(failure) : Effect.succeed({ reference })
            )
          )
        }
        const error = refusalIn(failure) ?? failure
        const isInDoubt = mayArrive || isAmbiguous(failure)
        const refused = Effect.fail({ error, outcome: isInDoubt ? unknown() : afterSending(error) })
        if (refusalReason(error) === undefined) return refused
        // Zinc may check the product before the key: an earlier request may have placed the order.
        return Effect.matchEffect(lookUp(orders, orderId), {
          onSuccess: (reference): Attempt =>
            reference === undefined ? refused : Effect.succeed({ reference }),
          onFailure: (): Attempt => Effect.fail({ error, outcome: unknown() })
        })
      }
    })

  const place = Effect.fnUntraced(function* (
    placement: ZincPlacement
  ): Effect.fn.Return<{ readonly reference: string }, FailedPlacement<ZincError>> {
    const { orderId } = placement
    const now = yield* Clock.currentTimeMillis
    const mayArrive = now < (sentAt.get(orderId) ?? -Infinity) + inFlightMillis
    const judge = withOutcome((error: ZincError) => (mayArrive ? unknown() : beforeSending(error)))
    const maxPriceCents = yield* judge(priced(placement, defaultPhone))
    sentAt.set(orderId, now)
    return yield* Effect.tapError(send({ ...placement, maxPriceCents }, mayArrive), ({ outcome }) =>
      Effect.sync(() => {
        // Nothing is in flight anymore.
        if (outcome._tag !== "Unknown") sentAt.delete(orderId)
      })
    )
  })

  const find = Effect.fnUntraced(function* (orderId: string): Effect.fn.Return<string | null, ZincError> {
    const reference = yield* lookUp(orders, orderId)
    if (reference !== undefined) return reference
    const left = (sentAt.get(orderId) ?? 0) + inFlightMillis - (yield* Clock.currentTimeMillis)
    return left > 0 ? yield* new OrderInFlight({ retryAfterMillis: left }) : null
  })

  return {
    place: (placement: ZincPlacement) => oneAtATime.enter(placement.orderId, place(placement)),
    find
  }
}
