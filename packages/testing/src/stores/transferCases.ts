import { Effect } from "effect"
import type { CompletedSettlement } from "@till402/core/effect"
import {
  asReady,
  asSettled,
  chargesWithOne,
  isCompleted,
  key,
  paid,
  paidRefundDue,
  provisional
} from "./chargeRecords.ts"
import { sampleReceipt } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

const proven: CompletedSettlement = { ...paid, transferLogIndex: 3 }

/** Contract of `complete` for the transfer that proves a settlement. */
export const transferCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a transfer settles one charge; a second charge is refused and unchanged", function* () {
    const charges = yield* chargesWithOne("settled", { key: "first" }, { settlement: proven })
    expectEqual((yield* charges.find("first"))?.transferLogIndex, 3, "the index of its transfer")
    yield* chargesWithOne("ready")
    for (const refundDue of [false, true]) {
      const settlement = { ...proven, refundDue, finalAfterMillis: 5_000, responseOwedUntilMillis: 6_000 }
      expectEqual(yield* charges.complete(key, settlement, 1_600), { _tag: "TransferTaken" }, "complete")
      expectEqual(yield* charges.find(key), asReady, "the charge")
    }
    const entries = yield* charges.entries({ limit: 10 })
    expectEqual(
      entries.map(({ chargeKey, transferLogIndex }) => [chargeKey, transferLogIndex]),
      [["first", 3]],
      "the ledger"
    )
    expectEqual(
      (yield* charges.complete("first", proven, 1_700))._tag,
      "NotOpen",
      "complete of the first again"
    )
    const other = { ...proven, transferLogIndex: 4 }
    expectEqual(
      (yield* charges.complete(key, other, 1_700))._tag,
      "Completed",
      "complete by another transfer"
    )
  }),
  storeCase("Charges: the facilitator that reported a settlement is kept with it", function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: { ...paid, reportedBy: "alpha" } })
    expectEqual((yield* charges.find(key))?.reportedBy, "alpha", "of the charge")
    const [listed] = yield* charges.listSettled({ limit: 1 })
    expectEqual(listed?.reportedBy, "alpha", "of the settled charge")
    yield* chargesWithOne("settled", { key: "proven" }, { settlement: proven })
    expectEqual((yield* charges.find("proven"))?.reportedBy, undefined, "of one with a proof")
  }),
  storeCase("Charges: a transfer is identified by network, transaction and log index", function* () {
    const charges = yield* chargesWithOne("settled", { key: "first" }, { settlement: proven })
    const others: ReadonlyArray<readonly [string, CompletedSettlement]> = [
      ["eip155:84532", { ...proven, transferLogIndex: 0 }],
      ["eip155:84532", { ...proven, receipt: sampleReceipt(2) }],
      ["eip155:8453", proven]
    ]
    for (const [index, [network, settlement]] of others.entries()) {
      const own = `other ${index}`
      yield* chargesWithOne("ready", { key: own, network })
      expectEqual((yield* charges.complete(own, settlement, 1_600))._tag, "Completed", own)
      yield* chargesWithOne("ready", { key: `${own}, taken`, network })
      expectEqual(
        (yield* charges.complete(`${own}, taken`, settlement, 1_600))._tag,
        "TransferTaken",
        `${own}, taken`
      )
    }
  }),
  storeCase("Charges: settlements without proof may share a transaction", function* () {
    const charges = yield* chargesWithOne("settled", { key: "first" })
    yield* chargesWithOne("settled", { key: "proven" }, { settlement: proven })
    yield* chargesWithOne("ready", { key: "second" })
    expectEqual(
      (yield* charges.complete("second", paid, 1_600))._tag,
      "Completed",
      "with the same transaction"
    )
    expectEqual((yield* charges.find("second"))?.transferLogIndex, undefined, "its index")
    const kinds = (yield* charges.entries({ limit: 10 })).map(({ transferLogIndex }) => transferLogIndex)
    expectEqual(kinds.toSorted(), [3, undefined, undefined], "the indexes in the ledger")
  }),
  storeCase("Charges: closed charges aren't checked for a shared transfer", function* () {
    const charges = yield* chargesWithOne("settled", { key: "first" }, { settlement: proven })
    yield* chargesWithOne("claimed", { key: "claimed" })
    yield* chargesWithOne("voided", { key: "voided" })
    for (const own of ["claimed", "voided", "unknown"])
      expectEqual((yield* charges.complete(own, proven, 1_600))._tag, "NotOpen", own)
    const taken = yield* charges.complete("voided", { ...paidRefundDue, transferLogIndex: 3 }, 1_600)
    expectEqual(taken._tag, "TransferTaken", "a voided charge whose refund would be due")
  }),
  storeCase("Charges: a transfer that was undone can settle another charge", function* () {
    const charges = yield* chargesWithOne("settled", { key: "first" }, { settlement: provisional })
    yield* chargesWithOne("ready", { key: "second" })
    expectEqual((yield* charges.complete("second", provisional, 1_600))._tag, "TransferTaken", "before")
    expectEqual(yield* charges.reopen("first", "me", 1_700), true, "the reversal")
    expectEqual((yield* charges.complete("second", provisional, 1_800))._tag, "Completed", "after")
    expectEqual(
      (yield* charges.complete("first", provisional, 1_900))._tag,
      "TransferTaken",
      "the first charge, by the same transfer"
    )
  }),
  storeCase(`Charges: of ${racers} charges racing for one transfer one settles`, function* () {
    const keys = Array.from({ length: racers }, (_, racer) => `key-${racer}`)
    const [charges] = yield* Effect.forEach(keys, (own) => chargesWithOne("ready", { key: own }))
    const completions = yield* race((racer) => charges!.complete(keys[racer]!, proven, 1_500))
    expectEqual(completions.filter(isCompleted).length, 1, "charges that settled")
    expectEqual(
      completions.filter(({ _tag }) => _tag === "TransferTaken").length,
      racers - 1,
      "charges that were refused"
    )
    const settled = yield* charges!.list({ limit: racers, state: "settled" })
    const expected = { ...asSettled, key: keys[completions.findIndex(isCompleted)], transferLogIndex: 3 }
    expectEqual(settled, [expected], "the settled charges")
    expectEqual((yield* charges!.entries({ limit: 10 })).length, 1, "ledger entries")
  }),
  storeCase("Charges: refused completions don't affect concurrent ones", function* () {
    const [charges] = yield* Effect.forEach(
      Array.from({ length: racers }, (_, racer) => racer),
      (racer) => chargesWithOne("ready", { key: `key-${racer}` })
    )
    // Two charges per transfer, all at once: stores that commit in groups handle them in one group.
    const completions = yield* race((racer) =>
      charges!.complete(`key-${racer}`, { ...proven, transferLogIndex: Math.floor(racer / 2) }, 1_500)
    )
    expectEqual(completions.filter(isCompleted).length, racers / 2, "charges that settled")
    const settled = yield* charges!.list({ limit: racers, state: "settled" })
    const transfers = settled.map(({ transferLogIndex }) => transferLogIndex!)
    expectEqual(
      transfers.toSorted((left, right) => left - right),
      Array.from({ length: racers / 2 }, (_, index) => index),
      "the transfers that settled a charge"
    )
    expectEqual((yield* charges!.entries({ limit: racers })).length, racers / 2, "ledger entries")
  })
]
