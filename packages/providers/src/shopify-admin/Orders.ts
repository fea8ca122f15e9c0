import type { FulfilmentStatus } from "@till402/core"
import { Clock, Effect } from "effect"
import { KeyedMutex } from "../fulfilment/KeyedMutex.ts"
import { maxParcels, parcelOf, untrackedDeliveryMillis } from "../fulfilment/Parcels.ts"
import { type RefundNote, refundText } from "../fulfilment/RefundNote.ts"
import type { AdminApi } from "./AdminApi.ts"
import { cancelOrder, getOrder, type OrderDocument, setOrderNote } from "./Documents.ts"
import { OrderNotPlaceable, type ShopifyAdminError, ShopRefused } from "./Errors.ts"

/*
 * Orders after they were placed: their status, cancellation, and the note of a refund.
 */

const orderPattern = /^gid:\/\/shopify\/Order\/\d{1,20}$/

/** Financial statuses of an order whose buyer has the money back. */
const refundedStatuses: ReadonlySet<string> = new Set(["REFUNDED", "VOIDED"])
const arrived: ReadonlySet<string> = new Set(["DELIVERED", "PICKED_UP"])
/** Statuses of parcels that no carrier reports on. */
const untracked: ReadonlySet<string> = new Set(["FULFILLED", "MARKED_AS_FULFILLED"])

/** Longest note for the shop's staff, in characters. */
const maxStaffNoteLength = 255

const hasArrived =
  (nowMillis: number) =>
  ({ createdAt, displayStatus }: OrderDocument["fulfillments"][number]): boolean =>
    arrived.has(displayStatus ?? "") ||
    (untracked.has(displayStatus ?? "FULFILLED") &&
      Date.parse(createdAt) + untrackedDeliveryMillis <= nowMillis)

/** The status of an order, with its parcels. */
export const statusOf = (order: OrderDocument, nowMillis: number): FulfilmentStatus => {
  const { cancelReason, cancelledAt, displayFinancialStatus, displayFulfillmentStatus } = order
  if (typeof cancelledAt === "string") {
    return { status: "cancelled", reason: (cancelReason ?? "other").toLowerCase(), shipments: [] }
  }
  if (refundedStatuses.has(displayFinancialStatus ?? "")) {
    return { status: "cancelled", reason: "refunded", shipments: [] }
  }
  const sent = order.fulfillments.filter(({ status }) => status === "SUCCESS")
  const shipments = sent
    .flatMap(({ trackingInfo }) => trackingInfo)
    .flatMap(({ company, number, url }) => {
      const parcel = parcelOf({ carrier: company, trackingNumber: number, trackingUrls: [url] })
      return parcel === undefined ? [] : [parcel]
    })
    .slice(0, maxParcels)
  const isSent = displayFulfillmentStatus === "FULFILLED" && sent.length > 0
  const isDelivered =
    (isSent || displayFulfillmentStatus === "FULFILLMENT_NOT_REQUIRED") && sent.every(hasArrived(nowMillis))
  return { status: isDelivered ? "delivered" : sent.length > 0 ? "shipped" : "placed", shipments }
}

export const makeOrders = ({ mutate, query }: AdminApi) => {
  const oneAtATime = new KeyedMutex()

  const orderOf = Effect.fnUntraced(function* (
    reference: string
  ): Effect.fn.Return<OrderDocument, ShopifyAdminError> {
    if (!orderPattern.test(reference)) return yield* new OrderNotPlaceable({ code: "reference" })
    const { order } = yield* query(getOrder, { id: reference })
    return order ?? (yield* new OrderNotPlaceable({ code: "order_missing" }))
  })

  const cancel = Effect.fnUntraced(function* (
    reference: string,
    note?: string
  ): Effect.fn.Return<void, ShopifyAdminError> {
    const { cancelledAt } = yield* orderOf(reference)
    if (typeof cancelledAt === "string") return
    const staffNote = note === undefined ? null : note.slice(0, maxStaffNoteLength)
    const { orderCancel } = yield* mutate(cancelOrder, { id: reference, staffNote })
    const [error] = orderCancel.orderCancelUserErrors
    if (error !== undefined) return yield* new ShopRefused({ code: error.code ?? "orderCancel" })
  })

  const noteRefund = Effect.fnUntraced(function* (
    reference: string,
    refund: RefundNote
  ): Effect.fn.Return<void, ShopifyAdminError> {
    const note = (yield* orderOf(reference)).note ?? ""
    if (note.includes(refund.transaction)) return
    const text = `${note}${note === "" ? "" : "\n"}${refundText(refund)}`
    const { orderUpdate } = yield* mutate(setOrderNote, { id: reference, note: text })
    if (orderUpdate.userErrors.length > 0) return yield* new ShopRefused({ code: "orderUpdate" })
  })

  return {
    status: Effect.fnUntraced(function* (
      reference: string
    ): Effect.fn.Return<FulfilmentStatus, ShopifyAdminError> {
      return statusOf(yield* orderOf(reference), yield* Clock.currentTimeMillis)
    }),
    cancel,
    noteRefund: (reference: string, refund: RefundNote) =>
      oneAtATime.enter(reference, noteRefund(reference, refund))
  }
}
