import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { TrackResult } from "@till402/core/effect"
import { bundledCarriers } from "@till402/providers/carriers"
import { readShipment, resultAt } from "../../src/17track/Shipment.ts"
import { stages } from "../../src/17track/Status.ts"
import { number, open } from "./tracking.ts"

/*
 * Whatever the provider sends, the response has the contract's shape and order. A falsified property prints
 * the seed that replays it.
 */

const runs = { arbitrary: { runs: 1_000 } }

/** What stands where another kind of value is expected. */
const junk = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.String,
  Schema.Number,
  Schema.Array(Schema.String)
])
const or = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.Union([schema, schema, junk]))

const time = Schema.Literals([
  "2026-10-12T09:30:00+08:00",
  "2026-10-12T01:30:00Z",
  "2026-10-12T01:30:00+00:00",
  "2026-10-11T22:30:00-03:00",
  "2026-10-12 09:30+0800",
  "2026-10-22T16:50:00-03:00",
  "2026-10-22T19:50:00Z",
  "2026-10-30T08:03:00-10:00",
  "2026-10-30T23:59:59+14:00",
  "2026-11-01T00:00:00.5+05:45",
  "2026-02-29T00:00:00Z",
  "2026-10-12T09:30:00",
  "2026-10-12",
  ""
])
const moment = {
  time_iso: or(time),
  time_utc: or(time),
  time_raw: or(
    Schema.Struct({
      date: or(Schema.Literals(["2026-10-12", "2026-10-22", "2026-10-30", "2026-13-01", "12.10.2026"])),
      time: or(Schema.Literals(["09:30:00", "16:50", "23:59:59", "24:01", ""])),
      timezone: or(Schema.Literals(["+08:00", "-03:00", "+0530", "Z", "Asia/Shanghai"]))
    })
  )
}
const secret = "SECRET STREET 7"
const address = or(
  Schema.Struct({
    country: or(Schema.Literals(["CN", "br", "China"])),
    state: or(Schema.Literals(["PR"])),
    city: or(Schema.Literals(["CURITIBA"])),
    street: Schema.Literal(secret),
    postal_code: Schema.Literal(secret)
  })
)
const stage = Schema.Literals([...stages, "Teleported"])
const event = Schema.Struct({
  ...moment,
  description: or(Schema.Literals(["Arrived", "arrived.", "Departed", " "])),
  description_translation: or(Schema.Struct({ description: or(Schema.Literals(["Arrived", "In transit"])) })),
  location: or(Schema.Literals(["CURITIBA - PR", "SHANGHAI, CN"])),
  stage: or(stage),
  address
})
const provider = Schema.Struct({
  provider: or(
    Schema.Struct({
      key: or(Schema.Literals([100_002, 3_011, "2151", 0, -1])),
      name: or(Schema.Literals(["UPS", "China Post"])),
      homepage: or(Schema.Literals(["https://ups.com/", "ups.com", "javascript:alert(1)"])),
      country: or(Schema.Literals(["US", "cn", "USA"]))
    })
  ),
  service_type: or(Schema.Literals(["Ground"])),
  provider_tips: or(Schema.Literals(["Customs fees may be due."])),
  events: or(Schema.Array(event))
})
const oddItem = Schema.Struct({
  number: Schema.Literal(number),
  carrier: or(Schema.Literals([100_002, 3_011, 999_999, "100002", 0])),
  phone_number: or(Schema.Literal(secret)),
  cpf_or_cnpj: or(Schema.Literal(secret)),
  track_info: or(
    Schema.Struct({
      shipping_info: or(Schema.Struct({ shipper_address: address, recipient_address: address })),
      latest_status: or(
        Schema.Struct({
          status: or(Schema.Literals(["NotFound", "InTransit", "Delivered", "Exception", "Flying"])),
          sub_status: or(Schema.Literals(["InTransit_Departure", "Delivered_Other", "Flying_High"])),
          sub_status_descr: or(Schema.Literals(["on its way"]))
        })
      ),
      latest_event: or(event),
      time_metrics: or(
        Schema.Struct({
          days_of_transit: or(Schema.Int),
          estimated_delivery_date: or(
            Schema.Struct({ source: or(Schema.Literals(["Official"])), from: or(time), to: or(time) })
          )
        })
      ),
      milestone: or(Schema.Array(Schema.Struct({ key_stage: or(stage), ...moment }))),
      misc_info: or(
        Schema.Struct({
          service_type: or(Schema.Literals(["Registered Letter"])),
          weight_kg: or(Schema.Literals(["0.35", 1.5])),
          local_key: or(Schema.Literals([2_151, 0, "2151"])),
          local_provider: or(Schema.Literals(["Correios Brazil"]))
        })
      ),
      tracking: or(Schema.Struct({ providers: or(Schema.Array(provider)) }))
    })
  )
})

/** Documents whose histories are whole, so that there is something to order and to merge. */
const fullItem = Schema.Struct({
  number: Schema.Literal(number),
  carrier: Schema.Literal(100_002),
  track_info: Schema.Struct({
    latest_event: or(event),
    latest_status: Schema.Struct({ status: Schema.Literals(["InTransit", "Delivered", "Exception"]) }),
    milestone: Schema.Array(Schema.Struct({ key_stage: stage, ...moment })),
    tracking: Schema.Struct({
      providers: Schema.NonEmptyArray(
        Schema.Struct({
          events: Schema.NonEmptyArray(
            Schema.Struct({
              time_iso: or(time),
              time_utc: or(time),
              time_raw: moment.time_raw,
              description: Schema.Literals(["Arrived", "arrived.", "Departed"]),
              location: or(Schema.Literals(["CURITIBA - PR"])),
              address
            })
          )
        })
      )
    })
  })
})
const item = Schema.Union([oddItem, fullItem])

const decodeStrictly = Schema.decodeUnknownResult(TrackResult, { onExcessProperty: "error" })
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
    "tells times in ISO 8601 with an offset",
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
    "tells events newest first, each once, the latest one first",
    [item],
    ([document]) => {
      const { events, latestEvent } = read(document)
      assert.deepStrictEqual(latestEvent, events[0] ?? null)
      const told = events.flatMap(({ description, time: at }) =>
        at === null ? [] : [{ at: Date.parse(at), description: (description ?? "").toLowerCase() }]
      )
      for (const [index, { at }] of told.entries()) {
        if (index > 0) assert.isAtMost(at, told[index - 1]!.at)
      }
      const seen = told.map(({ at, description }) => `${at} ${description.replace(/\W+$/, "")}`)
      assert.strictEqual(new Set(seen).size, seen.length)
    },
    runs
  )

  it.prop(
    "tells milestones in shipping order, each once, and agrees with itself",
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

const outcomes = [
  "AdditionalFieldRequired",
  "CarrierNotDetected",
  "InvalidCarrier",
  "InvalidTrackingNumber",
  "NoTrackingInfo",
  "UpstreamFailed",
  "UpstreamUnavailable"
]

describe("a lookup, whatever the responses to its calls", () => {
  const code = or(
    Schema.Literals([0, 429, -18_010_002, -18_010_020, -18_019_901, -18_019_902, -18_019_903, -18_019_909])
  )
  const response = Schema.Union([
    Schema.Json,
    Schema.Struct({
      code,
      data: or(
        Schema.Struct({
          accepted: or(Schema.Array(item)),
          rejected: or(
            Schema.Array(
              Schema.Struct({
                number: Schema.Literal(number),
                error: or(Schema.Struct({ code, message: or(Schema.String) }))
              })
            )
          )
        })
      )
    })
  ])

  it.effect.prop(
    "ends with a TrackResult or a documented error",
    [Schema.NonEmptyArray(response)],
    ([responses]) =>
      Effect.gen(function* () {
        let calls = 0
        const { track } = yield* open(
          { intercept: () => ({ status: 200, body: responses[calls++ % responses.length] }) },
          { retries: 0 }
        )
        const result = yield* Effect.result(track({ number, phone: "1234" }))
        if (Result.isSuccess(result)) assert(Result.isSuccess(decodeStrictly(result.success)))
        else assert.include(outcomes, result.failure._tag)
      }),
    { arbitrary: { runs: 150 } }
  )
})
