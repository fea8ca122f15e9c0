import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

import { network, nowMillis, play, type Script, storeError } from "../shop/orders/refundScene.ts"

interface Span {
  readonly fromMillis: number
  readonly beforeMillis: number
}

describe("the comparison of ledger and chain", () => {
  it("is of the day before the last minute, at most every ten minutes", () =>
    play({}, ({ guard, of }) =>
      Effect.gen(function* () {
        const runs: Array<number> = []
        for (const pause of [0, 1, 599_998, 1]) {
          yield* TestClock.adjust(pause)
          yield* guard.audit
          runs.push(of("listSettled").length)
        }
        expect(runs).toEqual([1, 1, 1, 2])
        const beforeMillis = nowMillis - 60_000
        expect(of("listSettled")[0]).toEqual([
          { limit: 200, fromMillis: beforeMillis - 86_400_000, beforeMillis }
        ])
      })
    ))

  it("is given up after a minute, reported, and left to the next time", () =>
    play({ charges: { listSettled: () => Effect.never } }, ({ events, guard, of }) =>
      Effect.gen(function* () {
        const auditing = yield* Effect.forkChild(guard.audit)
        yield* TestClock.adjust(59_999)
        expect(auditing.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        yield* Fiber.join(auditing)
        expect(events.map(({ level }) => level)).toEqual(["warning"])
        expect(events.map(({ code }) => code)).toEqual(["ledger_check_late"])
        yield* guard.audit
        expect(of("listSettled")).toHaveLength(1)
      })
    ))

  it("covers half of the span after one that was too long, down to an hour, and a day again once it is quick", () => {
    let isSlow = true
    const listSettled = () => (isSlow ? Effect.never : Effect.succeed([]))
    return play({ charges: { listSettled } }, ({ events, guard, of }) =>
      Effect.gen(function* () {
        for (let round = 0; round < 12; round++) {
          if (round === 6) isSlow = false
          const auditing = yield* Effect.forkChild(guard.audit)
          yield* TestClock.adjust(600_000)
          yield* Fiber.join(auditing)
        }
        const hours = of("listSettled").map(
          ([query]) => ((query as Span).beforeMillis - (query as Span).fromMillis) / 3_600_000
        )
        expect(hours).toEqual([24, 12, 6, 3, 1.5, 1, 1, 2, 4, 8, 16, 24])
        expect(events).toHaveLength(6)
      })
    )
  })

  /** A settlement that is in the ledger and has no charge. */
  const stray = {
    kind: "settled",
    chargeKey: "stray",
    network: network.caip2,
    payer: "0xp",
    amountAtomic: "1",
    round: 0
  }
  const faulty: NonNullable<Script["charges"]> = {
    entries: ({ chargeKeys }) =>
      Effect.succeed(chargeKeys === undefined || chargeKeys.length > 0 ? [stray as never] : []),
    find: () => Effect.succeed(undefined)
  }

  it("stops refunds at a fault, and not again for the same", () =>
    play({ charges: { ...faulty, stopRefunds: () => Effect.succeed(true) } }, ({ guard, of }) =>
      Effect.gen(function* () {
        yield* guard.audit
        expect(of("stopRefunds")).toEqual([["ledger_disagrees_with_chain", nowMillis]])
        yield* TestClock.adjust(600_000)
        yield* guard.audit
        expect(of("stopRefunds")).toHaveLength(1)
      })
    ))

  it("is repeated at once where the store failed to record the stop", () =>
    play({ charges: { ...faulty, stopRefunds: () => Effect.fail(storeError) } }, ({ events, guard, of }) =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) expect(yield* Effect.flip(guard.audit)).toBe(storeError)
        expect(of("stopRefunds")).toHaveLength(2)
        expect(events.map(({ level }) => level)).toEqual(["error", "error"])
      })
    ))
})
