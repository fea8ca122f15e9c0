import { Effect } from "effect"
import type { CompletedSettlement } from "../../ports/Charges.ts"
import {
  asReady,
  asSettled,
  chargesWith,
  isCompleted,
  key,
  paid,
  paidBack,
  provisional
} from "./chargeRecords.ts"
import { sampleReceipt } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"

const proven: CompletedSettlement = { ...paid, transferLogIndex: 3 }

/** What `complete` promises about the transfer that proves a settlement. */
export const transferCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "Charges: a transfer settles one charge; a second is refused, and nothing is written",
    function* () {
      const charges = yield* chargesWith("settled", { key: "first" }, { settlement: proven })
      equal((yield* charges.find("first"))?.transferLogIndex, 3, "the index of its transfer")
      yield* chargesWith("ready")
      for (const refundDue of [false, true]) {
        const settlement = { ...proven, refundDue, finalAfterMillis: 5_000, responseOwedUntilMillis: 6_000 }
        equal(yield* charges.complete(key, settlement, 1_600), { _tag: "TransferTaken" }, "complete")
        equal(yield* charges.find(key), asReady, "the charge")
      }
      const entries = yield* charges.entries({ limit: 10 })
      equal(
        entries.map(({ chargeKey, transferLogIndex }) => [chargeKey, transferLogIndex]),
        [["first", 3]],
        "the ledger"
      )
      equal(
        (yield* charges.complete("first", proven, 1_700))._tag,
        "NotOpen",
        "complete of the first once more"
      )
      const other = { ...proven, transferLogIndex: 4 }
      equal((yield* charges.complete(key, other, 1_700))._tag, "Completed", "complete by another transfer")
    }
  ),
  storeCase("Charges: a transfer is one network, one transaction and one index", function* () {
    const charges = yield* chargesWith("settled", { key: "first" }, { settlement: proven })
    const others: ReadonlyArray<readonly [string, CompletedSettlement]> = [
      ["eip155:84532", { ...proven, transferLogIndex: 0 }],
      ["eip155:84532", { ...proven, receipt: sampleReceipt(2) }],
      ["eip155:8453", proven]
    ]
    for (const [index, [network, settlement]] of others.entries()) {
      const own = `other ${index}`
      yield* chargesWith("ready", { key: own, network })
      equal((yield* charges.complete(own, settlement, 1_600))._tag, "Completed", own)
      yield* chargesWith("ready", { key: `${own}, taken`, network })
      equal(
        (yield* charges.complete(`${own}, taken`, settlement, 1_600))._tag,
        "TransferTaken",
        `${own}, taken`
      )
    }
  }),
  storeCase("Charges: settlements without a proof are not compared", function* () {
    const charges = yield* chargesWith("settled", { key: "first" })
    yield* chargesWith("settled", { key: "proven" }, { settlement: proven })
    yield* chargesWith("ready", { key: "second" })
    equal((yield* charges.complete("second", paid, 1_600))._tag, "Completed", "with the same transaction")
    equal((yield* charges.find("second"))?.transferLogIndex, undefined, "its index")
    const kinds = (yield* charges.entries({ limit: 10 })).map(({ transferLogIndex }) => transferLogIndex)
    equal(kinds.toSorted(), [3, undefined, undefined], "the indexes in the ledger")
  }),
  storeCase("Charges: a charge that is not open is not compared either", function* () {
    const charges = yield* chargesWith("settled", { key: "first" }, { settlement: proven })
    yield* chargesWith("claimed", { key: "claimed" })
    yield* chargesWith("voided", { key: "voided" })
    for (const own of ["claimed", "voided", "unknown"])
      equal((yield* charges.complete(own, proven, 1_600))._tag, "NotOpen", own)
    const taken = yield* charges.complete("voided", { ...paidBack, transferLogIndex: 3 }, 1_600)
    equal(taken._tag, "TransferTaken", "a voided charge whose refund would be due")
  }),
  storeCase("Charges: a transfer that was undone may settle another charge", function* () {
    const charges = yield* chargesWith("settled", { key: "first" }, { settlement: provisional })
    yield* chargesWith("ready", { key: "second" })
    equal((yield* charges.complete("second", provisional, 1_600))._tag, "TransferTaken", "before")
    equal(yield* charges.reopen("first", "me", 1_700), true, "the reversal")
    equal((yield* charges.complete("second", provisional, 1_800))._tag, "Completed", "after")
    equal(
      (yield* charges.complete("first", provisional, 1_900))._tag,
      "TransferTaken",
      "the first, by the same"
    )
  }),
  storeCase(`Charges: of ${racers} charges that race for one transfer one settles`, function* () {
    const keys = Array.from({ length: racers }, (_, racer) => `key-${racer}`)
    const [charges] = yield* Effect.forEach(keys, (own) => chargesWith("ready", { key: own }))
    const completions = yield* race((racer) => charges!.complete(keys[racer]!, proven, 1_500))
    equal(completions.filter(isCompleted).length, 1, "charges that settled")
    equal(
      completions.filter(({ _tag }) => _tag === "TransferTaken").length,
      racers - 1,
      "charges that were refused"
    )
    const settled = yield* charges!.list({ limit: racers, state: "settled" })
    const expected = { ...asSettled, key: keys[completions.findIndex(isCompleted)], transferLogIndex: 3 }
    equal(settled, [expected], "the settled charges")
    equal((yield* charges!.entries({ limit: 10 })).length, 1, "ledger entries")
  }),
  storeCase("Charges: completions that are refused do not undo others beside them", function* () {
    const [charges] = yield* Effect.forEach(
      Array.from({ length: racers }, (_, racer) => racer),
      (racer) => chargesWith("ready", { key: `key-${racer}` })
    )
    // Two charges of each transfer, all at once: in stores that commit in groups, in one group.
    const completions = yield* race((racer) =>
      charges!.complete(`key-${racer}`, { ...proven, transferLogIndex: Math.floor(racer / 2) }, 1_500)
    )
    equal(completions.filter(isCompleted).length, racers / 2, "charges that settled")
    const settled = yield* charges!.list({ limit: racers, state: "settled" })
    const transfers = settled.map(({ transferLogIndex }) => transferLogIndex!)
    equal(
      transfers.toSorted((left, right) => left - right),
      Array.from({ length: racers / 2 }, (_, index) => index),
      "the transfers that settled a charge"
    )
    equal((yield* charges!.entries({ limit: racers })).length, racers / 2, "ledger entries")
  })
]
