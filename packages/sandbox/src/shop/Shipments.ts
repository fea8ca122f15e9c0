import type { MilestoneStage, ShipmentStatus } from "@till402/core"
import { carriers } from "./Carriers.ts"
import type { Shipment, ShipmentEvent } from "./Shipment.ts"

const event = (
  hoursAgo: number,
  offset: string,
  location: string | null,
  description: string,
  stage: MilestoneStage | null = null
): ShipmentEvent => ({ hoursAgo, offset, location, description, stage })

/** A parcel without any events yet. */
export const unknownShipment: Shipment = {
  status: "NotFound",
  subStatus: "NotFound_Other",
  statusDescription: "The carrier has no data for this number yet.",
  carrier: carriers.unknown,
  origin: null,
  destination: null,
  events: []
}

/** From Nashville to Portland: the first events of several shipments, `since` hours after pickup. */
const acrossTheCountry = (since: number): ReadonlyArray<ShipmentEvent> => [
  event(since - 38, "-07:00", "Salt Lake City, UT, US", "Departed sort facility"),
  event(since - 30, "-07:00", "Salt Lake City, UT, US", "Arrived at sort facility", "Arrival"),
  event(since - 6, "-06:00", "Nashville, TN, US", "Departed origin facility", "Departure"),
  event(since, "-06:00", "Nashville, TN, US", "Picked up", "PickedUp"),
  event(since + 5.5, "-06:00", "Nashville, TN, US", "Shipping label created", "InfoReceived")
]

const domestic = {
  carrier: carriers.northline,
  origin: "US",
  destination: "US",
  serviceType: "Northline Ground",
  weightKg: "1.36"
} as const

/** One shipment per status of the API. */
export const shipments: Readonly<Record<ShipmentStatus, Shipment>> = {
  NotFound: unknownShipment,
  InfoReceived: {
    ...domestic,
    status: "InfoReceived",
    subStatus: "InfoReceived",
    statusDescription: "The sender has announced the parcel; the carrier does not have it yet.",
    events: [event(7.25, "-06:00", "Nashville, TN, US", "Shipping label created", "InfoReceived")],
    estimate: { fromHours: 96, toHours: 120, offset: "-08:00", source: "Official" }
  },
  InTransit: {
    ...domestic,
    status: "InTransit",
    subStatus: "InTransit_Departure",
    statusDescription: "The parcel has left a facility on its way.",
    events: acrossTheCountry(50),
    estimate: { fromHours: 22, toHours: 46, offset: "-08:00", source: "Official" }
  },
  Expired: {
    status: "Expired",
    subStatus: "Expired_Other",
    statusDescription: "No news of the parcel for more than 30 days.",
    carrier: carriers.silkway,
    origin: "CN",
    destination: "US",
    events: [
      event(47 * 24, "+08:00", "Guangzhou, CN", "Handed to the airline", "Departure"),
      event(49 * 24 + 3, "+08:00", "Shenzhen, CN", "Picked up", "PickedUp"),
      event(50 * 24, "+08:00", null, "Shipment information received", "InfoReceived")
    ],
    weightKg: "0.21",
    carrierNotice: "Air cargo from Guangzhou was delayed; parcels of that week may have lost their tracking."
  },
  AvailableForPickup: {
    status: "AvailableForPickup",
    subStatus: "AvailableForPickup_Other",
    statusDescription: "The parcel waits at a pickup point.",
    carrier: carriers.harbour,
    origin: "GB",
    destination: "GB",
    events: [
      event(
        5,
        "+00:00",
        "Bristol, Clifton Village Newsagent, GB",
        "Ready for collection",
        "AvailableForPickup"
      ),
      event(9.5, "+00:00", "Bristol, GB", "Arrived at local depot", "Arrival"),
      event(20, "+00:00", "Birmingham, GB", "Departed hub", "Departure"),
      event(28, "+00:00", "Leeds, GB", "Collected from sender", "PickedUp"),
      event(33, "+00:00", "Leeds, GB", "Parcel data received", "InfoReceived")
    ],
    serviceType: "Harbour PickupPoint",
    carrierNotice: "Kept for 10 days; bring photo identification."
  },
  OutForDelivery: {
    // A postal hand-off: one carrier brings the parcel across the border, and another delivers it.
    status: "OutForDelivery",
    subStatus: "OutForDelivery_Other",
    statusDescription: "The parcel is on the delivery vehicle.",
    carrier: carriers.silkway,
    lastMileCarrier: { code: carriers.landpost.code, name: carriers.landpost.name },
    origin: "CN",
    destination: "DE",
    events: [
      event(3.5, "+01:00", "Hamburg, DE", "Out for delivery", "OutForDelivery"),
      event(14, "+01:00", "Hamburg, DE", "Arrived at delivery base"),
      event(31, "+01:00", "Leipzig, DE", "Handed over to Landpost"),
      event(52, "+01:00", "Leipzig, DE", "Import customs cleared"),
      event(60, "+01:00", "Leipzig, DE", "Arrived in the country of destination", "Arrival"),
      event(78, "+08:00", "Shanghai, CN", "Departed by air", "Departure"),
      event(115, "+08:00", "Hangzhou, CN", "Picked up", "PickedUp"),
      event(121, "+08:00", null, "Shipment information received", "InfoReceived")
    ],
    estimate: { fromHours: 0, toHours: 8, offset: "+01:00", source: "Official" },
    serviceType: "Silkway Economy Air",
    weightKg: "0.84"
  },
  DeliveryFailure: {
    ...domestic,
    status: "DeliveryFailure",
    subStatus: "DeliveryFailure_NoBody",
    statusDescription: "Nobody was there to take the parcel.",
    events: [
      event(4, "-08:00", "Portland, OR, US", "Delivery attempted: nobody at the address"),
      event(10, "-08:00", "Portland, OR, US", "Out for delivery", "OutForDelivery"),
      event(19, "-08:00", "Portland, OR, US", "Arrived at delivery facility"),
      ...acrossTheCountry(96)
    ],
    estimate: { fromHours: 18, toHours: null, offset: "-08:00", source: "Official" },
    carrierNotice: "A second attempt follows on the next working day."
  },
  Delivered: {
    ...domestic,
    status: "Delivered",
    subStatus: "Delivered_Signed",
    statusDescription: "The parcel was delivered and signed for.",
    events: [
      event(26, "-08:00", "Portland, OR, US", "Delivered, signed by: front desk", "Delivered"),
      event(32.5, "-08:00", "Portland, OR, US", "Out for delivery", "OutForDelivery"),
      event(41, "-08:00", "Portland, OR, US", "Arrived at delivery facility"),
      ...acrossTheCountry(122)
    ]
  },
  Exception: {
    status: "Exception",
    subStatus: "Exception_Returned",
    statusDescription: "The parcel went back to the sender.",
    carrier: carriers.harbour,
    origin: "GB",
    destination: "FR",
    events: [
      event(30, "+00:00", "Leeds, GB", "Returned to sender", "Returned"),
      event(101, "+01:00", "Lyon, FR", "Refused by the recipient; return started", "Returning"),
      event(105, "+01:00", "Lyon, FR", "Out for delivery", "OutForDelivery"),
      event(127, "+01:00", "Paris, FR", "Arrived in the country of destination", "Arrival"),
      event(160, "+00:00", "Dover, GB", "Departed", "Departure"),
      event(181, "+00:00", "Leeds, GB", "Collected from sender", "PickedUp"),
      event(186, "+00:00", "Leeds, GB", "Parcel data received", "InfoReceived")
    ],
    serviceType: "Harbour International",
    weightKg: "2.10",
    carrierNotice: "The recipient declined the import charges."
  }
}
