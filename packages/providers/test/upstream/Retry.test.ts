import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isRetryable, pauseMillis } from "../../src/upstream/Retry.ts"
import * as Faults from "../../src/upstream/UpstreamFault.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("retries", () => {
  const retry = { retries: 2, baseMillis: 200, maxMillis: 5_000 }
  const broken = new Faults.Unreachable({ upstream: "shop" })
  it.prop(
    "pause between half and all of a doubling time, up to the maximum",
    [between(1, 40), Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))],
    ([attempt, chance]) => {
      const full = Math.min(200 * 2 ** (attempt - 1), 5_000)
      const pause = pauseMillis(attempt, broken, chance, retry)
      return pause >= full / 2 && pause <= full + 1
    }
  )
  it("never follow a malformed response", () => {
    const malformed = [
      new Faults.ResponseTooLarge({ upstream: "shop", maxBytes: 1 }),
      new Faults.ResponseMalformed({ upstream: "shop", detail: "not JSON" }),
      new Faults.Redirected({ upstream: "shop" })
    ]
    for (const fault of malformed) assert.isFalse(isRetryable(fault, true))
  })
})
