import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { Headers } from "effect/http"
import * as Faults from "../../src/upstream/UpstreamFault.ts"

describe("faults", () => {
  const upstream = "shop"
  const response = Redacted.make({ upstream, status: 0, headers: Headers.empty, text: "s3cret" })
  const rejected = (status: number) => new Faults.Rejected({ upstream, status, response })
  const unavailable: ReadonlyArray<Faults.UpstreamFault> = [
    new Faults.Unreachable({ upstream, code: "ECONNRESET" }),
    new Faults.TimedOut({ upstream, timeoutMillis: 8 }),
    new Faults.RateLimited({ upstream, retryAfterMillis: 1_001 }),
    new Faults.CircuitOpen({ upstream, retryAfterMillis: 1 }),
    new Faults.Overloaded({ upstream }),
    ...[402, 408, 425, 429, 502, 503, 504, 520, 522, 527, 529].map(rejected)
  ]
  const failed: ReadonlyArray<Faults.UpstreamFault> = [
    new Faults.ResponseTooLarge({ upstream, maxBytes: 8 }),
    new Faults.ResponseMalformed({ upstream, detail: "not JSON" }),
    new Faults.Redirected({ upstream }),
    ...[400, 401, 403, 404, 409, 422, 500, 501, 528].map(rejected)
  ]

  it("become errors of the ports: temporary ones are a 503, others a 502", () => {
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

  it("have a retry time in whole seconds and a code", () => {
    const thrown = Faults.toThrown(new Faults.RateLimited({ upstream, retryAfterMillis: 1_001 }))
    assert.strictEqual("retryAfterSeconds" in thrown ? thrown.retryAfterSeconds : undefined, 2)
    assert.strictEqual("code" in thrown ? thrown.code : undefined, "RateLimited")
    const down = Faults.toThrown(rejected(503))
    assert.strictEqual("code" in down ? down.code : undefined, "HTTP_503")
    assert.notProperty(down, "retryAfterSeconds")
  })

  it("have a message, and contain nothing of a response", () => {
    for (const fault of [...unavailable, ...failed]) {
      assert.include(fault.message, upstream)
      assert.notInclude(inspect(fault, { depth: 9, showHidden: true }), "s3cret")
    }
  })
})
