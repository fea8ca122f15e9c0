import type { FulfilmentStatus, OrderPayment } from "@till402/core"
import { Money } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import type { OpenQuotes } from "../fulfilment/OpenQuotes.ts"
import { untrackedDeliveryMillis } from "../fulfilment/Parcels.ts"
import {
  type FailedPlacement,
  notPlaced,
  type PlacementOutcome,
  refused,
  unknown,
  withOutcome
} from "../fulfilment/PlacementOutcome.ts"
import { type RefundNote, refundText } from "../fulfilment/RefundNote.ts"
import { placementInFlight, SentPlacements } from "../fulfilment/SentPlacements.ts"
import { soldCurrency } from "../fulfilment/Cents.ts"
import { isUpstreamFault, ResponseMalformed } from "../upstream/index.ts"
import { OrderNotCancelable, OrderNotPlaceable, type WooCommerceError } from "./Errors.ts"
import { orderOf, type OrderDocument, type Orders } from "./Orders.ts"
import { ended, isMissing, referencePattern, unpaid } from "./OrderStatus.ts"

/*
 * An order is placed by marking it as paid. Then it is read back: another process may have marked it before, for another
 * order of the till.
 */

/** A paid order of the till, to be placed. */
export interface WooCommercePlacement extends OrderRequest {
  readonly orderId: string
  /** The shop's order: the `reference` of its quote. */
  readonly reference: string
  /** The agreed total: decimal text in dollars. */
  readonly total: string
  /** Its transaction becomes the shop's; without a payment, the till's order id does. */
  readonly payment?: OrderPayment
}

/** The order was not marked as paid by this attempt, unless an earlier request of it was lost. */
const afterFailure = (error: WooCommerceError): PlacementOutcome => {
  if (error._tag === "OrderNotPlaceable") return refused(error.code)
  return isUpstreamFault(error) &&
    error._tag === "Rejected" &&
    [401, 403, 429].includes(error.status) &&
    error.afterLostAttempt !== true
    ? notPlaced(error)
    : unknown()
}

/** After payment, a failed call doesn't mean that the order was not placed. */
const afterUnconfirmed = (error: WooCommerceError): PlacementOutcome =>
  error._tag === "OrderNotPlaceable" ? refused(error.code) : unknown()

/** Statuses in which an order's goods can still be kept back. */
const cancelable: ReadonlySet<string> = new Set(["pending", "on-hold", "processing"])

const statusOf = (order: OrderDocument, nowMillis: number): FulfilmentStatus => {
  const { date_completed_gmt, status } = order
  if (ended.has(status)) return { status: "cancelled", reason: status, shipments: [] }
  if (status !== "completed") return { status: "placed", shipments: [] }
  // The shop has sent the goods. Whether they arrived, it doesn't know.
  const isOld = Date.parse(`${date_completed_gmt}Z`) + untrackedDeliveryMillis <= nowMillis
  return { status: isOld ? "delivered" : "shipped", shipments: [] }
}

const requested = (orders: Orders, reference: string): Effect.Effect<OrderDocument, WooCommerceError> =>
  referencePattern.test(reference)
    ? Effect.mapError(orders.get(reference), (fault) =>
        isMissing(fault) ? new OrderNotPlaceable({ code: "quote_expired" }) : fault
      )
    : Effect.fail(new OrderNotPlaceable({ code: "reference" }))

/** Returns whether the order is already paid for this order of the till. Fails if it can't be. */
const isPaid = Effect.fnUntraced(function* (
  orders: Orders,
  { orderId, reference, total }: WooCommercePlacement
): Effect.fn.Return<boolean, WooCommerceError> {
  const order = yield* requested(orders, reference)
  if (!unpaid.has(order.status)) {
    if (orderOf(order) === orderId) return true
    return yield* new OrderNotPlaceable({
      code: ended.has(order.status) ? "quote_expired" : "reference_taken"
    })
  }
  const [agreed, asked] = [Money.parseAtomic(total), Money.parseAtomic(order.total)]
  if (agreed === undefined || asked === undefined || asked > agreed || order.currency !== soldCurrency) {
    return yield* new OrderNotPlaceable({ code: "price_changed" })
  }
  return false
})

/** Reads the order back after payment. */
const confirm = Effect.fnUntraced(function* (
  orders: Orders,
  { orderId, reference }: WooCommercePlacement
): Effect.fn.Return<{ readonly reference: string }, WooCommerceError> {
  const order = yield* orders.get(reference)
  const paidAs = orderOf(order)
  if (unpaid.has(order.status) || paidAs === undefined) {
    return yield* new ResponseMalformed({ upstream: "woocommerce", detail: "meta_data" })
  }
  if (paidAs !== orderId) return yield* new OrderNotPlaceable({ code: "reference_taken" })
  return { reference }
})

export const makePlacing = (orders: Orders, quotes: OpenQuotes) => {
  const sent = new SentPlacements()

  const attempt = Effect.fnUntraced(function* (
    placement: WooCommercePlacement
  ): Effect.fn.Return<{ readonly reference: string }, FailedPlacement<WooCommerceError>> {
    const { orderId, payment, reference } = placement
    const now = yield* Clock.currentTimeMillis
    const millisLeft = sent.millisLeft(orderId, now)
    const mayArrive = millisLeft > 0
    const judge = withOutcome((error: WooCommerceError) => (mayArrive ? unknown() : afterFailure(error)))
    if (!(yield* judge(isPaid(orders, placement)))) {
      // While an earlier request runs, a second one would let the shop complete the payment twice.
      if (mayArrive) return yield* judge(Effect.fail(placementInFlight(millisLeft)))
      sent.add(orderId, now)
      yield* Effect.tapError(judge(orders.pay(reference, orderId, payment)), ({ outcome }) =>
        Effect.sync(() => {
          if (outcome._tag !== "Unknown") sent.delete(orderId)
        })
      )
    }
    sent.delete(orderId)
    return yield* withOutcome(afterUnconfirmed)(confirm(orders, placement))
  })

  const find = Effect.fnUntraced(function* (
    orderId: string,
    reference: string
  ): Effect.fn.Return<string | null, WooCommerceError> {
    const order = yield* Effect.catchTag(requested(orders, reference), "OrderNotPlaceable", () =>
      Effect.succeed(undefined)
    )
    if (order !== undefined && !unpaid.has(order.status) && orderOf(order) === orderId) return reference
    const left = sent.millisLeft(orderId, yield* Clock.currentTimeMillis)
    return left > 0 ? yield* placementInFlight(left) : null
  })

  const cancel = Effect.fnUntraced(function* (
    reference: string,
    note?: string
  ): Effect.fn.Return<void, WooCommerceError> {
    const { id, status } = yield* requested(orders, reference)
    if (ended.has(status)) return
    if (!cancelable.has(status)) return yield* new OrderNotCancelable({ status })
    yield* orders.cancel(`${id}`)
    if (note !== undefined) yield* orders.addNote(`${id}`, note)
  })

  const noteRefund = Effect.fnUntraced(function* (
    reference: string,
    refund: RefundNote
  ): Effect.fn.Return<void, WooCommerceError> {
    const { id } = yield* requested(orders, reference)
    const notes = yield* orders.notes(`${id}`)
    if (notes.some((note) => note.includes(refund.transaction))) return
    yield* orders.addNote(`${id}`, refundText(refund))
  })

  return {
    cancel: (reference: string, note?: string) => quotes.change(reference, cancel(reference, note)),
    noteRefund: (reference: string, refund: RefundNote) =>
      quotes.change(reference, noteRefund(reference, refund)),
    attempt: (placement: WooCommercePlacement) => quotes.change(placement.reference, attempt(placement)),
    find,
    status: Effect.fnUntraced(function* (
      reference: string
    ): Effect.fn.Return<FulfilmentStatus, WooCommerceError> {
      return statusOf(yield* requested(orders, reference), yield* Clock.currentTimeMillis)
    })
  }
}
