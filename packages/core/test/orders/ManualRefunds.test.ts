import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { recordManualRefund } from "../../src/orders/ManualRefunds.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { chargesWithOne, key, paidRefundDue } from "../../src/testing/stores/chargeRecords.ts"

const minute = 60_000
const startMillis = 1_800_000_000_000

/** Runs over a charge whose refund is due. */
const play = <A, E>(
  test: (record: (transaction: string) => Effect.Effect<string, unknown>) => Effect.Effect<A, E, Charges>
) => {
  const events: Array<TillEvent> = []
  return Effect.gen(function* () {
    yield* TestClock.setTime(startMillis)
    const charges = yield* chargesWithOne("settled", {}, { settlement: paidRefundDue })
    const result = yield* test((transaction) => recordManualRefund(charges, key, transaction))
    return { result, events }
  }).pipe(
    Effect.provide(Charges.layerMemory),
    Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
}

const start = Effect.gen(function* () {
  const charges = yield* Charges
  yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: "1000000000" }, startMillis)
  return charges
})

describe("a refund that an operator sent", () => {
  it("is recorded when it was sent, and known when it is recorded again", async () => {
    const { events, result } = await play((record) =>
      Effect.gen(function* () {
        const first = yield* record("0xmine")
        const [entry] = yield* (yield* Charges).entries({ limit: 1 })
        return [first, yield* record("0xmine"), entry?.kind, entry?.transaction, entry?.atMillis]
      })
    )
    expect(result).toEqual(["Recorded", "Known", "refunded", "0xmine", startMillis])
    expect(events).toEqual([])
  })

  it("is refused and reported while the wallet may be sending it", async () => {
    const { events, result } = await play((record) => Effect.andThen(start, record("0xmine")))
    expect(result).toBe("Refused")
    expect(events).toEqual([
      {
        level: "warning",
        code: "refund_in_progress",
        message: "A refund was not recorded: the wallet may be sending it",
        chargeKey: key,
        transaction: "0xmine"
      }
    ])
  })

  it("is recorded once refunds have been stopped for 90 minutes, and not before", async () => {
    const { result } = await play((record) =>
      Effect.gen(function* () {
        yield* (yield* start).stopRefunds("by hand", startMillis)
        yield* TestClock.adjust(90 * minute - 1)
        const early = yield* record("0xmine")
        yield* TestClock.adjust(1)
        return [early, yield* record("0xmine")]
      })
    )
    expect(result).toEqual(["Refused", "Recorded"])
  })

  it("is refused with both transactions where another one is recorded", async () => {
    const { events, result } = await play((record) => Effect.andThen(record("0xfirst"), record("0xsecond")))
    expect(result).toBe("Refused")
    expect(events).toEqual([
      {
        level: "error",
        code: "refund_recorded_twice",
        message: "A refund was not recorded: it is recorded with another transaction",
        chargeKey: key,
        transaction: "0xsecond",
        otherTransaction: "0xfirst"
      }
    ])
  })

  it("is refused in silence where it names nothing, or none is due", async () => {
    const { events, result } = await play((record) =>
      Effect.gen(function* () {
        const unknown = yield* recordManualRefund(yield* Charges, "unknown", "0xmine")
        return [yield* record(""), yield* record(" "), unknown]
      })
    )
    expect([result, events]).toEqual([["Refused", "Refused", "Refused"], []])
  })
})
