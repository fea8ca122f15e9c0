import { describe, expect, it } from "vitest"
import type { TrackResult } from "@till402/core"
import { bundledCarriers } from "@till402/providers/carriers"
import { readHistory } from "../../src/17track/History.ts"
import { readShipment, resultAt } from "../../src/17track/Shipment.ts"
import { readIso, readMoment } from "../../src/17track/Moment.ts"
import { delivered, inTransit, notFound, type Item } from "./documents.ts"

const findCarrier = (code: number) => bundledCarriers.get(code)
const read = (item: unknown, now = "2026-11-20T12:00:00Z"): TrackResult =>
  resultAt(readShipment(item, findCarrier), String((item as Item)["number"]), Date.parse(now))
const withInfo = (track_info: unknown): TrackResult =>
  read({ number: "NUMBER1", carrier: 100_002, track_info })

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
    // No location is told of the last one: the country of its address is.
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

describe("times", () => {
  it.each([
    ["2026-10-12T09:30:00+08:00", "2026-10-12T09:30:00+08:00"],
    ["2026-10-12T09:30:00Z", "2026-10-12T09:30:00Z"],
    ["2026-10-12T09:30:00z", "2026-10-12T09:30:00Z"],
    ["2026-10-12 09:30+0530", "2026-10-12T09:30:00+05:30"],
    ["2026-10-12T09:30:00.123-03", "2026-10-12T09:30:00-03:00"],
    ["2026-10-12T09:30:00", null],
    ["2026-10-12", null],
    ["2026-02-30T09:30:00Z", null],
    ["2026-10-12T25:30:00Z", null],
    ["2026-10-12T09:30:00+19:00", null],
    ["yesterday", null],
    [1_760_000_000, null],
    [null, null]
  ])("%j is %j", (text, expected) => {
    expect(readIso(text).iso).toBe(expected)
  })

  const raw = (date: unknown, time: unknown, timezone: unknown = null) => ({
    time_raw: { date, time, timezone }
  })
  it.each([
    [
      "the local time first",
      { time_iso: "2026-10-12T09:30:00+08:00", time_utc: "2026-10-12T01:30:00Z" },
      "2026-10-12T09:30:00+08:00"
    ],
    ["UTC where nothing is local", { time_utc: "2026-10-12T01:30:00Z" }, "2026-10-12T01:30:00Z"],
    [
      "the carrier's clock with its zone",
      raw("2026-10-12", "09:30:00", "+08:00"),
      "2026-10-12T09:30:00+08:00"
    ],
    [
      "the carrier's clock rather than an iso in UTC",
      { time_iso: "2026-10-12T01:30:00Z", ...raw("2026-10-12", "09:30", "+0800") },
      "2026-10-12T09:30:00+08:00"
    ],
    [
      "the carrier's clock with the offset that UTC leaves",
      { time_utc: "2026-10-12T01:30:00Z", ...raw("2026-10-12", "09:30:00") },
      "2026-10-12T09:30:00+08:00"
    ],
    [
      "also west of Greenwich",
      { time_utc: "2026-10-12T12:00:00Z", ...raw("2026-10-12", "08:30:00") },
      "2026-10-12T08:30:00-03:30"
    ],
    [
      "UTC where the clocks don't fit",
      { time_utc: "2026-10-12T01:31:00Z", ...raw("2026-10-12", "09:30:00") },
      "2026-10-12T01:31:00Z"
    ],
    [
      "UTC where the day alone is told",
      { time_utc: "2026-10-12T01:30:00Z", ...raw("2026-10-12", null) },
      "2026-10-12T01:30:00Z"
    ],
    ["none without a zone", raw("2026-10-30", "14:22:00"), null],
    ["none where a zone has a name only", raw("2026-10-30", "14:22:00", "Asia/Shanghai"), null],
    ["none of a day without a time of day", raw("2026-10-30", null, "+08:00"), null],
    ["none of nothing", {}, null],
    ["none of another kind", "2026-10-30", null]
  ])("tell %s", (_, value, expected) => {
    expect(readMoment(value).iso).toBe(expected)
  })
})

describe("the history", () => {
  const historyOf = (...providers: ReadonlyArray<ReadonlyArray<unknown>>) =>
    readHistory({ tracking: { providers: providers.map((events) => ({ events })) } }).events
  const at = (time_iso: string | null, description: string, more = {}) => ({ time_iso, description, ...more })

  it("is newest first, whatever the order of the carriers and their offsets", () => {
    const events = historyOf(
      [at("2026-10-22T16:50:00-03:00", "c"), at("2026-10-12T09:30:00+08:00", "a")],
      [at("2026-10-23T03:00:00+08:00", "b"), at("2026-10-30T08:00:00Z", "d")]
    )
    expect(events.map(({ description }) => description)).toEqual(["d", "c", "b", "a"])
  })

  it("keeps the reported order of events with the same time", () => {
    const same = "2026-10-22T16:50:00-03:00"
    const events = historyOf([at(same, "third"), at(same, "second"), at(same, "first")])
    expect(events.map(({ description }) => description)).toEqual(["third", "second", "first"])
  })

  it("merges an event that several carriers report, with different places or time zones", () => {
    const events = historyOf(
      [at("2026-10-22T16:50:00-03:00", "Arrived in  destination country.", { stage: "Arrival" })],
      [at("2026-10-22T19:50:00Z", "arrived in destination country", { location: "CURITIBA" })]
    )
    expect(events).toEqual([
      {
        time: "2026-10-22T16:50:00-03:00",
        description: "Arrived in  destination country.",
        location: "CURITIBA",
        stage: "Arrival"
      }
    ])
  })

  it("uses the time with a time zone", () => {
    const wall = { time_raw: { date: "2026-10-30", time: "14:22:00", timezone: null } }
    const events = historyOf([at(null, "Delivered", wall)], [at("2026-10-30T14:22:00-03:00", "Delivered")])
    expect(events.map(({ time }) => time)).toEqual(["2026-10-30T14:22:00-03:00"])
  })

  it("keeps events apart that differ in time or description", () => {
    const wall = { time_raw: { date: "2026-10-30", time: "14:22:00", timezone: null } }
    expect(
      historyOf([
        at("2026-10-30T14:22:00-03:00", "Departed"),
        at("2026-10-30T14:22:00+08:00", "Departed"),
        at("2026-10-30T14:22:00-03:00", "Arrived"),
        at(null, "Sorted", wall)
      ])
    ).toHaveLength(4)
  })

  it("orders a time without a zone by the zone of its neighbours", () => {
    const raw = (time: string) => ({ time_raw: { date: "2026-10-30", time, timezone: null } })
    const events = historyOf([
      at(null, "delivered", raw("01:00:00")),
      at("2026-10-30T00:30:00-10:00", "out for delivery"),
      at("2026-10-29T20:00:00-10:00", "arrived")
    ])
    expect(events.map(({ description }) => description)).toEqual(["delivered", "out for delivery", "arrived"])
  })

  it("keeps the position of an event without a time", () => {
    const events = historyOf([
      at("2026-10-30T08:00:00Z", "d"),
      at(null, "c"),
      at("2026-10-22T16:50:00Z", "b"),
      at(null, "a")
    ])
    expect(events.map(({ description }) => description)).toEqual(["d", "c", "b", "a"])
  })

  it("contains the latest event even if no carrier lists it", () => {
    const { events } = readHistory({
      latest_event: at("2026-10-30T08:00:00Z", "Delivered"),
      tracking: { providers: [{ events: [at("2026-10-29T08:00:00Z", "Arrived")] }] }
    })
    expect(events.map(({ description }) => description)).toEqual(["Delivered", "Arrived"])
  })

  it("is bounded, and leaves out the oldest", () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      at(new Date(Date.UTC(2026, 9, 30) - index * 60_000).toISOString(), `event ${index}`)
    )
    const events = historyOf(
      many,
      many.map((event) => ({ ...event, description: `${event.description}b` }))
    )
    expect(events).toHaveLength(300)
    expect(events[0]!.description).toBe("event 0")
    expect(historyOf([at("2026-10-30T08:00:00Z", "x".repeat(10_000))])[0]!.description).toHaveLength(500)
  })
})

describe("unknown or unexpected fields of a document", () => {
  it.each([
    [
      "a new sub-status passes",
      { latest_status: { status: "InTransit", sub_status: "InTransit_TransportArrived" } },
      { status: "InTransit", subStatus: "InTransit_TransportArrived" }
    ],
    [
      "a new status is told from its sub-status",
      { latest_status: { status: "Flying", sub_status: "InTransit_Flying" } },
      { status: "InTransit", found: true }
    ],
    [
      "or from the stage of the latest event",
      { latest_status: { status: "Vanished" }, latest_event: { stage: "Returned", description: "x" } },
      { status: "Exception", found: true }
    ],
    [
      "or from there being events",
      { latest_status: { status: "Vanished" }, latest_event: { stage: "Teleported", description: "x" } },
      { status: "InTransit" }
    ],
    [
      "or it is not found",
      { latest_status: { status: "Vanished" } },
      { status: "NotFound", found: false, daysInTransit: null }
    ],
    [
      "a new source of an estimate passes",
      {
        time_metrics: {
          estimated_delivery_date: { source: "Oracle", from: null, to: "2026-11-21T00:00:00Z" }
        }
      },
      { estimatedDelivery: { from: null, to: "2026-11-21T00:00:00Z", source: "Oracle" } }
    ],
    [
      "a new stage of an event passes",
      { latest_event: { stage: "Teleported", time_iso: "2026-11-21T00:00:00Z" } },
      {
        latestEvent: { stage: "Teleported", time: "2026-11-21T00:00:00Z", description: null, location: null }
      }
    ],
    [
      "a new milestone does not",
      { milestone: [{ key_stage: "Teleported", time_iso: "2026-11-21T00:00:00Z" }] },
      { milestones: [] }
    ],
    [
      "milestones out of order are put in shipping order, once each",
      {
        milestone: ["Delivered", "PickedUp", "Delivered"].map((key_stage, day) => ({
          key_stage,
          time_iso: `2026-11-2${day}T00:00:00Z`
        }))
      },
      {
        milestones: [
          { stage: "PickedUp", time: "2026-11-21T00:00:00Z" },
          { stage: "Delivered", time: "2026-11-20T00:00:00Z" }
        ],
        deliveredAt: "2026-11-20T00:00:00Z"
      }
    ],
    [
      "numbers as text and text as numbers",
      { misc_info: { weight_kg: 1.5, local_key: "2151", local_provider: null } },
      { weightKg: "1.5", lastMileCarrier: { code: 2_151, name: "Correios Brazil" } }
    ],
    [
      "a last mile of the same carrier is none",
      { misc_info: { local_key: 100_002, local_provider: "UPS" } },
      { lastMileCarrier: null }
    ],
    [
      "days below zero are not told",
      { latest_status: { status: "InTransit" }, time_metrics: { days_of_transit: -1 } },
      { daysInTransit: null }
    ],
    [
      "countries that are none are not told",
      { shipping_info: { shipper_address: { country: "China" }, recipient_address: { country: "br" } } },
      { origin: null, destination: "BR" }
    ],
    [
      "homepages that are none are not told",
      {
        tracking: {
          providers: [{ provider: { key: 100_002, name: "UPS", homepage: "javascript:alert(1)" } }]
        }
      },
      { carrier: { code: 100_002, name: "UPS", homepage: "https://www.ups.com/", country: "US" } }
    ],
    [
      "everything of another kind",
      {
        latest_status: [],
        latest_event: "x",
        milestone: {},
        misc_info: 7,
        tracking: { providers: { events: 1 } },
        time_metrics: null,
        shipping_info: "x"
      },
      { status: "NotFound", events: [], milestones: [] }
    ]
  ])("%s", (_, info, expected) => {
    expect(withInfo(info)).toMatchObject(expected)
  })

  it.each([null, 7, "text", [], {}])("%j has a carrier and no data", (info) => {
    expect(withInfo(info)).toMatchObject({
      status: "NotFound",
      found: false,
      carrier: { code: 100_002, name: "UPS", homepage: "https://www.ups.com/", country: "US" }
    })
  })

  it("a carrier that is in no list has its code alone", () => {
    expect(read({ number: "NUMBER1", carrier: 999_999 }).carrier).toEqual({
      code: 999_999,
      name: null,
      homepage: null,
      country: null
    })
  })

  it("without a carrier it is the first provider's", () => {
    const provider = { key: 3_011, name: "China Post", country: "CN" }
    expect(
      read({ number: "NUMBER1", carrier: 0, track_info: { tracking: { providers: [{ provider }] } } }).carrier
    ).toEqual({ code: 3_011, name: "China Post", homepage: "https://yjcx.ems.com.cn/", country: "CN" })
  })
})
