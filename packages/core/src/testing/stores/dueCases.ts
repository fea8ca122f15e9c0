import { Effect } from "effect"
import { Charges } from "../../ports/Charges.ts"
import {
  chargesWith,
  isCompleted,
  key,
  keysOf,
  lease,
  order,
  outcome,
  paid,
  paidBack,
  paidFirst,
  provisional
} from "./chargeRecords.ts"
import { equal, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"

const unfinished: ReadonlyArray<StoreCase> = [
  storeCase("Charges: unfinished are those not settled, or settled with something pending", function* () {
    const charges = yield* Charges
    for (const state of ["claimed", "ready", "settled"] as const) yield* chargesWith(state, { key: state })
    yield* chargesWith("voided", { key: "voided, with a subject" }, { subject: order })
    yield* chargesWith("voided", { key: "voided" })
    yield* chargesWith("settled", { key: "pending" }, { subject: order })
    yield* chargesWith("settled", { key: "provisional" }, { settlement: provisional })
    yield* chargesWith("settled", { key: "owed", settlesFirst: true }, { settlement: paidFirst })
    const found = yield* charges.unfinished(6_000, 10)
    const all = ["claimed", "owed", "pending", "provisional", "ready", "voided, with a subject"]
    equal(keysOf(found).toSorted(), all, "what is unfinished")
    for (const charge of found) equal(charge, yield* charges.find(charge.key), `the ${charge.key} one`)
    yield* charges.markApplied("pending")
    yield* charges.finalize("provisional", "me")
    yield* charges.deliver("owed", "me", outcome.answer)
    equal(
      keysOf(yield* charges.unfinished(6_000, 10)).toSorted(),
      ["claimed", "ready", "voided, with a subject"],
      "what is unfinished once nothing is pending"
    )
  }),
  storeCase(
    "Charges: unfinished shows a charge whose lease has lapsed and whose time has come",
    function* () {
      const charges = yield* chargesWith("ready", {}, { subject: order })
      equal(yield* charges.unfinished(1_999, 10), [], "while the lease holds")
      equal(keysOf(yield* charges.unfinished(2_000, 10)), [key], "once it has lapsed")
      yield* charges.defer(key, "me", 3_000)
      equal(yield* charges.unfinished(2_999, 10), [], "before its time")
      equal(keysOf(yield* charges.unfinished(3_000, 10)), [key], "at its time")
      yield* charges.takeOver(key, lease("you", 4_000), 3_000)
      equal(yield* charges.unfinished(3_999, 10), [], "under a new lease")
      equal(keysOf(yield* charges.unfinished(4_000, 10)), [key], "once that has lapsed")
      yield* charges.void(key, "you", { keepExposure: true, checkAfterMillis: 5_000 })
      equal(yield* charges.unfinished(4_999, 10), [], "voided, before its time")
      equal(keysOf(yield* charges.unfinished(5_000, 10)), [key], "voided, at its time")
      yield* charges.complete(key, paidBack, 5_000)
      equal(yield* charges.unfinished(1e12, 10), [], "settled")
    }
  ),
  storeCase("Charges: a pending effect is due at once, what else is pending at its time", function* () {
    const charges = yield* chargesWith("settled", {}, { settlement: provisional, subject: order })
    equal(keysOf(yield* charges.unfinished(2_000, 10)), [key], "with its effect pending")
    yield* charges.defer(key, "me", 8_000)
    equal(keysOf(yield* charges.unfinished(2_000, 10)), [key], "with its effect pending, deferred")
    yield* charges.markApplied(key)
    equal(yield* charges.unfinished(7_999, 10), [], "with its effect applied, before its time")
    equal(keysOf(yield* charges.unfinished(8_000, 10)), [key], "with its effect applied, at its time")
  }),
  storeCase("Charges: unfinished come the longest due first, up to the limit", function* () {
    const charges = yield* Charges
    for (const number of [3, 1, 5, 2, 4]) {
      yield* chargesWith("ready", { key: `key-${number}` })
      yield* charges.defer(`key-${number}`, "me", 1_000 + number)
    }
    const due = ["key-1", "key-2", "key-3", "key-4", "key-5"]
    equal(keysOf(yield* charges.unfinished(2_000, 10)), due, "all of them")
    equal(keysOf(yield* charges.unfinished(2_000, 2)), due.slice(0, 2), "two of them")
    equal(keysOf(yield* charges.unfinished(1_003, 10)), due.slice(0, 3), "those that are due at 1003")
    yield* charges.takeOver("key-2", lease("you", 9_000), 2_000)
    equal(keysOf(yield* charges.unfinished(2_000, 2)), ["key-1", "key-3"], "two beside one that is held")
  }),
  storeCase(
    "Charges: claims come after all other unfinished charges, however long they are due",
    function* () {
      const charges = yield* Charges
      for (const number of [1, 2]) {
        yield* chargesWith("claimed", { key: `claimed ${number}`, createdAtMillis: number })
        yield* chargesWith("ready", { key: `ready ${number}`, createdAtMillis: 100 - number })
      }
      yield* chargesWith("ready", { key: "ready, settles first", settlesFirst: true, createdAtMillis: 300 })
      yield* chargesWith("voided", { key: "voided", createdAtMillis: 200 }, { subject: order })
      yield* charges.defer("voided", "me", 1_500)
      yield* chargesWith("settled", { key: "provisional" }, { settlement: provisional })
      yield* charges.defer("provisional", "me", 1_700)
      const late = { settlement: { ...provisional, transferLogIndex: 9 }, subject: order }
      yield* chargesWith("settled", { key: "pending", createdAtMillis: 50 }, late)
      const others = ["pending", "ready 2", "ready 1", "ready, settles first", "voided", "provisional"]
      const all = [...others, "claimed 1", "claimed 2"]
      equal(keysOf(yield* charges.unfinished(2_000, 10)), all, "all of them")
      for (const limit of [1, 3, 6, 7])
        equal(keysOf(yield* charges.unfinished(2_000, limit)), all.slice(0, limit), `the first ${limit}`)
    }
  )
]

const voided: ReadonlyArray<StoreCase> = [
  storeCase(
    "Charges: voided charges without a subject are due in bulk, not among the unfinished",
    function* () {
      const charges = yield* Charges
      for (const state of ["claimed", "ready", "settled", "voided"] as const)
        yield* chargesWith(state, { key: state })
      yield* chargesWith("voided", { key: "with a subject" }, { subject: order })
      const found = yield* charges.voidedDue(2_000, 10)
      equal(keysOf(found), ["voided"], "the charges to clear in bulk")
      equal(found[0], yield* charges.find("voided"), "the charge")
      equal(
        keysOf(yield* charges.unfinished(2_000, 10)).toSorted(),
        ["claimed", "ready", "with a subject"],
        "what is unfinished"
      )
    }
  ),
  storeCase(
    "Charges: voided charges are due once their lease has lapsed and their time has come",
    function* () {
      const charges = yield* chargesWith("voided")
      yield* charges.takeOver(key, lease("you", 3_000), 1_000)
      equal(yield* charges.voidedDue(2_999, 10), [], "while the lease holds")
      equal(keysOf(yield* charges.voidedDue(3_000, 10)), [key], "once it has lapsed")
      yield* charges.defer(key, "you", 4_000)
      equal(yield* charges.voidedDue(3_999, 10), [], "before its time")
      equal(keysOf(yield* charges.voidedDue(4_000, 10)), [key], "at its time")
      yield* charges.complete(key, paidBack, 4_000)
      equal(yield* charges.voidedDue(1e12, 10), [], "settled")
    }
  ),
  storeCase("Charges: voided charges come the longest due first, up to the limit", function* () {
    const charges = yield* Charges
    for (const number of [3, 1, 5, 2, 4]) {
      yield* chargesWith("voided", { key: `key-${number}` })
      yield* charges.defer(`key-${number}`, "me", 1_000 + number)
    }
    const due = ["key-1", "key-2", "key-3", "key-4", "key-5"]
    equal(keysOf(yield* charges.voidedDue(2_000, 10)), due, "all of them")
    equal(keysOf(yield* charges.voidedDue(2_000, 2)), due.slice(0, 2), "two of them")
    equal(keysOf(yield* charges.voidedDue(1_003, 10)), due.slice(0, 3), "those that are due at 1003")
  }),
  storeCase("Charges: only voided charges that nobody holds are released in bulk", function* () {
    const charges = yield* Charges
    for (const state of ["claimed", "ready", "settled", "voided"] as const)
      yield* chargesWith(state, { key: state })
    yield* chargesWith("voided", { key: "with a subject" }, { subject: order })
    for (const own of ["held", "not in the list"]) yield* chargesWith("voided", { key: own })
    yield* charges.takeOver("held", lease("you", 3_000), 1_000)
    const keys = ["claimed", "ready", "settled", "voided", "with a subject", "held", "unknown", "voided"]
    equal(yield* charges.releaseVoided([], 2_999), 0, "none of none")
    equal(yield* charges.releaseVoided(keys, 2_999), 1, "how many were released")
    const left = ["claimed", "held", "not in the list", "ready", "settled", "with a subject"]
    equal(keysOf(yield* charges.list({ limit: 10 })).toSorted(), left, "what is left")
    equal(yield* charges.releaseVoided(keys, 2_999), 0, "how many were released once more")
    equal(yield* charges.releaseVoided(keys, 3_000), 1, "how many once the lease has lapsed")
    equal(yield* charges.find("held"), undefined, "the one that was held")
  }),
  storeCase("Charges: a thousand voided charges are released at once", function* () {
    const charges = yield* Charges
    const keys = Array.from({ length: 1_000 }, (_, number) => `key-${number}`)
    yield* Effect.forEach(keys, (own) => chargesWith("voided", { key: own }), {
      concurrency: 20,
      discard: true
    })
    const due = keysOf(yield* charges.voidedDue(2_000, 1_000))
    equal(due.length, 1_000, "how many are due")
    equal(yield* charges.releaseVoided(due, 2_000), 1_000, "how many were released")
    equal(yield* charges.list({ limit: 1 }), [], "what is left")
  }),
  storeCase(`Charges: ${racers} racers that release in bulk count each charge once`, function* () {
    const keys = Array.from({ length: 20 }, (_, number) => `key-${number}`)
    const [charges] = yield* Effect.forEach(keys, (own) => chargesWith("voided", { key: own }))
    const released = yield* race((racer) =>
      charges!.releaseVoided(racer % 2 === 0 ? keys : keys.toReversed(), 2_000)
    )
    equal(
      released.reduce((sum, count) => sum + count, 0),
      20,
      "how many were released by all of them"
    )
    equal(yield* charges!.list({ limit: 1 }), [], "what is left")
  }),
  storeCase("Charges: a voided charge is settled or released in bulk, never both", function* () {
    const keys = Array.from({ length: racers }, (_, racer) => `key-${racer}`)
    const [charges] = yield* Effect.forEach(keys, (own) => chargesWith("voided", { key: own }))
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
    equal(Number(released) + count, racers, "charges that had one of the two")
    equal((yield* charges!.list({ limit: racers, state: "settled" })).length, count, "charges that settled")
    equal((yield* charges!.entries({ limit: 1_000 })).length, 2 * count, "ledger entries")
  })
]

/** What `unfinished`, `voidedDue` and `releaseVoided` promise. */
export const dueCases: ReadonlyArray<StoreCase> = [...unfinished, ...voided]
