import type { FulfilmentStatus, Parcel } from "@till402/core"
import { fieldsOf, textOf, urlOf } from "../listing/fields.ts"
import { wordOf } from "./FailureReason.ts"

/*
 * How a completed intent's order stands, from its shipments and its cancellation. Pure.
 */

/** Parcels that are told: an order is for one product. */
const maxParcels = 50

const shipmentOf = (document: unknown): Parcel | undefined => {
  const { carrierName, number, url } = fieldsOf(fieldsOf(document)["tracking"])
  const trackingNumber = textOf(number)
  if (trackingNumber === null || trackingNumber.length > 100) return undefined
  const carrier = textOf(carrierName)
  const trackingUrl = urlOf(url)
  return {
    ...(carrier === null ? {} : { carrier: carrier.slice(0, 100) }),
    trackingNumber,
    ...(trackingUrl === null ? {} : { trackingUrl })
  }
}

const statusOf = (document: unknown): string => wordOf(fieldsOf(document)["status"])
const isCancelled = (status: string): boolean => /^cancell?ed$/.test(status)
const isMoving = (status: string): boolean =>
  ["shipped", "out_for_delivery", "delayed", "delivered"].includes(status)

/** Why an order was cancelled, by its `cancellation`; one that is asked for or denied is none. */
const cancellationReason = (cancellation: unknown): string | undefined => {
  const { reason, state } = fieldsOf(cancellation)
  if (state !== "completed") return undefined
  const word = wordOf(fieldsOf(reason)["code"])
  return word === "unknown" ? "cancelled" : word
}

/** Statuses that are new mean no more than that the order was placed. */
export const progressOf = (documents: ReadonlyArray<unknown>, cancellation: unknown): FulfilmentStatus => {
  const seen = documents.slice(0, maxParcels)
  const shipments = seen.flatMap((each) => shipmentOf(each) ?? [])
  const cancelled = cancellationReason(cancellation)
  if (cancelled !== undefined) return { status: "cancelled", reason: cancelled, shipments }
  // A parcel that was called back is not waited for, unless there is no other.
  const live = seen.filter((each) => !isCancelled(statusOf(each)))
  if (seen.length > 0 && live.length === 0) return { status: "cancelled", reason: "cancelled", shipments }
  if (live.length > 0 && live.every((each) => statusOf(each) === "delivered")) {
    return { status: "delivered", shipments }
  }
  const isShipped = live.some((each) => isMoving(statusOf(each)) || shipmentOf(each) !== undefined)
  return { status: isShipped ? "shipped" : "placed", shipments }
}
