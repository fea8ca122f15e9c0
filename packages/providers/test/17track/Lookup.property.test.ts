import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { number, open } from "./tracking.ts"
import { or, item, decodeStrictly } from "./trackDocuments.ts"
import { shareOfRuns } from "../../../core/test/domain/seeded.ts"

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
    { arbitrary: { runs: shareOfRuns(150) } }
  )
})
