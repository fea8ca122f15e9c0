import { Effect } from "effect"
import { Charges } from "../../ports/Charges.ts"
import {
  asReady,
  chargesWith,
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
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const takeovers: ReadonlyArray<StoreCase> = [
  storeCase("Charges: the lapsed lease of an unfinished charge is taken over", function* () {
    const charges = yield* Charges
    equal(yield* charges.takeOver("unknown", lease("you", 9_000), 2_000), false, "an unknown key")
    for (const state of ["claimed", "ready", "settled"] as const) {
      // A settled one is unfinished as long as what it sets off is pending.
      yield* chargesWith(state, { key: state }, { subject: order })
      const before = yield* charges.find(state)
      equal(yield* charges.takeOver(state, lease("you", 9_000), 1_999), false, `a ${state} one at 1999`)
      equal(yield* charges.find(state), before, `the ${state} one after that`)
      equal(yield* charges.takeOver(state, lease("you", 9_000), 2_000), true, `a ${state} one at 2000`)
      const taken = { ...before, leaseOwner: "you", leaseUntilMillis: 9_000 }
      equal(yield* charges.find(state), taken, `the ${state} one once it is taken over`)
      equal(yield* charges.takeOver(state, lease("us", 9_000), 8_999), false, `a ${state} one again, at 8999`)
    }
    yield* chargesWith("voided", { key: "voided" })
    equal(yield* charges.takeOver("voided", lease("you", 9_000), 1_001), true, "a voided one")
    equal(yield* charges.takeOver("voided", lease("us", 9_999), 8_999), false, "a voided one that is held")
    yield* charges.markApplied("settled")
    equal(yield* charges.takeOver("settled", lease("us", 99_999), 9_000), false, "a finished one")
    yield* chargesWith("settled", { key: "plain" })
    equal(yield* charges.takeOver("plain", lease("us", 99_999), 9_000), false, "one that sets nothing off")
    yield* chargesWith("settled", { key: "provisional" }, { settlement: provisional })
    equal(
      yield* charges.takeOver("provisional", lease("you", 9_000), 1_999),
      false,
      "a provisional one at 1999"
    )
    equal(
      yield* charges.takeOver("provisional", lease("you", 9_000), 2_000),
      true,
      "a provisional one at 2000"
    )
    yield* charges.finalize("provisional", "you")
    equal(yield* charges.takeOver("provisional", lease("us", 99_999), 9_000), false, "one that is final")
    yield* chargesWith("settled", { key: "owed", settlesFirst: true }, { settlement: paidFirst })
    equal(yield* charges.takeOver("owed", lease("you", 9_000), 2_000), true, "one whose response is owed")
    yield* charges.deliver("owed", "you", outcome.answer)
    equal(yield* charges.takeOver("owed", lease("us", 99_999), 9_000), false, "one that was delivered")
  }),
  storeCase("Charges: who took a charge over is its owner, and who had it is not", function* () {
    const charges = yield* chargesWith("claimed")
    yield* charges.takeOver(key, lease("you", 9_000), 2_000)
    equal(yield* charges.advance(key, "me", outcome), false, "advance by who had it")
    equal(yield* charges.release(key, "me"), false, "release by who had it")
    yield* charges.yieldLease(key, "me", 0)
    yield* charges.defer(key, "me", 77)
    equal((yield* charges.find(key))?.leaseUntilMillis, 9_000, "the lease after a yield by who had it")
    equal((yield* charges.find(key))?.attempts, 0, "attempts after a defer by who had it")
    equal(yield* charges.advance(key, "you", outcome), true, "advance by who took it over")
    const options = { keepExposure: true, checkAfterMillis: 0 }
    equal(yield* charges.void(key, "me", options), false, "void by who had it")
    equal(yield* charges.void(key, "you", options), true, "void by who took it over")
    equal(yield* charges.release(key, "you"), true, "release by who took it over")
  }),
  storeCase(`Charges: of ${racers} racers exactly one takes over`, function* () {
    for (const state of ["claimed", "ready", "voided", "settled"] as const) {
      const charges = yield* chargesWith(state, { key: state }, { subject: order })
      const outcomes = yield* race((racer) => charges.takeOver(state, lease(`racer-${racer}`, 9_000), 2_000))
      equal(wins(outcomes), 1, `racers that took over a ${state} charge`)
      const owner = (yield* charges.find(state))?.leaseOwner
      equal(owner, `racer-${outcomes.indexOf(true)}`, `the owner of the ${state} charge`)
    }
  })
]

const endings: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a lease ends when its owner says, its state kept", function* () {
    const charges = yield* chargesWith("ready")
    yield* charges.yieldLease(key, "you", 0)
    equal(yield* charges.find(key), asReady, "after a yield by another")
    yield* charges.yieldLease(key, "me", 1_300)
    equal(yield* charges.find(key), { ...asReady, leaseUntilMillis: 1_300 }, "after a yield by the owner")
    equal(yield* charges.takeOver(key, lease("you", 9_000), 1_299), false, "a takeover before that time")
    equal(yield* charges.takeOver(key, lease("you", 9_000), 1_300), true, "a takeover at that time")
    yield* chargesWith("claimed", { key: "other" })
    yield* charges.yieldLease("other", "me", 0)
    const claim = yield* charges.claim(sampleCharge({ key: "other" }), lease("you"), 1_001, unlimited)
    equal(claim._tag, "Claimed", "a claim after a yield")
    yield* charges.yieldLease("unknown", "me", 0)
    equal(yield* charges.find("unknown"), undefined, "a yield of an unknown key")
  }),
  storeCase("Charges: an attempt in vain is counted, and looked at again when it says", function* () {
    const charges = yield* chargesWith("ready")
    yield* charges.defer(key, "you", 5_000)
    equal(yield* charges.find(key), asReady, "after a defer by another")
    for (const attempts of [1, 2, 3]) {
      const checkAfterMillis = 5_000 + attempts
      yield* charges.defer(key, "me", checkAfterMillis)
      const charge = yield* charges.find(key)
      const deferred = { ...asReady, leaseUntilMillis: charge?.leaseUntilMillis, attempts, checkAfterMillis }
      equal(charge, deferred, `after ${attempts} attempts`)
      // The lease has ended, long before the charge is shown again.
      equal(yield* charges.takeOver(key, lease("me", 9_000), 1_001), true, "a takeover at once")
    }
    yield* charges.defer("unknown", "me", 0)
    equal(yield* charges.find("unknown"), undefined, "a defer of an unknown key")
  }),
  storeCase(`Charges: of ${racers} attempts in vain none is lost`, function* () {
    const charges = yield* chargesWith("ready")
    yield* race(() => charges.defer(key, "me", 1_000))
    equal((yield* charges.find(key))?.attempts, racers, "attempts")
  })
]

const skew: ReadonlyArray<StoreCase> = [
  storeCase(
    "Charges: a process whose clock is ahead takes a lease early, and the other finds out",
    function* () {
      const charges = yield* chargesWith("claimed")
      equal(yield* charges.takeOver(key, lease("ahead", 12_000), 3_000), true, "taken over at 3000")
      // The clock of who had it says 1200, and that its lease runs until 2000.
      equal(yield* charges.advance(key, "me", outcome), false, "advance by who believes to hold it")
      equal(keysOf(yield* charges.unfinished(1_200, 10)), [], "what the slow process sees as unfinished")
      const claim = yield* charges.claim(sampleCharge(), lease("slow", 2_200), 1_200, unlimited)
      equal(claim._tag, "Existing", "a claim by the slow process")
      equal(
        yield* charges.takeOver(key, lease("slow", 2_200), 1_200),
        false,
        "a takeover by the slow process"
      )
      equal((yield* charges.find(key))?.leaseOwner, "ahead", "the owner")
      equal(yield* charges.advance(key, "ahead", outcome), true, "advance by who took it")
    }
  ),
  storeCase(
    "Charges: a lease written by a slow clock is lapsed for a faster one, held for its own",
    function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), lease("slow", 2_000), 1_000, unlimited)
      const fast = charges.claim(sampleCharge(), lease("fast", 62_000), 61_000, unlimited)
      equal((yield* fast)._tag, "Claimed", "a claim by a process a minute ahead")
      const slow = charges.claim(sampleCharge(), lease("slow", 3_000), 2_500, unlimited)
      equal((yield* slow)._tag, "Existing", "a claim by the slow process")
      equal(yield* charges.release(key, "slow"), false, "release by the slow process")
      equal(yield* charges.advance(key, "fast", outcome), true, "advance by the fast process")
    }
  ),
  storeCase(`Charges: ${racers} racers whose clocks disagree take a lapsed lease once`, function* () {
    const charges = yield* chargesWith("ready")
    const outcomes = yield* race((racer) =>
      // Half of them believe that the lease still runs.
      charges.takeOver(key, lease(`racer-${racer}`, 100_000), 2_000 + (racer % 2 === 0 ? racer : -racer))
    )
    equal(wins(outcomes), 1, "racers that took over")
    equal(outcomes.indexOf(true) % 2, 0, "whether one that believed the lease to run took it")
  }),
  storeCase("Charges: money that moved is entered by whoever sees it, lease or none", function* () {
    const charges = yield* chargesWith("ready")
    yield* charges.takeOver(key, lease("you", 1e12), 2_000)
    equal(
      isCompleted(yield* charges.complete(key, paid, 900)),
      true,
      "complete by one that holds nothing, its clock behind"
    )
    const charge = yield* charges.find(key)
    equal(charge?.settledAtMillis, 900, "the time of settlement, as it was said")
    equal((yield* charges.entries({ limit: 10 }))[0]?.atMillis, 900, "the time of the entry, as it was said")
    equal(charge?.leaseOwner, "you", "the owner")
  }),
  storeCase("Charges: takers with every clock are one after the other, never two at once", function* () {
    const charges = yield* chargesWith("ready")
    // Each believes another time, and holds until a time that only the next believes to be over.
    const times = Array.from({ length: racers }, (_, index) => 2_000 + index * 1_000)
    const taken = yield* Effect.forEach(
      times,
      (now) => charges.takeOver(key, lease(`at-${now}`, now + 1_000), now),
      { concurrency: "unbounded" }
    )
    const last = times.findLast((_, index) => taken[index])
    equal((yield* charges.find(key))?.leaseOwner, `at-${last}`, "the owner: the latest that took it")
  })
]

/** What `takeOver`, `yieldLease` and `defer` promise, also to callers whose clocks disagree. */
export const leaseCases: ReadonlyArray<StoreCase> = [...takeovers, ...endings, ...skew]
