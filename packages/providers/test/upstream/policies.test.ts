import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { Headers } from "effect/http"
import { Turns } from "../../src/upstream/Limiter.ts"
import { parseRateLimit, parseRetryAfter } from "../../src/upstream/RateLimit.ts"
import { isRetryable, pauseMillis } from "../../src/upstream/Retry.ts"
import * as Faults from "../../src/upstream/UpstreamFault.ts"

const now = Date.parse("2026-11-21T10:00:00Z")
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

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
  it("says nothing where nothing usable stands", () => {
    assert.strictEqual(parseRateLimit({}, now), undefined)
    assert.strictEqual(parseRateLimit({ "x-ratelimit-remaining": "many", ratelimit: "x" }, now), undefined)
  })
})

describe("pauses", () => {
  const retry = { retries: 2, baseMillis: 200, maxMillis: 5_000 }
  const broken = new Faults.Unreachable({ upstream: "shop" })
  it.prop(
    "lie between half and the whole of a doubling time, up to the maximum",
    [between(1, 40), Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))],
    ([attempt, chance]) => {
      const full = Math.min(200 * 2 ** (attempt - 1), 5_000)
      const pause = pauseMillis(attempt, broken, chance, retry)
      return pause >= full / 2 && pause <= full + 1
    }
  )
  it("are never repeated after a document that is wrong", () => {
    const answered = [
      new Faults.AnswerTooLarge({ upstream: "shop", maxBytes: 1 }),
      new Faults.AnswerMalformed({ upstream: "shop", detail: "not JSON" }),
      new Faults.Redirected({ upstream: "shop" })
    ]
    for (const fault of answered) assert.isFalse(isRetryable(fault, true))
  })
})

describe("turns", () => {
  it.prop(
    "never give more than the rate in any window, in order, and always when there is room",
    [
      between(1, 5),
      between(1, 1_000),
      Schema.Array(between(0, 700)).check(Schema.isMaxLength(40)),
      between(0, 3_000)
    ],
    ([requests, perMillis, steps, patience]) => {
      const turns = new Turns({ requests, perMillis })
      const given: Array<number> = []
      let time = 0
      for (const step of steps) {
        time += step
        const at = turns.take(time, time + patience)
        const oldest = given.length < requests ? undefined : given[given.length - requests]!
        const due = oldest === undefined ? time : Math.max(time, oldest + perMillis)
        assert.strictEqual(at, due <= time + patience ? due : undefined)
        if (at !== undefined) given.push(at)
      }
      return given.every(
        (at, index) =>
          (index === 0 || at >= given[index - 1]!) &&
          (index < requests || at - given[index - requests]! >= perMillis)
      )
    }
  )
  it("refuses a rate that is none", () => {
    for (const rate of [
      { requests: 0, perMillis: 1 },
      { requests: 1.5, perMillis: 1 },
      { requests: 1, perMillis: 0 },
      { requests: 1, perMillis: Number.NaN }
    ]) {
      assert.throws(() => new Turns(rate), RangeError)
    }
  })
})

describe("faults", () => {
  const upstream = "shop"
  const answer = Redacted.make({ upstream, status: 0, headers: Headers.empty, text: "s3cret" })
  const rejected = (status: number) => new Faults.Rejected({ upstream, status, answer })
  const unavailable: ReadonlyArray<Faults.UpstreamFault> = [
    new Faults.Unreachable({ upstream, code: "ECONNRESET" }),
    new Faults.TimedOut({ upstream, timeoutMillis: 8 }),
    new Faults.RateLimited({ upstream, retryAfterMillis: 1_001 }),
    new Faults.CircuitOpen({ upstream, retryAfterMillis: 1 }),
    new Faults.Overloaded({ upstream }),
    ...[402, 408, 425, 429, 502, 503, 504, 520, 522, 527, 529].map(rejected)
  ]
  const failed: ReadonlyArray<Faults.UpstreamFault> = [
    new Faults.AnswerTooLarge({ upstream, maxBytes: 8 }),
    new Faults.AnswerMalformed({ upstream, detail: "not JSON" }),
    new Faults.Redirected({ upstream }),
    ...[400, 401, 403, 404, 409, 422, 500, 501, 528].map(rejected)
  ]

  it("become the ports' errors: away for now is 503, broken is 502", () => {
    for (const fault of unavailable) {
      assert.strictEqual(Faults.toPortError("marketplace", fault)._tag, "UpstreamUnavailable", fault.message)
      assert.strictEqual(Faults.toThrown(fault)._tag, "TemporarilyUnavailable", fault.message)
    }
    for (const fault of failed) {
      const error = Faults.toPortError("tracking", fault)
      assert.strictEqual(error._tag, "UpstreamFailed", fault.message)
      assert.strictEqual(error.port, "tracking")
      assert.strictEqual(error.cause, fault)
      assert.strictEqual(Faults.toThrown(fault), fault)
    }
  })

  it("say in whole seconds when to come back, and by a code what it was", () => {
    const thrown = Faults.toThrown(new Faults.RateLimited({ upstream, retryAfterMillis: 1_001 }))
    assert.strictEqual("retryAfterSeconds" in thrown ? thrown.retryAfterSeconds : undefined, 2)
    assert.strictEqual("code" in thrown ? thrown.code : undefined, "RateLimited")
    const down = Faults.toThrown(rejected(503))
    assert.strictEqual("code" in down ? down.code : undefined, "HTTP_503")
    assert.notProperty(down, "retryAfterSeconds")
  })

  it("have a message each, and show nothing of an answer", () => {
    for (const fault of [...unavailable, ...failed]) {
      assert.include(fault.message, upstream)
      assert.notInclude(inspect(fault, { depth: 9, showHidden: true }), "s3cret")
    }
  })
})
