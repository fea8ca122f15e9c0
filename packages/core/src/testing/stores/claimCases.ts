import { Effect } from "effect"
import { Charges, type Claim } from "../../ports/Charges.ts"
import {
  asClaimed,
  atMost,
  chargesWith,
  isCompleted,
  key,
  lease,
  outcome,
  paid,
  paidBack,
  unlimited
} from "./chargeRecords.ts"
import { sampleAnswer, sampleCharge } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"

/** How many claims came out like that. */
const tagged = (claims: ReadonlyArray<Claim>, tag: Claim["_tag"]): number =>
  claims.filter(({ _tag }) => _tag === tag).length

const fresh: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a claim records the charge as it was given", function* () {
    const charges = yield* Charges
    equal(yield* charges.find(key), undefined, "an unknown key")
    const claim = charges.claim(sampleCharge(), lease("me"), 1_000, unlimited)
    equal(yield* claim, { _tag: "Claimed" }, "the claim")
    equal(yield* charges.find(key), asClaimed(sampleCharge(), lease("me")), "the charge")
  }),
  storeCase(`Charges: of ${racers} racers for one key exactly one claims it`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(
        sampleCharge({ payloadDigest: `digest-${racer}` }),
        lease(`racer-${racer}`),
        1_000,
        unlimited
      )
    )
    equal(tagged(claims, "Claimed"), 1, "claims that won")
    const winner = claims.findIndex(({ _tag }) => _tag === "Claimed")
    const standing = asClaimed(sampleCharge({ payloadDigest: `digest-${winner}` }), lease(`racer-${winner}`))
    equal(yield* charges.find(key), standing, "the charge")
    for (const claim of claims) {
      if (claim._tag !== "Claimed")
        equal(claim, { _tag: "Existing", charge: standing }, "what a loser is shown")
    }
  }),
  storeCase("Charges: claims of different keys don't meet", function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge({ key: `key-${racer}` }), lease(`racer-${racer}`), 1_000, unlimited)
    )
    equal(tagged(claims, "Claimed"), racers, "claims that won")
  }),
  storeCase("Charges: ready and settled charges are never claimed again", function* () {
    const charges = yield* chargesWith("ready")
    for (const owner of ["me", "you"]) {
      const later = charges.claim(sampleCharge(), lease(owner, 1e12), 1e11, unlimited)
      equal((yield* later)._tag, "Existing", `a claim by ${owner} of a ready charge whose lease has lapsed`)
    }
    yield* charges.complete(key, paid, 1_500)
    for (const owner of ["me", "you"]) {
      const later = charges.claim(sampleCharge(), lease(owner, 1e12), 1e11, unlimited)
      equal((yield* later)._tag, "Existing", `a claim by ${owner} of a settled charge`)
    }
  })
]

const lapsed: ReadonlyArray<StoreCase> = [
  storeCase(
    "Charges: a claim's lease holds up to its last millisecond, then another claim replaces the charge",
    function* () {
      const charges = yield* chargesWith("claimed")
      const next = sampleCharge({
        payloadDigest: "digest-2",
        operation: "track",
        createdAtMillis: 2_000,
        unverifiedSinceMillis: 2_000
      })
      const early = yield* charges.claim(next, lease("you", 9_000), 1_999, unlimited)
      equal(early, { _tag: "Existing", charge: asClaimed(sampleCharge(), lease("me")) }, "a claim at 1999")
      const due = yield* charges.claim(next, lease("you", 9_000), 2_000, unlimited)
      equal(due, { _tag: "Claimed" }, "a claim at 2000")
      const replaced = { ...asClaimed(next, lease("you", 9_000)), unverifiedSinceMillis: 1_000 }
      equal(yield* charges.find(key), replaced, "the charge")
      equal(yield* charges.advance(key, "me", outcome), false, "advance by who held it before")
      equal(yield* charges.release(key, "me"), false, "release by who held it before")
      const voiding = charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
      equal(yield* voiding, false, "void by who held it before")
      equal(yield* charges.find(key), replaced, "the charge after all that")
    }
  ),
  storeCase("Charges: also who held a running claim does not claim it again", function* () {
    const charges = yield* chargesWith("claimed")
    const again = yield* charges.claim(sampleCharge(), lease("me", 9_000), 1_500, unlimited)
    equal(again._tag, "Existing", "a claim by the owner while the lease runs")
  }),
  storeCase(
    "Charges: a charge that is claimed again begins anew, but for since when it was unverified",
    function* () {
      const charges = yield* chargesWith("claimed", { unverifiedSinceMillis: 700 })
      yield* charges.defer(key, "me", 1_200)
      for (const createdAtMillis of [2_000, 3_000]) {
        const next = sampleCharge({ createdAtMillis, unverifiedSinceMillis: createdAtMillis })
        const held = lease(`at-${createdAtMillis}`, createdAtMillis + 500)
        const claim = yield* charges.claim(next, held, createdAtMillis, unlimited)
        equal(claim._tag, "Claimed", `the claim at ${createdAtMillis}`)
        const replaced = { ...asClaimed(next, held), unverifiedSinceMillis: 700 }
        equal(yield* charges.find(key), replaced, `the charge of ${createdAtMillis}`)
      }
    }
  ),
  storeCase(`Charges: of ${racers} racers for a lapsed claim exactly one takes it`, function* () {
    const charges = yield* chargesWith("claimed")
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge(), lease(`racer-${racer}`, 9_000), 2_000, unlimited)
    )
    equal(tagged(claims, "Claimed"), 1, "claims that won")
    const winner = claims.findIndex(({ _tag }) => _tag === "Claimed")
    equal((yield* charges.find(key))?.leaseOwner, `racer-${winner}`, "the owner")
  }),
  storeCase("Charges: a lapsed claim is claimed anew or taken over, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* charges.claim(sampleCharge({ key: own }), lease("me"), 1_000, unlimited)
        const [claim, took] = yield* Effect.all(
          [
            charges.claim(sampleCharge({ key: own }), lease("claimant", 9_000), 2_000, unlimited),
            charges.takeOver(own, lease("taker", 9_000), 2_000)
          ],
          { concurrency: "unbounded" }
        )
        const owner = (yield* charges.find(own))?.leaseOwner
        return (claim._tag === "Claimed") !== took && owner === (took ? "taker" : "claimant")
      })
    )
    equal(
      outcomes,
      outcomes.map(() => true),
      "charges that had one of the two"
    )
  })
]

const voided: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a voided charge is claimed by its holder alone, however late it is", function* () {
    const charges = yield* chargesWith("voided")
    const next = sampleCharge({ payloadDigest: "digest-2", createdAtMillis: 5_000, unverifiedSinceMillis: 0 })
    const foreign = yield* charges.claim(next, lease("you", 1e12), 1e11, unlimited)
    equal(foreign._tag, "Existing", "a claim by another")
    equal(yield* charges.takeOver(key, lease("you", 9_000), 5_000), true, "another takes it over")
    const former = yield* charges.claim(next, lease("me", 9_000), 5_000, unlimited)
    equal(former._tag, "Existing", "a claim by who held it before")
    const own = yield* charges.claim(next, lease("you", 9_500), 5_000, unlimited)
    equal(own._tag, "Claimed", "a claim by the holder")
    const replaced = { ...asClaimed(next, lease("you", 9_500)), unverifiedSinceMillis: 1_000 }
    equal(yield* charges.find(key), replaced, "the charge")
  }),
  storeCase(`Charges: of ${racers} racers for a voided charge its holder claims it`, function* () {
    const charges = yield* chargesWith("voided")
    const taken = yield* charges.takeOver(key, lease("racer-7", 9_000), 3_000)
    equal(taken, true, "the takeover before")
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge(), lease(`racer-${racer}`, 9_500), 3_000, unlimited)
    )
    equal(
      claims.flatMap(({ _tag }, racer) => (_tag === "Claimed" ? [racer] : [])),
      [7],
      "racers that claimed it"
    )
  }),
  storeCase(`Charges: of ${racers} claims of its holder one takes a voided charge`, function* () {
    const charges = yield* chargesWith("voided")
    const claims = yield* race(() => charges.claim(sampleCharge(), lease("me", 9_000), 3_000, unlimited))
    equal(tagged(claims, "Claimed"), 1, "claims that won")
  }),
  storeCase("Charges: a voided charge is claimed again or settled, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWith("voided", { key: own })
        const [claim, completion] = yield* Effect.all(
          [
            charges.claim(sampleCharge({ key: own }), lease("me", 9_000), 3_000, unlimited),
            charges.complete(own, paidBack, 3_000)
          ],
          { concurrency: "unbounded" }
        )
        const settled = isCompleted(completion)
        const state = (yield* charges.find(own))?.state
        const entries = yield* charges.entries({ limit: 10, chargeKeys: [own] })
        return (
          (claim._tag === "Claimed") !== settled &&
          state === (settled ? "settled" : "claimed") &&
          entries.length === (settled ? 2 : 0)
        )
      })
    )
    equal(
      outcomes,
      outcomes.map(() => true),
      "charges that had one of the two"
    )
  })
]

const limits: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a payer has at most so many charges ready or under a running claim", function* () {
    const charges = yield* chargesWith("claimed", { key: "claimed" })
    yield* chargesWith("ready", { key: "ready" })
    yield* chargesWith("settled", { key: "settled" })
    yield* chargesWith("voided", { key: "voided" })
    yield* chargesWith("claimed", { key: "of another", payer: "0xanother" })
    const claimAt = (nowMillis: number, maxUnsettled: number) =>
      charges.claim(sampleCharge(), lease("you", 9_000), nowMillis, atMost(maxUnsettled))
    equal(yield* claimAt(1_999, 0), { _tag: "Limited", by: "charges" }, "a claim where none is allowed")
    equal(yield* claimAt(1_999, 2), { _tag: "Limited", by: "charges" }, "a third where two are allowed")
    equal(yield* charges.find(key), undefined, "the key that was refused")
    equal(
      yield* claimAt(2_000, 1),
      { _tag: "Limited", by: "charges" },
      "beside a ready charge whose lease has lapsed"
    )
    equal(yield* claimAt(2_000, 2), { _tag: "Claimed" }, "once the claim's lease has lapsed")
    equal((yield* charges.find("claimed"))?.state, "claimed", "the lapsed claim")
  }),
  storeCase("Charges: the limit leaves out the charge itself, and refuses none that exists", function* () {
    const charges = yield* chargesWith("claimed")
    const found = yield* charges.claim(sampleCharge(), lease("you"), 1_500, atMost(0))
    equal(found._tag, "Existing", "a claim of a running claim, none allowed")
    yield* charges.yieldLease(key, "me", 1_200)
    const limited = yield* charges.claim(sampleCharge({ operation: "track" }), lease("you"), 1_500, atMost(0))
    equal(limited, { _tag: "Limited", by: "charges" }, "a claim of a lapsed claim, none allowed")
    const standing = asClaimed(sampleCharge(), lease("me", 1_200))
    equal(yield* charges.find(key), standing, "the lapsed claim that was not replaced")
    yield* charges.claim(sampleCharge(), lease("you", 3_000), 1_500, atMost(1))
    const again = yield* charges.claim(sampleCharge(), lease("us", 9_000), 3_000, atMost(1))
    equal(again._tag, "Claimed", "a claim of the payer's only charge, lapsed, one allowed")
    yield* charges.void(key, "us", { keepExposure: false, checkAfterMillis: 0 })
    const revived = yield* charges.claim(sampleCharge(), lease("us", 9_000), 3_000, atMost(1))
    equal(revived._tag, "Claimed", "a claim of the payer's only charge, voided, one allowed")
  }),
  storeCase(`Charges: of ${racers} racers of one payer as many claim as are allowed`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge({ key: `key-${racer}` }), lease(`racer-${racer}`), 1_000, atMost(7))
    )
    equal(tagged(claims, "Claimed"), 7, "claims that won")
    equal(tagged(claims, "Limited"), racers - 7, "claims that were one too many")
    equal((yield* charges.list({ limit: racers })).length, 7, "charges")
  }),
  storeCase("Charges: payers don't take each other's places", function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(
        sampleCharge({ key: `key-${racer}`, payer: `0xpayer${racer % 5}` }),
        lease("me"),
        1_000,
        atMost(racers / 5)
      )
    )
    equal(tagged(claims, "Claimed"), racers, "claims that won")
  }),
  storeCase("Charges: a place that becomes free is taken, and never by two", function* () {
    const charges = yield* Charges
    const isOpen = ({ state }: { readonly state: string }) => state === "claimed" || state === "ready"
    const seen = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        for (let attempt = 0; attempt < 2_000; attempt++) {
          const claim = yield* charges.claim(sampleCharge({ key: own }), lease("me"), 1_000, atMost(3))
          if (claim._tag === "Limited") {
            yield* Effect.yieldNow
            continue
          }
          yield* charges.advance(own, "me", { answer: sampleAnswer(own), subject: undefined })
          const open = (yield* charges.list({ limit: racers })).filter(isOpen).length
          yield* charges.complete(own, paid, 1_500)
          return open
        }
        return undefined
      })
    )
    equal(
      seen.every((open) => open !== undefined),
      true,
      "every racer had a place in the end"
    )
    equal(
      seen.filter((open) => open! > 3),
      [],
      "how many were open at once, where too many"
    )
  })
]

/** What `claim` promises. */
export const claimCases: ReadonlyArray<StoreCase> = [...fresh, ...lapsed, ...voided, ...limits]
