import { Effect } from "effect"
import { Charges, type ChargeState } from "@till402/core/effect"
import {
  asClaimed,
  asReady,
  asSettled,
  atMost,
  chargesWithOne,
  isCompleted,
  key,
  lease,
  order,
  outcome,
  paid,
  paidRefundDue,
  unlimited
} from "./chargeRecords.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase, countTrue } from "./StoreCase.ts"

const advancing: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: only the lease's owner makes a claimed charge ready, once", function* () {
    const charges = yield* chargesWithOne("claimed")
    expectEqual(yield* charges.advance("unknown", "me", outcome), false, "advance of an unknown key")
    expectEqual(yield* charges.advance(key, "you", outcome), false, "advance by another")
    expectEqual(yield* charges.find(key), asClaimed(sampleCharge(), lease("me")), "the charge before")
    expectEqual(
      yield* charges.advance(key, "me", { ...outcome, subject: order }),
      true,
      "advance by the owner"
    )
    const again = { response: sampleResponse("again"), subject: undefined }
    expectEqual(yield* charges.advance(key, "me", again), false, "advance again")
    expectEqual(yield* charges.find(key), { ...asReady, subject: order }, "the charge")
  }),
  storeCase("Charges: a voided or settled charge does not become ready", function* () {
    for (const state of ["voided", "settled"] as const) {
      const charges = yield* chargesWithOne(state, { key: state })
      const before = yield* charges.find(state)
      expectEqual(yield* charges.advance(state, "me", outcome), false, `advance of a ${state} charge`)
      expectEqual(yield* charges.find(state), before, `the ${state} charge`)
    }
  }),
  storeCase(`Charges: of ${racers} concurrent responses one is recorded`, function* () {
    const charges = yield* chargesWithOne("claimed")
    const outcomes = yield* race((racer) =>
      charges.advance(key, "me", { response: sampleResponse(`response ${racer}`), subject: undefined })
    )
    expectEqual(countTrue(outcomes), 1, "responses that took effect")
    const charge = yield* charges.find(key)
    expectEqual(charge?.response, sampleResponse(`response ${outcomes.indexOf(true)}`), "the response")
  })
]

const completing: ReadonlyArray<ChargeCase> = [
  storeCase(
    "Charges: any process can settle a ready charge, once; settling again changes nothing",
    function* () {
      const charges = yield* chargesWithOne("claimed")
      expectEqual((yield* charges.complete(key, paid, 1_500))._tag, "NotOpen", "complete of a claimed charge")
      expectEqual(
        (yield* charges.complete("unknown", paid, 1_500))._tag,
        "NotOpen",
        "complete of an unknown key"
      )
      yield* charges.advance(key, "me", outcome)
      expectEqual((yield* charges.complete(key, paid, 1_500))._tag, "Completed", "complete of a ready charge")
      expectEqual(yield* charges.find(key), asSettled, "the charge")
      const again = { ...paidRefundDue, receipt: sampleReceipt(2) }
      expectEqual((yield* charges.complete(key, again, 1_600))._tag, "NotOpen", "complete again")
      expectEqual(yield* charges.find(key), asSettled, "the charge after that")
      expectEqual((yield* charges.entries({ limit: 10 })).length, 1, "ledger entries")
    }
  ),
  storeCase("Charges: a voided charge becomes settled if its money moves after all", function* () {
    const charges = yield* chargesWithOne("voided")
    expectEqual((yield* charges.complete(key, paid, 1_500))._tag, "NotOpen", "complete without a refund")
    expectEqual(
      (yield* charges.complete(key, paidRefundDue, 1_500))._tag,
      "Completed",
      "complete with a refund"
    )
    const refund = { _tag: "Due" }
    const settled = { ...asSettled, response: undefined, refund, leaseUntilMillis: 0 }
    expectEqual(yield* charges.find(key), settled, "the charge")
    expectEqual((yield* charges.complete(key, paidRefundDue, 1_500))._tag, "NotOpen", "complete again")
  }),
  storeCase("Charges: a settlement by the owner before a takeover changes nothing", function* () {
    const charges = yield* chargesWithOne("voided")
    const due = { ...paidRefundDue, owner: "me" }
    expectEqual(yield* charges.takeOver(key, lease("you", 9_000), 2_000), true, "the takeover")
    expectEqual((yield* charges.complete(key, due, 2_100))._tag, "NotOpen", "complete while voided")
    yield* charges.claim(sampleCharge(), lease("you", 9_000), 2_200, unlimited)
    yield* charges.advance(key, "you", outcome)
    const ready = yield* charges.find(key)
    expectEqual((yield* charges.complete(key, due, 2_300))._tag, "NotOpen", "complete once it is ready")
    expectEqual(yield* charges.find(key), ready, "the charge")
    expectEqual(yield* charges.entries({ limit: 10 }), [], "the ledger")
    const own = { ...due, owner: "you" }
    expectEqual((yield* charges.complete(key, own, 2_400))._tag, "Completed", "complete by the owner")
  }),
  storeCase("Charges: a voided settle-first charge becomes settled without a refund", function* () {
    const charges = yield* chargesWithOne("voided", { settlesFirst: true }, { subject: order })
    const settlement = { ...paid, responseOwedUntilMillis: 6_000 }
    expectEqual((yield* charges.complete(key, settlement, 1_500))._tag, "Completed", "complete")
    const settled = {
      ...asSettled,
      settlesFirst: true,
      response: undefined,
      subject: order,
      effectPending: true,
      responseOwedUntilMillis: 6_000,
      checkAfterMillis: 6_000,
      leaseUntilMillis: 0
    }
    expectEqual(yield* charges.find(key), settled, "the charge")
  }),
  storeCase("Charges: settling keeps the lease and resets the attempts", function* () {
    const charges = yield* chargesWithOne("ready")
    yield* charges.defer(key, "me", 1_100)
    expectEqual(yield* charges.takeOver(key, lease("you", 9_000), 1_100), true, "the takeover")
    expectEqual((yield* charges.find(key))?.attempts, 1, "attempts before")
    yield* charges.complete(key, paid, 1_500)
    const held = { leaseOwner: "you", leaseUntilMillis: 9_000 }
    expectEqual(yield* charges.find(key), { ...asSettled, ...held }, "the charge")
  }),
  storeCase("Charges: a settlement's effect is pending until it is marked applied, once", function* () {
    const charges = yield* chargesWithOne("settled", { key: "plain" })
    expectEqual((yield* charges.find("plain"))?.effectPending, false, "of a charge without a subject")
    expectEqual(yield* charges.markApplied("plain"), false, "marking an effect that is not pending")
    yield* chargesWithOne("ready", { key: "owed" }, { subject: order })
    yield* charges.complete("owed", paidRefundDue, 1_500)
    expectEqual((yield* charges.find("owed"))?.effectPending, false, "where a refund is due instead")
    yield* chargesWithOne("ready", {}, { subject: order })
    expectEqual(yield* charges.markApplied(key), false, "marking before the settlement")
    yield* charges.complete(key, paid, 1_500)
    expectEqual(yield* charges.find(key), { ...asSettled, subject: order, effectPending: true }, "the charge")
    expectEqual(countTrue(yield* race(() => charges.markApplied(key))), 1, "racers that marked it")
    expectEqual(yield* charges.find(key), { ...asSettled, subject: order }, "the charge once it is marked")
    expectEqual(yield* charges.markApplied("unknown"), false, "marking an unknown key")
  }),
  storeCase(`Charges: of ${racers} racers one settles a charge, and one entry is written`, function* () {
    const charges = yield* chargesWithOne("ready")
    const outcomes = yield* race((racer) =>
      Effect.map(
        charges.complete(key, { ...paid, receipt: sampleReceipt(racer) }, 1_500 + racer),
        isCompleted
      )
    )
    expectEqual(countTrue(outcomes), 1, "settlements that took effect")
    const winner = outcomes.indexOf(true)
    const charge = yield* charges.find(key)
    expectEqual(charge?.receipt, sampleReceipt(winner), "the receipt")
    expectEqual(charge?.settledAtMillis, 1_500 + winner, "the time of settlement")
    const entries = yield* charges.entries({ limit: 10 })
    expectEqual(
      entries.map(({ atMillis, kind, transaction }) => ({ atMillis, kind, transaction })),
      [{ atMillis: 1_500 + winner, kind: "settled", transaction: sampleReceipt(winner).transaction }],
      "the ledger"
    )
  })
]

const voiding: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: the owner can void a claimed or ready charge, which ends its lease", function* () {
    for (const state of ["claimed", "ready"] as const) {
      for (const [keepExposure, isRefused] of [
        [true, false],
        [false, true],
        [false, undefined]
      ] as const) {
        const own = `${state}, exposure ${keepExposure ? "kept" : "dropped"}, ${isRefused === true ? "" : "not "}refused`
        const charges = yield* chargesWithOne(state, { key: own, exposureAtomic: "70" }, { subject: order })
        const options = {
          keepExposure,
          checkAfterMillis: 1_200,
          ...(isRefused === undefined ? {} : { isRefused })
        }
        expectEqual(yield* charges.void(own, "you", options), false, `void by another (${own})`)
        expectEqual((yield* charges.find(own))?.state, state, `the state after that (${own})`)
        expectEqual(yield* charges.void(own, "me", options), true, `void by the owner (${own})`)
        expectEqual(yield* charges.void(own, "me", options), false, `void once more (${own})`)
        const expected = {
          ...asClaimed(sampleCharge({ key: own }), lease("me", 0)),
          state: "voided",
          checkAfterMillis: 1_200,
          settlement: "",
          exposureAtomic: keepExposure ? "70" : "0",
          refusedDigest: isRefused === true ? "digest-1" : "",
          subject: state === "ready" ? order : undefined
        }
        expectEqual(yield* charges.find(own), expected, `the charge (${own})`)
        expectEqual(
          yield* charges.takeOver(own, lease("you", 9_000), 0),
          true,
          `its lease has ended (${own})`
        )
      }
    }
  }),
  storeCase("Charges: settled and unknown charges can't be voided", function* () {
    const charges = yield* chargesWithOne("settled")
    const options = { keepExposure: false, checkAfterMillis: 0 }
    expectEqual(yield* charges.void(key, "me", options), false, "void of a settled charge")
    expectEqual(yield* charges.find(key), asSettled, "the settled charge")
    expectEqual(yield* charges.void("unknown", "me", options), false, "void of an unknown key")
    expectEqual((yield* charges.entries({ limit: 10 })).length, 1, "ledger entries")
  }),
  storeCase("Charges: a charge is voided or settled, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWithOne("ready", { key: own })
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
          (charge?.response === undefined) === voided &&
          entries.length === (settled ? 1 : 0)
        )
      })
    )
    expectEqual(countTrue(outcomes), racers, "charges that were one of the two")
  })
]

/** Which owners may release a charge in which state. */
const releasable: ReadonlyArray<readonly [ChargeState, boolean]> = [
  ["claimed", true],
  ["ready", false],
  ["settled", false],
  ["voided", true]
]

const releasing: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: only the owner can release a claimed or voided charge", function* () {
    for (const [state, isReleasable] of releasable) {
      const charges = yield* chargesWithOne(state, { key: state })
      expectEqual(yield* charges.release(state, "you"), false, `release of a ${state} charge by another`)
      expectEqual((yield* charges.find(state))?.state, state, `the ${state} charge after that`)
      expectEqual(
        yield* charges.release(state, "me"),
        isReleasable,
        `release of a ${state} charge by its owner`
      )
      expectEqual(
        (yield* charges.find(state))?.state,
        isReleasable ? undefined : state,
        `what is left of the ${state} one`
      )
      expectEqual(yield* charges.release(state, "me"), false, `release of the ${state} charge again`)
    }
    const charges = yield* Charges
    expectEqual(yield* charges.release("unknown", "me"), false, "release of an unknown key")
  }),
  storeCase("Charges: a released key can be claimed like a new one", function* () {
    const charges = yield* chargesWithOne("voided", { createdAtMillis: 500 })
    yield* charges.release(key, "me")
    const later = sampleCharge({ createdAtMillis: 3_000 })
    yield* charges.claim(later, lease("you", 9_000), 3_000, atMost(1))
    expectEqual(yield* charges.find(key), asClaimed(later, lease("you", 9_000)), "the charge")
  }),
  storeCase(`Charges: of ${racers} concurrent releases one takes effect`, function* () {
    const charges = yield* chargesWithOne("claimed")
    expectEqual(countTrue(yield* race(() => charges.release(key, "me"))), 1, "releases")
  }),
  storeCase(`Charges: of ${racers} concurrent voids one takes effect`, function* () {
    const charges = yield* chargesWithOne("ready")
    const voids = yield* race((racer) =>
      charges.void(key, "me", { keepExposure: true, checkAfterMillis: racer })
    )
    expectEqual(countTrue(voids), 1, "voids")
    expectEqual((yield* charges.find(key))?.checkAfterMillis, voids.indexOf(true), "its next time")
  }),
  storeCase("Charges: a voided charge is settled or released, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWithOne("voided", { key: own })
        const [settled, released] = yield* Effect.all(
          [Effect.map(charges.complete(own, paidRefundDue, 1_500), isCompleted), charges.release(own, "me")],
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
    expectEqual(countTrue(outcomes), racers, "charges that were one of the two")
  })
]

/** Contract of `advance`, `complete`, `markApplied`, `void` and `release`. */
export const settlementCases: ReadonlyArray<ChargeCase> = [
  ...advancing,
  ...completing,
  ...voiding,
  ...releasing
]
