import { Effect } from "effect"
import { Charges, type ClaimLimits } from "@till402/core/effect"
import { asClaimed, chargesWithOne, exposedAtMost, key, lease, paid, unlimited } from "./chargeRecords.ts"
import { sampleResponse, sampleCharge } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

const limited = { _tag: "Limited", by: "exposure" } as const
const claimed = { _tag: "Claimed" } as const

/** Claims a charge with an exposure. */
const claimOf = Effect.fnUntraced(function* (
  own: string,
  exposureAtomic: string,
  limits: ClaimLimits,
  nowMillis = 1_000
) {
  const charges = yield* Charges
  return yield* charges.claim(sampleCharge({ key: own, exposureAtomic }), lease("me"), nowMillis, limits)
})

const bounds: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: exposure of a payer ends at its limit, to the atomic unit", function* () {
    expectEqual(yield* claimOf("first", "60", exposedAtMost("100")), claimed, "60 of 100")
    expectEqual(yield* claimOf("second", "41", exposedAtMost("100")), limited, "101 of 100")
    expectEqual(yield* Charges.use(({ find }) => find("second")), undefined, "the key that was refused")
    expectEqual(yield* claimOf("second", "40", exposedAtMost("100")), claimed, "100 of 100")
    expectEqual(yield* claimOf("third", "1", exposedAtMost("100")), limited, "1 more")
    expectEqual(
      yield* claimOf("third", "1", exposedAtMost("101")),
      claimed,
      "1 more, where the limit is higher"
    )
  }),
  storeCase("Charges: a payer without other exposure can claim any amount", function* () {
    const none = exposedAtMost("0")
    expectEqual(yield* claimOf("free", "0", none), claimed, "a charge without exposure")
    expectEqual(yield* claimOf("big", "1000", none), claimed, "the only exposure, above the limit")
    expectEqual(yield* claimOf("small", "1", none), limited, "another exposure")
    expectEqual(yield* claimOf("also free", "0", none), claimed, "another charge without exposure")
  }),
  storeCase("Charges: exposure counts while a charge is in flight, not once it is settled", function* () {
    const max = exposedAtMost("100")
    const charges = yield* chargesWithOne("ready", { key: "ready", exposureAtomic: "60" })
    // A ready charge counts even after its lease has expired: its work was done.
    expectEqual(yield* claimOf(key, "50", max, 9_000), limited, "beside a ready charge")
    yield* charges.complete("ready", paid, 1_500)
    expectEqual(yield* claimOf("claimed", "60", max), claimed, "beside a settled charge")
    expectEqual(yield* claimOf("claimed as well", "40", max), claimed, "beside a settled charge and a claim")
    expectEqual(yield* claimOf(key, "50", max, 1_999), limited, "beside a running claim")
    expectEqual(yield* claimOf(key, "50", max, 2_000), claimed, "beside a expired claim")
    yield* chargesWithOne("ready", { key: "other payer", exposureAtomic: "1000", payer: "0xother" })
    expectEqual(yield* claimOf("more", "50", max, 2_000), claimed, "beside charges of another payer")
  }),
  storeCase("Charges: a voided charge keeps its exposure only if requested", function* () {
    const max = exposedAtMost("100")
    const charges = yield* chargesWithOne("ready", { key: "kept", exposureAtomic: "60" })
    yield* chargesWithOne("ready", { key: "dropped", exposureAtomic: "40" })
    yield* charges.void("dropped", "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.void("kept", "me", { keepExposure: true, checkAfterMillis: 0 })
    expectEqual((yield* charges.find("kept"))?.exposureAtomic, "60", "the exposure that was kept")
    expectEqual((yield* charges.find("dropped"))?.exposureAtomic, "0", "the exposure that was dropped")
    expectEqual(yield* claimOf("next", "41", max, 9_000), limited, "beside the one that kept it")
    expectEqual(yield* claimOf("next", "40", max, 9_000), claimed, "within what is left")
    yield* charges.release("kept", "me")
    expectEqual(yield* claimOf("last", "60", max, 1_000), claimed, "once it is released")
  }),
  storeCase("Charges: the exposure that a voided charge kept ends when its payment settles", function* () {
    const charges = yield* chargesWithOne("ready", { key: "kept", exposureAtomic: "60" })
    yield* charges.void("kept", "me", { keepExposure: true, checkAfterMillis: 0 })
    const max = exposedAtMost("100")
    expectEqual(yield* claimOf("next", "50", max), limited, "before it settles")
    expectEqual(
      yield* charges.complete("kept", { ...paid, refundDue: true }, 1_500),
      { _tag: "Completed" },
      "its settlement"
    )
    expectEqual(yield* claimOf("next", "50", max), claimed, "after it has settled")
  }),
  storeCase(
    "Charges: a voided charge doesn't count toward the number of charges, but its exposure counts",
    function* () {
      yield* chargesWithOne("voided", { key: "voided", exposureAtomic: "60" })
      const one = { maxUnsettled: 1, maxExposureAtomic: "100" }
      expectEqual(yield* claimOf("second", "50", one), limited, "beyond the exposure")
      expectEqual(yield* claimOf("second", "40", one), claimed, "within the exposure")
      expectEqual(yield* claimOf("third", "0", one), { _tag: "Limited", by: "charges" }, "beyond the places")
      expectEqual(yield* claimOf("third", "40", one), { _tag: "Limited", by: "charges" }, "beyond both")
    }
  ),
  storeCase("Charges: a charge claimed again doesn't count twice", function* () {
    const charges = yield* chargesWithOne("claimed", { exposureAtomic: "80" })
    expectEqual(yield* claimOf(key, "90", exposedAtMost("100"), 2_000), claimed, "a expired claim")
    expectEqual((yield* charges.find(key))?.exposureAtomic, "90", "its exposure")
    yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
    yield* charges.void(key, "me", { keepExposure: true, checkAfterMillis: 0 })
    expectEqual(
      yield* claimOf(key, "95", exposedAtMost("100"), 2_000),
      claimed,
      "a voided charge of its holder"
    )
    yield* chargesWithOne("ready", { key: "other", exposureAtomic: "50" })
    yield* charges.yieldLease(key, "me", 0)
    expectEqual(
      yield* claimOf(key, "95", exposedAtMost("100"), 3_000),
      limited,
      "a expired claim beside another"
    )
    const existing = yield* claimOf("other", "95", exposedAtMost("100"), 3_000)
    expectEqual(existing._tag, "Existing", "a key that is taken, beyond the limit")
  }),
  storeCase("Charges: exposures of tokens of 18 decimals are exact", function* () {
    const charges = yield* Charges
    // Above 2^53, where floating point misses single units.
    const exposureAtomic = "1000000000000000001"
    const charge = sampleCharge({ exposureAtomic })
    yield* charges.claim(charge, lease("me"), 1_000, unlimited)
    expectEqual(yield* charges.find(key), asClaimed(charge, lease("me")), "the charge")
    expectEqual(yield* charges.list({ limit: 1 }), [asClaimed(charge, lease("me"))], "the list")
    expectEqual(
      yield* claimOf("second", exposureAtomic, exposedAtMost("2000000000000000001")),
      limited,
      "one unit beyond the limit"
    )
    expectEqual(
      yield* claimOf("second", exposureAtomic, exposedAtMost("2000000000000000002")),
      claimed,
      "at the limit"
    )
    expectEqual(
      yield* claimOf("third", "1", exposedAtMost("9".repeat(30))),
      claimed,
      "far below a limit of 30 digits"
    )
  })
]

const races: ReadonlyArray<ChargeCase> = [
  storeCase(
    `Charges: of ${racers} racers of one payer only as many claim as its exposure allows`,
    function* () {
      const charges = yield* Charges
      const claims = yield* race((racer) => claimOf(`key-${racer}`, "10", exposedAtMost("75")))
      expectEqual(claims.filter(({ _tag }) => _tag === "Claimed").length, 7, "claims that won")
      for (const claim of claims)
        if (claim._tag !== "Claimed") expectEqual(claim, limited, "a claim that lost")
      expectEqual((yield* charges.list({ limit: racers })).length, 7, "charges")
    }
  ),
  storeCase("Charges: freed exposure is taken by exactly one", function* () {
    const charges = yield* Charges
    const seen = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        for (let attempt = 0; attempt < 2_000; attempt++) {
          if ((yield* claimOf(own, "30", exposedAtMost("100")))._tag === "Limited") {
            yield* Effect.yieldNow
            continue
          }
          yield* charges.advance(own, "me", { response: sampleResponse(own), subject: undefined })
          const all = yield* charges.list({ limit: racers })
          yield* charges.complete(own, paid, 1_500)
          return all.filter(({ state }) => state === "claimed" || state === "ready").length
        }
        return undefined
      })
    )
    expectEqual(seen.includes(undefined), false, "racers without a turn")
    expectEqual(
      seen.filter((open) => open! > 3),
      [],
      "observed counts above the limit"
    )
  })
]

/** Contract of `claim` for exposure. */
export const exposureCases: ReadonlyArray<ChargeCase> = [...bounds, ...races]
