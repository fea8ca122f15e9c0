import { Effect } from "effect"
import { type ChargeState, Charges, type NewCharge, type RepeatRule } from "@till402/core/effect"
import { chargesWithOne, countTagged, key, lease, unlimited } from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

/* Charges that repeat another one of their payer. */

const repeatKey = "k1:order"
const rule: RepeatRule = { repeatKeys: [repeatKey], sinceMillis: 500 }
const guarded = (changes: Partial<NewCharge> = {}) => sampleCharge({ repeatKey, ...changes })
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
  const charges = yield* chargesWithOne(state, { repeatKey })
  return { charges, first: yield* charges.find(key) }
})

const id = "pay_7d5d747be160e280"
const named: NonNullable<RepeatRule["named"]> = { operation: sampleCharge().operation, paymentId: id }
const byName: RepeatRule = { repeatKeys: [], sinceMillis: 500, named }
const namedCharge = (changes: Partial<NewCharge> = {}) => guarded({ paymentId: id, ...changes })
/** Another payment with the same id, for another order. */
const otherOrder = namedCharge({ key: "second", repeatKey: "k1:another", fingerprint: "k1:another" })

/** Payments for the same order, of the same payer. */
const sameOrder: ReadonlyArray<ChargeCase> = [
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
  storeCase("Charges: what isn't the same order repeats nothing", function* () {
    yield* besideFirst("settled")
    const others: Readonly<Record<string, readonly [NewCharge, RepeatRule | "on purpose"]>> = {
      "another payer": [guarded({ key: "a", payer: "0xanother" }), rule],
      "another order": [
        guarded({ key: "b", repeatKey: "k1:another" }),
        { repeatKeys: ["k1:another"], sinceMillis: 0 }
      ],
      "no order": [guarded({ key: "c" }), { repeatKeys: [], sinceMillis: 0 }],
      "the first one too old": [guarded({ key: "d" }), { ...rule, sinceMillis: 1_001 }],
      "on purpose": [guarded({ key: "e" }), "on purpose"]
    }
    for (const [what, [charge, repeats]] of Object.entries(others))
      expectEqual(yield* claimOf(charge, repeats), { _tag: "Claimed" }, what)
  }),
  storeCase("Charges: a charge that guards nothing is repeated by none", function* () {
    yield* chargesWithOne("settled")
    const empty = { repeatKeys: ["", repeatKey], sinceMillis: 0, named: { ...named, paymentId: "" } }
    expectEqual(yield* claimOf(second, empty), { _tag: "Claimed" }, "the claim")
  }),
  storeCase("Charges: other words for the same order are the same order", function* () {
    const { first } = yield* besideFirst("settled")
    const reworded = guarded({ key: "second", fingerprint: "k1:reworded" })
    expectEqual(yield* claimOf(reworded), { _tag: "Repeated", first }, "the claim")
  }),
  storeCase("Charges: the newest of several is found, by any of the repeat keys", function* () {
    const charges = yield* Charges
    for (const [index, ofFirst] of ["k1:a", "k2:a", "k1:a", "k3:a"].entries())
      yield* claimOf(
        guarded({ key: `first-${index}`, repeatKey: ofFirst, createdAtMillis: 1_000 + index }),
        "on purpose"
      )
    const found = (...repeatKeys: ReadonlyArray<string>) =>
      Effect.map(charges.findRepeated(second, { repeatKeys, sinceMillis: 0 }), (first) => first?.key)
    expectEqual(yield* found("k1:a", "k2:a"), "first-2", "of two repeat keys")
    expectEqual(yield* found("k2:a"), "first-1", "of one repeat key")
    expectEqual(yield* found("k4:a"), undefined, "of a repeat key that no charge has")
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
  storeCase(`Charges: of ${racers} racers with the same order exactly one claims`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      claimOf(guarded({ key: `key-${racer}`, payloadDigest: `digest-${racer}` }), rule, `racer-${racer}`)
    )
    expectEqual(countTagged(claims, "Claimed"), 1, "claims that won")
    expectEqual(countTagged(claims, "Repeated"), racers - 1, "claims that repeated it")
    expectEqual((yield* charges.list({ limit: racers })).length, 1, "charges")
  })
]

/** Payments that their client gave the same id, of the same payer. */
const sameName: ReadonlyArray<ChargeCase> = [
  ...(["claimed", "ready", "settled"] as const).map((state) =>
    storeCase(`Charges: another order with the id of a ${state} one is refused, and finds it`, function* () {
      const charges = yield* chargesWithOne(state, { repeatKey, paymentId: id })
      const first = yield* charges.find(key)
      expectEqual(yield* claimOf(otherOrder, byName), { _tag: "Repeated", first }, "the claim")
      expectEqual(yield* charges.find("second"), undefined, "the charge that was refused")
      expectEqual(yield* charges.findRepeated(otherOrder, byName), first, "the one that has its id")
    })
  ),
  storeCase("Charges: an id counts however old it is, and by itself", function* () {
    const charges = yield* chargesWithOne("settled", { paymentId: id })
    const late = { ...byName, sinceMillis: 9_000 }
    expectEqual((yield* charges.findRepeated(otherOrder, late))?.key, key, "the one that has its id")
    expectEqual((yield* claimOf(otherOrder, late))._tag, "Repeated", "the claim")
  }),
  storeCase("Charges: an id of another payer, operation or refused payment is free", function* () {
    const charges = yield* chargesWithOne("settled", { repeatKey, paymentId: id })
    const elsewhere = { ...byName, named: { ...named, operation: "another" } }
    const another = { ...byName, named: { ...named, paymentId: "pay_another" } }
    const others: Readonly<Record<string, readonly [NewCharge, RepeatRule]>> = {
      "another payer": [namedCharge({ key: "a", payer: "0xanother" }), byName],
      "another operation": [namedCharge({ key: "b", operation: "another" }), elsewhere],
      "another id": [namedCharge({ key: "c", paymentId: "pay_another" }), another],
      "no id": [namedCharge({ key: "d", paymentId: "" }), { ...byName, named: undefined }]
    }
    for (const [what, [charge, repeats]] of Object.entries(others))
      expectEqual(yield* claimOf(charge, repeats), { _tag: "Claimed" }, what)
    yield* charges.markRefundDue(key, 2_000, undefined)
    expectEqual(
      (yield* charges.findRepeated(otherOrder, byName))?.key,
      undefined,
      "the one whose refund is due"
    )
  }),
  storeCase("Charges: the id of a voided charge is free", function* () {
    yield* chargesWithOne("voided", { repeatKey, paymentId: id })
    expectEqual(yield* claimOf(otherOrder, byName), { _tag: "Claimed" }, "the claim")
  }),
  storeCase("Charges: the one with the id comes before a newer one of the same order", function* () {
    const charges = yield* chargesWithOne("settled", { repeatKey, paymentId: id })
    yield* claimOf(guarded({ key: "newer", createdAtMillis: 1_400 }), "on purpose")
    const both = { ...rule, named }
    expectEqual((yield* charges.findRepeated(second, both))?.key, key, "the one that is found")
    const claim = yield* claimOf(second, both)
    expectEqual(claim._tag === "Repeated" && claim.first.key, key, "the one that the claim names")
    expectEqual((yield* charges.findRepeated(second, rule))?.key, "newer", "without the id")
  }),
  storeCase(`Charges: of ${racers} racers with one id for different orders exactly one claims`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) => {
      const ownKey = `k1:order-${racer}`
      const charge = namedCharge({ key: `key-${racer}`, payloadDigest: `digest-${racer}`, repeatKey: ownKey })
      return claimOf(charge, { repeatKeys: [ownKey], sinceMillis: 500, named }, `racer-${racer}`)
    })
    expectEqual(countTagged(claims, "Claimed"), 1, "claims that won")
    expectEqual(countTagged(claims, "Repeated"), racers - 1, "claims that have its id")
    expectEqual((yield* charges.list({ limit: racers })).length, 1, "charges")
  })
]

export const repeatCases: ReadonlyArray<ChargeCase> = [...sameOrder, ...sameName]
