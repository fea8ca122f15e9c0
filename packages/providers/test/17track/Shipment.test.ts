import { describe, expect, it } from "vitest"
import { readShipment } from "../../src/17track/Shipment.ts"
import { delivered, inTransit, notFound } from "./documents.ts"
import { findCarrier, read } from "./readItems.ts"

describe("the documented items", () => {
  it("of a postal shipment that was handed over and delivered", () => {
    expect(read(delivered.data.accepted[0])).toEqual({
      number: "RR123456789CN",
      status: "Delivered",
      subStatus: "Delivered_Other",
      statusDescription: null,
      delivered: true,
      found: true,
      carrier: {
        code: 3_011,
        name: "China Post",
        homepage: "http://english.chinapost.com.cn/",
        country: "CN"
      },
      lastMileCarrier: { code: 2_151, name: "Correios Brazil" },
      origin: "CN",
      destination: "BR",
      latestEvent: {
        time: null,
        description: "Delivered to the addressee",
        location: "CURITIBA - PR",
        stage: "Delivered"
      },
      events: [
        {
          time: null,
          description: "Delivered to the addressee",
          location: "CURITIBA - PR",
          stage: "Delivered"
        },
        {
          time: "2026-10-30T08:03:00-03:00",
          description: "Out for delivery",
          location: "CURITIBA - PR",
          stage: "OutForDelivery"
        },
        {
          time: "2026-10-22T16:50:00-03:00",
          description: "Arrived in destination country",
          location: "CURITIBA, BR",
          stage: "Arrival"
        },
        {
          time: "2026-10-15T23:11:00+08:00",
          description: "Departed from origin country",
          location: "SHANGHAI, CN",
          stage: "Departure"
        },
        {
          time: "2026-10-12T09:30:00+08:00",
          description: "Posting/Collection",
          location: "HANGZHOU, CN",
          stage: "PickedUp"
        }
      ],
      milestones: [
        { stage: "PickedUp", time: "2026-10-12T09:30:00+08:00" },
        { stage: "Departure", time: "2026-10-15T23:11:00+08:00" },
        { stage: "Arrival", time: "2026-10-22T16:50:00-03:00" },
        { stage: "OutForDelivery", time: "2026-10-30T08:03:00-03:00" },
        { stage: "Delivered", time: null }
      ],
      pickedUpAt: "2026-10-12T09:30:00+08:00",
      deliveredAt: null,
      daysInTransit: 18,
      daysSinceLastUpdate: 20,
      estimatedDelivery: null,
      serviceType: "Registered Letter",
      weightKg: "0.35",
      carrierNotice: "Customs fees may be due before release.",
      trackingPageUrl: "https://t.17track.net/en#nums=RR123456789CN"
    })
  })

  it("of a shipment in transit", () => {
    const result = read(inTransit.data.accepted[0])
    expect(result).toMatchObject({
      status: "InTransit",
      subStatus: "InTransit_Departure",
      delivered: false,
      found: true,
      carrier: { code: 100_002, name: "UPS", homepage: "http://www.ups.com/", country: "US" },
      lastMileCarrier: null,
      origin: "US",
      destination: "US",
      pickedUpAt: "2026-11-17T19:40:00-08:00",
      deliveredAt: null,
      daysInTransit: 3,
      daysSinceLastUpdate: 2,
      estimatedDelivery: {
        from: "2026-11-21T00:00:00-05:00",
        to: "2026-11-21T23:59:59-05:00",
        source: "Official"
      },
      serviceType: "UPS Ground",
      weightKg: "1.09",
      carrierNotice: null
    })
    expect(result.events.map(({ time }) => time)).toEqual([
      "2026-11-18T04:12:00-05:00",
      "2026-11-17T19:40:00-08:00",
      "2026-11-17T10:05:00-08:00"
    ])
    expect(result.latestEvent).toEqual(result.events[0])
    // The last one has no location, but the country of its address.
    expect(result.events[2]!.location).toBe("US")
  })

  it("of a number without data", () => {
    const { carrier, number: _, trackingPageUrl: __, ...rest } = read(notFound.data.accepted[0])
    expect(carrier.code).toBe(10_011)
    expect(rest).toEqual({
      status: "NotFound",
      subStatus: "NotFound_Other",
      statusDescription: null,
      delivered: false,
      found: false,
      lastMileCarrier: null,
      origin: null,
      destination: null,
      latestEvent: null,
      events: [],
      milestones: [],
      pickedUpAt: null,
      deliveredAt: null,
      daysInTransit: null,
      daysSinceLastUpdate: null,
      estimatedDelivery: null,
      serviceType: null,
      weightKg: null,
      carrierNotice: null
    })
  })

  it("keep nothing of the recipient beyond the country, in any field", () => {
    const item = structuredClone(delivered.data.accepted[0]!) as {
      phone_number: string
      destination_postal_code: string
      track_info: {
        shipping_info: { recipient_address: Record<string, string> }
        tracking: { providers: Array<{ events: Array<Record<string, unknown>> }> }
      }
    }
    item.phone_number = "+55 41 5550 1234"
    item.destination_postal_code = "80010-000"
    Object.assign(item.track_info.shipping_info.recipient_address, {
      street: "Rua Secreta 7",
      postal_code: "80010-000",
      city: "Curitiba-Centro"
    })
    item.track_info.tracking.providers[0]!.events[1]!["location"] = null
    item.track_info.tracking.providers[0]!.events[1]!["address"] = {
      country: "BR",
      city: "CURITIBA",
      street: "Rua Secreta 7",
      postal_code: "80010-000"
    }
    const kept = JSON.stringify(readShipment(item, findCarrier))
    for (const secret of ["00000000000", "5550", "80010", "Secreta", "Curitiba-Centro", "purchase-42"]) {
      expect(kept).not.toContain(secret)
    }
    expect(kept).toContain("CURITIBA, BR")
  })
})
