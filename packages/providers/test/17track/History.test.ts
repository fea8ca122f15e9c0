import { describe, expect, it } from "vitest"
import { readHistory } from "../../src/17track/History.ts"

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
