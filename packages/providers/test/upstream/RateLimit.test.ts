import { assert, describe, it } from "@effect/vitest"
import { parseRateLimit, parseRetryAfter } from "../../src/upstream/RateLimit.ts"

const now = Date.parse("2026-11-21T10:00:00Z")

describe("parseRetryAfter", () => {
  it("reads seconds and dates, and nothing else", () => {
    assert.strictEqual(parseRetryAfter("0", now), 0)
    assert.strictEqual(parseRetryAfter(" 120 ", now), 120_000)
    assert.strictEqual(parseRetryAfter("1.5", now), 1_500)
    assert.strictEqual(parseRetryAfter("Sat, 21 Nov 2026 10:01:00 GMT", now), 60_000)
    assert.strictEqual(parseRetryAfter("Sat, 21 Nov 2026 09:00:00 GMT", now), 0)
    for (const text of [undefined, "", "soon", "-1", "1e9", "Infinity", "NaN", "in 5 minutes", "Nov 2026"]) {
      assert.strictEqual(parseRetryAfter(text, now), undefined, String(text))
    }
  })
})

describe("parseRateLimit", () => {
  it("reads the headers in use", () => {
    assert.deepStrictEqual(
      parseRateLimit(
        { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "12" },
        now
      ),
      { limit: 60, remaining: 0, resetAt: now + 12_000 }
    )
    assert.deepStrictEqual(parseRateLimit({ "ratelimit-remaining": "7" }, now), { remaining: 7 })
    assert.deepStrictEqual(
      parseRateLimit({ "ratelimit-policy": '"default";q=100;w=60', ratelimit: '"default";r=50;t=30' }, now),
      { limit: 100, remaining: 50, resetAt: now + 30_000 }
    )
    assert.deepStrictEqual(parseRateLimit({ ratelimit: "limit=10, remaining=4, reset=5" }, now), {
      limit: 10,
      remaining: 4,
      resetAt: now + 5_000
    })
  })
  it("takes a large reset for a date in seconds or milliseconds", () => {
    for (const reset of [String(now + 5_000), String((now + 5_000) / 1_000)]) {
      assert.deepStrictEqual(parseRateLimit({ "x-ratelimit-reset": reset }, now), { resetAt: now + 5_000 })
    }
  })
  it("is undefined without a usable header", () => {
    assert.strictEqual(parseRateLimit({}, now), undefined)
    assert.strictEqual(parseRateLimit({ "x-ratelimit-remaining": "many", ratelimit: "x" }, now), undefined)
  })
})
