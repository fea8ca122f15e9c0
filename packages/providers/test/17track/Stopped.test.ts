import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { delivered, inTransit, item, notFound } from "./documents.ts"
import { isFound, number, open } from "./tracking.ts"

/** Long after the last event of the fixtures. */
const later = Date.parse("2027-06-01T00:00:00Z")

describe("a number that 17TRACK may have stopped tracking", () => {
  it.effect("is resumed once, and its old news returned", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(later)
      const { provider, track } = yield* open()
      provider.register({ number, carrier: 100_002 })
      assert.strictEqual((yield* track({ number })).status, "InTransit")
      assert.deepStrictEqual(provider.of("retrack")[0]!.items, [{ number, carrier: 100_002 }])
      yield* TestClock.adjust("1 hour")
      yield* track({ number })
      assert.deepStrictEqual(provider.paths(), ["gettrackinfo", "retrack", "gettrackinfo"])
      assert.strictEqual(provider.quotaUsed, 0)
    })
  )

  it.effect("and has no news is polled for it", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({ newsAfterMillis: 1_500 })
      provider.register({ number, carrier: 100_002 }, Number.POSITIVE_INFINITY)
      assert.strictEqual((yield* track({ number })).status, "InTransit")
      assert.strictEqual(provider.of("retrack").length, 1)
      assert.strictEqual(provider.quotaUsed, 0)
    })
  )

  it.effect.each([-18_019_904, -18_019_905, -18_010_003])(
    "is returned as it is if that is refused with %i",
    (code) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(later)
        const { provider, track } = yield* open({ resumes: () => code })
        provider.register({ number, carrier: 100_002 })
        assert.strictEqual((yield* track({ number })).status, "InTransit")
        assert.deepStrictEqual(provider.paths(), ["gettrackinfo", "retrack"])
      })
  )

  it.effect("is not resumed once delivered, with recent news, or right after its registration", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(later)
      const arrived = yield* open({
        news: (registration) => item(delivered, { ...registration, cpf_or_cnpj: null })
      })
      arrived.provider.register({ number, carrier: 100_002 })
      yield* arrived.track({ number })
      assert.deepStrictEqual(arrived.provider.of("retrack"), [])

      const unborn = yield* open({ newsAfterMillis: Number.POSITIVE_INFINITY })
      yield* isFound(unborn.track({ number }))
      yield* TestClock.adjust("1 minute")
      yield* isFound(unborn.track({ number }))
      assert.deepStrictEqual(unborn.provider.of("retrack"), [])

      yield* TestClock.setTime(Date.parse("2026-11-25T00:00:00Z"))
      const moving = yield* open()
      moving.provider.register({ number, carrier: 100_002 })
      yield* moving.track({ number })
      assert.deepStrictEqual(moving.provider.of("retrack"), [])
    })
  )

  it.effect("is not resumed by a caller who doesn't know its phone number", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(later)
      const { provider, track } = yield* open()
      provider.register({ number, carrier: 100_002, phone_number: "+31 20 555 1234" })
      assert.strictEqual(yield* isFound(track({ number, phone: "4321" })), false)
      assert.deepStrictEqual(provider.paths(), ["gettrackinfo"])
    })
  )
})

describe("a number that no carrier knows", () => {
  const news = (registration: Record<string, unknown>) => {
    const document = item(notFound, registration)
    const tracking = { providers: [{ latest_sync_status: "Success", events: [] }] }
    return { ...document, track_info: { ...(document["track_info"] as object), tracking } }
  }

  it.effect("isn't found at the price of its registration; the same again costs nothing", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({ news }, { unitCostUsd: 0.03 })
      const first = yield* Effect.flip(track({ number }))
      assert.include(first, { _tag: "NoTrackingInfo", costUsd: 0.03 })
      const again = yield* Effect.flip(track({ number }))
      assert.include(again, { _tag: "NoTrackingInfo", costUsd: 0 })
      assert.strictEqual(provider.quotaUsed, 1)
    })
  )

  it.effect("has no cost of its own where the host doesn't name it", () =>
    Effect.gen(function* () {
      const { track } = yield* open({ news })
      assert.notProperty(yield* Effect.flip(track({ number })), "costUsd")
    })
  )

  it.effect("is a result that waits as long as the provider hasn't asked", () =>
    Effect.gen(function* () {
      const { track } = yield* open({ newsAfterMillis: Number.POSITIVE_INFINITY })
      assert.include(yield* track({ number }), { status: "NotFound", found: false, subStatus: null })
    })
  )
})

describe("a number that the carrier doesn't have", () => {
  it.effect("is not polled any further", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        news: (registration) => {
          const document = item(notFound, registration)
          const info = document["track_info"] as { latest_status: object }
          return {
            ...document,
            track_info: { ...info, latest_status: { status: "NotFound", sub_status: "NotFound_InvalidCode" } }
          }
        }
      })
      const before = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const refusal = yield* Effect.flip(track({ number }))
      const after = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      assert.strictEqual(refusal._tag, "NoTrackingInfo")
      assert.isAtMost(after - before, 3_000)
      assert.strictEqual(provider.of("gettrackinfo").length, 2)
    })
  )
})

describe("a number that is registered with another carrier", () => {
  it.effect("and has no news is moved to the given one, without quota", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        news: (registration) =>
          registration["carrier"] === 21_051 ? item(inTransit, registration) : item(notFound, registration)
      })
      provider.register({ number, carrier: 100_002 })
      assert.strictEqual((yield* track({ number, carrier: 21_051 })).found, true)
      assert.deepStrictEqual(provider.of("changecarrier")[0]!.items, [
        { number, carrier_old: 100_002, carrier_new: 21_051 }
      ])
      assert.strictEqual(provider.quotaUsed, 0)
    })
  )

  it.effect("and has news, or somebody's phone number, stays there", () =>
    Effect.gen(function* () {
      for (const registration of [{}, { phone_number: "+31 20 555 1234" }]) {
        const { provider, track } = yield* open(
          "phone_number" in registration ? { newsAfterMillis: Number.POSITIVE_INFINITY } : {}
        )
        provider.register({ number, carrier: 100_002, ...registration })
        yield* track({ number, carrier: 21_051 })
        assert.deepStrictEqual(provider.of("changecarrier"), [])
        assert.strictEqual(provider.quotaUsed, 1)
      }
    })
  )

  it.effect("is registered if it can't be moved", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        newsAfterMillis: 1_000,
        intercept: ({ path }) =>
          path === "changecarrier"
            ? { status: 200, body: { code: -18_019_801, data: { errors: [{ code: -18_019_801 }] } } }
            : undefined
      })
      provider.register({ number, carrier: 100_002 }, Number.POSITIVE_INFINITY)
      yield* track({ number, carrier: 21_051 })
      assert.strictEqual(provider.quotaUsed, 1)
    })
  )
})
