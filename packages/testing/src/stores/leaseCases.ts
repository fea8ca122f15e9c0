import { Effect } from "effect"
import { Charges } from "@till402/core/effect"
import {
  asReady,
  chargesWithOne,
  isCompleted,
  key,
  keysOf,
  lease,
  order,
  outcome,
  paid,
  paidFirst,
  provisional,
  unlimited
} from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase, countTrue } from "./StoreCase.ts"

const takeovers: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: the expired lease of an unfinished charge is taken over", function* () {
    const charges = yield* Charges
    expectEqual(yield* charges.takeOver("unknown", lease("you", 9_000), 2_000), false, "an unknown key")
    for (const state of ["claimed", "ready", "settled"] as const) {
      // A settled charge is unfinished while its effect is pending.
      yield* chargesWithOne(state, { key: state }, { subject: order })
      const before = yield* charges.find(state)
      expectEqual(yield* charges.takeOver(state, lease("you", 9_000), 1_999), false, `a ${state} one at 1999`)
      expectEqual(yield* charges.find(state), before, `the ${state} one after that`)
      expectEqual(yield* charges.takeOver(state, lease("you", 9_000), 2_000), true, `a ${state} one at 2000`)
      const taken = { ...before, leaseOwner: "you", leaseUntilMillis: 9_000 }
      expectEqual(yield* charges.find(state), taken, `the ${state} one once it is taken over`)
      expectEqual(
        yield* charges.takeOver(state, lease("us", 9_000), 8_999),
        false,
        `a ${state} one again, at 8999`
      )
    }
    yield* chargesWithOne("voided", { key: "voided" })
    expectEqual(yield* charges.takeOver("voided", lease("you", 9_000), 1_001), true, "a voided one")
    expectEqual(
      yield* charges.takeOver("voided", lease("us", 9_999), 8_999),
      false,
      "a voided one that is held"
    )
    yield* charges.markApplied("settled")
    expectEqual(yield* charges.takeOver("settled", lease("us", 99_999), 9_000), false, "a finished one")
    yield* chargesWithOne("settled", { key: "plain" })
    expectEqual(yield* charges.takeOver("plain", lease("us", 99_999), 9_000), false, "one without an effect")
    yield* chargesWithOne("settled", { key: "provisional" }, { settlement: provisional })
    expectEqual(
      yield* charges.takeOver("provisional", lease("you", 9_000), 1_999),
      false,
      "a provisional one at 1999"
    )
    expectEqual(
      yield* charges.takeOver("provisional", lease("you", 9_000), 2_000),
      true,
      "a provisional one at 2000"
    )
    yield* charges.finalize("provisional", "you")
    expectEqual(
      yield* charges.takeOver("provisional", lease("us", 99_999), 9_000),
      false,
      "one that is final"
    )
    yield* chargesWithOne("settled", { key: "owed", settlesFirst: true }, { settlement: paidFirst })
    expectEqual(yield* charges.takeOver("owed", lease("you", 9_000), 2_000), true, "one with a due response")
    yield* charges.deliver("owed", "you", outcome.response)
    expectEqual(yield* charges.takeOver("owed", lease("us", 99_999), 9_000), false, "one that was delivered")
  }),
  storeCase("Charges: a takeover changes the owner", function* () {
    const charges = yield* chargesWithOne("claimed")
    yield* charges.takeOver(key, lease("you", 9_000), 2_000)
    expectEqual(yield* charges.advance(key, "me", outcome), false, "advance by the previous owner")
    expectEqual(yield* charges.release(key, "me"), false, "release by the previous owner")
    yield* charges.yieldLease(key, "me", 0)
    yield* charges.defer(key, "me", 77)
    expectEqual(
      (yield* charges.find(key))?.leaseUntilMillis,
      9_000,
      "the lease after a yield by the previous owner"
    )
    expectEqual((yield* charges.find(key))?.attempts, 0, "attempts after a defer by the previous owner")
    expectEqual(yield* charges.advance(key, "you", outcome), true, "advance by the new owner")
    const options = { keepExposure: true, checkAfterMillis: 0 }
    expectEqual(yield* charges.void(key, "me", options), false, "void by the previous owner")
    expectEqual(yield* charges.void(key, "you", options), true, "void by the new owner")
    expectEqual(yield* charges.release(key, "you"), true, "release by the new owner")
  }),
  storeCase(`Charges: of ${racers} racers exactly one takes over`, function* () {
    for (const state of ["claimed", "ready", "voided", "settled"] as const) {
      const charges = yield* chargesWithOne(state, { key: state }, { subject: order })
      const outcomes = yield* race((racer) => charges.takeOver(state, lease(`racer-${racer}`, 9_000), 2_000))
      expectEqual(countTrue(outcomes), 1, `racers that took over a ${state} charge`)
      const owner = (yield* charges.find(state))?.leaseOwner
      expectEqual(owner, `racer-${outcomes.indexOf(true)}`, `the owner of the ${state} charge`)
    }
  })
]

const endings: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: yielding ends a lease and keeps the state", function* () {
    const charges = yield* chargesWithOne("ready")
    yield* charges.yieldLease(key, "you", 0)
    expectEqual(yield* charges.find(key), asReady, "after a yield by another")
    yield* charges.yieldLease(key, "me", 1_300)
    expectEqual(
      yield* charges.find(key),
      { ...asReady, leaseUntilMillis: 1_300 },
      "after a yield by the owner"
    )
    expectEqual(
      yield* charges.takeOver(key, lease("you", 9_000), 1_299),
      false,
      "a takeover before that time"
    )
    expectEqual(yield* charges.takeOver(key, lease("you", 9_000), 1_300), true, "a takeover at that time")
    yield* chargesWithOne("claimed", { key: "other" })
    yield* charges.yieldLease("other", "me", 0)
    const claim = yield* charges.claim(sampleCharge({ key: "other" }), lease("you"), 1_001, unlimited)
    expectEqual(claim._tag, "Claimed", "a claim after a yield")
    yield* charges.yieldLease("unknown", "me", 0)
    expectEqual(yield* charges.find("unknown"), undefined, "a yield of an unknown key")
  }),
  storeCase("Charges: deferring counts an attempt and sets the next time", function* () {
    const charges = yield* chargesWithOne("ready")
    yield* charges.defer(key, "you", 5_000)
    expectEqual(yield* charges.find(key), asReady, "after a defer by another")
    for (const attempts of [1, 2, 3]) {
      const checkAfterMillis = 5_000 + attempts
      yield* charges.defer(key, "me", checkAfterMillis)
      const charge = yield* charges.find(key)
      const deferred = { ...asReady, leaseUntilMillis: charge?.leaseUntilMillis, attempts, checkAfterMillis }
      expectEqual(charge, deferred, `after ${attempts} attempts`)
      // The lease ends at once, before the charge is due again.
      expectEqual(yield* charges.takeOver(key, lease("me", 9_000), 1_001), true, "a takeover at once")
    }
    yield* charges.defer("unknown", "me", 0)
    expectEqual(yield* charges.find("unknown"), undefined, "a defer of an unknown key")
  }),
  storeCase(`Charges: of ${racers} concurrent deferrals all are counted`, function* () {
    const charges = yield* chargesWithOne("ready")
    yield* race(() => charges.defer(key, "me", 1_000))
    expectEqual((yield* charges.find(key))?.attempts, racers, "attempts")
  })
]

const skew: ReadonlyArray<ChargeCase> = [
  storeCase(
    "Charges: a process whose clock is ahead takes a lease early, and the owner loses it",
    function* () {
      const charges = yield* chargesWithOne("claimed")
      expectEqual(yield* charges.takeOver(key, lease("ahead", 12_000), 3_000), true, "taken over at 3000")
      // By the former owner's clock, it is 1200 and the lease runs until 2000.
      expectEqual(yield* charges.advance(key, "me", outcome), false, "advance by the former owner")
      expectEqual(keysOf(yield* charges.unfinished(1_200, 10)), [], "unfinished charges for the slow process")
      const claim = yield* charges.claim(sampleCharge(), lease("slow", 2_200), 1_200, unlimited)
      expectEqual(claim._tag, "Existing", "a claim by the slow process")
      expectEqual(
        yield* charges.takeOver(key, lease("slow", 2_200), 1_200),
        false,
        "a takeover by the slow process"
      )
      expectEqual((yield* charges.find(key))?.leaseOwner, "ahead", "the owner")
      expectEqual(yield* charges.advance(key, "ahead", outcome), true, "advance by the new owner")
    }
  ),
  storeCase(
    "Charges: a lease written by a slow clock is expired for a faster one, but held for its own",
    function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), lease("slow", 2_000), 1_000, unlimited)
      const fast = charges.claim(sampleCharge(), lease("fast", 62_000), 61_000, unlimited)
      expectEqual((yield* fast)._tag, "Claimed", "a claim by a process a minute ahead")
      const slow = charges.claim(sampleCharge(), lease("slow", 3_000), 2_500, unlimited)
      expectEqual((yield* slow)._tag, "Existing", "a claim by the slow process")
      expectEqual(yield* charges.release(key, "slow"), false, "release by the slow process")
      expectEqual(yield* charges.advance(key, "fast", outcome), true, "advance by the fast process")
    }
  ),
  storeCase(`Charges: ${racers} racers with different clocks take a expired lease once`, function* () {
    const charges = yield* chargesWithOne("ready")
    const outcomes = yield* race((racer) =>
      // By half of their clocks, the lease still runs.
      charges.takeOver(key, lease(`racer-${racer}`, 100_000), 2_000 + (racer % 2 === 0 ? racer : -racer))
    )
    expectEqual(countTrue(outcomes), 1, "racers that took over")
    expectEqual(outcomes.indexOf(true) % 2, 0, "whether one that believed the lease to run took it")
  }),
  storeCase("Charges: completing a charge needs no lease", function* () {
    const charges = yield* chargesWithOne("ready")
    yield* charges.takeOver(key, lease("you", 1e12), 2_000)
    expectEqual(
      isCompleted(yield* charges.complete(key, paid, 900)),
      true,
      "complete by one that holds nothing, its clock behind"
    )
    const charge = yield* charges.find(key)
    expectEqual(charge?.settledAtMillis, 900, "the time of settlement, as given")
    expectEqual((yield* charges.entries({ limit: 10 }))[0]?.atMillis, 900, "the time of the entry, as given")
    expectEqual(charge?.leaseOwner, "you", "the owner")
  }),
  storeCase("Charges: takeovers with different clocks are sequential", function* () {
    const charges = yield* chargesWithOne("ready")
    // Each uses another time, and leases until a time that only the next considers over.
    const times = Array.from({ length: racers }, (_, index) => 2_000 + index * 1_000)
    const taken = yield* Effect.forEach(
      times,
      (now) => charges.takeOver(key, lease(`at-${now}`, now + 1_000), now),
      { concurrency: "unbounded" }
    )
    const last = times.findLast((_, index) => taken[index])
    expectEqual((yield* charges.find(key))?.leaseOwner, `at-${last}`, "the owner: the latest that took it")
  })
]

/** Contract of `takeOver`, `yieldLease` and `defer`, including callers with different clocks. */
export const leaseCases: ReadonlyArray<ChargeCase> = [...takeovers, ...endings, ...skew]
