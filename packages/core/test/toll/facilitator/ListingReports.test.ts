import { Effect, Logger, References } from "effect"
import { describe, expect, it } from "vitest"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import { ListingReports } from "../../../src/toll/facilitator/ListingReports.ts"

const url = "https://shop.example/x402/search"
const headerOf = (bazaar: object) => Buffer.from(JSON.stringify({ bazaar })).toString("base64")
const accepted = headerOf({ status: "success" })
const rejected = headerOf({ status: "rejected", rejectedReason: "no description" })

const eventsOf = (...noted: ReadonlyArray<readonly [string, string | undefined]>) => {
  const events: Array<TillEvent> = []
  const reports = new ListingReports("first")
  const all = Effect.forEach(noted, ([resource, header]) => reports.note(resource, header))
  Effect.runSync(
    Effect.provide(all, Logger.layer([eventLogger((event) => events.push(event))])).pipe(
      Effect.provideService(References.MinimumLogLevel, "Info")
    )
  )
  return events
}

describe("what a facilitator says about a listing", () => {
  it("is an event, once until it changes", () => {
    const events = eventsOf(
      [url, accepted],
      [url, accepted],
      [url, rejected],
      [url, rejected],
      [url, accepted]
    )
    expect(events.map(({ code, level, reason }) => [code, level, reason])).toEqual([
      ["listing_accepted", "info", undefined],
      ["listing_rejected", "warning", "no description"],
      ["listing_accepted", "info", undefined]
    ])
    expect(events[0]).toMatchObject({ facilitator: "first", message: `The facilitator lists ${url}` })
  })

  it("is reported once, however else its header changes", () => {
    const again = headerOf({ status: "success", checkedAt: 2 })
    expect(eventsOf([url, accepted], [url, again], [url, accepted])).toHaveLength(1)
  })

  it("is reported for each resource", () => {
    expect(eventsOf([url, accepted], [`${url}2`, accepted])).toHaveLength(2)
  })

  it.each([
    ["none", undefined],
    ["still processing", headerOf({ status: "processing" })],
    ["another extension", Buffer.from(JSON.stringify({ other: {} })).toString("base64")],
    ["no JSON", Buffer.from("x").toString("base64")],
    ["not base64", "%"],
    ["too long", headerOf({ status: "success", padding: "x".repeat(5_000) })]
  ])("is nothing for %s", (_, header) => expect(eventsOf([url, header])).toEqual([]))

  it("is one line without addresses, up to a length", () => {
    const address = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
    const reason = `payTo ${address}\nis unknown ${"x ".repeat(300)}`
    const [event] = eventsOf([url, headerOf({ status: "rejected", rejectedReason: reason })])
    expect(event!.reason).toMatch(/^payTo … is unknown x x/)
    expect(event!.reason!.length).toBeLessThanOrEqual(200)
  })
})
