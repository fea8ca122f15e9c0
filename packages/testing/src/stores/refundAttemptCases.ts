import { Effect } from "effect"
import { Charges } from "@till402/core/effect"
import { chargesWithOne, key, paidRefundDue } from "./chargeRecords.ts"
import { sampleAttempt } from "./records.ts"
import { countTrue, expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

/** A charge whose refund was started. */
export const refundStarted = Effect.fnUntraced(function* (own: string = key) {
  const charges = yield* chargesWithOne("settled", { key: own }, { settlement: paidRefundDue })
  yield* charges.startRefund(own, { sinceMillis: 0, maxAtomic: "1000000000" }, 2_000)
  return charges
})

/** Contract of `recordRefundAttempt`, `endRefundAttempt` and `refundAttempts`. */
export const refundAttemptCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: attempts of a refund are recorded one after the other", function* () {
    const charges = yield* refundStarted()
    expectEqual(yield* charges.refundAttempts([key]), [], "before the first")
    const first = sampleAttempt()
    const second = sampleAttempt({
      sequence: 2,
      wallet: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T",
      amountAtomic: "98765432109876543210987",
      nonce: "a signature",
      notBefore: 401_000_000,
      validBefore: 380_000_151,
      atMillis: 9_000
    })
    expectEqual(yield* charges.recordRefundAttempt(second), false, "the second before the first")
    expectEqual(yield* charges.recordRefundAttempt(first), true, "the first")
    expectEqual(yield* charges.recordRefundAttempt(first), false, "the first once more")
    expectEqual(
      yield* charges.recordRefundAttempt(sampleAttempt({ wallet: "0xother" })),
      false,
      "the first of another wallet"
    )
    expectEqual(yield* charges.recordRefundAttempt({ ...second, sequence: 3 }), false, "one that skips one")
    expectEqual(yield* charges.recordRefundAttempt({ ...second, sequence: 0 }), false, "number 0")
    expectEqual(yield* charges.recordRefundAttempt(second), true, "the second")
    expectEqual(yield* charges.refundAttempts([key]), [first, second], "the attempts")
  }),
  storeCase("Charges: an attempt is recorded only while its refund is started and not sent", function* () {
    const charges = yield* Charges
    const record = () => charges.recordRefundAttempt(sampleAttempt())
    expectEqual(yield* record(), false, "of an unknown charge")
    for (const state of ["claimed", "ready", "settled", "voided"] as const) {
      yield* chargesWithOne(state, { key: state })
      const attempt = sampleAttempt({ chargeKey: state })
      expectEqual(yield* charges.recordRefundAttempt(attempt), false, `of a ${state} charge`)
    }
    yield* chargesWithOne("settled", {}, { settlement: paidRefundDue })
    expectEqual(yield* record(), false, "of a refund that was not started")
    yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: "1000000000" }, 2_000)
    expectEqual(yield* record(), true, "of a started one")
    yield* charges.recordRefund(key, "0xback", 2_500)
    expectEqual(yield* charges.recordRefundAttempt(sampleAttempt({ sequence: 2 })), false, "once it was sent")
    expectEqual(yield* charges.refundAttempts([key]), [sampleAttempt()], "the attempts")
  }),
  storeCase("Charges: an attempt is ended once, as it was recorded", function* () {
    const charges = yield* refundStarted()
    const first = sampleAttempt()
    const second = sampleAttempt({ sequence: 2 })
    expectEqual(yield* charges.endRefundAttempt(first), false, "before it is recorded")
    yield* charges.recordRefundAttempt(first)
    yield* charges.recordRefundAttempt(second)
    for (const [name, change] of [
      ["wallet", { wallet: "0xother" }],
      ["end of validity", { validBefore: first.validBefore + 1 }],
      ["sequence", { sequence: 3 }],
      ["refund", { refundNumber: 2 }],
      ["charge", { chargeKey: "other" }]
    ] as const)
      expectEqual(yield* charges.endRefundAttempt({ ...first, ...change }), false, `with another ${name}`)
    expectEqual(yield* charges.refundAttempts([key]), [first, second], "before it is ended")
    expectEqual(yield* charges.endRefundAttempt(first), true, "the first")
    expectEqual(yield* charges.endRefundAttempt(first), false, "the first once more")
    const ended = { ...first, validBefore: 0 }
    expectEqual(yield* charges.endRefundAttempt(ended), false, "one that was ended")
    expectEqual(yield* charges.refundAttempts([key]), [ended, second], "the attempts")
    expectEqual(yield* charges.recordRefundAttempt(second), false, "a sequence that is taken")
    expectEqual(yield* charges.recordRefundAttempt(sampleAttempt({ sequence: 3 })), true, "the third")
  }),
  storeCase("Charges: attempts are listed by charge, refund and sequence", function* () {
    const charges = yield* refundStarted("key-2")
    yield* refundStarted("key-1")
    const of = (chargeKey: string, refundNumber: number, sequence: number) =>
      sampleAttempt({ chargeKey, refundNumber, sequence })
    const recorded = [of("key-2", 2, 1), of("key-2", 1, 1), of("key-1", 1, 1), of("key-2", 1, 2)]
    for (const attempt of recorded)
      expectEqual(yield* charges.recordRefundAttempt(attempt), true, `${attempt.chargeKey}`)
    expectEqual(
      yield* charges.refundAttempts(["key-2", "unknown", "key-1", "key-2"]),
      [of("key-1", 1, 1), of("key-2", 1, 1), of("key-2", 1, 2), of("key-2", 2, 1)],
      "of both"
    )
    expectEqual(yield* charges.refundAttempts(["key-1"]), [of("key-1", 1, 1)], "of one")
    expectEqual(yield* charges.refundAttempts([]), [], "of none")
  }),
  storeCase(`Charges: of ${racers} wallets that record an attempt, one wins`, function* () {
    const charges = yield* refundStarted()
    const won = yield* race((racer) =>
      charges.recordRefundAttempt(sampleAttempt({ wallet: `0xwallet${racer}` }))
    )
    expectEqual(countTrue(won), 1, "wallets that recorded it")
    const winner = sampleAttempt({ wallet: `0xwallet${won.indexOf(true)}` })
    expectEqual(yield* charges.refundAttempts([key]), [winner], "the attempts")
  })
]
