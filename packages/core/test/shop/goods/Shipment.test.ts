import { describe, expect, it } from "vitest"
import { normalized } from "../../../src/shop/goods/Shipment.ts"
import type { TrackingEvent, TrackResult } from "../../../src/shop/goods/Tracking.ts"
import { sampleTrackResult } from "../../../../testing/src/index.ts"

const event = (time: string | null, description: string): TrackingEvent => ({
  time,
  description,
  location: null,
  stage: null
})
const of = (overrides: Partial<TrackResult>): TrackResult =>
  normalized(sampleTrackResult("ABC12345", overrides))
const descriptions = ({ events }: TrackResult) => events.map(({ description }) => description).join("")

const [first, second, third] = [
  event("2026-03-01T12:00:00-05:00", "a"),
  // Earlier on the clock, later in time.
  event("2026-03-01T11:00:00-08:00", "b"),
  event("2026-03-02T09:00:00Z", "c")
]

describe("a shipment without contradictions", () => {
  it("stays as it is", () => {
    const inTransit = sampleTrackResult("ABC12345", {
      events: [third, second, first],
      latestEvent: third
    })
    expect(normalized(inTransit)).toEqual(inTransit)
    const delivered = sampleTrackResult("ABC12345", {
      status: "Delivered",
      delivered: true,
      deliveredAt: "2026-03-04T14:20:00-06:00"
    })
    expect(normalized(delivered)).toEqual(delivered)
    const unknown = sampleTrackResult("ABC12345", {
      status: "NotFound",
      found: false,
      events: [],
      latestEvent: null,
      milestones: [],
      pickedUpAt: null
    })
    expect(normalized(unknown)).toEqual(unknown)
  })
})

describe("events", () => {
  it.each([
    ["oldest first", [first, second, third]],
    ["newest first", [third, second, first]],
    ["in no order", [second, third, first]]
  ])("given %s come out newest first, by time and not by clock", (_, events) => {
    const result = of({ events, latestEvent: null })
    expect(descriptions(result)).toBe("cba")
    expect(result.latestEvent).toEqual(third)
  })

  it("of the same time keep the order of the list, whichever way that goes", () => {
    const twin = { ...second, description: "B" }
    expect(descriptions(of({ events: [first, second, twin, third] }))).toBe("cBba")
    expect(descriptions(of({ events: [third, twin, second, first] }))).toBe("cBba")
  })

  it("without a difference in time begin with the one that the tracker calls the latest", () => {
    const twin = { ...second, description: "B" }
    expect(descriptions(of({ events: [second, twin, first], latestEvent: twin }))).toBe("Bba")
    const timeless = ["x", "y", "z"].map((description) => event(null, description))
    expect(descriptions(of({ events: timeless, latestEvent: timeless[2]! }))).toBe("zxy")
    expect(descriptions(of({ events: [third, second], latestEvent: second }))).toBe("cb")
  })

  it("have offsets as ISO 8601 writes them", () => {
    const indian = event("2026-03-02T09:00:00+0530", "i")
    const result = of({
      events: [indian],
      latestEvent: indian,
      pickedUpAt: "2026-03-02T09:00:00-0800",
      milestones: [{ stage: "PickedUp", time: "2026-03-02T09:00:00-0800" }],
      estimatedDelivery: { from: "2026-03-05", to: "2026-03-06T18:00+0100", source: null }
    })
    expect(result.events).toEqual([{ ...indian, time: "2026-03-02T09:00:00+05:30" }])
    expect(result.latestEvent).toEqual(result.events[0])
    expect(result.milestones[0]?.time).toBe("2026-03-02T09:00:00-08:00")
    expect(result.pickedUpAt).toBe("2026-03-02T09:00:00-08:00")
    expect(result.estimatedDelivery).toEqual({
      from: "2026-03-05",
      to: "2026-03-06T18:00+01:00",
      source: null
    })
  })

  it("without a time stay next to the one before them in time", () => {
    const timeless = event(null, "?")
    expect(descriptions(of({ events: [third, timeless, second] }))).toBe("c?b")
    expect(descriptions(of({ events: [second, timeless, third] }))).toBe("c?b")
    expect(descriptions(of({ events: [timeless, first] }))).toBe("?a")
  })

  it("are listed once, also if another carrier writes the same time with another offset", () => {
    const again = { ...first, time: "2026-03-01T17:00:00Z" }
    expect(descriptions(of({ events: [second, first, again, first] }))).toBe("ba")
    const elsewhere = { ...first, location: "Newark, NJ" }
    expect(descriptions(of({ events: [first, elsewhere] }))).toBe("aa")
  })

  it("of a result that has only the latest one are that one", () => {
    expect(of({ events: [], latestEvent: first })).toMatchObject({ events: [first], latestEvent: first })
    expect(of({ events: [third], latestEvent: first }).latestEvent).toEqual(third)
    expect(of({ events: [], latestEvent: null }).latestEvent).toBeNull()
  })
})

describe("milestones", () => {
  it("come out in shipping order, each once, with the earliest known time", () => {
    const { milestones } = of({
      milestones: [
        { stage: "Delivered", time: "2026-03-04T10:00:00Z" },
        { stage: "Arrival", time: "2026-03-03T10:00:00Z" },
        { stage: "Arrival", time: null },
        { stage: "PickedUp", time: null },
        { stage: "Arrival", time: "2026-03-02T10:00:00Z" }
      ]
    })
    expect(milestones).toEqual([
      { stage: "PickedUp", time: null },
      { stage: "Arrival", time: "2026-03-02T10:00:00Z" },
      { stage: "Delivered", time: "2026-03-04T10:00:00Z" }
    ])
  })
})

describe("what follows from other fields", () => {
  const time = "2026-03-04T10:00:00Z"

  it("delivered and its time follow from the status", () => {
    expect(of({ status: "InTransit", delivered: true, deliveredAt: time })).toMatchObject({
      delivered: false,
      deliveredAt: null
    })
    expect(
      of({ status: "Delivered", delivered: false, milestones: [{ stage: "Delivered", time }] })
    ).toMatchObject({ delivered: true, deliveredAt: time })
    expect(
      of({ status: "Delivered", deliveredAt: time, milestones: [{ stage: "Delivered", time: null }] })
        .deliveredAt
    ).toBe(time)
  })

  it("a pick-up has the time of its milestone, unless the tracker knows it", () => {
    expect(of({ pickedUpAt: null, milestones: [{ stage: "PickedUp", time }] }).pickedUpAt).toBe(time)
    expect(of({ pickedUpAt: time, milestones: [] }).pickedUpAt).toBe(time)
    expect(of({ pickedUpAt: null, milestones: [] }).pickedUpAt).toBeNull()
  })

  it("a shipment with events is found, one without data isn't", () => {
    expect(of({ found: false, status: "NotFound" }).found).toBe(true)
    expect(of({ found: true, status: "NotFound", events: [], latestEvent: null }).found).toBe(false)
    expect(of({ found: false, status: "InfoReceived", events: [], latestEvent: null }).found).toBe(false)
  })
})
