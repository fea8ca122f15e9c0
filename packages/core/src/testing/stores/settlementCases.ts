import { Effect } from "effect"
import { Charges, type ChargeState } from "../../ports/Charges.ts"
import {
  asClaimed,
  asReady,
  asSettled,
  atMost,
  chargesWith,
  isCompleted,
  key,
  lease,
  order,
  outcome,
  paid,
  paidBack
} from "./chargeRecords.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const advancing: ReadonlyArray<StoreCase> = [
  storeCase("Charges: only the owner of the lease makes a claimed charge ready, once", function* () {
    const charges = yield* chargesWith("claimed")
    equal(yield* charges.advance("unknown", "me", outcome), false, "advance of an unknown key")
    equal(yield* charges.advance(key, "you", outcome), false, "advance by another")
    equal(yield* charges.find(key), asClaimed(sampleCharge(), lease("me")), "the charge before")
    equal(yield* charges.advance(key, "me", { ...outcome, subject: order }), true, "advance by the owner")
    const again = { answer: sampleAnswer("again"), subject: undefined }
    equal(yield* charges.advance(key, "me", again), false, "advance once more")
    equal(yield* charges.find(key), { ...asReady, subject: order }, "the charge")
  }),
  storeCase("Charges: a voided or settled charge does not become ready", function* () {
    for (const state of ["voided", "settled"] as const) {
      const charges = yield* chargesWith(state, { key: state })
      const before = yield* charges.find(state)
      equal(yield* charges.advance(state, "me", outcome), false, `advance of a ${state} charge`)
      equal(yield* charges.find(state), before, `the ${state} charge`)
    }
  }),
  storeCase(`Charges: of ${racers} answers of its owner one is recorded`, function* () {
    const charges = yield* chargesWith("claimed")
    const outcomes = yield* race((racer) =>
      charges.advance(key, "me", { answer: sampleAnswer(`answer ${racer}`), subject: undefined })
    )
    equal(wins(outcomes), 1, "answers that took effect")
    const charge = yield* charges.find(key)
    equal(charge?.answer, sampleAnswer(`answer ${outcomes.indexOf(true)}`), "the answer")
  })
]

const completing: ReadonlyArray<StoreCase> = [
  storeCase("Charges: ready becomes settled once, by anyone; settling again changes nothing", function* () {
    const charges = yield* chargesWith("claimed")
    equal((yield* charges.complete(key, paid, 1_500))._tag, "NotOpen", "complete of a claimed charge")
    equal((yield* charges.complete("unknown", paid, 1_500))._tag, "NotOpen", "complete of an unknown key")
    yield* charges.advance(key, "me", outcome)
    equal((yield* charges.complete(key, paid, 1_500))._tag, "Completed", "complete of a ready charge")
    equal(yield* charges.find(key), asSettled, "the charge")
    const again = { ...paidBack, receipt: sampleReceipt(2) }
    equal((yield* charges.complete(key, again, 1_600))._tag, "NotOpen", "complete once more")
    equal(yield* charges.find(key), asSettled, "the charge after that")
    equal((yield* charges.entries({ limit: 10 })).length, 1, "ledger entries")
  }),
  storeCase("Charges: a voided charge becomes settled if its money moves after all", function* () {
    const charges = yield* chargesWith("voided")
    equal((yield* charges.complete(key, paid, 1_500))._tag, "NotOpen", "complete without a refund")
    equal((yield* charges.complete(key, paidBack, 1_500))._tag, "Completed", "complete with a refund")
    const refund = { _tag: "Due" }
    const settled = { ...asSettled, answer: undefined, refund, leaseUntilMillis: 0 }
    equal(yield* charges.find(key), settled, "the charge")
    equal((yield* charges.complete(key, paidBack, 1_500))._tag, "NotOpen", "complete once more")
  }),
  storeCase("Charges: a voided charge that settles first becomes settled without a refund", function* () {
    const charges = yield* chargesWith("voided", { settlesFirst: true }, { subject: order })
    const settlement = { ...paid, responseOwedUntilMillis: 6_000 }
    equal((yield* charges.complete(key, settlement, 1_500))._tag, "Completed", "complete")
    const settled = {
      ...asSettled,
      settlesFirst: true,
      answer: undefined,
      subject: order,
      effectPending: true,
      responseOwedUntilMillis: 6_000,
      checkAfterMillis: 6_000,
      leaseUntilMillis: 0
    }
    equal(yield* charges.find(key), settled, "the charge")
  }),
  storeCase("Charges: settling leaves the lease as it is, and attempts begin anew", function* () {
    const charges = yield* chargesWith("ready")
    yield* charges.defer(key, "me", 1_100)
    equal(yield* charges.takeOver(key, lease("you", 9_000), 1_100), true, "the takeover")
    equal((yield* charges.find(key))?.attempts, 1, "attempts before")
    yield* charges.complete(key, paid, 1_500)
    const held = { leaseOwner: "you", leaseUntilMillis: 9_000 }
    equal(yield* charges.find(key), { ...asSettled, ...held }, "the charge")
  }),
  storeCase("Charges: what a settlement sets off is pending until it is marked, once", function* () {
    const charges = yield* chargesWith("settled", { key: "plain" })
    equal((yield* charges.find("plain"))?.effectPending, false, "of a charge without a subject")
    equal(yield* charges.markApplied("plain"), false, "marking what is not pending")
    yield* chargesWith("ready", { key: "owed" }, { subject: order })
    yield* charges.complete("owed", paidBack, 1_500)
    equal((yield* charges.find("owed"))?.effectPending, false, "where a refund is due instead")
    yield* chargesWith("ready", {}, { subject: order })
    equal(yield* charges.markApplied(key), false, "marking before the settlement")
    yield* charges.complete(key, paid, 1_500)
    equal(yield* charges.find(key), { ...asSettled, subject: order, effectPending: true }, "the charge")
    equal(wins(yield* race(() => charges.markApplied(key))), 1, "racers that marked it")
    equal(yield* charges.find(key), { ...asSettled, subject: order }, "the charge once it is marked")
    equal(yield* charges.markApplied("unknown"), false, "marking an unknown key")
  }),
  storeCase(`Charges: of ${racers} racers one settles a charge, and one entry is made`, function* () {
    const charges = yield* chargesWith("ready")
    const outcomes = yield* race((racer) =>
      Effect.map(
        charges.complete(key, { ...paid, receipt: sampleReceipt(racer) }, 1_500 + racer),
        isCompleted
      )
    )
    equal(wins(outcomes), 1, "settlements that took effect")
    const winner = outcomes.indexOf(true)
    const charge = yield* charges.find(key)
    equal(charge?.receipt, sampleReceipt(winner), "the receipt")
    equal(charge?.settledAtMillis, 1_500 + winner, "the time of settlement")
    const entries = yield* charges.entries({ limit: 10 })
    equal(
      entries.map(({ atMillis, kind, transaction }) => ({ atMillis, kind, transaction })),
      [{ atMillis: 1_500 + winner, kind: "settled", transaction: sampleReceipt(winner).transaction }],
      "the ledger"
    )
  })
]

const voiding: ReadonlyArray<StoreCase> = [
  storeCase("Charges: the owner voids a claimed or ready charge, which ends its lease", function* () {
    for (const state of ["claimed", "ready"] as const) {
      for (const keepExposure of [true, false]) {
        const own = `${state}, exposure ${keepExposure ? "kept" : "dropped"}`
        const charges = yield* chargesWith(state, { key: own, exposureAtomic: "70" }, { subject: order })
        const options = { keepExposure, checkAfterMillis: 1_200 }
        equal(yield* charges.void(own, "you", options), false, `void by another (${own})`)
        equal((yield* charges.find(own))?.state, state, `the state after that (${own})`)
        equal(yield* charges.void(own, "me", options), true, `void by the owner (${own})`)
        equal(yield* charges.void(own, "me", options), false, `void once more (${own})`)
        const expected = {
          ...asClaimed(sampleCharge({ key: own }), lease("me", 0)),
          state: "voided",
          checkAfterMillis: 1_200,
          settlement: "",
          exposureAtomic: keepExposure ? "70" : "0",
          subject: state === "ready" ? order : undefined
        }
        equal(yield* charges.find(own), expected, `the charge (${own})`)
        equal(yield* charges.takeOver(own, lease("you", 9_000), 0), true, `its lease has ended (${own})`)
      }
    }
  }),
  storeCase("Charges: no settled, no unknown charge is voided", function* () {
    const charges = yield* chargesWith("settled")
    const options = { keepExposure: false, checkAfterMillis: 0 }
    equal(yield* charges.void(key, "me", options), false, "void of a settled charge")
    equal(yield* charges.find(key), asSettled, "the settled charge")
    equal(yield* charges.void("unknown", "me", options), false, "void of an unknown key")
    equal((yield* charges.entries({ limit: 10 })).length, 1, "ledger entries")
  }),
  storeCase("Charges: a charge is voided with its answer, or settled, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWith("ready", { key: own })
        const [settled, voided] = yield* Effect.all(
          [
            Effect.map(charges.complete(own, paid, 1_500), isCompleted),
            charges.void(own, "me", { keepExposure: false, checkAfterMillis: 0 })
          ],
          { concurrency: "unbounded" }
        )
        const charge = yield* charges.find(own)
        const entries = yield* charges.entries({ limit: 10, chargeKeys: [own] })
        return (
          settled !== voided &&
          charge?.state === (settled ? "settled" : "voided") &&
          (charge?.answer === undefined) === voided &&
          entries.length === (settled ? 1 : 0)
        )
      })
    )
    equal(wins(outcomes), racers, "charges that were one of the two")
  })
]

/** Who may release a charge in which state. */
const releasable: ReadonlyArray<readonly [ChargeState, boolean]> = [
  ["claimed", true],
  ["ready", false],
  ["settled", false],
  ["voided", true]
]

const releasing: ReadonlyArray<StoreCase> = [
  storeCase("Charges: the owner frees the key of a claimed or voided charge, no other", function* () {
    for (const [state, isReleasable] of releasable) {
      const charges = yield* chargesWith(state, { key: state })
      equal(yield* charges.release(state, "you"), false, `release of a ${state} charge by another`)
      equal((yield* charges.find(state))?.state, state, `the ${state} charge after that`)
      equal(yield* charges.release(state, "me"), isReleasable, `release of a ${state} charge by its owner`)
      equal(
        (yield* charges.find(state))?.state,
        isReleasable ? undefined : state,
        `what is left of the ${state} one`
      )
      equal(yield* charges.release(state, "me"), false, `release of the ${state} charge once more`)
    }
    const charges = yield* Charges
    equal(yield* charges.release("unknown", "me"), false, "release of an unknown key")
  }),
  storeCase("Charges: a released key is claimed as if for the first time", function* () {
    const charges = yield* chargesWith("voided", { createdAtMillis: 500 })
    yield* charges.release(key, "me")
    const later = sampleCharge({ createdAtMillis: 3_000 })
    yield* charges.claim(later, lease("you", 9_000), 3_000, atMost(1))
    equal(yield* charges.find(key), asClaimed(later, lease("you", 9_000)), "the charge")
  }),
  storeCase(`Charges: of ${racers} releases one takes effect`, function* () {
    const charges = yield* chargesWith("claimed")
    equal(wins(yield* race(() => charges.release(key, "me"))), 1, "releases")
  }),
  storeCase(`Charges: of ${racers} voids one takes effect`, function* () {
    const charges = yield* chargesWith("ready")
    const voids = yield* race((racer) =>
      charges.void(key, "me", { keepExposure: true, checkAfterMillis: racer })
    )
    equal(wins(voids), 1, "voids")
    equal((yield* charges.find(key))?.checkAfterMillis, voids.indexOf(true), "when it is looked at again")
  }),
  storeCase("Charges: a voided charge is settled or released, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWith("voided", { key: own })
        const [settled, released] = yield* Effect.all(
          [Effect.map(charges.complete(own, paidBack, 1_500), isCompleted), charges.release(own, "me")],
          { concurrency: "unbounded" }
        )
        const state = (yield* charges.find(own))?.state
        const entries = yield* charges.entries({ limit: 10, chargeKeys: [own] })
        return (
          settled !== released &&
          state === (settled ? "settled" : undefined) &&
          entries.length === (settled ? 2 : 0)
        )
      })
    )
    equal(wins(outcomes), racers, "charges that were one of the two")
  })
]

/** What `advance`, `complete`, `markApplied`, `void` and `release` promise. */
export const settlementCases: ReadonlyArray<StoreCase> = [
  ...advancing,
  ...completing,
  ...voiding,
  ...releasing
]
