import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { over, scriptedClient, search } from "./scriptedClient.ts"
import { within } from "./virtualTime.ts"

describe("usage", () => {
  it.effect("is counted as plain data and as metrics with the upstream's name", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient(
        { status: 503 },
        { headers: { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "41", "x-ratelimit-reset": "30" } },
        { status: 404 }
      )
      const upstream = yield* over(scripted)
      yield* within(upstream.call(search))
      yield* within(upstream.call(search))
      yield* upstream.recordQuotaSpent(2)
      yield* upstream.recordQuotaRemaining(98)
      const { rateLimit, ...usage } = upstream.usage()
      assert.deepStrictEqual(usage, {
        calls: 2,
        failures: 1,
        requests: 3,
        quotaSpent: 2,
        quotaRemaining: 98,
        circuit: "closed"
      })
      assert.strictEqual(rateLimit?.remaining, 41)
      const shown = (yield* Metric.snapshot).map(({ attributes, id, state }) => ({ id, attributes, state }))
      const count = (id: string, attributes: Record<string, string>) =>
        shown.find(
          (metric) =>
            metric.id === id &&
            Object.entries(attributes).every(([name, value]) => metric.attributes?.[name] === value)
        )?.state
      assert.deepInclude(count("till402_upstream_calls_total", { upstream: "shop", outcome: "ok" }), {
        count: 1
      })
      assert.deepInclude(count("till402_upstream_calls_total", { upstream: "shop", outcome: "Rejected" }), {
        count: 1
      })
      const duration = count("till402_upstream_call_duration_seconds", { upstream: "shop" })
      // The pause before the second request, by the test's clock: a tenth of a second or so.
      assert.isTrue(duration !== undefined && "sum" in duration && duration.sum > 0 && duration.sum < 1)
      assert.deepInclude(count("till402_upstream_requests_total", { upstream: "shop" }), { count: 3 })
      assert.deepInclude(count("till402_upstream_quota_spent_total", { upstream: "shop" }), { count: 2 })
      assert.deepInclude(count("till402_upstream_quota_remaining", { upstream: "shop" }), { value: 98 })
      assert.deepInclude(count("till402_upstream_rate_remaining", { upstream: "shop" }), { value: 41 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
