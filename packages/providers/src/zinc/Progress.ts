import type { FulfilmentStatus, Parcel } from "@till402/core"
import { maxParcels, parcelOf } from "../fulfilment/Parcels.ts"
import { fieldsOf } from "../listing/Fields.ts"
import type { OrderDocument } from "./OrderDocument.ts"
import { wordOf } from "./Refusal.ts"

/*
 * The status of an order, from its document. Pure functions.
 */

const shipmentOf = (document: unknown): Parcel | undefined => {
  const fields = fieldsOf(document)
  return parcelOf({
    carrier: fields["carrier"],
    trackingNumber: fields["tracking_number"],
    trackingUrls: [fields["tracking_url"]]
  })
}

/**
 * The status of an order. Unknown statuses count as placed. Zinc has no status for a shipped order, so its
 * parcels decide.
 */
export const fulfilmentStatusOf = ({
  job_result,
  status,
  tracking_numbers
}: OrderDocument): FulfilmentStatus => {
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
