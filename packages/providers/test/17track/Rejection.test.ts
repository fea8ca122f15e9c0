import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { TrackQuery } from "@till402/core"
import { meaningOf } from "../../src/17track/Rejection.ts"
import { keyRefused, rejected, tooMany } from "./documents.ts"
import { type Behaviour, refused } from "./provider.ts"
import { number, open } from "./tracking.ts"

/** The tag of a lookup's failure, and the field that explains it. */
const failureOf = (behaviour: Behaviour, query: Partial<TrackQuery> = {}) =>
  Effect.gen(function* () {
    const { track, tracker } = yield* open(behaviour, { retries: 0 })
    const failure = yield* Effect.flip(track({ number, ...query }))
    assert.strictEqual(tracker.usage().quotaSpent, 0)
    return failure
  })

/** Every code of the provider's documentation and the failure of a lookup that meets it at registration. */
const codes: ReadonlyArray<readonly [code: number, tag: string]> = [
  [-18_010_001, "UpstreamUnavailable"],
  [-18_010_002, "UpstreamUnavailable"],
  [-18_010_003, "UpstreamFailed"],
  [-18_010_004, "UpstreamUnavailable"],
  [-18_010_005, "UpstreamUnavailable"],
  [-18_010_010, "UpstreamFailed"],
  [-18_010_011, "InvalidTrackingNumber"],
  [-18_010_012, "InvalidTrackingNumber"],
  [-18_010_013, "InvalidTrackingNumber"],
  [-18_010_014, "UpstreamFailed"],
  [-18_010_015, "UpstreamFailed"],
  [-18_010_016, "UpstreamFailed"],
  [-18_010_018, "AdditionalFieldRequired"],
  [-18_010_019, "AdditionalFieldRequired"],
  [-18_010_020, "AdditionalFieldRequired"],
  [-18_010_022, "AdditionalFieldRequired"],
  [-18_019_815, "UpstreamFailed"],
  [-18_019_816, "UpstreamFailed"],
  [-18_019_817, "UpstreamFailed"],
  [-18_019_818, "UpstreamFailed"],
  [-18_019_903, "CarrierNotDetected"],
  [-18_019_904, "UpstreamFailed"],
  [-18_019_907, "UpstreamUnavailable"],
  [-18_019_908, "UpstreamUnavailable"],
  [-18_019_909, "NoTrackingInfo"],
  [-18_019_910, "InvalidCarrier"],
  [-18_019_911, "UpstreamUnavailable"],
  [-18_019_912, "UpstreamFailed"],
  [-19_999_999, "UpstreamFailed"]
]

describe("a number that is rejected at registration", () => {
  it.effect.each(codes)("with %i: %s", ([code, tag]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* failureOf({ refuses: { [number]: [code] } }))._tag, tag)
    })
  )

  it.effect.each(codes)("as a whole call with %i: %s", ([code, tag]) =>
    Effect.gen(function* () {
      const failure = yield* failureOf({
        intercept: ({ path }) => (path === "register" ? refused(code) : undefined)
      })
      assert.strictEqual(failure._tag, tag)
    })
  )

  it.effect.each(codes.filter(([, tag]) => tag !== "AdditionalFieldRequired"))(
    "and where it is known, with %i: %s",
    ([code, tag]) =>
      Effect.gen(function* () {
        const failure = yield* failureOf({
          intercept: () => ({
            status: 200,
            body: { code: 0, data: { accepted: [], rejected: [{ number, error: { code, message: "no" } }] } }
          })
        })
        assert.strictEqual(failure._tag, tag)
      })
  )

  it("has the documented meaning", () => {
    assert.deepStrictEqual(
      rejected.data.rejected.map((entry) =>
        meaningOf(entry["error"] as { readonly code: number; readonly message: string })
      ),
      [
        { _tag: "CarrierNotDetected" },
        { _tag: "NeedsFields", fields: ["destinationCountry", "destinationPostalCode"] },
        { _tag: "NeedsFields", fields: ["destinationPostalCode"] },
        { _tag: "NeedsFields", fields: ["phone"] },
        { _tag: "NeedsFields", fields: ["shipDate"] },
        { _tag: "NotRegistered" },
        { _tag: "AlreadyRegistered" },
        { _tag: "InvalidCarrier" },
        { _tag: "Unavailable" },
        { _tag: "NothingYet" }
      ]
    )
  })

  it("names the field that a message quotes", () => {
    const message = "The 'cpf_or_cnpj' field is required for this tracking. Example: '123'."
    assert.deepStrictEqual(meaningOf({ code: -18_010_020, message }), {
      _tag: "NeedsFields",
      fields: ["cpfOrCnpj"]
    })
  })

  it.effect("lists the likeliest carriers of a number whose carrier can't be detected", () =>
    Effect.gen(function* () {
      const failure = yield* failureOf({ refuses: { [number]: [-18_019_903] } })
      assert(failure._tag === "CarrierNotDetected")
      assert.deepStrictEqual(failure.candidates, [])
      const ambiguous = "477179081230"
      const other = yield* failureOf({ refuses: { [ambiguous]: [-18_019_903] } }, { number: ambiguous })
      assert(other._tag === "CarrierNotDetected")
      assert.deepStrictEqual(other.candidates?.[0], { code: 100_003, name: "FedEx" })
      assert.include(other.message, "100003 for FedEx")
    })
  )

  it.effect("isolates the number that makes the provider refuse a whole call", () =>
    Effect.gen(function* () {
      const bad = "BADNUMBER7"
      const { provider, track } = yield* open({
        intercept: ({ items, path }) =>
          path === "register" && items.some((entry) => entry["number"] === bad)
            ? refused(-18_010_013)
            : undefined
      })
      const numbers = Array.from({ length: 10 }, (_, index) => (index === 6 ? bad : `GOODNUMBER${index}`))
      const results = yield* Effect.forEach(numbers, (each) => Effect.result(track({ number: each })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        results.map((result) => (result._tag === "Failure" ? result.failure._tag : result.success.status)),
        numbers.map((each) => (each === bad ? "InvalidTrackingNumber" : "InTransit"))
      )
      assert.strictEqual(provider.quotaUsed, 9)
      assert.strictEqual(provider.tooFast, 0)
    })
  )
})

describe("a call that is refused", () => {
  it.effect.each([
    ["401 with its envelope", 401, keyRefused, "UpstreamUnavailable"],
    ["401 without", 401, "no", "UpstreamUnavailable"],
    ["403", 403, "no", "UpstreamUnavailable"],
    ["404", 404, "no", "UpstreamFailed"],
    ["429", 429, tooMany, "UpstreamUnavailable"],
    ["429 in an envelope of 200", 200, tooMany, "UpstreamUnavailable"],
    ["500", 500, "no", "UpstreamFailed"],
    ["503", 503, "no", "UpstreamUnavailable"],
    ["an empty document", 200, {}, "UpstreamFailed"],
    ["a list", 200, [], "UpstreamFailed"],
    ["null", 200, null, "UpstreamFailed"],
    ["a code that is no number", 200, { code: "x", data: {} }, "UpstreamFailed"],
    ["no data", 200, { code: 0 }, "UpstreamFailed"],
    ["no word of the number", 200, { code: 0, data: { accepted: [], rejected: [] } }, "UpstreamFailed"],
    ["word of another number", 200, { code: 0, data: { accepted: [{ number: "X" }] } }, "UpstreamFailed"],
    ["lists that are none", 200, { code: 0, data: { accepted: 1, rejected: "x" } }, "UpstreamFailed"]
  ] as const)("with %s", ([, status, body, tag]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* failureOf({ intercept: () => ({ status, body }) }))._tag, tag)
    })
  )

  it.effect("notes that quota is used up", () =>
    Effect.gen(function* () {
      const { track, tracker } = yield* open({ quota: 0 })
      assert.strictEqual((yield* Effect.flip(track({ number })))._tag, "UpstreamUnavailable")
      assert.strictEqual(tracker.usage().quotaRemaining, 0)
    })
  )
})
