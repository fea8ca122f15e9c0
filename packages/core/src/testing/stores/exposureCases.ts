import { Effect } from "effect"
import { Charges, type ClaimLimits } from "../../ports/Charges.ts"
import { asClaimed, chargesWith, exposedAtMost, key, lease, paid, unlimited } from "./chargeRecords.ts"
import { sampleAnswer, sampleCharge } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"

const limited = { _tag: "Limited", by: "exposure" } as const
const claimed = { _tag: "Claimed" } as const

/** Claims a charge that has an exposure. */
const claimOf = Effect.fnUntraced(function* (
  own: string,
  exposureAtomic: string,
  limits: ClaimLimits,
  nowMillis = 1_000
) {
  const charges = yield* Charges
  return yield* charges.claim(sampleCharge({ key: own, exposureAtomic }), lease("me"), nowMillis, limits)
})

const bounds: ReadonlyArray<StoreCase> = [
  storeCase("Charges: exposure of a payer ends at its limit, to the atomic unit", function* () {
    equal(yield* claimOf("first", "60", exposedAtMost("100")), claimed, "60 of 100")
    equal(yield* claimOf("second", "41", exposedAtMost("100")), limited, "101 of 100")
    equal(yield* Charges.use(({ find }) => find("second")), undefined, "the key that was refused")
    equal(yield* claimOf("second", "40", exposedAtMost("100")), claimed, "100 of 100")
    equal(yield* claimOf("third", "1", exposedAtMost("100")), limited, "1 more")
    equal(yield* claimOf("third", "1", exposedAtMost("101")), claimed, "1 more, where the limit is higher")
  }),
  storeCase(
    "Charges: a payer without other exposure claims whatever it is, and one without any",
    function* () {
      const none = exposedAtMost("0")
      equal(yield* claimOf("free", "0", none), claimed, "a charge without exposure")
      equal(yield* claimOf("big", "1000", none), claimed, "the only exposure, above the limit")
      equal(yield* claimOf("small", "1", none), limited, "another exposure")
      equal(yield* claimOf("also free", "0", none), claimed, "another charge without exposure")
    }
  ),
  storeCase("Charges: exposure counts while a charge is underway, not once it settled", function* () {
    const max = exposedAtMost("100")
    const charges = yield* chargesWith("ready", { key: "ready", exposureAtomic: "60" })
    // The lease of a ready charge may have lapsed: work was done for it.
    equal(yield* claimOf(key, "50", max, 9_000), limited, "beside a ready charge")
    yield* charges.complete("ready", paid, 1_500)
    equal(yield* claimOf("claimed", "60", max), claimed, "beside a settled charge")
    equal(yield* claimOf("claimed as well", "40", max), claimed, "beside a settled charge and a claim")
    equal(yield* claimOf(key, "50", max, 1_999), limited, "beside a running claim")
    equal(yield* claimOf(key, "50", max, 2_000), claimed, "beside a lapsed claim")
    yield* chargesWith("ready", { key: "other payer", exposureAtomic: "1000", payer: "0xother" })
    equal(yield* claimOf("more", "50", max, 2_000), claimed, "beside charges of another payer")
  }),
  storeCase("Charges: a voided charge keeps its exposure only where it says so", function* () {
    const max = exposedAtMost("100")
    const charges = yield* chargesWith("ready", { key: "kept", exposureAtomic: "60" })
    yield* chargesWith("ready", { key: "dropped", exposureAtomic: "40" })
    yield* charges.void("dropped", "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.void("kept", "me", { keepExposure: true, checkAfterMillis: 0 })
    equal((yield* charges.find("kept"))?.exposureAtomic, "60", "the exposure that was kept")
    equal((yield* charges.find("dropped"))?.exposureAtomic, "0", "the exposure that was dropped")
    equal(yield* claimOf("next", "41", max, 9_000), limited, "beside the one that kept it")
    equal(yield* claimOf("next", "40", max, 9_000), claimed, "within what is left")
    yield* charges.release("kept", "me")
    equal(yield* claimOf("last", "60", max, 1_000), claimed, "once it is released")
  }),
  storeCase("Charges: a voided charge takes no place of its payer, its exposure counts", function* () {
    yield* chargesWith("voided", { key: "voided", exposureAtomic: "60" })
    const one = { maxUnsettled: 1, maxExposureAtomic: "100" }
    equal(yield* claimOf("second", "50", one), limited, "beyond the exposure")
    equal(yield* claimOf("second", "40", one), claimed, "within the exposure")
    equal(yield* claimOf("third", "0", one), { _tag: "Limited", by: "charges" }, "beyond the places")
    equal(yield* claimOf("third", "40", one), { _tag: "Limited", by: "charges" }, "beyond both")
  }),
  storeCase("Charges: a charge that is claimed again does not count beside itself", function* () {
    const charges = yield* chargesWith("claimed", { exposureAtomic: "80" })
    equal(yield* claimOf(key, "90", exposedAtMost("100"), 2_000), claimed, "a lapsed claim")
    equal((yield* charges.find(key))?.exposureAtomic, "90", "its exposure")
    yield* charges.advance(key, "me", { answer: sampleAnswer(), subject: undefined })
    yield* charges.void(key, "me", { keepExposure: true, checkAfterMillis: 0 })
    equal(yield* claimOf(key, "95", exposedAtMost("100"), 2_000), claimed, "a voided charge of its holder")
    yield* chargesWith("ready", { key: "other", exposureAtomic: "50" })
    yield* charges.yieldLease(key, "me", 0)
    equal(yield* claimOf(key, "95", exposedAtMost("100"), 3_000), limited, "a lapsed claim beside another")
    const existing = yield* claimOf("other", "95", exposedAtMost("100"), 3_000)
    equal(existing._tag, "Existing", "a key that is taken, beyond the limit")
  }),
  storeCase("Charges: exposures of tokens of 18 decimals are exact", function* () {
    const charges = yield* Charges
    // Above 2^53, where floating point misses single units.
    const exposureAtomic = "1000000000000000001"
    const charge = sampleCharge({ exposureAtomic })
    yield* charges.claim(charge, lease("me"), 1_000, unlimited)
    equal(yield* charges.find(key), asClaimed(charge, lease("me")), "the charge")
    equal(yield* charges.list({ limit: 1 }), [asClaimed(charge, lease("me"))], "the list")
    equal(
      yield* claimOf("second", exposureAtomic, exposedAtMost("2000000000000000001")),
      limited,
      "one unit beyond the limit"
    )
    equal(
      yield* claimOf("second", exposureAtomic, exposedAtMost("2000000000000000002")),
      claimed,
      "at the limit"
    )
    equal(
      yield* claimOf("third", "1", exposedAtMost("9".repeat(30))),
      claimed,
      "far below a limit of 30 digits"
    )
  })
]

const races: ReadonlyArray<StoreCase> = [
  storeCase(`Charges: of ${racers} racers of one payer as many claim as its exposure allows`, function* () {
    const charges = yield* Charges
    const claims = yield* race((racer) => claimOf(`key-${racer}`, "10", exposedAtMost("75")))
    equal(claims.filter(({ _tag }) => _tag === "Claimed").length, 7, "claims that won")
    for (const claim of claims) if (claim._tag !== "Claimed") equal(claim, limited, "a claim that lost")
    equal((yield* charges.list({ limit: racers })).length, 7, "charges")
  }),
  storeCase("Charges: exposure that becomes free is taken, and never by two", function* () {
    const charges = yield* Charges
    const seen = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        for (let attempt = 0; attempt < 2_000; attempt++) {
          if ((yield* claimOf(own, "30", exposedAtMost("100")))._tag === "Limited") {
            yield* Effect.yieldNow
            continue
          }
          yield* charges.advance(own, "me", { answer: sampleAnswer(own), subject: undefined })
          const all = yield* charges.list({ limit: racers })
          yield* charges.complete(own, paid, 1_500)
          return all.filter(({ state }) => state === "claimed" || state === "ready").length
        }
        return undefined
      })
    )
    equal(seen.includes(undefined), false, "whether a racer had no turn in the end")
    equal(
      seen.filter((open) => open! > 3),
      [],
      "how many were underway at once, where too many"
    )
  })
]

/** What `claim` promises about exposure. */
export const exposureCases: ReadonlyArray<StoreCase> = [...bounds, ...races]
