import { Effect } from "effect"
import { Charges, VaultPurchases } from "@till402/core/effect"
import {
  allCharges,
  atMost,
  chargesWithOne,
  key,
  lease,
  order,
  outcome,
  paid,
  paidFirst,
  provisional
} from "./chargeRecords.ts"
import { restartedModelCase } from "./randomCases.ts"
import { sampleAttempt, sampleCharge, samplePurchase, sampleReceipt } from "./records.ts"
import { expectEqual, type RestartCase } from "./StoreCase.ts"
import { resumeCases } from "./resumeCases.ts"

const states = ["claimed", "ready", "settled", "voided"] as const

const keeping: ReadonlyArray<RestartCase<Charges>> = [
  {
    name: "Charges: all data is unchanged after a restart",
    run: Effect.fnUntraced(function* (opened) {
      const before = yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          for (const state of states) yield* chargesWithOne(state, { key: state }, { subject: order })
          yield* charges.defer("ready", "me", 7_000)
          yield* chargesWithOne(
            "settled",
            { key: "provisional", exposureAtomic: "70" },
            { settlement: provisional }
          )
          yield* chargesWithOne("settled", { key: "owed", settlesFirst: true }, { settlement: paidFirst })
          yield* charges.stopRefunds("a reason", 1_400)
          for (const refunded of ["due", "sent", "expired"])
            yield* chargesWithOne("settled", { key: refunded })
          yield* charges.expire(1_501, 1)
          yield* charges.markRefundDue("due", 1_600, undefined)
          yield* charges.markRefundDue("sent", 1_600, undefined)
          yield* charges.startRefund("sent", { sinceMillis: 0, maxAtomic: "10000" }, 1_650)
          yield* charges.recordRefundAttempt(sampleAttempt({ chargeKey: "sent" }))
          yield* charges.recordRefund("sent", "0xback", 1_700)
          return yield* allCharges
        })
      )
      for (const time of ["first", "second"])
        expectEqual(yield* opened(allCharges), before, `after the ${time} restart`)
    })
  },
  {
    name: "Charges: leases and limits hold across a restart",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWithOne("claimed"))
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          const claimAt = (own: string, nowMillis: number) =>
            charges.claim(sampleCharge({ key: own }), lease("you", 9_000), nowMillis, atMost(1))
          expectEqual((yield* claimAt(key, 1_999))._tag, "Existing", "a claim while the lease runs")
          expectEqual((yield* claimAt("other", 1_999))._tag, "Limited", "another claim of the payer")
          expectEqual(
            yield* charges.advance(key, "me", outcome),
            true,
            "advance by the owner before the restart"
          )
        })
      )
    })
  },
  {
    name: "Charges: a charge settled before a restart doesn't settle or refund again after it",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWithOne("settled"))
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          const again = { ...paid, receipt: sampleReceipt(2) }
          expectEqual((yield* charges.complete(key, again, 9_000))._tag, "NotOpen", "complete")
          expectEqual(yield* charges.markRefundDue(key, 9_000, undefined), true, "a refund that is due")
          expectEqual(yield* charges.recordRefund(key, "0xback", 9_100), true, "a refund that is sent")
        })
      )
      const entries = yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          expectEqual(yield* charges.markRefundDue(key, 9_200, undefined), false, "a refund due again")
          expectEqual(yield* charges.recordRefund(key, "0xagain", 9_200), false, "a refund sent again")
          return yield* charges.entries({ limit: 10 })
        })
      )
      expectEqual(
        entries.map(({ atMillis, kind }) => `${atMillis} ${kind}`),
        ["9100 refunded", "9000 refund_due", "1500 settled"],
        "the ledger"
      )
    })
  }
]

/** The contract of persistent purchases. */
export const purchaseRestartCases: ReadonlyArray<RestartCase<VaultPurchases>> = [
  {
    name: "VaultPurchases: a purchase due before a restart is due after it",
    run: Effect.fnUntraced(function* (opened) {
      const { id } = samplePurchase()
      yield* opened(
        Effect.gen(function* () {
          const purchases = yield* VaultPurchases
          yield* purchases.reserve(samplePurchase())
          expectEqual(yield* purchases.grant(id, 7_000), true, "the grant")
        })
      )
      const taken = yield* opened(
        Effect.gen(function* () {
          const purchases = yield* VaultPurchases
          expectEqual(yield* purchases.grant(id, 8_000), false, "a grant after the restart")
          expectEqual(yield* purchases.take(6_999, 9_000, 10), [], "purchases due before their time")
          return yield* purchases.take(7_000, 9_000, 10)
        })
      )
      const due = { ...samplePurchase(), status: "granted", dueAtMillis: 9_000, attempts: 1, tokenNumber: 0 }
      expectEqual(taken, [due], "the purchases taken first")
      yield* opened(
        Effect.gen(function* () {
          const purchases = yield* VaultPurchases
          const again = { ...due, dueAtMillis: 12_000, attempts: 2 }
          expectEqual(yield* purchases.take(9_000, 12_000, 10), [again], "the purchases taken again")
          expectEqual(
            yield* purchases.reschedule(id, 12_000, undefined),
            true,
            "rescheduling without a due time"
          )
        })
      )
      const rest = yield* opened(VaultPurchases.use((purchases) => purchases.take(1e15, 2e15, 10)))
      expectEqual(rest, [], "purchases still due")
    })
  }
]

/** The contract of persistent charges. */
export const chargeRestartCases: ReadonlyArray<RestartCase<Charges>> = [...keeping, ...resumeCases]

/** The contract of persistent stores. */
export const restartCases: ReadonlyArray<RestartCase> = [
  ...chargeRestartCases,
  ...purchaseRestartCases,
  ...[11, 12, 13].map((seed) => restartedModelCase(seed))
]
