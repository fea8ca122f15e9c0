import { Effect } from "effect"
import { Charges } from "@till402/core/effect"
import { asClaimed, atMost, chargesWithOne, key, lease, paid, countTagged } from "./chargeRecords.ts"
import { sampleResponse, sampleCharge } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

/** Limits on a payer's unsettled charges. */
export const claimLimitCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a payer's ready and claimed charges are limited", function* () {
    const charges = yield* chargesWithOne("claimed", { key: "claimed" })
    yield* chargesWithOne("ready", { key: "ready" })
    yield* chargesWithOne("settled", { key: "settled" })
    yield* chargesWithOne("voided", { key: "voided" })
    yield* chargesWithOne("claimed", { key: "of another", payer: "0xanother" })
    const claimAt = (nowMillis: number, maxUnsettled: number) =>
      charges.claim(sampleCharge(), lease("you", 9_000), nowMillis, atMost(maxUnsettled))
    expectEqual(yield* claimAt(1_999, 0), { _tag: "Limited", by: "charges" }, "a claim where none is allowed")
    expectEqual(yield* claimAt(1_999, 2), { _tag: "Limited", by: "charges" }, "a third where two are allowed")
    expectEqual(yield* charges.find(key), undefined, "the key that was refused")
    expectEqual(
      yield* claimAt(2_000, 1),
      { _tag: "Limited", by: "charges" },
      "beside a ready charge whose lease has expired"
    )
    expectEqual(yield* claimAt(2_000, 2), { _tag: "Claimed" }, "once the claim's lease has expired")
    expectEqual((yield* charges.find("claimed"))?.state, "claimed", "the expired claim")
  }),
  storeCase("Charges: a ready charge counts until 15 minutes after its payment has expired", function* () {
    const charges = yield* chargesWithOne("ready", {
      key: "ready",
      exposureAtomic: "60",
      validBeforeSeconds: 2_000
    })
    const end = 2_000_000 + 15 * 60_000
    const claimAt = (own: string, nowMillis: number, maxUnsettled: number) =>
      charges.claim(
        sampleCharge({ key: own, exposureAtomic: "60", validBeforeSeconds: 9_000 }),
        lease("you", 9_000_000),
        nowMillis,
        { maxUnsettled, maxExposureAtomic: "100" }
      )
    const charged = { _tag: "Limited", by: "charges" } as const
    const exposed = { _tag: "Limited", by: "exposure" } as const
    expectEqual(yield* claimAt(key, end - 1, 1), charged, "a second where one is allowed, before")
    expectEqual(yield* claimAt(key, end - 1, 2), exposed, "more than the exposure, before")
    expectEqual(yield* claimAt(key, end, 1), { _tag: "Claimed" }, "at the end")
    expectEqual(yield* claimAt("other", end, 2), exposed, "beside a claim of a payment that is valid")
    expectEqual((yield* charges.find("ready"))?.state, "ready", "the charge that doesn't count")
  }),
  storeCase("Charges: the limit ignores the charge itself and refuses no existing charge", function* () {
    const charges = yield* chargesWithOne("claimed")
    const found = yield* charges.claim(sampleCharge(), lease("you"), 1_500, atMost(0))
    expectEqual(found._tag, "Existing", "a claim of a running claim, none allowed")
    yield* charges.yieldLease(key, "me", 1_200)
    const limited = yield* charges.claim(sampleCharge({ operation: "track" }), lease("you"), 1_500, atMost(0))
    expectEqual(limited, { _tag: "Limited", by: "charges" }, "a claim of a expired claim, none allowed")
    const kept = asClaimed(sampleCharge(), lease("me", 1_200))
    expectEqual(yield* charges.find(key), kept, "the expired claim that was not replaced")
    yield* charges.claim(sampleCharge(), lease("you", 3_000), 1_500, atMost(1))
    const again = yield* charges.claim(sampleCharge(), lease("us", 9_000), 3_000, atMost(1))
    expectEqual(again._tag, "Claimed", "a claim of the payer's only charge, expired, one allowed")
    yield* charges.void(key, "us", { keepExposure: false, checkAfterMillis: 0 })
    const revived = yield* charges.claim(sampleCharge(), lease("us", 9_000), 3_000, atMost(1))
    expectEqual(revived._tag, "Claimed", "a claim of the payer's only charge, voided, one allowed")
  }),
  storeCase(`Charges: of ${racers} racers of one payer only the allowed number claim`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(sampleCharge({ key: `key-${racer}` }), lease(`racer-${racer}`), 1_000, atMost(7))
    )
    expectEqual(countTagged(claims, "Claimed"), 7, "claims that won")
    expectEqual(countTagged(claims, "Limited"), racers - 7, "claims that were one too many")
    expectEqual((yield* charges.list({ limit: racers })).length, 7, "charges")
  }),
  storeCase("Charges: payers don't share a limit", function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) =>
      charges.claim(
        sampleCharge({ key: `key-${racer}`, payer: `0xpayer${racer % 5}` }),
        lease("me"),
        1_000,
        atMost(racers / 5)
      )
    )
    expectEqual(countTagged(claims, "Claimed"), racers, "claims that won")
  }),
  storeCase("Charges: a freed place is taken by exactly one", function* () {
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
          yield* charges.advance(own, "me", { response: sampleResponse(own), subject: undefined })
          const open = (yield* charges.list({ limit: racers })).filter(isOpen).length
          yield* charges.complete(own, paid, 1_500)
          return open
        }
        return undefined
      })
    )
    expectEqual(
      seen.every((open) => open !== undefined),
      true,
      "every racer eventually claimed"
    )
    expectEqual(
      seen.filter((open) => open! > 3),
      [],
      "observed counts above the limit"
    )
  })
]
