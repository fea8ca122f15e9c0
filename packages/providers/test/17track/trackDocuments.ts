import { Schema } from "effect"
import { TrackResult } from "@till402/core/effect"
import { stages } from "../../src/17track/Status.ts"
import { number } from "./tracking.ts"
import { shareOfRuns } from "../../../core/test/domain/seeded.ts"

export const runs = { arbitrary: { runs: shareOfRuns(1_000) } }

/** What stands where another kind of value is expected. */
const junk = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.String,
  Schema.Number,
  Schema.Array(Schema.String)
])
export const or = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.Union([schema, schema, junk]))

export const time = Schema.Literals([
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
export const secret = "SECRET STREET 7"
const address = or(
  Schema.Struct({
    country: or(Schema.Literals(["CN", "br", "China"])),
    state: or(Schema.Literals(["PR"])),
    city: or(Schema.Literals(["CURITIBA"])),
    street: Schema.Literal(secret),
    postal_code: Schema.Literal(secret)
  })
)
export const stage = Schema.Literals([...stages, "Teleported"])
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
export const item = Schema.Union([oddItem, fullItem])

export const decodeStrictly = Schema.decodeUnknownResult(TrackResult, { onExcessProperty: "error" })
