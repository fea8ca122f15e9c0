import { Effect } from "effect"
import { Charges } from "@till402/core/effect"
import {
  asClaimed,
  chargesWithOne,
  isCompleted,
  key,
  lease,
  outcome,
  paid,
  paidRefundDue,
  unlimited,
  countTagged
} from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"
import { claimLimitCases } from "./claimLimitCases.ts"

const fresh: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a claim records the charge unchanged", function* () {
    const charges = yield* Charges
    expectEqual(yield* charges.find(key), undefined, "an unknown key")
    const claim = charges.claim(sampleCharge(), lease("me"), 1_000, unlimited)
    expectEqual(yield* claim, { _tag: "Claimed" }, "the claim")
    expectEqual(yield* charges.find(key), asClaimed(sampleCharge(), lease("me")), "the charge")
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
    expectEqual(countTagged(claims, "Claimed"), 1, "claims that won")
    const winner = claims.findIndex(({ _tag }) => _tag === "Claimed")
    const claimed = asClaimed(sampleCharge({ payloadDigest: `digest-${winner}` }), lease(`racer-${winner}`))
    expectEqual(yield* charges.find(key), claimed, "the charge")
    for (const claim of claims) {
      if (claim._tag !== "Claimed")
        expectEqual(claim, { _tag: "Existing", charge: claimed }, "the charge returned to the others")
    }
  }),
  storeCase("Charges: claims of different keys are independent", function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge({ key: `key-${racer}` }), lease(`racer-${racer}`), 1_000, unlimited)
    )
    expectEqual(countTagged(claims, "Claimed"), racers, "claims that won")
  }),
  storeCase("Charges: keys and payers that differ in letter case are different ones", function* () {
    const charges = yield* Charges
    const limits = { ...unlimited, maxUnsettled: 1 }
    // On Solana, base58 distinguishes them.
    for (const [key, payer] of [
      ["solana:mint:Payer:a", "Payer"],
      ["solana:mint:payer:a", "payer"]
    ] as const) {
      const claim = charges.claim(sampleCharge({ key, payer }), lease(key), 1_000, limits)
      expectEqual(yield* claim, { _tag: "Claimed" }, `the claim of ${key}`)
    }
    expectEqual((yield* charges.find("solana:mint:Payer:a"))?.payer, "Payer", "the payer of the first")
  }),
  storeCase("Charges: ready and settled charges are never claimed again", function* () {
    const charges = yield* chargesWithOne("ready")
    for (const owner of ["me", "you"]) {
      const later = charges.claim(sampleCharge(), lease(owner, 1e12), 1e11, unlimited)
      expectEqual(
        (yield* later)._tag,
        "Existing",
        `a claim by ${owner} of a ready charge whose lease has expired`
      )
    }
    yield* charges.complete(key, paid, 1_500)
    for (const owner of ["me", "you"]) {
      const later = charges.claim(sampleCharge(), lease(owner, 1e12), 1e11, unlimited)
      expectEqual((yield* later)._tag, "Existing", `a claim by ${owner} of a settled charge`)
    }
  })
]

const lapsed: ReadonlyArray<ChargeCase> = [
  storeCase(
    "Charges: a claim's lease holds up to its last millisecond, then another claim replaces the charge",
    function* () {
      const charges = yield* chargesWithOne("claimed")
      const next = sampleCharge({
        payloadDigest: "digest-2",
        operation: "track",
        createdAtMillis: 2_000,
        claimedAfterBlock: "200 0xb"
      })
      const early = yield* charges.claim(next, lease("you", 9_000), 1_999, unlimited)
      expectEqual(
        early,
        { _tag: "Existing", charge: asClaimed(sampleCharge(), lease("me")) },
        "a claim at 1999"
      )
      const due = yield* charges.claim(next, lease("you", 9_000), 2_000, unlimited)
      expectEqual(due, { _tag: "Claimed" }, "a claim at 2000")
      const replaced = { ...asClaimed(next, lease("you", 9_000)), claimedAfterBlock: "100 0xa" }
      expectEqual(yield* charges.find(key), replaced, "the charge")
      expectEqual(yield* charges.advance(key, "me", outcome), false, "advance by the previous owner")
      expectEqual(yield* charges.release(key, "me"), false, "release by the previous owner")
      const voiding = charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
      expectEqual(yield* voiding, false, "void by the previous owner")
      expectEqual(yield* charges.find(key), replaced, "the charge is unchanged")
    }
  ),
  storeCase("Charges: the owner of a running claim can't claim it again", function* () {
    const charges = yield* chargesWithOne("claimed")
    const again = yield* charges.claim(sampleCharge(), lease("me", 9_000), 1_500, unlimited)
    expectEqual(again._tag, "Existing", "a claim by the owner while the lease runs")
  }),
  storeCase(
    "Charges: a charge claimed again starts over, but keeps the block of its first claim",
    function* () {
      const charges = yield* chargesWithOne("claimed")
      yield* charges.defer(key, "me", 1_200)
      for (const createdAtMillis of [2_000, 3_000]) {
        const next = sampleCharge({ createdAtMillis, claimedAfterBlock: `${createdAtMillis} 0xb` })
        const held = lease(`at-${createdAtMillis}`, createdAtMillis + 500)
        const claim = yield* charges.claim(next, held, createdAtMillis, unlimited)
        expectEqual(claim._tag, "Claimed", `the claim at ${createdAtMillis}`)
        const replaced = { ...asClaimed(next, held), claimedAfterBlock: "100 0xa" }
        expectEqual(yield* charges.find(key), replaced, `the charge of ${createdAtMillis}`)
      }
    }
  ),
  storeCase(`Charges: of ${racers} racers for a expired claim exactly one takes it`, function* () {
    const charges = yield* chargesWithOne("claimed")
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge(), lease(`racer-${racer}`, 9_000), 2_000, unlimited)
    )
    expectEqual(countTagged(claims, "Claimed"), 1, "claims that won")
    const winner = claims.findIndex(({ _tag }) => _tag === "Claimed")
    expectEqual((yield* charges.find(key))?.leaseOwner, `racer-${winner}`, "the owner")
  }),
  storeCase("Charges: a expired claim is claimed again or taken over, never both", function* () {
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
    expectEqual(
      outcomes,
      outcomes.map(() => true),
      "charges that had one of the two"
    )
  })
]

const voided: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a voided charge is claimed by its owner only, at any time", function* () {
    const charges = yield* chargesWithOne("voided")
    const next = sampleCharge({ payloadDigest: "digest-2", createdAtMillis: 5_000, claimedAfterBlock: "" })
    const foreign = yield* charges.claim(next, lease("you", 1e12), 1e11, unlimited)
    expectEqual(foreign._tag, "Existing", "a claim by another")
    expectEqual(yield* charges.takeOver(key, lease("you", 9_000), 5_000), true, "another takes it over")
    const former = yield* charges.claim(next, lease("me", 9_000), 5_000, unlimited)
    expectEqual(former._tag, "Existing", "a claim by the previous owner")
    const own = yield* charges.claim(next, lease("you", 9_500), 5_000, unlimited)
    expectEqual(own._tag, "Claimed", "a claim by the holder")
    const replaced = { ...asClaimed(next, lease("you", 9_500)), claimedAfterBlock: "100 0xa" }
    expectEqual(yield* charges.find(key), replaced, "the charge")
  }),
  storeCase("Charges: a payment that was refused stays so when another takes its place", function* () {
    const charges = yield* chargesWithOne("claimed")
    yield* charges.void(key, "me", { keepExposure: false, isRefused: true, checkAfterMillis: 0 })
    const next = sampleCharge({ payloadDigest: "digest-2" })
    yield* charges.claim(next, lease("me", 9_000), 3_000, unlimited)
    const replaced = { ...asClaimed(next, lease("me", 9_000)), refusedDigest: "digest-1" }
    expectEqual(yield* charges.find(key), replaced, "the charge that replaced it")
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    expectEqual((yield* charges.find(key))?.refusedDigest, "digest-1", "once that is voided, not refused")
    yield* charges.claim(next, lease("me", 9_000), 3_000, unlimited)
    yield* charges.void(key, "me", { keepExposure: false, isRefused: true, checkAfterMillis: 0 })
    expectEqual((yield* charges.find(key))?.refusedDigest, "digest-2", "once that is refused, too")
  }),
  storeCase(`Charges: of ${racers} racers for a voided charge only its owner claims it`, function* () {
    const charges = yield* chargesWithOne("voided")
    const taken = yield* charges.takeOver(key, lease("racer-7", 9_000), 3_000)
    expectEqual(taken, true, "the takeover before")
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge(), lease(`racer-${racer}`, 9_500), 3_000, unlimited)
    )
    expectEqual(
      claims.flatMap(({ _tag }, racer) => (_tag === "Claimed" ? [racer] : [])),
      [7],
      "racers that claimed it"
    )
  }),
  storeCase(`Charges: of ${racers} concurrent claims by its owner one takes a voided charge`, function* () {
    const charges = yield* chargesWithOne("voided")
    const claims = yield* race(() => charges.claim(sampleCharge(), lease("me", 9_000), 3_000, unlimited))
    expectEqual(countTagged(claims, "Claimed"), 1, "claims that won")
  }),
  storeCase("Charges: a voided charge is claimed again or settled, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWithOne("voided", { key: own })
        const [claim, completion] = yield* Effect.all(
          [
            charges.claim(sampleCharge({ key: own }), lease("me", 9_000), 3_000, unlimited),
            charges.complete(own, paidRefundDue, 3_000)
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
    expectEqual(
      outcomes,
      outcomes.map(() => true),
      "charges that had one of the two"
    )
  })
]

/** Contract of `claim`. */
export const claimCases: ReadonlyArray<ChargeCase> = [...fresh, ...lapsed, ...voided, ...claimLimitCases]
