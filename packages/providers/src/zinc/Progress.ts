import type { FulfilmentStatus, Parcel } from "@till402/core"
import { fieldsOf, textOf, urlOf } from "../listing/fields.ts"
import type { OrderDocument } from "./OrderDocument.ts"
import { wordOf } from "./Refusal.ts"

/*
 * How an order stands, from its document. Pure.
 */

/** Parcels that are told: an order is for one product. */
const maxParcels = 50

const shipmentOf = (document: unknown): Parcel | undefined => {
  const fields = fieldsOf(document)
  const trackingNumber = textOf(fields["tracking_number"])
  if (trackingNumber === null || trackingNumber.length > 100) return undefined
  const carrier = textOf(fields["carrier"])
  const trackingUrl = urlOf(fields["tracking_url"])
  return {
    ...(carrier === null ? {} : { carrier: carrier.slice(0, 100) }),
    trackingNumber,
    ...(trackingUrl === null ? {} : { trackingUrl })
  }
}

/**
 * Statuses that are new mean no more than that the order was placed. Zinc has no status for an order on its way:
 * its parcels tell that.
 */
export const progressOf = ({ job_result, status, tracking_numbers }: OrderDocument): FulfilmentStatus => {
  const parcels = (Array.isArray(tracking_numbers) ? tracking_numbers : []).slice(0, maxParcels)
  const shipments = parcels.flatMap((each) => shipmentOf(each) ?? [])
  switch (status) {
    case "order_failed":
    case "failed":
      return { status: "failed", reason: wordOf(fieldsOf(job_result)["error_type"]), shipments }
    case "cancelled":
    case "canceled":
      return { status: "cancelled", reason: "cancelled", shipments }
    case "cancelled_by_retailer":
      return { status: "cancelled", reason: status, shipments }
    case "delivered":
    case "shipped":
      return { status, shipments }
  }
  const isDelivered = parcels.length > 0 && parcels.every((each) => fieldsOf(each)["status"] === "delivered")
  if (isDelivered) return { status: "delivered", shipments }
  return { status: shipments.length > 0 ? "shipped" : "placed", shipments }
}
