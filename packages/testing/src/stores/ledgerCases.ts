import { Charges, type LedgerEntry } from "@till402/core/effect"
import { asSettled, chargesWithOne, key, order, paidRefundDue } from "./chargeRecords.ts"
import { sampleCharge, sampleReceipt } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase, countTrue } from "./StoreCase.ts"
import { ledgerReadCases } from "./ledgerReadCases.ts"

const entryOf = (entry: Pick<LedgerEntry, "kind" | "atMillis" | "transaction">): LedgerEntry => {
  const { amountAtomic, asset, network, operation, payTo, payer } = sampleCharge()
  const money = { operation, network, asset, payer, payTo, amountAtomic }
  return { chargeKey: key, ...money, transferLogIndex: undefined, round: 0, ...entry }
}

const settledEntry = entryOf({
  kind: "settled",
  atMillis: 1_500,
  transaction: sampleReceipt().transaction
})

const refunds: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a settled charge becomes refund-due once and refunded once", function* () {
    const charges = yield* chargesWithOne("settled")
    expectEqual(yield* charges.recordRefund(key, "0xback", 1_600), false, "a refund sent that is not due")
    expectEqual(yield* charges.markRefundDue(key, 1_600, undefined), true, "a refund that is due")
    expectEqual(
      yield* charges.find(key),
      { ...asSettled, refund: { _tag: "Due" } },
      "the charge with a due refund"
    )
    expectEqual(yield* charges.markRefundDue(key, 1_700, undefined), false, "a refund due again")
    expectEqual(yield* charges.recordRefund(key, "0xback", 1_800), true, "a refund that is sent")
    const sent = { ...asSettled, refund: { _tag: "Sent", transaction: "0xback" } }
    expectEqual(yield* charges.find(key), sent, "the refunded charge")
    expectEqual(yield* charges.recordRefund(key, "0xagain", 1_900), false, "a refund sent again")
    expectEqual(yield* charges.markRefundDue(key, 1_900, undefined), false, "a refund due after it was sent")
    expectEqual(yield* charges.find(key), sent, "the charge is unchanged")
    const entries = [
      entryOf({ kind: "refunded", atMillis: 1_800, transaction: "0xback" }),
      entryOf({ kind: "refund_due", atMillis: 1_600, transaction: undefined }),
      settledEntry
    ]
    expectEqual(yield* charges.entries({ limit: 10 }), entries, "the ledger")
  }),
  storeCase("Charges: only settled charges can become refund-due", function* () {
    const charges = yield* Charges
    for (const state of ["claimed", "ready", "voided"] as const) {
      yield* chargesWithOne(state, { key: state })
      const before = yield* charges.find(state)
      expectEqual(yield* charges.markRefundDue(state, 1_600, undefined), false, `of a ${state} charge`)
      expectEqual(yield* charges.recordRefund(state, "0xback", 1_600), false, `sent, of a ${state} charge`)
      expectEqual(yield* charges.find(state), before, `the ${state} charge`)
    }
    expectEqual(yield* charges.markRefundDue("unknown", 1_600, undefined), false, "of an unknown key")
    expectEqual(yield* charges.recordRefund("unknown", "0xback", 1_600), false, "sent, of an unknown key")
    expectEqual(yield* charges.entries({ limit: 10 }), [], "the ledger")
  }),
  storeCase("Charges: a settlement without a response is entered with its refund", function* () {
    const charges = yield* chargesWithOne("ready", {}, { subject: order })
    yield* charges.complete(key, paidRefundDue, 1_500)
    expectEqual((yield* charges.find(key))?.refund, { _tag: "Due" }, "the refund")
    expectEqual(yield* charges.markRefundDue(key, 1_600, undefined), false, "a refund due again")
    const due = entryOf({ kind: "refund_due", atMillis: 1_500, transaction: undefined })
    expectEqual(yield* charges.entries({ limit: 10 }), [settledEntry, due], "the ledger")
  }),
  storeCase(
    `Charges: of ${racers} racers one marks the refund due and one records it, each entered once`,
    function* () {
      const charges = yield* chargesWithOne("settled")
      const owed = yield* race((racer) => charges.markRefundDue(key, 2_000 + racer, undefined))
      expectEqual(countTrue(owed), 1, "racers that marked it due")
      const sent = yield* race((racer) => charges.recordRefund(key, `0xback${racer}`, 3_000 + racer))
      expectEqual(countTrue(sent), 1, "racers that recorded it")
      const winner = sent.indexOf(true)
      const refund = (yield* charges.find(key))?.refund
      expectEqual(refund, { _tag: "Sent", transaction: `0xback${winner}` }, "the refund")
      const entries = [
        entryOf({ kind: "refunded", atMillis: 3_000 + winner, transaction: `0xback${winner}` }),
        entryOf({ kind: "refund_due", atMillis: 2_000 + owed.indexOf(true), transaction: undefined }),
        settledEntry
      ]
      expectEqual(yield* charges.entries({ limit: 10 }), entries, "the ledger")
    }
  )
]

/** Contract of the ledger. */
export const ledgerCases: ReadonlyArray<ChargeCase> = [...refunds, ...ledgerReadCases]
