import { Effect } from "effect"
import { type ChargeState, Charges, type NewCharge, type RepeatRule } from "@till402/core/effect"
import { chargesWithOne, countTagged, key, lease, unlimited } from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

/* Charges that repeat another one of their payer. */

const rule: RepeatRule = { fingerprints: [sampleCharge().fingerprint], sinceMillis: 500 }
const guarded = (changes: Partial<NewCharge> = {}) => sampleCharge({ guardsRepeats: true, ...changes })
const claimOf = (charge: NewCharge, repeats: RepeatRule | "on purpose" = rule, owner = "you") =>
  Charges.use((charges) =>
    charges.claim(charge, lease(owner, 9_000), 1_500, {
      ...unlimited,
      repeats: repeats === "on purpose" ? undefined : repeats
    })
  )
const second = guarded({ key: "second" })

/** What a second claim finds beside a first one in a state. */
const besideFirst = Effect.fnUntraced(function* (state: ChargeState) {
  const charges = yield* chargesWithOne(state, { guardsRepeats: true })
  return { charges, first: yield* charges.find(key) }
})

/** Payments for the same request, of the same payer. */
export const repeatCases: ReadonlyArray<ChargeCase> = [
  ...(["claimed", "ready", "settled"] as const).map((state) =>
    storeCase(`Charges: a charge that repeats a ${state} one is refused, and finds it`, function* () {
      const { charges, first } = yield* besideFirst(state)
      expectEqual(yield* claimOf(second), { _tag: "Repeated", first }, "the claim")
      expectEqual(yield* charges.find("second"), undefined, "the charge that was refused")
      expectEqual(yield* charges.findRepeated(second, rule), first, "the one that it repeats")
    })
  ),
  storeCase("Charges: a claim counts as the first one also after its lease has expired", function* () {
    const { charges } = yield* besideFirst("claimed")
    const late = yield* charges.claim(second, lease("you", 99_000), 50_000, { ...unlimited, repeats: rule })
    expectEqual(late._tag, "Repeated", "the claim")
  }),
  storeCase("Charges: a voided charge is repeated by none", function* () {
    const { charges } = yield* besideFirst("voided")
    expectEqual(yield* charges.findRepeated(second, rule), undefined, "the one that it repeats")
    expectEqual(yield* claimOf(second), { _tag: "Claimed" }, "the claim")
  }),
  storeCase("Charges: a refund ends the guard, from when it is due", function* () {
    const { charges } = yield* besideFirst("settled")
    yield* charges.markRefundDue(key, 2_000, undefined)
    expectEqual(yield* charges.findRepeated(second, rule), undefined, "while it is due")
    yield* charges.recordRefund(key, "0xrefund", 2_500)
    expectEqual(yield* claimOf(second), { _tag: "Claimed" }, "once it is sent")
  }),
  storeCase("Charges: what isn't the same request repeats nothing", function* () {
    yield* besideFirst("settled")
    const others: Readonly<Record<string, readonly [NewCharge, RepeatRule | "on purpose"]>> = {
      "another payer": [guarded({ key: "a", payer: "0xanother" }), rule],
      "another request": [
        guarded({ key: "b", fingerprint: "k1:another" }),
        { fingerprints: ["k1:another"], sinceMillis: 0 }
      ],
      "no request": [guarded({ key: "c" }), { fingerprints: [], sinceMillis: 0 }],
      "the first one too old": [guarded({ key: "d" }), { ...rule, sinceMillis: 1_001 }],
      "on purpose": [guarded({ key: "e" }), "on purpose"]
    }
    for (const [what, [charge, repeats]] of Object.entries(others))
      expectEqual(yield* claimOf(charge, repeats), { _tag: "Claimed" }, what)
  }),
  storeCase("Charges: a charge that guards nothing is repeated by none", function* () {
    yield* chargesWithOne("settled")
    expectEqual(yield* claimOf(second), { _tag: "Claimed" }, "the claim")
  }),
  storeCase("Charges: the newest of several is found, by any of the fingerprints", function* () {
    const charges = yield* Charges
    for (const [index, fingerprint] of ["k1:a", "k2:a", "k1:a", "k3:a"].entries())
      yield* claimOf(
        guarded({ key: `first-${index}`, fingerprint, createdAtMillis: 1_000 + index }),
        "on purpose"
      )
    const found = (...fingerprints: ReadonlyArray<string>) =>
      Effect.map(charges.findRepeated(second, { fingerprints, sinceMillis: 0 }), (first) => first?.key)
    expectEqual(yield* found("k1:a", "k2:a"), "first-2", "of two fingerprints")
    expectEqual(yield* found("k2:a"), "first-1", "of one fingerprint")
    expectEqual(yield* found("k4:a"), undefined, "of a fingerprint that no charge has")
  }),
  storeCase("Charges: a charge doesn't repeat itself, and a taken key comes first", function* () {
    const { charges } = yield* besideFirst("claimed")
    expectEqual((yield* claimOf(guarded()))._tag, "Existing", "a claim of the key that is taken")
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    expectEqual(yield* claimOf(guarded(), rule, "me"), { _tag: "Claimed" }, "a claim of the own voided key")
  }),
  storeCase("Charges: a repetition comes before the limits of its payer", function* () {
    const { charges } = yield* besideFirst("settled")
    const none = { maxUnsettled: 0, maxExposureAtomic: "0", repeats: rule }
    expectEqual((yield* charges.claim(second, lease("you"), 1_500, none))._tag, "Repeated", "the claim")
  }),
  storeCase(`Charges: of ${racers} racers with the same request exactly one claims`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      claimOf(guarded({ key: `key-${racer}`, payloadDigest: `digest-${racer}` }), rule, `racer-${racer}`)
    )
    expectEqual(countTagged(claims, "Claimed"), 1, "claims that won")
    expectEqual(countTagged(claims, "Repeated"), racers - 1, "claims that repeated it")
    expectEqual((yield* charges.list({ limit: racers })).length, 1, "charges")
  })
]
