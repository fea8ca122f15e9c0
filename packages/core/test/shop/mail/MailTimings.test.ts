import { describe, expect, it } from "vitest"
import { backoff } from "../../../src/runtime/backoff.ts"
import { mailBackoff, maxMailAttempts } from "../../../src/shop/mail/MailTimings.ts"

describe("a backoff", () => {
  it("doubles from its first pause to its longest, however many attempts failed", () => {
    const pause = backoff(3, 50)
    expect([0, 1, 2, 3, 4, 5, 6, 1_000].map(pause)).toEqual([3, 6, 12, 24, 48, 50, 50, 50])
  })

  it("never overflows", () => {
    expect(backoff(1, Number.POSITIVE_INFINITY)(100_000)).toBe(2 ** 30)
  })

  it("of mails gives up after about two days", () => {
    const pauses = Array.from({ length: maxMailAttempts - 1 }, (_, attempts) => mailBackoff(attempts))
    expect([pauses[0], pauses.at(-1)]).toEqual([10_000, 7_200_000])
    const days = pauses.reduce((sum, pause) => sum + pause, 0) / 86_400_000
    expect(days).toBeGreaterThan(1.5)
    expect(days).toBeLessThan(2.5)
  })
})
