import type { FulfilmentStatus, Parcel } from "@till402/core"
import { fieldsOf, textOf, urlOf } from "../listing/fields.ts"
import type { OrderDocument } from "./OrderDocument.ts"
import { wordOf } from "./Quote.ts"

/*
 * How an order stands, from its document and its packages. Pure.
 */

/** Packages that are looked at: an order is for one product. */
const maxPackages = 20

const shipmentOf = (document: unknown): Parcel | undefined => {
  const tracking = fieldsOf(fieldsOf(document)["packageTracking"])
  const trackingNumber = textOf(tracking["carrierTrackingNumber"])
  if (trackingNumber === null || trackingNumber.length > 100) return undefined
  const carrier = textOf(tracking["carrierName"])
  const trackingUrl = urlOf(tracking["carrierTrackingUrl"]) ?? urlOf(tracking["trackingUrl"])
  return {
    ...(carrier === null ? {} : { carrier: carrier.slice(0, 100) }),
    trackingNumber,
    ...(trackingUrl === null ? {} : { trackingUrl })
  }
}

const statusesOf = (packages: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  packages.flatMap((each) => wordOf(fieldsOf(each)["status"]) ?? [])

/** Why an order came to nothing; `undefined`: it did not. */
const failureOf = ({ lineItems, payment, phase }: OrderDocument): string | undefined => {
  const [line] = lineItems
  if (line?.delivery?.status === "failed")
    return wordOf(line.delivery.failureReason?.code) ?? "delivery_failed"
  if (payment.refunded !== undefined && payment.refunded !== null) return "refunded"
  return phase === "failed" ? (wordOf(payment.failureReason?.code) ?? "order_failed") : undefined
}

/**
 * How an order stands. Packages know best, where there are any; statuses that are new mean no more than that
 * the order was placed.
 */
export const progressOf = (order: OrderDocument, packages: ReadonlyArray<unknown>): FulfilmentStatus => {
  const seen = packages.slice(0, maxPackages)
  const shipments = seen.flatMap((each) => shipmentOf(each) ?? [])
  const failure = failureOf(order)
  if (failure !== undefined) return { status: "failed", reason: failure, shipments }
  const statuses = statusesOf(seen)
  if (statuses.length > 0) {
    if (statuses.every((status) => /^cancell?ed$/.test(status))) {
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
