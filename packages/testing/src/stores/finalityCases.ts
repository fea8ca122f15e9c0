import { Effect } from "effect"
import type { LedgerEntry } from "@till402/core/effect"
import {
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
import { sampleCharge, sampleReceipt } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase, countTrue } from "./StoreCase.ts"

const { settlement } = sampleCharge()
const asProvisional = {
  ...asSettled,
  settlement,
  transferLogIndex: 3,
  awaitsFinality: true,
  checkAfterMillis: 5_000
}
const shown = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<string> =>
  entries.map(
    ({ atMillis, kind, round, transferLogIndex }) => `${atMillis} ${kind} ${round} ${transferLogIndex}`
  )

const plenty = { sinceMillis: 0, maxAtomic: "1000000" }

const finality: ReadonlyArray<ChargeCase> = [
  storeCase(
    "Charges: a provisional settlement keeps the data for settling again until it is final",
    function* () {
      const charges = yield* chargesWithOne("settled", {}, { settlement: provisional })
      expectEqual(yield* charges.find(key), asProvisional, "the charge")
      expectEqual(yield* charges.finalize(key, "you"), false, "finalize by another")
      expectEqual(yield* charges.find(key), asProvisional, "the charge after that")
      expectEqual(yield* charges.finalize(key, "me"), true, "finalize by the owner")
      const final = { ...asProvisional, settlement: "", awaitsFinality: false }
      expectEqual(yield* charges.find(key), final, "the charge once it is final")
      expectEqual(yield* charges.finalize(key, "me"), false, "finalize again")
      expectEqual(yield* charges.reopen(key, "me", 1_600), false, "reopen once it is final")
      expectEqual(yield* charges.find(key), final, "the charge is unchanged")
    }
  ),
  storeCase("Charges: only provisional settlements become final or are reopened", function* () {
    for (const state of ["claimed", "ready", "settled", "voided"] as const) {
      const charges = yield* chargesWithOne(state, { key: state })
      const before = yield* charges.find(state)
      expectEqual(yield* charges.finalize(state, "me"), false, `finalize of a ${state} charge`)
      expectEqual(yield* charges.reopen(state, "me", 1_600), false, `reopen of a ${state} charge`)
      expectEqual(yield* charges.find(state), before, `the ${state} charge`)
    }
    const charges = yield* chargesWithOne("claimed")
    expectEqual(yield* charges.finalize("unknown", "me"), false, "finalize of an unknown key")
    expectEqual(yield* charges.reopen("unknown", "me", 1_600), false, "reopen of an unknown key")
  })
]

const reopening: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a reopened charge is ready again, and the reversal is entered", function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: provisional, subject: order })
    expectEqual(yield* charges.reopen(key, "you", 1_600), false, "reopen by another")
    expectEqual((yield* charges.entries({ limit: 10 })).length, 1, "ledger entries before")
    expectEqual(yield* charges.reopen(key, "me", 1_600), true, "reopen by the owner")
    const reopened = { ...asReady, subject: order, checkAfterMillis: 5_000, reopenings: 1 }
    expectEqual(yield* charges.find(key), reopened, "the charge")
    expectEqual(yield* charges.reopen(key, "me", 1_600), false, "reopen again")
    expectEqual(
      shown(yield* charges.entries({ limit: 10 })),
      ["1600 reversed 0 3", "1500 settled 0 3"],
      "the ledger"
    )
    const [reversed, settled] = yield* charges.entries({ limit: 10 })
    expectEqual(
      { ...reversed, kind: "settled", atMillis: 1_500 },
      settled,
      "the reversal entry compared with its settlement"
    )
  }),
  storeCase("Charges: each settlement of a reopened charge has its own round", function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: provisional })
    for (const number of [1, 2]) {
      expectEqual(yield* charges.reopen(key, "me", 1_000 + number * 1_000), true, `reversal ${number}`)
      const next = { ...provisional, receipt: sampleReceipt(7 + number) }
      expectEqual(
        (yield* charges.complete(key, next, 1_500 + number * 1_000))._tag,
        "Completed",
        `settlement ${number}`
      )
    }
    yield* charges.finalize(key, "me")
    expectEqual(yield* charges.markRefundDue(key, 9_000, undefined), true, "a refund that is due")
    expectEqual(yield* charges.recordRefund(key, "0xback", 9_100), true, "a refund that is sent")
    const entries = yield* charges.entries({ limit: 10 })
    const expected = [
      "9100 refunded 2 undefined",
      "9000 refund_due 2 undefined",
      "3500 settled 2 3",
      "3000 reversed 1 3",
      "2500 settled 1 3",
      "2000 reversed 0 3",
      "1500 settled 0 3"
    ]
    expectEqual(shown(entries), expected, "the ledger")
    const { transaction } = entries[3]!
    expectEqual(transaction, sampleReceipt(8).transaction, "the transaction of the second reversal")
    expectEqual((yield* charges.find(key))?.reopenings, 2, "reopenings")
  }),
  storeCase("Charges: a reversal cancels the due refund and everything else pending", function* () {
    const owed = { ...provisional, responseOwedUntilMillis: 4_000 }
    const charges = yield* chargesWithOne(
      "settled",
      { settlesFirst: true },
      { settlement: owed, subject: order }
    )
    yield* charges.markRefundDue(key, 1_550, undefined)
    expectEqual(yield* charges.reopen(key, "me", 1_600), true, "reopen")
    const reopened = {
      ...asReady,
      settlesFirst: true,
      response: undefined,
      subject: order,
      checkAfterMillis: 4_000,
      reopenings: 1
    }
    expectEqual(yield* charges.find(key), reopened, "the charge")
    expectEqual(yield* charges.markApplied(key), false, "marking the effect applied")
    expectEqual(yield* charges.deliver(key, "me", outcome.response), false, "delivering the response")
    const limit = { sinceMillis: 0, maxAtomic: "1000000" }
    expectEqual(yield* charges.startRefund(key, limit, 1_700), { _tag: "NotDue" }, "starting the refund")
    expectEqual((yield* charges.complete(key, owed, 1_800))._tag, "Completed", "complete")
    expectEqual(
      yield* charges.markRefundDue(key, 1_900, undefined),
      true,
      "a refund of the second settlement"
    )
    const kinds = ["refund_due 1", "settled 1", "reversed 0", "refund_due 0", "settled 0"]
    const entries = yield* charges.entries({ limit: 10 })
    expectEqual(
      entries.map(({ kind, round }) => `${kind} ${round}`),
      kinds,
      "the ledger"
    )
  }),
  storeCase("Charges: a reversal voids a refused charge without a response", function* () {
    const charges = yield* chargesWithOne("ready")
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    const due = { ...provisional, refundDue: true }
    expectEqual((yield* charges.complete(key, due, 1_500))._tag, "Completed", "complete")
    expectEqual(yield* charges.reopen(key, "me", 1_600), true, "reopen")
    const reopened = yield* charges.find(key)
    expectEqual([reopened?.state, reopened?.refund], ["voided", undefined], "state and refund")
    expectEqual((yield* charges.complete(key, due, 1_700))._tag, "Completed", "complete once it moved again")
  }),
  storeCase("Charges: a charge whose refund is under way is not reopened", function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: provisional })
    yield* charges.markRefundDue(key, 1_600, undefined)
    yield* charges.startRefund(key, plenty, 1_700)
    const before = yield* charges.find(key)
    expectEqual(yield* charges.reopen(key, "me", 1_800), false, "reopen")
    expectEqual(yield* charges.find(key), before, "the charge")
    yield* charges.recordRefund(key, "0xback", 1_900)
    expectEqual(yield* charges.reopen(key, "me", 2_000), true, "reopen once it is sent")
  }),
  storeCase("Charges: a charge whose refund was sent is reopened and settled with it", function* () {
    for (const [index, isStarted] of [true, false].entries()) {
      const own = isStarted ? "started" : "unstarted"
      const settlement = { ...provisional, transferLogIndex: index }
      const charges = yield* chargesWithOne("settled", { key: own }, { settlement, subject: order })
      yield* charges.markRefundDue(own, 1_600, undefined)
      if (isStarted) yield* charges.startRefund(own, plenty, 1_700)
      yield* charges.recordRefund(own, "0xback", 1_800)
      expectEqual(yield* charges.reopen(own, "me", 1_900), true, `reopen of the ${own} one`)
      const reopened = {
        ...asReady,
        key: own,
        subject: order,
        checkAfterMillis: 5_000,
        reopenings: 1,
        refund: { _tag: "Sent", transaction: "0xback" }
      }
      expectEqual(yield* charges.find(own), reopened, `the ${own} one`)
      expectEqual(yield* charges.list({ limit: 9, isRefundDue: true }), [], "what is owed")
      expectEqual(yield* charges.markRefundDue(own, 1_950, undefined), false, "owing it once more")
      expectEqual(yield* charges.startRefund(own, plenty, 1_950), { _tag: "NotDue" }, "starting it once more")
      expectEqual(yield* charges.recordRefund(own, "0xagain", 1_950), false, "sending it once more")
      const next = {
        ...settlement,
        receipt: sampleReceipt(8),
        refundDue: true,
        responseOwedUntilMillis: 4_000
      }
      const asBefore = { ...next, refundDue: false }
      expectEqual((yield* charges.complete(own, asBefore, 2_000))._tag, "NotOpen", "complete for a response")
      expectEqual(yield* charges.find(own), reopened, `the ${own} one after that`)
      expectEqual((yield* charges.complete(own, next, 2_000))._tag, "Completed", "complete")
      const settled = {
        ...reopened,
        state: "settled",
        receipt: sampleReceipt(8),
        transferLogIndex: index,
        awaitsFinality: true,
        settledAtMillis: 2_000
      }
      expectEqual(yield* charges.find(own), settled, `the ${own} one, settled again`)
      expectEqual(yield* charges.markApplied(own), false, "marking what it would have set off")
      expectEqual(yield* charges.deliver(own, "me", outcome.response), false, "delivering a response")
      expectEqual(yield* charges.markRefundDue(own, 2_100, undefined), false, "owing the second settlement")
      expectEqual(
        yield* charges.startRefund(own, plenty, 2_100),
        { _tag: "NotDue" },
        "starting a second refund"
      )
      expectEqual(yield* charges.recordRefund(own, "0xagain", 2_100), false, "sending a second refund")
      const expected = [
        `2000 settled 1 ${index}`,
        `1900 reversed 0 ${index}`,
        "1800 refunded 0 undefined",
        "1600 refund_due 0 undefined",
        `1500 settled 0 ${index}`
      ]
      expectEqual(shown(yield* charges.entries({ limit: 10, chargeKeys: [own] })), expected, "the ledger")
    }
  }),
  storeCase("Charges: a refund of what is settled again counts against limits once", function* () {
    const charges = yield* chargesWithOne("settled", { amountAtomic: "60" }, { settlement: provisional })
    yield* charges.markRefundDue(key, 1_600, undefined)
    yield* charges.startRefund(key, plenty, 1_700)
    yield* charges.recordRefund(key, "0xback", 1_800)
    yield* charges.reopen(key, "me", 1_900)
    yield* chargesWithOne("settled", { key: "other", amountAtomic: "40" }, { settlement: paidRefundDue })
    const start = (maxAtomic: string) => charges.startRefund("other", { sinceMillis: 0, maxAtomic }, 2_000)
    expectEqual(
      yield* start("1000"),
      { _tag: "ExceedsReceived" },
      "starting another while nothing was received"
    )
    const again = { ...provisional, refundDue: true }
    expectEqual((yield* charges.complete(key, again, 2_100))._tag, "Completed", "complete")
    expectEqual(yield* start("99"), { _tag: "OverLimit" }, "starting 100 of 99")
    expectEqual(yield* start("100"), { _tag: "Started" }, "starting 100 of 100")
  }),
  storeCase("Charges: a refunded charge that is reopened without a response stays", function* () {
    const charges = yield* chargesWithOne("ready")
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    const due = { ...provisional, refundDue: true }
    yield* charges.complete(key, due, 1_500)
    yield* charges.recordRefund(key, "0xback", 1_600)
    expectEqual(yield* charges.reopen(key, "me", 1_700), true, "reopen")
    yield* charges.yieldLease(key, "me", 0)
    const reopened = yield* charges.find(key)
    const refund = { _tag: "Sent", transaction: "0xback" }
    expectEqual([reopened?.state, reopened?.refund], ["voided", refund], "state and refund")
    expectEqual(keysOf(yield* charges.unfinished(9_000, 9)), [key], "what is unfinished")
    expectEqual(keysOf(yield* charges.voidedDue(9_000, 9)), [], "what is cleared in bulk")
    expectEqual(yield* charges.releaseVoided([key], 9_000), 0, "what a release in bulk deletes")
    expectEqual(yield* charges.release(key, "me"), false, "release")
    const claim = yield* charges.claim(sampleCharge(), lease("me"), 9_000, unlimited)
    expectEqual(claim, { _tag: "Existing", charge: reopened }, "claim by the same owner")
    expectEqual(yield* charges.find(key), reopened, "the charge after that")
    expectEqual((yield* charges.complete(key, due, 9_100))._tag, "Completed", "complete once it moved again")
    expectEqual((yield* charges.find(key))?.refund, refund, "its refund after that")
    const kinds = (yield* charges.entries({ limit: 10 })).map(({ kind, round }) => `${kind} ${round}`)
    expectEqual(kinds, ["settled 1", "reversed 0", "refunded 0", "settled 0", "refund_due 0"], "the ledger")
  }),
  storeCase("Charges: a reopened charge that is voided and claimed again continues its rounds", function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: provisional })
    yield* charges.reopen(key, "me", 1_600)
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.claim(sampleCharge(), lease("me"), 1_700, unlimited)
    expectEqual((yield* charges.find(key))?.reopenings, 1, "reopenings of the charge that was claimed again")
    yield* charges.advance(key, "me", outcome)
    expectEqual((yield* charges.complete(key, provisional, 1_800))._tag, "Completed", "its second settlement")
    yield* charges.reopen(key, "me", 1_900)
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    expectEqual(yield* charges.release(key, "me"), true, "the release of a charge that was settled once")
    yield* chargesWithOne("ready")
    expectEqual(
      (yield* charges.complete(key, paid, 2_000))._tag,
      "Completed",
      "a settlement after the release"
    )
    const entries = yield* charges.entries({ limit: 10 })
    expectEqual(
      entries.map(({ kind, round }) => `${kind} ${round}`),
      ["settled 2", "reversed 1", "settled 1", "reversed 0", "settled 0"],
      "the ledger"
    )
  }),
  storeCase("Charges: an expired response of a reopened charge stays expired", function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: provisional })
    expectEqual(yield* charges.expire(2_000, 10), 1, "what expired")
    expectEqual(yield* charges.reopen(key, "me", 2_000), true, "reopen")
    expectEqual(typeof (yield* charges.find(key))?.responseExpiredAtMillis, "number", "the kind of its time")
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.claim(sampleCharge(), lease("me"), 2_100, unlimited)
    expectEqual(
      (yield* charges.find(key))?.responseExpiredAtMillis,
      undefined,
      "its time once it is claimed again"
    )
  }),
  storeCase(`Charges: of ${racers} racers one reopens a charge, and one entry is written`, function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: provisional })
    const reopened = yield* race((racer) => charges.reopen(key, "me", 2_000 + racer))
    expectEqual(countTrue(reopened), 1, "racers that reopened it")
    expectEqual((yield* charges.find(key))?.reopenings, 1, "reopenings")
    const at = 2_000 + reopened.indexOf(true)
    expectEqual(
      shown(yield* charges.entries({ limit: 10 })),
      [`${at} reversed 0 3`, "1500 settled 0 3"],
      "the ledger"
    )
  }),
  storeCase(
    "Charges: a settlement becomes final or is undone, and its refund is started or canceled, never both",
    function* () {
      const [charges] = yield* Effect.forEach(
        Array.from({ length: racers }, (_, racer) => racer),
        (racer) =>
          chargesWithOne(
            "settled",
            { key: `key-${racer}` },
            { settlement: { ...provisional, transferLogIndex: racer } }
          )
      )
      const outcomes = yield* race((racer) =>
        Effect.gen(function* () {
          const own = `key-${racer}`
          const isEven = racer % 2 === 0
          if (!isEven) yield* charges!.markRefundDue(own, 1_600, undefined)
          const limit = { sinceMillis: 0, maxAtomic: "100000000" }
          const keeping = isEven
            ? charges!.finalize(own, "me")
            : Effect.map(charges!.startRefund(own, limit, 1_700), ({ _tag }) => _tag === "Started")
          const undoing = charges!.reopen(own, "me", 1_700)
          const concurrently = { concurrency: "unbounded" } as const
          const [kept, undone] =
            racer % 4 < 2
              ? yield* Effect.all([keeping, undoing], concurrently)
              : (yield* Effect.all([undoing, keeping], concurrently)).toReversed()
          return kept !== undone && (yield* charges!.find(own))?.state === (undone ? "ready" : "settled")
        })
      )
      expectEqual(countTrue(outcomes), racers, "charges that had one of the two")
    }
  )
]

/** Contract of `finalize` and `reopen`. */
export const finalityCases: ReadonlyArray<ChargeCase> = [...finality, ...reopening]
