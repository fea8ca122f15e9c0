import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { TrackResult } from "@till402/core/effect"
import { bundledCarriers } from "@till402/providers/carriers"
import { readShipment, resultAt } from "../../src/17track/Shipment.ts"
import { stages } from "../../src/17track/Status.ts"
import { number } from "./tracking.ts"
import { runs, secret, item, decodeStrictly } from "./trackDocuments.ts"

/*
 * Whatever the provider sends, the response has the contract's shape and order. A falsified property prints
 * the seed that replays it.
 */

const isoWithOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/
const now = Date.parse("2026-11-20T12:00:00Z")
const read = (document: unknown): TrackResult =>
  resultAt(
    readShipment(document, (code) => bundledCarriers.get(code)),
    number,
    now
  )

const timesOf = (result: TrackResult): ReadonlyArray<string> =>
  [
    ...result.events.map((each) => each.time),
    ...result.milestones.map((each) => each.time),
    result.latestEvent?.time,
    result.pickedUpAt,
    result.deliveredAt,
    result.estimatedDelivery?.from,
    result.estimatedDelivery?.to
  ].filter((each) => typeof each === "string")

describe("a TrackResult of any document", () => {
  it.prop(
    "has the contract's schema, and survives JSON",
    [item],
    ([document]) => {
      const result = read(document)
      assert(Result.isSuccess(decodeStrictly(result)))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(result)), result)
    },
    runs
  )

  it.prop(
    "has times in ISO 8601 with an offset",
    [item],
    ([document]) => {
      for (const each of timesOf(read(document))) {
        assert.match(each, isoWithOffset)
        assert.isFalse(Number.isNaN(Date.parse(each)))
        const day = each.slice(0, 10)
        assert.strictEqual(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10), day)
      }
    },
    runs
  )

  it.prop(
    "has events newest first, each once, the latest one first",
    [item],
    ([document]) => {
      const { events, latestEvent } = read(document)
      assert.deepStrictEqual(latestEvent, events[0] ?? null)
      const moments = events.flatMap(({ description, time: at }) =>
        at === null ? [] : [{ at: Date.parse(at), description: (description ?? "").toLowerCase() }]
      )
      for (const [index, { at }] of moments.entries()) {
        if (index > 0) assert.isAtMost(at, moments[index - 1]!.at)
      }
      const seen = moments.map(({ at, description }) => `${at} ${description.replace(/\W+$/, "")}`)
      assert.strictEqual(new Set(seen).size, seen.length)
    },
    runs
  )

  it.prop(
    "has milestones in shipping order, each once, and agrees with itself",
    [item],
    ([document]) => {
      const result = read(document)
      const places = result.milestones.map(({ stage: reached }) => stages.indexOf(reached))
      assert.deepStrictEqual(
        places,
        [...new Set(places)].toSorted((a, b) => a - b)
      )
      const timeOf = (name: string) =>
        result.milestones.find(({ stage: reached }) => reached === name)?.time ?? null
      assert.strictEqual(result.pickedUpAt, timeOf("PickedUp"))
      assert.strictEqual(result.deliveredAt, timeOf("Delivered"))
      assert.strictEqual(result.delivered, result.status === "Delivered")
      assert.strictEqual(result.found, result.status !== "NotFound")
      for (const code of [result.origin, result.destination, result.carrier.country]) {
        if (code !== null) assert.match(code, /^[A-Z]{2}$/)
      }
      const { daysInTransit, daysSinceLastUpdate } = result
      if (daysInTransit !== null) assert.isAtLeast(daysInTransit, 0)
      if (daysSinceLastUpdate !== null) {
        assert(Number.isInteger(daysSinceLastUpdate) && daysSinceLastUpdate >= 0)
        assert.isNotEmpty(result.events)
      }
      assert.notInclude(JSON.stringify(result), secret)
    },
    runs
  )

  it.prop(
    "is the same for documents with fields that nobody knows",
    [item, Schema.Json],
    ([document, more]) => {
      const withMore = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(withMore)
          : typeof value === "object" && value !== null
            ? {
                x_new: more,
                ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withMore(inner)]))
              }
            : value
      assert.deepStrictEqual(read(withMore(document)), read(document))
    },
    runs
  )

  it.prop(
    "comes of any JSON whatever",
    [Schema.Json],
    ([document]) => {
      assert(Result.isSuccess(decodeStrictly(read(document))))
    },
    runs
  )
})
