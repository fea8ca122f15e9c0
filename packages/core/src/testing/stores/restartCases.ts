import { Effect } from "effect"
import { type Charge, Charges } from "../../ports/Charges.ts"
import { VaultPurchases } from "../../ports/VaultPurchases.ts"
import {
  asReady,
  asSettled,
  atMost,
  chargesWith,
  key,
  keysOf,
  lease,
  order,
  outcome,
  paid,
  paidBack,
  paidFirst,
  provisional,
  unlimited
} from "./chargeRecords.ts"
import { restartedModelCase } from "./randomCases.ts"
import { sampleCharge, samplePurchase, sampleReceipt } from "./records.ts"
import { equal, type RestartCase } from "./StoreCase.ts"

const states = ["claimed", "ready", "settled", "voided"] as const

/** All that `Charges` shows. */
const seen = Effect.gen(function* () {
  const charges = yield* Charges
  return {
    charges: yield* charges.list({ limit: 100 }),
    entries: yield* charges.entries({ limit: 100 }),
    totals: yield* charges.totals(0, 1e15),
    unfinished: keysOf(yield* charges.unfinished(1e15, 100)),
    voided: keysOf(yield* charges.voidedDue(1e15, 100)),
    stop: yield* charges.refundStop()
  }
})

const keeping: ReadonlyArray<RestartCase> = [
  {
    name: "Charges: everything is there again after a restart, as it was",
    run: Effect.fnUntraced(function* (opened) {
      const before = yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          for (const state of states) yield* chargesWith(state, { key: state }, { subject: order })
          yield* charges.defer("ready", "me", 7_000)
          yield* chargesWith(
            "settled",
            { key: "provisional", exposureAtomic: "70" },
            { settlement: provisional }
          )
          yield* chargesWith("settled", { key: "owed", settlesFirst: true }, { settlement: paidFirst })
          yield* charges.stopRefunds("a reason", 1_400)
          for (const refunded of ["due", "sent", "expired"]) yield* chargesWith("settled", { key: refunded })
          yield* charges.expire(1_501, 1)
          yield* charges.oweRefund("due", 1_600)
          yield* charges.oweRefund("sent", 1_600)
          yield* charges.recordRefund("sent", "0xback", 1_700)
          return yield* seen
        })
      )
      for (const time of ["first", "second"]) equal(yield* opened(seen), before, `after the ${time} restart`)
    })
  },
  {
    name: "Charges: leases and limits hold across a restart",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWith("claimed"))
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          const claimAt = (own: string, nowMillis: number) =>
            charges.claim(sampleCharge({ key: own }), lease("you", 9_000), nowMillis, atMost(1))
          equal((yield* claimAt(key, 1_999))._tag, "Existing", "a claim while the lease runs")
          equal((yield* claimAt("other", 1_999))._tag, "Limited", "another claim of the payer")
          equal(yield* charges.advance(key, "me", outcome), true, "advance by who held it before the restart")
        })
      )
    })
  },
  {
    name: "Charges: what settled before a restart does not settle, or pay back, once more after it",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWith("settled"))
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          const again = { ...paid, receipt: sampleReceipt(2) }
          equal((yield* charges.complete(key, again, 9_000))._tag, "NotOpen", "complete")
          equal(yield* charges.oweRefund(key, 9_000), true, "a refund that is due")
          equal(yield* charges.recordRefund(key, "0xback", 9_100), true, "a refund that is sent")
        })
      )
      const entries = yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          equal(yield* charges.oweRefund(key, 9_200), false, "a refund due once more")
          equal(yield* charges.recordRefund(key, "0xagain", 9_200), false, "a refund sent once more")
          return yield* charges.entries({ limit: 10 })
        })
      )
      equal(
        entries.map(({ atMillis, kind }) => `${atMillis} ${kind}`),
        ["9100 refunded", "9000 refund_due", "1500 settled"],
        "the ledger"
      )
    })
  }
]

/** What the next process finds of the sample charge, and takes over at a time. */
const found = Effect.fnUntraced(function* (nowMillis: number) {
  const charges = yield* Charges
  equal(keysOf(yield* charges.unfinished(nowMillis - 1, 10)), [], "while its lease holds")
  const [charge] = yield* charges.unfinished(nowMillis, 10)
  const owner = `at-${nowMillis}`
  equal(yield* charges.takeOver(key, lease(owner, nowMillis + 1_000), nowMillis), true, "the takeover")
  return { charges, charge, owner }
})

const resuming: ReadonlyArray<RestartCase> = [
  {
    name: "Charges: a payment is brought to its end by processes that die after every step",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWith("claimed"))
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges, owner } = yield* found(2_000)
          equal(charge?.state, "claimed", "what is found first")
          equal(yield* charges.advance(key, owner, { ...outcome, subject: order }), true, "advance")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges, owner } = yield* found(3_000)
          const ready = { ...asReady, subject: order, leaseOwner: "at-2000", leaseUntilMillis: 3_000 }
          equal(charge, ready, "what is found second")
          yield* charges.defer(key, owner, 4_000)
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges } = yield* found(4_000)
          equal(charge?.attempts, 1, "attempts before it is settled")
          equal((yield* charges.complete(key, paid, 4_500))._tag, "Completed", "complete")
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
          equal(charge, pending, "what is found once it is settled")
          equal(yield* charges.markApplied(key), true, "marking what it sets off")
        })
      )
      const end = yield* opened(seen)
      equal(end.unfinished, [], "what is unfinished in the end")
      equal(end.entries.length, 1, "ledger entries in the end")
      equal(
        end.charges.map((charge: Charge) => charge.answer),
        [outcome.answer],
        "the answer in the end"
      )
    })
  },
  {
    name: "Charges: a voided payment is watched across restarts, and settled when its money moves",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWith("voided"))
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          equal(keysOf(yield* charges.voidedDue(1_000, 10)), [key], "what is watched")
          equal(yield* charges.takeOver(key, lease("watcher", 2_000), 1_000), true, "the takeover")
          yield* charges.defer(key, "watcher", 5_000)
          equal(yield* charges.voidedDue(4_999, 10), [], "what is watched before its time")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          const [charge] = yield* charges.voidedDue(5_000, 10)
          equal([charge?.state, charge?.attempts], ["voided", 1], "what is found")
          const foreign = yield* charges.claim(sampleCharge(), lease("you", 9_000), 8_000, unlimited)
          equal(foreign._tag, "Existing", "a claim by another")
          equal((yield* charges.complete(key, paidBack, 5_500))._tag, "Completed", "complete")
          equal(yield* charges.release(key, "watcher"), false, "release once it is settled")
        })
      )
      const end = yield* opened(seen)
      equal(
        end.charges.map(({ state }) => state),
        ["settled"],
        "the states in the end"
      )
      equal(
        end.entries.map(({ kind }) => kind),
        ["settled", "refund_due"],
        "the ledger in the end"
      )
    })
  },
  {
    name: "Charges: a provisional settlement is undone, and settles again, across restarts",
    run: Effect.fnUntraced(function* (opened) {
      yield* opened(chargesWith("settled", {}, { settlement: provisional }))
      yield* opened(
        Effect.gen(function* () {
          const { charge, charges, owner } = yield* found(5_000)
          equal([charge?.awaitsFinality, charge?.transferLogIndex], [true, 3], "what is found")
          yield* chargesWith("ready", { key: "other" })
          equal(
            (yield* charges.complete("other", provisional, 5_100))._tag,
            "TransferTaken",
            "another charge"
          )
          equal(yield* charges.reopen(key, owner, 5_200), true, "reopen")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          equal((yield* charges.complete("other", provisional, 5_300))._tag, "Completed", "another charge")
          equal((yield* charges.complete(key, provisional, 5_400))._tag, "TransferTaken", "the first charge")
          equal((yield* charges.complete(key, paid, 5_500))._tag, "Completed", "by another transfer")
        })
      )
      const end = yield* opened(seen)
      equal(
        end.entries.map(({ chargeKey, kind, round }) => `${chargeKey === key} ${kind} ${round}`),
        ["true settled 1", "false settled 0", "true reversed 0", "true settled 0"],
        "the ledger in the end"
      )
    })
  },
  {
    name: "Charges: refunds that were started, their limit and their stop outlive a restart",
    run: Effect.fnUntraced(function* (opened) {
      const limit = { sinceMillis: 0, maxAtomic: "10000" }
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* chargesWith("settled", {}, { settlement: paidBack })
          yield* chargesWith("settled", { key: "other" }, { settlement: paidBack })
          equal(yield* charges.startRefund(key, limit, 2_000), { _tag: "Started" }, "the first refund")
          equal(yield* charges.stopRefunds("too many", 2_100), true, "the stop")
        })
      )
      yield* opened(
        Effect.gen(function* () {
          const charges = yield* Charges
          equal(yield* charges.startRefund("other", limit, 3_000), { _tag: "OverLimit" }, "the other")
          equal(yield* charges.startRefund(key, limit, 3_000), { _tag: "Started" }, "the first refund")
          equal(yield* charges.refundStop(), { reason: "too many", atMillis: 2_100 }, "the stop")
          equal(yield* charges.resumeRefunds(), true, "resuming")
        })
      )
      equal(yield* opened(Charges.use(({ refundStop }) => refundStop())), undefined, "the stop in the end")
    })
  }
]

const buying: ReadonlyArray<RestartCase> = [
  {
    name: "VaultPurchases: what is due for a purchase is due to whoever comes after a restart",
    run: Effect.fnUntraced(function* (opened) {
      const { id } = samplePurchase()
      yield* opened(
        Effect.gen(function* () {
          const purchases = yield* VaultPurchases
          yield* purchases.reserve(samplePurchase())
          equal(yield* purchases.grant(id, 7_000), true, "the grant")
        })
      )
      const taken = yield* opened(
        Effect.gen(function* () {
          const purchases = yield* VaultPurchases
          equal(yield* purchases.grant(id, 8_000), false, "a grant after the restart")
          equal(yield* purchases.take(6_999, 9_000, 10), [], "what is due before its time")
          return yield* purchases.take(7_000, 9_000, 10)
        })
      )
      const due = { ...samplePurchase(), status: "granted", dueAtMillis: 9_000, attempts: 1 }
      equal(taken, [due], "what was taken, and not done")
      yield* opened(
        Effect.gen(function* () {
          const purchases = yield* VaultPurchases
          const again = { ...due, dueAtMillis: 12_000, attempts: 2 }
          equal(yield* purchases.take(9_000, 12_000, 10), [again], "what was taken again")
          equal(yield* purchases.reschedule(id, 12_000, undefined), true, "that it is done")
        })
      )
      const rest = yield* opened(VaultPurchases.use((purchases) => purchases.take(1e15, 2e15, 10)))
      equal(rest, [], "what is due in the end")
    })
  }
]

/** What stores that outlive their process promise. */
export const restartCases: ReadonlyArray<RestartCase> = [
  ...keeping,
  ...resuming,
  ...buying,
  ...[11, 12, 13].map((seed) => restartedModelCase(seed))
]
