import type { FulfilmentStatus } from "@till402/core"
import { Money } from "@till402/core/effect"
import { Effect } from "effect"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { KeyedMutex } from "../fulfilment/KeyedMutex.ts"
import {
  notPlaced,
  type PlacementOutcome,
  refused,
  unknown,
  withOutcome
} from "../fulfilment/PlacementOutcome.ts"
import { type RefundNote, refundText } from "../fulfilment/RefundNote.ts"
import { isUpstreamFault, ResponseMalformed } from "../upstream/index.ts"
import { OrderNotPlaceable, type WooCommerceError } from "./Errors.ts"
import type { OrderDocument, Orders } from "./Orders.ts"
import { ended, isMissing, referencePattern, unpaid } from "./OrderStatus.ts"

/*
 * An order is placed by marking it as paid. The shop keeps the transaction of the last request, so the order is read
 * back: another process may have marked it for another order of the till.
 */

/** A paid order of the till, to be placed. */
export interface WooCommercePlacement extends OrderRequest {
  readonly orderId: string
  /** The shop's order: the `reference` of its quote. */
  readonly reference: string
  /** The agreed total: decimal text in dollars. */
  readonly total: string
}

const afterFailure = (error: WooCommerceError): PlacementOutcome => {
  if (error._tag === "OrderNotPlaceable") return refused(error.code)
  return isUpstreamFault(error) && error._tag === "Rejected" && [401, 403, 429].includes(error.status)
    ? notPlaced(error)
    : unknown()
}

/** After payment, a failed call doesn't mean that the order was not placed. */
const afterUnconfirmed = (error: WooCommerceError): PlacementOutcome =>
  error._tag === "OrderNotPlaceable" ? refused(error.code) : unknown()

export const makePlacing = (orders: Orders) => {
  const oneAtATime = new KeyedMutex()

  const requested = (reference: string): Effect.Effect<OrderDocument, WooCommerceError> =>
    referencePattern.test(reference)
      ? Effect.mapError(orders.get(reference), (fault) =>
          isMissing(fault) ? new OrderNotPlaceable({ code: "quote_expired" }) : fault
        )
      : Effect.fail(new OrderNotPlaceable({ code: "reference" }))

  /** Marks the order as paid, unless it is already, for this order of the till. */
  const pay = Effect.fnUntraced(function* ({
    orderId,
    reference,
    total
  }: WooCommercePlacement): Effect.fn.Return<void, WooCommerceError> {
    const order = yield* requested(reference)
    if (!unpaid.has(order.status)) {
      if (order.transaction_id === orderId) return
      return yield* new OrderNotPlaceable({
        code: ended.has(order.status) ? "quote_expired" : "reference_taken"
      })
    }
    const [agreed, asked] = [Money.parseAtomic(total), Money.parseAtomic(order.total)]
    if (agreed === undefined || asked === undefined || asked > agreed) {
      return yield* new OrderNotPlaceable({ code: "price_changed" })
    }
    yield* orders.pay(reference, orderId)
  })

  /** Reads the order back after payment. */
  const confirm = Effect.fnUntraced(function* ({
    orderId,
    reference
  }: WooCommercePlacement): Effect.fn.Return<{ readonly reference: string }, WooCommerceError> {
    const { status, transaction_id } = yield* orders.get(reference)
    if (unpaid.has(status) || typeof transaction_id !== "string" || transaction_id === "") {
      return yield* new ResponseMalformed({ upstream: "woocommerce", detail: "transaction_id" })
    }
    if (transaction_id !== orderId) return yield* new OrderNotPlaceable({ code: "reference_taken" })
    return { reference }
  })

  const attempt = (placement: WooCommercePlacement) =>
    Effect.andThen(
      withOutcome(afterFailure)(pay(placement)),
      withOutcome(afterUnconfirmed)(confirm(placement))
    )

  const find = Effect.fnUntraced(function* (
    orderId: string,
    reference: string
  ): Effect.fn.Return<string | undefined, WooCommerceError> {
    const order = yield* Effect.catchTag(requested(reference), "OrderNotPlaceable", () =>
      Effect.succeed(undefined)
    )
    return order !== undefined && !unpaid.has(order.status) && order.transaction_id === orderId
      ? reference
      : undefined
  })

  const noteRefund = Effect.fnUntraced(function* (
    reference: string,
    refund: RefundNote
  ): Effect.fn.Return<void, WooCommerceError> {
    const { id } = yield* requested(reference)
    const notes = yield* orders.notes(`${id}`)
    if (notes.some((note) => note.includes(refund.transaction))) return
    yield* orders.addNote(`${id}`, refundText(refund))
  })

  return {
    noteRefund: (reference: string, refund: RefundNote) =>
      oneAtATime.enter(reference, noteRefund(reference, refund)),
    attempt: (placement: WooCommercePlacement) => oneAtATime.enter(placement.reference, attempt(placement)),
    find,
    status: (reference: string): Effect.Effect<FulfilmentStatus, WooCommerceError> =>
      Effect.map(requested(reference), ({ status }) => {
        if (ended.has(status)) return { status: "cancelled", reason: status, shipments: [] }
        // The shop has sent the goods. Whether they arrived, it doesn't know.
        return { status: status === "completed" ? "shipped" : "placed", shipments: [] }
      })
  }
}
