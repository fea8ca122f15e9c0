import { Effect } from "effect"
import { Charges } from "@till402/core/effect"
import {
  chargesWithOne,
  isCompleted,
  key,
  keysOf,
  lease,
  order,
  outcome,
  paid,
  paidRefundDue,
  paidFirst,
  provisional
} from "./chargeRecords.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

const unfinished: ReadonlyArray<ChargeCase> = [
  storeCase(
    "Charges: unfinished returns charges that are not settled or have something pending",
    function* () {
      const charges = yield* Charges
      for (const state of ["claimed", "ready", "settled"] as const)
        yield* chargesWithOne(state, { key: state })
      yield* chargesWithOne("voided", { key: "voided, with a subject" }, { subject: order })
      yield* chargesWithOne("voided", { key: "voided" })
      yield* chargesWithOne("settled", { key: "pending" }, { subject: order })
      yield* chargesWithOne("settled", { key: "provisional" }, { settlement: provisional })
      yield* chargesWithOne("settled", { key: "owed", settlesFirst: true }, { settlement: paidFirst })
      const found = yield* charges.unfinished(6_000, 10)
      const all = ["claimed", "owed", "pending", "provisional", "ready", "voided, with a subject"]
      expectEqual(keysOf(found).toSorted(), all, "unfinished charges")
      for (const charge of found)
        expectEqual(charge, yield* charges.find(charge.key), `the ${charge.key} one`)
      yield* charges.markApplied("pending")
      yield* charges.finalize("provisional", "me")
      yield* charges.deliver("owed", "me", outcome.response)
      expectEqual(
        keysOf(yield* charges.unfinished(6_000, 10)).toSorted(),
        ["claimed", "ready", "voided, with a subject"],
        "unfinished charges once nothing is pending"
      )
    }
  ),
  storeCase("Charges: unfinished returns a charge once its lease has expired and it is due", function* () {
    const charges = yield* chargesWithOne("ready", {}, { subject: order })
    expectEqual(yield* charges.unfinished(1_999, 10), [], "while the lease holds")
    expectEqual(keysOf(yield* charges.unfinished(2_000, 10)), [key], "once it has expired")
    yield* charges.defer(key, "me", 3_000)
    expectEqual(yield* charges.unfinished(2_999, 10), [], "before its time")
    expectEqual(keysOf(yield* charges.unfinished(3_000, 10)), [key], "at its time")
    yield* charges.takeOver(key, lease("you", 4_000), 3_000)
    expectEqual(yield* charges.unfinished(3_999, 10), [], "under a new lease")
    expectEqual(keysOf(yield* charges.unfinished(4_000, 10)), [key], "once that has expired")
    yield* charges.void(key, "you", { keepExposure: true, checkAfterMillis: 5_000 })
    expectEqual(yield* charges.unfinished(4_999, 10), [], "voided, before its time")
    expectEqual(keysOf(yield* charges.unfinished(5_000, 10)), [key], "voided, at its time")
    yield* charges.complete(key, paidRefundDue, 5_000)
    expectEqual(yield* charges.unfinished(1e12, 10), [], "settled")
  }),
  storeCase("Charges: a pending effect is due at once, everything else at its time", function* () {
    const charges = yield* chargesWithOne("settled", {}, { settlement: provisional, subject: order })
    expectEqual(keysOf(yield* charges.unfinished(2_000, 10)), [key], "with its effect pending")
    yield* charges.defer(key, "me", 8_000)
    expectEqual(keysOf(yield* charges.unfinished(2_000, 10)), [key], "with its effect pending, deferred")
    yield* charges.markApplied(key)
    expectEqual(yield* charges.unfinished(7_999, 10), [], "with its effect applied, before its time")
    expectEqual(keysOf(yield* charges.unfinished(8_000, 10)), [key], "with its effect applied, at its time")
  }),
  storeCase("Charges: unfinished returns the longest due first, up to the limit", function* () {
    const charges = yield* Charges
    for (const number of [3, 1, 5, 2, 4]) {
      yield* chargesWithOne("ready", { key: `key-${number}` })
      yield* charges.defer(`key-${number}`, "me", 1_000 + number)
    }
    const due = ["key-1", "key-2", "key-3", "key-4", "key-5"]
    expectEqual(keysOf(yield* charges.unfinished(2_000, 10)), due, "all of them")
    expectEqual(keysOf(yield* charges.unfinished(2_000, 2)), due.slice(0, 2), "two of them")
    expectEqual(keysOf(yield* charges.unfinished(1_003, 10)), due.slice(0, 3), "those that are due at 1003")
    yield* charges.takeOver("key-2", lease("you", 9_000), 2_000)
    expectEqual(
      keysOf(yield* charges.unfinished(2_000, 2)),
      ["key-1", "key-3"],
      "two beside one that is held"
    )
  }),
  storeCase(
    "Charges: unfinished returns claims after all other charges, even if they are due longer",
    function* () {
      const charges = yield* Charges
      for (const number of [1, 2]) {
        yield* chargesWithOne("claimed", { key: `claimed ${number}`, createdAtMillis: number })
        yield* chargesWithOne("ready", { key: `ready ${number}`, createdAtMillis: 100 - number })
      }
      yield* chargesWithOne("ready", {
        key: "ready, settles first",
        settlesFirst: true,
        createdAtMillis: 300
      })
      yield* chargesWithOne("voided", { key: "voided", createdAtMillis: 200 }, { subject: order })
      yield* charges.defer("voided", "me", 1_500)
      yield* chargesWithOne("settled", { key: "provisional" }, { settlement: provisional })
      yield* charges.defer("provisional", "me", 1_700)
      const late = { settlement: { ...provisional, transferLogIndex: 9 }, subject: order }
      yield* chargesWithOne("settled", { key: "pending", createdAtMillis: 50 }, late)
      const others = ["pending", "ready 2", "ready 1", "ready, settles first", "voided", "provisional"]
      const all = [...others, "claimed 1", "claimed 2"]
      expectEqual(keysOf(yield* charges.unfinished(2_000, 10)), all, "all of them")
      for (const limit of [1, 3, 6, 7])
        expectEqual(
          keysOf(yield* charges.unfinished(2_000, limit)),
          all.slice(0, limit),
          `the first ${limit}`
        )
    }
  )
]

const voided: ReadonlyArray<ChargeCase> = [
  storeCase(
    "Charges: voided charges without a subject are released in bulk, not returned as unfinished",
    function* () {
      const charges = yield* Charges
      for (const state of ["claimed", "ready", "settled", "voided"] as const)
        yield* chargesWithOne(state, { key: state })
      yield* chargesWithOne("voided", { key: "with a subject" }, { subject: order })
      const found = yield* charges.voidedDue(2_000, 10)
      expectEqual(keysOf(found), ["voided"], "the charges to clear in bulk")
      expectEqual(found[0], yield* charges.find("voided"), "the charge")
      expectEqual(
        keysOf(yield* charges.unfinished(2_000, 10)).toSorted(),
        ["claimed", "ready", "with a subject"],
        "unfinished charges"
      )
    }
  ),
  storeCase(
    "Charges: voided charges are due once their lease has expired and their time has come",
    function* () {
      const charges = yield* chargesWithOne("voided")
      yield* charges.takeOver(key, lease("you", 3_000), 1_000)
      expectEqual(yield* charges.voidedDue(2_999, 10), [], "while the lease holds")
      expectEqual(keysOf(yield* charges.voidedDue(3_000, 10)), [key], "once it has expired")
      yield* charges.defer(key, "you", 4_000)
      expectEqual(yield* charges.voidedDue(3_999, 10), [], "before its time")
      expectEqual(keysOf(yield* charges.voidedDue(4_000, 10)), [key], "at its time")
      yield* charges.complete(key, paidRefundDue, 4_000)
      expectEqual(yield* charges.voidedDue(1e12, 10), [], "settled")
    }
  ),
  storeCase("Charges: voided charges are returned longest due first, up to the limit", function* () {
    const charges = yield* Charges
    for (const number of [3, 1, 5, 2, 4]) {
      yield* chargesWithOne("voided", { key: `key-${number}` })
      yield* charges.defer(`key-${number}`, "me", 1_000 + number)
    }
    const due = ["key-1", "key-2", "key-3", "key-4", "key-5"]
    expectEqual(keysOf(yield* charges.voidedDue(2_000, 10)), due, "all of them")
    expectEqual(keysOf(yield* charges.voidedDue(2_000, 2)), due.slice(0, 2), "two of them")
    expectEqual(keysOf(yield* charges.voidedDue(1_003, 10)), due.slice(0, 3), "those that are due at 1003")
  }),
  storeCase("Charges: only voided charges without a lease are released in bulk", function* () {
    const charges = yield* Charges
    for (const state of ["claimed", "ready", "settled", "voided"] as const)
      yield* chargesWithOne(state, { key: state })
    yield* chargesWithOne("voided", { key: "with a subject" }, { subject: order })
    for (const own of ["held", "not in the list"]) yield* chargesWithOne("voided", { key: own })
    yield* charges.takeOver("held", lease("you", 3_000), 1_000)
    const keys = ["claimed", "ready", "settled", "voided", "with a subject", "held", "unknown", "voided"]
    expectEqual(yield* charges.releaseVoided([], 2_999), 0, "releasing an empty list")
    expectEqual(yield* charges.releaseVoided(keys, 2_999), 1, "number of released charges")
    const left = ["claimed", "held", "not in the list", "ready", "settled", "with a subject"]
    expectEqual(keysOf(yield* charges.list({ limit: 10 })).toSorted(), left, "remaining charges")
    expectEqual(yield* charges.releaseVoided(keys, 2_999), 0, "number of released charges again")
    expectEqual(yield* charges.releaseVoided(keys, 3_000), 1, "how many once the lease has expired")
    expectEqual(yield* charges.find("held"), undefined, "the one that was held")
  }),
  storeCase("Charges: a thousand voided charges are released at once", function* () {
    const charges = yield* Charges
    const keys = Array.from({ length: 1_000 }, (_, number) => `key-${number}`)
    yield* Effect.forEach(keys, (own) => chargesWithOne("voided", { key: own }), {
      concurrency: 20,
      discard: true
    })
    const due = keysOf(yield* charges.voidedDue(2_000, 1_000))
    expectEqual(due.length, 1_000, "number of due charges")
    expectEqual(yield* charges.releaseVoided(due, 2_000), 1_000, "number of released charges")
    expectEqual(yield* charges.list({ limit: 1 }), [], "remaining charges")
  }),
  storeCase(`Charges: ${racers} racers releasing in bulk count each charge once`, function* () {
    const keys = Array.from({ length: 20 }, (_, number) => `key-${number}`)
    const [charges] = yield* Effect.forEach(keys, (own) => chargesWithOne("voided", { key: own }))
    const released = yield* race((racer) =>
      charges!.releaseVoided(racer % 2 === 0 ? keys : keys.toReversed(), 2_000)
    )
    expectEqual(
      released.reduce((sum, count) => sum + count, 0),
      20,
      "number of released charges by all of them"
    )
    expectEqual(yield* charges!.list({ limit: 1 }), [], "remaining charges")
  }),
  storeCase("Charges: a voided charge is settled or released in bulk, never both", function* () {
    const keys = Array.from({ length: racers }, (_, racer) => `key-${racer}`)
    const [charges] = yield* Effect.forEach(keys, (own) => chargesWithOne("voided", { key: own }))
    const [released, ...settled] = yield* Effect.all(
      [
        charges!.releaseVoided(keys, 2_000),
        ...keys.map((own) =>
          Effect.map(charges!.complete(own, { ...paid, refundDue: true }, 2_000), isCompleted)
        )
      ],
      { concurrency: "unbounded" }
    )
    const count = settled.filter((completed) => completed === true).length
    expectEqual(Number(released) + count, racers, "charges that had one of the two")
    expectEqual(
      (yield* charges!.list({ limit: racers, state: "settled" })).length,
      count,
      "charges that settled"
    )
    expectEqual((yield* charges!.entries({ limit: 1_000 })).length, 2 * count, "ledger entries")
  })
]

/** Contract of `unfinished`, `voidedDue` and `releaseVoided`. */
export const dueCases: ReadonlyArray<ChargeCase> = [...unfinished, ...voided]
