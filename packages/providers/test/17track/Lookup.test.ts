import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { delivered, item } from "./documents.ts"
import { refused } from "./provider.ts"
import { number, open } from "./tracking.ts"

describe("a lookup", () => {
  it.effect("of a number that is known costs nothing and one call", () =>
    Effect.gen(function* () {
      const { provider, track, tracker } = yield* open()
      provider.register({ number, carrier: 100_002 })
      const result = yield* track({ number })
      assert.strictEqual(result.status, "InTransit")
      assert.deepStrictEqual(provider.paths(), ["gettrackinfo"])
      assert.deepStrictEqual(provider.calls[0]!.items, [{ number }])
      assert.strictEqual(tracker.usage().quotaSpent, 0)
    })
  )

  it.effect("of a new number registers it and polls until there is news", () =>
    Effect.gen(function* () {
      const { provider, track, tracker } = yield* open({ newsAfterMillis: 2_500 })
      const result = yield* track({ number, carrier: 100_002 })
      assert.strictEqual(result.found, true)
      assert.strictEqual(result.number, number)
      assert.deepStrictEqual(
        provider.paths().filter((path) => path !== "getquota"),
        ["gettrackinfo", "gettrackinfo", "register", "gettrackinfo", "gettrackinfo"]
      )
      assert.deepStrictEqual(provider.of("register")[0]!.items, [{ number, carrier: 100_002, lang: "en" }])
      assert.strictEqual(tracker.usage().quotaSpent, 1)
      assert.strictEqual(tracker.usage().quotaRemaining, 199)
    })
  )

  it.effect("that spent quota returns found:false if there is no news in time", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({ newsAfterMillis: 60_000 })
      const before = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const result = yield* track({ number })
      const after = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      assert.isBelow(after - before, 18_000)
      assert.include(result, {
        status: "NotFound",
        found: false,
        delivered: false,
        daysSinceLastUpdate: null
      })
      assert.deepStrictEqual(result.carrier, {
        code: 100_002,
        name: "UPS",
        homepage: "https://www.ups.com/",
        country: "US"
      })
      assert.strictEqual(provider.quotaUsed, 1)
      // A later lookup returns the news, and spends nothing.
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* track({ number })).status, "InTransit")
      assert.strictEqual(provider.quotaUsed, 1)
    })
  )

  it.effect("that spent quota returns a result even if every poll fails", () =>
    Effect.gen(function* () {
      let isRegistered = false
      const { provider, track } = yield* open({
        intercept: ({ path }) => {
          if (path === "register") isRegistered = true
          return isRegistered && path === "gettrackinfo" ? { status: 500, body: "down" } : undefined
        }
      })
      const result = yield* track({ number })
      assert.strictEqual(result.found, false)
      assert.strictEqual(provider.quotaUsed, 1)
    })
  )

  it.effect("takes a registration that somebody else just made", () =>
    Effect.gen(function* () {
      let polls = 0
      const { provider, track } = yield* open({
        intercept: ({ path }) =>
          path === "gettrackinfo" && ++polls === 1
            ? {
                status: 200,
                body: {
                  code: 0,
                  data: { accepted: [], rejected: [{ number, error: { code: -18_019_902 } }] }
                }
              }
            : undefined
      })
      provider.register({ number, carrier: 100_002 })
      assert.strictEqual((yield* track({ number })).found, true)
      assert.strictEqual(provider.quotaUsed, 0)
    })
  )

  for (const response of ["lost", "broken"] as const) {
    it.effect(`resolves a registration whose response is ${response}`, () =>
      Effect.gen(function* () {
        const { provider, tracker, track } = yield* open(
          { intercept: ({ path }) => (path === "register" ? response : undefined) },
          { retries: 0 }
        )
        const result = yield* Effect.result(track({ number }))
        if (response === "lost") {
          // It was made: the caller pays for the response.
          assert.strictEqual(result._tag, "Success")
          assert.strictEqual(provider.quotaUsed, 1)
        } else {
          assert.strictEqual(result._tag === "Failure" && result.failure._tag, "UpstreamUnavailable")
          assert.strictEqual(provider.quotaUsed, 0)
        }
        assert.strictEqual(tracker.usage().calls, provider.calls.length)
      })
    )
  }

  it.effect("retries a registration whose response was lost, without paying twice", () =>
    Effect.gen(function* () {
      let tries = 0
      const { provider, track } = yield* open({
        intercept: ({ path }) => (path === "register" && ++tries === 1 ? "lost" : undefined)
      })
      assert.strictEqual((yield* track({ number })).found, true)
      assert.strictEqual(provider.quotaUsed, 1)
    })
  )

  it.effect("ends within its deadline, whatever hangs", () =>
    Effect.gen(function* () {
      const { track } = yield* open(
        { intercept: () => ({ status: 200, body: {}, afterMillis: 3_600_000 }) },
        { lookupMillis: 10_000, timeoutMillis: 60_000, deadlineMillis: 60_000 }
      )
      const before = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const failure = yield* Effect.flip(track({ number }))
      const after = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      assert.strictEqual(failure._tag, "UpstreamUnavailable")
      assert.strictEqual(after - before, 10_000)
    })
  )

  it.effect("returns found:false at its deadline while a registration is in flight", () =>
    Effect.gen(function* () {
      const { track } = yield* open(
        {
          intercept: ({ path }) =>
            path === "register" ? { status: 200, body: {}, afterMillis: 3_600_000 } : undefined
        },
        { lookupMillis: 10_000, timeoutMillis: 60_000, deadlineMillis: 60_000 }
      )
      assert.strictEqual((yield* track({ number })).found, false)
    })
  )

  it.effect("returns found:false at its deadline if its registration's response was lost", () =>
    Effect.gen(function* () {
      let tries = 0
      const { provider, track } = yield* open(
        {
          newsAfterMillis: Number.POSITIVE_INFINITY,
          intercept: ({ path }) => (path === "register" && ++tries === 1 ? "lost" : undefined)
        },
        { lookupMillis: 10_000 }
      )
      assert.strictEqual((yield* track({ number })).found, false)
      assert.strictEqual(provider.of("register").length, 2)
      assert.strictEqual(provider.quotaUsed, 1)
    })
  )

  it.effect("requests the given carrier of several that a number is registered with", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        intercept: ({ path }) =>
          path === "gettrackinfo"
            ? {
                status: 200,
                body: {
                  code: 0,
                  data: {
                    accepted: [
                      item(delivered, { number, carrier: 3_011, cpf_or_cnpj: null }),
                      item(delivered, { number, carrier: 100_002, cpf_or_cnpj: null, track_info: {} })
                    ],
                    rejected: []
                  }
                }
              }
            : undefined
      })
      assert.strictEqual((yield* track({ number, carrier: 100_002 })).carrier.code, 100_002)
      // Without a carrier, it is the one with the newest event.
      assert.strictEqual((yield* track({ number })).carrier.code, 3_011)
      assert.deepStrictEqual(provider.calls[0]!.items, [{ number, carrier: 100_002 }])
    })
  )

  it.effect("follows a number to the carrier that the provider corrected", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        newsAfterMillis: 500,
        intercept: ({ at, path }) => {
          if (path !== "register") return undefined
          provider.register({ number, carrier: 21_051 }, at)
          return {
            status: 200,
            body: { code: 0, data: { accepted: [{ origin: 1, number, carrier: 21_051 }], rejected: [] } }
          }
        }
      })
      assert.strictEqual((yield* track({ number, carrier: 100_003 })).carrier.code, 21_051)
      assert.deepStrictEqual(provider.of("gettrackinfo").at(-1)!.items, [{ number, carrier: 21_051 }])
    })
  )

  it.effect("sends the key in its header and leaves it out of errors", () =>
    Effect.gen(function* () {
      const { track } = yield* open({ intercept: () => refused(-18_010_002, 401) })
      const failure = yield* Effect.flip(track({ number }))
      assert.strictEqual(failure._tag, "UpstreamUnavailable")
      assert.notInclude(JSON.stringify(failure), "TESTKEY")
    })
  )
})
