import { Effect } from "effect"
import { type Charge, Charges } from "@till402/core/effect"
import {
  allCharges,
  asReady,
  asSettled,
  chargesWithOne,
  key,
  keysOf,
  lease,
  order,
  outcome,
  paid,
  paidRefundDue,
  provisional,
  unlimited
} from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { expectEqual, type RestartCase } from "./StoreCase.ts"

/** Finds the sample charge as the next process would, and takes it over. */
const found = Effect.fnUntraced(function* (nowMillis: number) {
  const charges = yield* Charges
  expectEqual(keysOf(yield* charges.unfinished(nowMillis - 1, 10)), [], "while its lease holds")
  const [charge] = yield* charges.unfinished(nowMillis, 10)
  const owner = `at-${nowMillis}`
  expectEqual(yield* charges.takeOver(key, lease(owner, nowMillis + 1_000), nowMillis), true, "the takeover")
  return { charges, charge, owner }
})

/** Charges that a process continues after a restart. */
export const resumeCases: ReadonlyArray<RestartCase<Charges>> = [
  {
    name: "Charges: a payment completes even if the process dies after every step",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWithOne("claimed"))
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges, owner } = yield* found(2_000)
          expectEqual(charge?.state, "claimed", "the first charge found")
          expectEqual(yield* charges.advance(key, owner, { ...outcome, subject: order }), true, "advance")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges, owner } = yield* found(3_000)
          const ready = { ...asReady, subject: order, leaseOwner: "at-2000", leaseUntilMillis: 3_000 }
          expectEqual(charge, ready, "the second charge found")
          yield* charges.defer(key, owner, 4_000)
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges } = yield* found(4_000)
          expectEqual(charge?.attempts, 1, "attempts before it is settled")
          expectEqual((yield* charges.complete(key, paid, 4_500))._tag, "Completed", "complete")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges } = yield* found(5_000)
          const pending = {
            ...asSettled,
            subject: order,
            effectPending: true,
            settledAtMillis: 4_500,
            leaseOwner: "at-4000",
            leaseUntilMillis: 5_000
          }
          expectEqual(charge, pending, "the charge found after settlement")
          expectEqual(yield* charges.markApplied(key), true, "marking its effect applied")
        })
      )
      const end = yield* opened(allCharges)
      expectEqual(end.unfinished, [], "unfinished charges finally")
      expectEqual(end.entries.length, 1, "final ledger entries")
      expectEqual(
        end.charges.map((charge: Charge) => charge.response),
        [outcome.response],
        "the final response"
      )
    })
  },
  {
    name: "Charges: a voided payment is watched across restarts and settled if its money moves",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWithOne("voided"))
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          expectEqual(keysOf(yield* charges.voidedDue(1_000, 10)), [key], "watched charges")
          expectEqual(yield* charges.takeOver(key, lease("watcher", 2_000), 1_000), true, "the takeover")
          yield* charges.defer(key, "watcher", 5_000)
          expectEqual(yield* charges.voidedDue(4_999, 10), [], "voided charges before their time")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          const [charge] = yield* charges.voidedDue(5_000, 10)
          expectEqual([charge?.state, charge?.attempts], ["voided", 1], "the charge found")
          const foreign = yield* charges.claim(sampleCharge(), lease("you", 9_000), 8_000, unlimited)
          expectEqual(foreign._tag, "Existing", "a claim by another")
          expectEqual((yield* charges.complete(key, paidRefundDue, 5_500))._tag, "Completed", "complete")
          expectEqual(yield* charges.release(key, "watcher"), false, "release once it is settled")
        })
      )
      const end = yield* opened(allCharges)
      expectEqual(
        end.charges.map(({ state }) => state),
        ["settled"],
        "the final states"
      )
      expectEqual(
        end.entries.map(({ kind }) => kind),
        ["settled", "refund_due"],
        "the final ledger"
      )
    })
  },
  {
    name: "Charges: a provisional settlement can be undone and settled again across restarts",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWithOne("settled", {}, { settlement: provisional }))
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges, owner } = yield* found(5_000)
          expectEqual([charge?.awaitsFinality, charge?.transferLogIndex], [true, 3], "the charge found")
          yield* chargesWithOne("ready", { key: "other" })
          expectEqual(
            (yield* charges.complete("other", provisional, 5_100))._tag,
            "TransferTaken",
            "another charge"
          )
          expectEqual(yield* charges.reopen(key, owner, 5_200), true, "reopen")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          expectEqual(
            (yield* charges.complete("other", provisional, 5_300))._tag,
            "Completed",
            "another charge"
          )
          expectEqual(
            (yield* charges.complete(key, provisional, 5_400))._tag,
            "TransferTaken",
            "the first charge"
          )
          expectEqual((yield* charges.complete(key, paid, 5_500))._tag, "Completed", "by another transfer")
        })
      )
      const end = yield* opened(allCharges)
      expectEqual(
        end.entries.map(({ chargeKey, kind, round }) => `${chargeKey === key} ${kind} ${round}`),
        ["true settled 1", "false settled 0", "true reversed 0", "true settled 0"],
        "the final ledger"
      )
    })
  },
  {
    name: "Charges: started refunds, their limit and their stop survive a restart",
    run: Effect.fnUntraced(function* (opened) {
      const limit = { sinceMillis: 0, maxAtomic: "10000" }
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* chargesWithOne("settled", {}, { settlement: paidRefundDue })
          yield* chargesWithOne("settled", { key: "other" }, { settlement: paidRefundDue })
          expectEqual(yield* charges.startRefund(key, limit, 2_000), { _tag: "Started" }, "the first refund")
          expectEqual(yield* charges.stopRefunds("too many", 2_100), true, "the stop")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          expectEqual(yield* charges.startRefund("other", limit, 3_000), { _tag: "OverLimit" }, "the other")
          expectEqual(yield* charges.startRefund(key, limit, 3_000), { _tag: "Started" }, "the first refund")
          expectEqual(yield* charges.refundStop(), { reason: "too many", atMillis: 2_100 }, "the stop")
          expectEqual(yield* charges.resumeRefunds(), true, "resuming")
        })
      )
      expectEqual(
        yield* opened(Charges.use(({ refundStop }) => refundStop())),
        undefined,
        "the stop after resuming"
      )
    })
  }
]
