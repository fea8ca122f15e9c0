import type { FulfilmentStatus, Parcel } from "@till402/core"
import { Money } from "@till402/core/effect"
import { isCancelled, parcelOf } from "../fulfilment/Parcels.ts"
import { fieldsOf } from "../listing/Fields.ts"
import type { OrderDocument } from "./OrderDocument.ts"
import { wordOf } from "./Quote.ts"

/*
 * The status of an order, from its document and its packages. Pure functions.
 */

/** Packages that are read: an order contains one product. */
const maxPackages = 20

const shipmentOf = (document: unknown): Parcel | undefined => {
  const tracking = fieldsOf(fieldsOf(document)["packageTracking"])
  return parcelOf({
    carrier: tracking["carrierName"],
    trackingNumber: tracking["carrierTrackingNumber"],
    trackingUrls: [tracking["carrierTrackingUrl"], tracking["trackingUrl"]]
  })
}

const statusesOf = (packages: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  packages.flatMap((each) => wordOf(fieldsOf(each)["status"]) ?? [])

/** An amount with its currency; `undefined` if either is unreadable. */
const amountOf = (document: unknown) => {
  const { amount, currency } = fieldsOf(document)
  const atomic = typeof amount === "string" ? Money.parseAtomic(amount) : undefined
  return atomic === undefined || typeof currency !== "string"
    ? undefined
    : { atomic, currency: currency.toLowerCase() }
}

/** Whether Crossmint sent the payment back. It didn't if the amount is known to be a part of the payment. */
const isRefunded = ({ payment, quote }: OrderDocument): boolean => {
  if (payment.refunded === undefined || payment.refunded === null) return false
  const refunded = amountOf(payment.refunded)
  const paid = amountOf(payment.received) ?? amountOf(quote.totalPrice)
  const isPart =
    refunded !== undefined && refunded.currency === paid?.currency && refunded.atomic < paid.atomic
  return !isPart
}

/** Why an order failed; `undefined` if it did not. */
const failureOf = (order: OrderDocument): string | undefined => {
  const { lineItems, payment, phase } = order
  const [line] = lineItems
  if (line?.delivery?.status === "failed")
    return wordOf(line.delivery.failureReason?.code) ?? "delivery_failed"
  if (isRefunded(order)) return "refunded"
  return phase === "failed" ? (wordOf(payment.failureReason?.code) ?? "order_failed") : undefined
}

/**
 * The status of an order. Packages take precedence over the order's own status. Unknown statuses count as
 * placed.
 */
export const fulfilmentStatusOf = (
  order: OrderDocument,
  packages: ReadonlyArray<unknown>
): FulfilmentStatus => {
  const seen = packages.slice(0, maxPackages)
  const shipments = seen.flatMap((each) => shipmentOf(each) ?? [])
  const failure = failureOf(order)
  if (failure !== undefined) return { status: "failed", reason: failure, shipments }
  const statuses = statusesOf(seen)
  if (statuses.length > 0) {
    if (statuses.every(isCancelled)) {
      return { status: "cancelled", reason: "cancelled", shipments }
    }
    if (statuses.every((status) => status === "delivered")) return { status: "delivered", shipments }
    const isMoving = shipments.length > 0 || statuses.some((status) => status === "shipped")
    return { status: isMoving ? "shipped" : "placed", shipments }
  }
  const isDelivered = order.lineItems.length > 0 && order.lineItems.every(isComplete)
  return { status: isDelivered ? "delivered" : "placed", shipments }
}

const isComplete = ({ delivery }: OrderDocument["lineItems"][number]): boolean =>
  delivery?.status === "completed"
