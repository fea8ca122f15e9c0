import { Effect } from "effect"
import { type Charge, Charges, type Lease, type NewCharge } from "../../ports/Charges.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const { key } = sampleCharge()
const outcome = { answer: sampleAnswer(), subject: undefined }
const lease = (owner: string, untilMillis = 2_000): Lease => ({ owner, untilMillis })

const asClaimed = (charge: NewCharge, { owner, untilMillis }: Lease): Charge => ({
  ...charge,
  state: "claimed",
  leaseOwner: owner,
  leaseUntilMillis: untilMillis,
  answer: undefined,
  subject: undefined,
  receipt: undefined,
  settledAtMillis: undefined
})

/** Charges with a charge in a given state, held by `me` until 2000. */
const chargesWith = Effect.fnUntraced(function* (
  state: "claimed" | "ready" | "settled",
  overrides: Partial<NewCharge> = {},
  settledAtMillis = 1_500
) {
  const charges = yield* Charges
  const charge = sampleCharge(overrides)
  yield* charges.claim(charge, lease("me"), 1_000)
  if (state !== "claimed") yield* charges.advance(charge.key, "me", outcome)
  if (state === "settled") yield* charges.complete(charge.key, sampleReceipt(), settledAtMillis)
  return charges
})

const claiming: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a claim records the charge as it was given", function* () {
    const charges = yield* Charges
    equal(yield* charges.find(key), undefined, "an unknown key")
    equal(yield* charges.claim(sampleCharge(), lease("me"), 1_000), { _tag: "Claimed" }, "the claim")
    equal(yield* charges.find(key), asClaimed(sampleCharge(), lease("me")), "the charge")
  }),
  storeCase(`Charges: of ${racers} racers for one key exactly one claims it`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge({ payloadDigest: `digest-${racer}` }), lease(`racer-${racer}`), 1_000)
    )
    const winner = claims.findIndex(({ _tag }) => _tag === "Claimed")
    equal(claims.filter(({ _tag }) => _tag === "Claimed").length, 1, "claims that won")
    const standing = asClaimed(sampleCharge({ payloadDigest: `digest-${winner}` }), lease(`racer-${winner}`))
    equal(yield* charges.find(key), standing, "the charge")
    for (const claim of claims)
      if (claim._tag === "Existing") equal(claim.charge, standing, "what a loser is shown")
  }),
  storeCase(
    "Charges: a lease holds up to its last millisecond, then another claim takes its place",
    function* () {
      const charges = yield* chargesWith("claimed")
      const next = sampleCharge({ payloadDigest: "digest-2", operation: "track", createdAtMillis: 2_000 })
      const early = yield* charges.claim(next, lease("you", 9_000), 1_999)
      equal(early, { _tag: "Existing", charge: asClaimed(sampleCharge(), lease("me")) }, "a claim at 1999")
      equal(yield* charges.claim(next, lease("you", 9_000), 2_000), { _tag: "Claimed" }, "a claim at 2000")
      equal(yield* charges.find(key), asClaimed(next, lease("you", 9_000)), "the charge")
      equal(yield* charges.advance(key, "me", outcome), false, "advance by who held it before")
      equal(yield* charges.release(key, "me"), false, "release by who held it before")
    }
  ),
  storeCase(`Charges: of ${racers} racers for a lapsed claim exactly one takes it`, function* () {
    const charges = yield* chargesWith("claimed")
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge(), lease(`racer-${racer}`, 9_000), 2_000)
    )
    equal(claims.filter(({ _tag }) => _tag === "Claimed").length, 1, "claims that won")
  }),
  storeCase("Charges: ready and settled charges are never claimed again", function* () {
    const charges = yield* chargesWith("ready")
    const later = charges.claim(sampleCharge(), lease("you", 1e12), 1e11)
    equal((yield* later)._tag, "Existing", "a claim of a ready charge whose lease has lapsed")
    yield* charges.complete(key, sampleReceipt(), 1_500)
    equal((yield* later)._tag, "Existing", "a claim of a settled charge")
  }),
  storeCase("Charges: claims of different keys don't meet", function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge({ key: `key-${racer}` }), lease(`racer-${racer}`), 1_000)
    )
    equal(claims.filter(({ _tag }) => _tag === "Claimed").length, racers, "claims that won")
  })
]

const settling: ReadonlyArray<StoreCase> = [
  storeCase("Charges: only the owner of the lease makes a claimed charge ready, once", function* () {
    const charges = yield* chargesWith("claimed")
    equal(yield* charges.advance("unknown", "me", outcome), false, "advance of an unknown key")
    equal(yield* charges.advance(key, "you", outcome), false, "advance by another")
    const subject = { kind: "order", id: "order-1" } as const
    equal(yield* charges.advance(key, "me", { ...outcome, subject }), true, "advance by the owner")
    const again = { answer: sampleAnswer("again"), subject: undefined }
    equal(yield* charges.advance(key, "me", again), false, "advance once more")
    const ready = { ...asClaimed(sampleCharge(), lease("me")), state: "ready", ...outcome, subject }
    equal(yield* charges.find(key), ready, "the charge")
  }),
  storeCase("Charges: ready becomes settled once; settling again changes nothing", function* () {
    const charges = yield* chargesWith("claimed")
    equal(yield* charges.complete(key, sampleReceipt(), 1_500), false, "complete of a claimed charge")
    equal(yield* charges.complete("unknown", sampleReceipt(), 1_500), false, "complete of an unknown key")
    yield* charges.advance(key, "me", outcome)
    equal(yield* charges.complete(key, sampleReceipt(), 1_500), true, "complete of a ready charge")
    equal(yield* charges.complete(key, sampleReceipt(2), 1_600), false, "complete once more")
    const settled = {
      ...asClaimed(sampleCharge(), lease("me")),
      ...outcome,
      state: "settled",
      settlement: "",
      receipt: sampleReceipt(),
      settledAtMillis: 1_500
    }
    equal(yield* charges.find(key), settled, "the charge")
  }),
  storeCase(`Charges: of ${racers} racers exactly one settles a charge`, function* () {
    const charges = yield* chargesWith("ready")
    const outcomes = yield* race((racer) => charges.complete(key, sampleReceipt(racer), 1_500 + racer))
    equal(wins(outcomes), 1, "settlements that took effect")
    const charge = yield* charges.find(key)
    equal(charge?.receipt, sampleReceipt(outcomes.indexOf(true)), "the receipt")
  }),
  storeCase("Charges: settled or released, never both", function* () {
    const charges = yield* Charges
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* charges.claim(sampleCharge({ key: own }), lease("me"), 1_000)
        yield* charges.advance(own, "me", outcome)
        const [settled, released] = yield* Effect.all(
          [charges.complete(own, sampleReceipt(), 1_500), charges.release(own, "me")],
          { concurrency: "unbounded" }
        )
        return settled !== released && (yield* charges.find(own))?.state === (settled ? "settled" : undefined)
      })
    )
    equal(wins(outcomes), racers, "charges that were one of the two")
  }),
  storeCase("Charges: the owner frees a claimed or ready key, nobody a settled one", function* () {
    const charges = yield* chargesWith("claimed")
    equal(yield* charges.release("unknown", "me"), false, "release of an unknown key")
    equal(yield* charges.release(key, "you"), false, "release by another")
    equal(yield* charges.release(key, "me"), true, "release of a claimed charge")
    equal(yield* charges.find(key), undefined, "the freed key")
    equal(yield* charges.release(key, "me"), false, "release once more")
    yield* chargesWith("ready")
    equal(yield* charges.release(key, "you"), false, "release of a ready charge by another")
    equal(yield* charges.release(key, "me"), true, "release of a ready charge")
    yield* chargesWith("settled")
    equal(yield* charges.release(key, "me"), false, "release of a settled charge")
    equal((yield* charges.find(key))?.state, "settled", "the settled charge")
  })
]

const leases: ReadonlyArray<StoreCase> = [
  storeCase("Charges: only a ready charge with a lapsed lease is taken over", function* () {
    const charges = yield* chargesWith("claimed")
    equal(yield* charges.takeOver("unknown", lease("you", 9_000), 2_000), false, "an unknown key")
    equal(yield* charges.takeOver(key, lease("you", 9_000), 2_000), false, "a claimed charge")
    yield* charges.advance(key, "me", outcome)
    equal(yield* charges.takeOver(key, lease("you", 9_000), 1_999), false, "a lease that holds")
    equal(yield* charges.takeOver(key, lease("you", 9_000), 2_000), true, "a lapsed lease")
    equal(yield* charges.release(key, "me"), false, "release by who held it before")
    equal((yield* charges.find(key))?.leaseUntilMillis, 9_000, "the lease")
    yield* charges.complete(key, sampleReceipt(), 2_500)
    equal(yield* charges.takeOver(key, lease("us", 99_000), 9_000), false, "a settled charge")
  }),
  storeCase(`Charges: of ${racers} racers exactly one takes over`, function* () {
    const charges = yield* chargesWith("ready")
    const outcomes = yield* race((racer) => charges.takeOver(key, lease(`racer-${racer}`, 9_000), 2_000))
    equal(wins(outcomes), 1, "racers that took over")
    equal((yield* charges.find(key))?.leaseOwner, `racer-${outcomes.indexOf(true)}`, "the owner")
  }),
  storeCase("Charges: a lease that its owner yields is free at once", function* () {
    const charges = yield* chargesWith("ready")
    yield* charges.yieldLease(key, "you")
    equal(yield* charges.takeOver(key, lease("you", 9_000), 1_001), false, "after a yield by another")
    yield* charges.yieldLease(key, "me")
    equal((yield* charges.find(key))?.state, "ready", "the state")
    equal(yield* charges.takeOver(key, lease("you", 9_000), 1_001), true, "after a yield by the owner")
    yield* chargesWith("claimed", { key: "other" })
    yield* charges.yieldLease("other", "me")
    const claim = yield* charges.claim(sampleCharge({ key: "other" }), lease("you"), 1_001)
    equal(claim._tag, "Claimed", "a claim after the yield")
  }),
  storeCase("Charges: unfinished are the ready ones with a lapsed lease, oldest first", function* () {
    const charges = yield* chargesWith("claimed", { key: "claimed" })
    yield* chargesWith("settled", { key: "settled" })
    for (const number of [3, 1, 5, 2, 4])
      yield* chargesWith("ready", { key: `ready-${number}`, createdAtMillis: number })
    yield* charges.takeOver("ready-2", lease("you", 9_000), 2_000)
    const keys = (found: ReadonlyArray<Charge>) => found.map((charge) => charge.key)
    equal(yield* charges.unfinished(1_999, 10), [], "while leases hold")
    const lapsed = ["ready-1", "ready-3", "ready-4", "ready-5"]
    equal(keys(yield* charges.unfinished(2_000, 10)), lapsed, "once they have lapsed")
    equal(keys(yield* charges.unfinished(2_000, 2)), lapsed.slice(0, 2), "two of them")
  })
]

const exactTexts = [
  "",
  "plain",
  `quotes ' " \` and \\ backslashes \\' \\n`,
  "lines\r\n\ttabs",
  "emoji 👩‍👩‍👧 🛍️, ügly, 漢字, \u202E right to left",
  "e\u0301 is not é",
  "%s _ ; DROP TABLE till_charges; -- ?1 $1 :name",
  "x".repeat(1_000_000),
  "漢🛍".repeat(100_000)
]

const keeping: ReadonlyArray<StoreCase> = [
  storeCase("Charges: recorded answers come back byte for byte", function* () {
    const charges = yield* Charges
    const bodies = [
      ...exactTexts.map((text) => ({ _tag: "Plain", text }) as const),
      { _tag: "Sealed", keyId: "k1", base64: "AAECAw==" } as const,
      { _tag: "Reopen", slug: "item-1" } as const
    ]
    for (const [index, body] of bodies.entries()) {
      const own = `key-${index}`
      const answer = { status: 200 + index, contentType: 'text/plain; charset="utf-8"', body }
      yield* charges.claim(sampleCharge({ key: own }), lease("me"), 1_000)
      yield* charges.advance(own, "me", { answer, subject: { kind: "purchase", id: "p-1" } })
      yield* charges.complete(own, sampleReceipt(), 1_500)
      const charge = yield* charges.find(own)
      equal(charge?.answer, answer, `answer ${index}`)
      equal(charge?.subject, { kind: "purchase", id: "p-1" }, `subject ${index}`)
    }
  }),
  storeCase("Charges: listed newest first, up to the limit", function* () {
    const charges = yield* Charges
    equal(yield* charges.list({ limit: 10 }), [], "of none")
    for (const number of [2, 5, 1, 4, 3])
      yield* chargesWith(number % 2 === 0 ? "ready" : "settled", {
        key: `key-${number}`,
        createdAtMillis: number
      })
    const listed = yield* charges.list({ limit: 3 })
    equal(
      listed.map((charge) => charge.key),
      ["key-5", "key-4", "key-3"],
      "the first three"
    )
  }),
  storeCase("Charges: answers expire, the books stay and their keys stay taken", function* () {
    const charges = yield* chargesWith("settled", { key: "long", validBeforeSeconds: 9 }, 4_000)
    yield* chargesWith("settled", { key: "short", validBeforeSeconds: 4 }, 4_500)
    yield* chargesWith("settled", { key: "young", validBeforeSeconds: 4 }, 5_000)
    yield* chargesWith("ready", { key: "ready", validBeforeSeconds: 1 })
    yield* chargesWith("claimed", { key: "dead", validBeforeSeconds: 4 })
    yield* chargesWith("claimed", { key: "alive", validBeforeSeconds: 9 })
    equal(yield* charges.expire(5_000), 3, "how many were touched")
    const tombstone = yield* charges.find("long")
    equal(tombstone?.state, "settled", "the state of the tombstone")
    equal(tombstone?.answer, undefined, "the answer of the tombstone")
    equal(tombstone?.receipt, sampleReceipt(), "the receipt of the tombstone")
    const claim = yield* charges.claim(sampleCharge({ key: "long" }), lease("you", 1e12), 1e11)
    equal(claim._tag, "Existing", "a claim of the tombstone's key")
    equal((yield* charges.find("short"))?.answer, undefined, "the answer of a settled charge that is void")
    equal((yield* charges.find("young"))?.answer, outcome.answer, "a charge settled at that moment")
    equal((yield* charges.find("ready"))?.answer, outcome.answer, "a ready charge")
    equal(yield* charges.find("dead"), undefined, "a dead claim that is void")
    equal((yield* charges.find("alive"))?.state, "claimed", "a claim that is not void")
    equal(yield* charges.expire(5_000), 0, "how many were touched once more")
    equal(yield* charges.expire(9_001), 2, "how many were touched when all is void")
    equal(
      (yield* charges.list({ limit: 10 })).map((charge) => charge.key).toSorted(),
      ["long", "ready", "short", "young"],
      "what is left"
    )
  }),
  storeCase("Charges: a void claim stays while it is young or its lease holds", function* () {
    const charges = yield* chargesWith("claimed", { key: "held", validBeforeSeconds: 1 })
    yield* chargesWith("claimed", { key: "young", validBeforeSeconds: 1, createdAtMillis: 2_500 })
    yield* charges.yieldLease("young", "me")
    equal(yield* charges.expire(2_000), 0, "how many were touched at 2000")
    equal(yield* charges.expire(2_001), 1, "how many were touched once a lease has lapsed")
    equal((yield* charges.find("held"))?.state, undefined, "the claim whose lease has lapsed")
    equal((yield* charges.find("young"))?.state, "claimed", "the young claim")
    equal(yield* charges.expire(2_501), 1, "how many were touched once none is young")
  })
]

/** What `Charges` promises. */
export const chargeCases: ReadonlyArray<StoreCase> = [...claiming, ...settling, ...leases, ...keeping]
