import {
  AdditionalFieldRequired,
  CarrierNotDetected,
  InvalidCarrier,
  InvalidTrackingNumber,
  NoTrackingInfo,
  TemporarilyUnavailable,
  type TrackQuery,
  type TrackResult
} from "@till402/core"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  MilestoneStage,
  ShipmentStatus,
  TrackQuery as TrackQuerySchema,
  TrackResult as TrackResultSchema
} from "../../../core/src/shop/goods/Tracking.ts"
import { sampleShop, type TrackingNumber, trackingNumbers } from "../../src/shop/index.ts"

const now = new Date("2026-03-01T12:34:56.789Z")
const { tracker } = sampleShop({ now: () => now })
const context = { signal: new AbortController().signal }
const track = (query: TrackQuery) => tracker.track(query, context)
const failure = (query: TrackQuery): Promise<unknown> =>
  track(query).then(
    () => undefined,
    (error: unknown) => error
  )

const decode = Schema.decodeUnknownSync(TrackResultSchema, { onExcessProperty: "error" })
const stages = MilestoneStage.literals

/** Properties of every result. */
const check = (result: TrackResult, number: string, status: string | undefined): void => {
  expect(decode(result)).toEqual(result)
  expect(result).toMatchObject({
    number,
    status,
    found: status !== "NotFound",
    delivered: status === "Delivered"
  })
  expect(result.latestEvent).toEqual(result.events[0] ?? null)
  const times = result.events.map(({ time }) => {
    expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/)
    return Date.parse(time!)
  })
  expect(times).toEqual([...times].sort((left, right) => right - left))
  for (const time of times) expect(time).toBeLessThan(now.getTime())
  const order = result.milestones.map(({ stage }) => stages.indexOf(stage))
  expect(order).toEqual([...order].sort((left, right) => left - right))
  expect(result.trackingPageUrl).toBe(`https://track.example/${number}`)
}

const errors: Readonly<Record<string, abstract new (...args: Array<never>) => unknown>> = {
  VALIDATION_ERROR: InvalidTrackingNumber,
  NO_TRACKING_INFO: NoTrackingInfo,
  CARRIER_NOT_DETECTED: CarrierNotDetected,
  ADDITIONAL_FIELD_REQUIRED: AdditionalFieldRequired,
  INVALID_CARRIER: InvalidCarrier,
  TRACKING_PROVIDER_ERROR: Error,
  TRACKING_PROVIDER_UNAVAILABLE: TemporarilyUnavailable
}

describe("the table of tracking numbers", () => {
  it("has a number for each status and each error, all valid in a query", () => {
    const shown = trackingNumbers.filter(({ httpStatus }) => httpStatus === 200).map(({ status }) => status)
    expect(shown.toSorted()).toEqual([...ShipmentStatus.literals].sort())
    expect([...new Set(trackingNumbers.flatMap(({ code }) => code ?? []))].sort()).toEqual(
      Object.keys(errors).sort()
    )
    const needed = trackingNumbers.flatMap(({ satisfiedBy = {} }) => Object.keys(satisfiedBy))
    expect(needed).toEqual([
      "carrier",
      "destinationPostalCode",
      "phone",
      "shipDate",
      "destinationCountry",
      "cpfOrCnpj"
    ])
    for (const { number } of trackingNumbers) expect(Schema.is(TrackQuerySchema)({ number })).toBe(true)
  })

  const found = trackingNumbers.filter(({ httpStatus }) => httpStatus === 200)
  it.each(found)("$number: $shows", async ({ number, status }) => {
    check(await track({ number }), number, status)
    check(await track({ number: number.toLowerCase() }), number.toLowerCase(), status)
  })

  const refused = trackingNumbers.filter(
    (entry): entry is TrackingNumber & { readonly code: string } => entry.code !== undefined
  )
  it.each(refused)("$number: $shows", async ({ code, number, satisfiedBy, status }) => {
    const error = await failure({ number })
    expect(error).toBeInstanceOf(errors[code])
    if (satisfiedBy === undefined) return
    if (error instanceof AdditionalFieldRequired) {
      expect(Object.keys(satisfiedBy)).toEqual([error.field])
      expect(error.message).toContain(error.field)
    }
    check(await track({ number, ...satisfiedBy }), number, status)
  })

  it("throws a plain error for the 502, and includes a retry time with the 503", async () => {
    expect((await failure({ number: "TILL-UPSTREAM-ERROR" })) as object).not.toHaveProperty("_tag")
    expect(await failure({ number: "TILL-UNAVAILABLE" })).toMatchObject({ retryAfterSeconds: 60 })
  })
})

describe("shipments", () => {
  it("has no data yet for any other number", async () => {
    for (const number of ["1Z999AA10123456784", "constructor", "--proto--"]) {
      check(await track({ number }), number, "NotFound")
      expect(await track({ number })).toMatchObject({
        events: [],
        milestones: [],
        latestEvent: null,
        estimatedDelivery: null
      })
    }
  })

  it("returns all of a delivery, in the carrier's local time", async () => {
    const result = await track({ number: "TILL-DELIVERED" })
    expect(result).toMatchObject({
      deliveredAt: "2026-02-28T02:34:00-08:00",
      pickedUpAt: "2026-02-24T04:34:00-06:00",
      daysInTransit: 4,
      daysSinceLastUpdate: 1,
      carrier: { code: 990_001, name: "Northline Express" },
      lastMileCarrier: null
    })
    expect(result.milestones.map(({ stage }) => stage)).toEqual([
      "InfoReceived",
      "PickedUp",
      "Departure",
      "Arrival",
      "OutForDelivery",
      "Delivered"
    ])
  })

  it("names only the last-mile carrier of a postal hand-off", async () => {
    for (const { number, status } of trackingNumbers.filter(({ httpStatus }) => httpStatus === 200)) {
      const { lastMileCarrier } = await track({ number })
      expect(lastMileCarrier).toEqual(
        status === "OutForDelivery" ? { code: 990_002, name: "Landpost" } : null
      )
    }
  })

  it("estimates in local time, with nulls where unknown", async () => {
    expect((await track({ number: "TILL-IN-TRANSIT" })).estimatedDelivery).toEqual({
      from: "2026-03-02T02:34:00-08:00",
      to: "2026-03-03T02:34:00-08:00",
      source: "Official"
    })
    expect((await track({ number: "TILL-FAILED" })).estimatedDelivery?.to).toBeNull()
  })

  it("shows a stale and a returned parcel", async () => {
    expect((await track({ number: "TILL-EXPIRED" })).daysSinceLastUpdate).toBe(47)
    const { deliveredAt, milestones } = await track({ number: "TILL-EXCEPTION" })
    expect(deliveredAt).toBeNull()
    expect(milestones.slice(-2).map(({ stage }) => stage)).toEqual(["Returning", "Returned"])
  })

  it("returns the same result within a minute", async () => {
    const later = sampleShop({ now: () => new Date(now.getTime() + 3000) })
    const query = { number: "TILL-IN-TRANSIT" }
    expect(await later.tracker.track(query, context)).toEqual(await track(query))
  })
})
