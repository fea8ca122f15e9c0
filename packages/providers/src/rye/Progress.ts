import type { FulfilmentStatus, Parcel } from "@till402/core"
import { isCancelled, maxParcels, parcelOf } from "../fulfilment/Parcels.ts"
import { fieldsOf } from "../listing/Fields.ts"
import { wordOf } from "./FailureReason.ts"

/*
 * The status of a completed intent's order, from its shipments and its cancellation. Pure functions.
 */

/** How long a parcel that was called back may still be replaced by another one. */
const replacementMillis = 86_400_000

const shipmentOf = (document: unknown): Parcel | undefined => {
  const { carrierName, number, url } = fieldsOf(fieldsOf(document)["tracking"])
  return parcelOf({ carrier: carrierName, trackingNumber: number, trackingUrls: [url] })
}

const statusOf = (document: unknown): string => wordOf(fieldsOf(document)["status"])
const isMoving = (status: string): boolean =>
  ["shipped", "out_for_delivery", "delayed", "delivered"].includes(status)

const mayBeReplaced = (document: unknown, nowMillis: number): boolean => {
  const { updatedAt } = fieldsOf(document)
  return typeof updatedAt === "string" && Date.parse(updatedAt) + replacementMillis > nowMillis
}

/** Why an order was canceled. A requested or denied cancellation doesn't count. */
const cancellationReason = (cancellation: unknown): string | undefined => {
  const { reason, state } = fieldsOf(cancellation)
  if (state !== "completed") return undefined
  const word = wordOf(fieldsOf(reason)["code"])
  return word === "unknown" ? "cancelled" : word
}

/** The status of an order. Unknown statuses count as placed. */
export const fulfilmentStatusOf = (
  documents: ReadonlyArray<unknown>,
  cancellation: unknown,
  nowMillis: number
): FulfilmentStatus => {
  const seen = documents.slice(0, maxParcels)
  const shipments = seen.flatMap((each) => shipmentOf(each) ?? [])
  const cancelled = cancellationReason(cancellation)
  if (cancelled !== undefined) return { status: "cancelled", reason: cancelled, shipments }
  // A canceled parcel is ignored, unless there is no other.
  const live = seen.filter((each) => !isCancelled(statusOf(each)))
  // A refund can't be taken back, so it waits for a replacement first.
  const isCalledBack = seen.length > 0 && live.length === 0
  if (isCalledBack && !seen.some((each) => mayBeReplaced(each, nowMillis)))
    return { status: "cancelled", reason: "cancelled", shipments }
  if (live.length > 0 && live.every((each) => statusOf(each) === "delivered")) {
    return { status: "delivered", shipments }
  }
  const isShipped = live.some((each) => isMoving(statusOf(each)) || shipmentOf(each) !== undefined)
  return { status: isShipped ? "shipped" : "placed", shipments }
}
