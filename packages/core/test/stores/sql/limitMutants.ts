import { Effect } from "effect"
import type { Charge, ClaimLimits } from "../../../src/ports/Charges.ts"
import { amountOf, type Mutant, noLimit, noLimits, rounded, seeing, type Store } from "./Mutant.ts"

/** A payer's charges but one, where they meet a condition. */
const others = (store: Store, own: Pick<Charge, "key" | "payer">, matches: (charge: Charge) => boolean) =>
  Effect.map(store.list({ limit: noLimit }), (all) =>
    all.filter((charge) => charge.payer === own.payer && charge.key !== own.key && matches(charge))
  )

const settledSince = (store: Store, since: number) =>
  Effect.map(store.list({ limit: noLimit, state: "settled" }), (all) =>
    all.filter(({ settledAtMillis = 0 }) => settledAtMillis >= since)
  )

const exposureOf = (charges: ReadonlyArray<Charge>): bigint =>
  charges.reduce((sum, { exposureAtomic }) => sum + BigInt(exposureAtomic), 0n)

/** A claim under limits that other charges have changed. */
const claimWith =
  (
    store: Store,
    matches: (charge: Charge, nowMillis: number) => boolean,
    change: (limits: ClaimLimits, found: ReadonlyArray<Charge>) => ClaimLimits
  ): Store["claim"] =>
  (charge, lease, nowMillis, limits) =>
    Effect.flatMap(
      others(store, charge, (other) => matches(other, nowMillis)),
      (found) => store.claim(charge, lease, nowMillis, change(limits, found))
    )

const withExposure = (limits: ClaimLimits, added: bigint): ClaimLimits => ({
  ...limits,
  maxExposureAtomic: (BigInt(limits.maxExposureAtomic) + added).toString()
})

const repetitions: ReadonlyArray<Mutant> = [
  {
    name: "a request is bought as often as it is paid",
    foundBy: "of 50 racers with the same order exactly one claims",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        store.claim(charge, lease, nowMillis, { ...limits, repeats: undefined })
    })
  },
  {
    name: "a repetition is looked for before the claim, and not with it",
    foundBy: "a repetition comes before the limits of its payer",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, { repeats, ...limits }) =>
        Effect.flatMap(store.claim(charge, lease, nowMillis, limits), (claim) =>
          claim._tag !== "Claimed" || repeats === undefined
            ? Effect.succeed(claim)
            : Effect.map(store.findRepeated(charge, repeats), (first) =>
                first === undefined ? claim : { _tag: "Repeated", first }
              )
        )
    })
  },
  {
    name: "an id is looked up before the claim, and not compared with it",
    foundBy: "of 50 racers with one id for different orders exactly one claims",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        Effect.gen(function* () {
          const first = limits.repeats && (yield* store.findRepeated(charge, limits.repeats))
          yield* Effect.yieldNow
          if (first !== undefined) return { _tag: "Repeated", first } as const
          const repeats = limits.repeats && { ...limits.repeats, named: undefined }
          return yield* store.claim(charge, lease, nowMillis, { ...limits, repeats })
        })
    })
  },
  {
    name: "an id counts as long as what it bought",
    foundBy: "an id counts however old it is, and by itself",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        store.claim(charge, lease, nowMillis, {
          ...limits,
          repeats: limits.repeats && {
            ...limits.repeats,
            named: limits.repeats.sinceMillis > 1_000 ? undefined : limits.repeats.named
          }
        })
    })
  },
  {
    name: "an id is that of any operation",
    foundBy: "an id of another payer, operation or refused payment is free",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        Effect.flatMap(store.list({ limit: noLimit }), (all) => {
          const named = limits.repeats?.named
          const first = all.find(
            ({ key, paymentId, payer }) =>
              key !== charge.key && payer === charge.payer && paymentId === named?.paymentId
          )
          return first === undefined || named === undefined
            ? store.claim(charge, lease, nowMillis, limits)
            : Effect.succeed({ _tag: "Repeated", first })
        })
    })
  },
  {
    name: "payers share what they have bought",
    foundBy: "what isn't the same order repeats nothing",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        Effect.flatMap(store.list({ limit: noLimit }), (all) => {
          const first = all.find(
            ({ key, repeatKey }) =>
              key !== charge.key && limits.repeats?.repeatKeys.includes(repeatKey) === true
          )
          return first === undefined || first.payer === charge.payer
            ? store.claim(charge, lease, nowMillis, limits)
            : Effect.succeed({ _tag: "Repeated", first })
        })
    })
  }
]

const exposure: ReadonlyArray<Mutant> = [
  {
    name: "exposure has no limit",
    foundBy: "exposure of a payer ends at its limit",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, { maxUnsettled }) =>
        store.claim(charge, lease, nowMillis, { ...noLimits, maxUnsettled })
    })
  },
  {
    name: "the reached limit is not returned",
    foundBy: "exposure of a payer ends at its limit",
    breaks: (store) => ({
      claim: (...input) =>
        Effect.map(store.claim(...input), (claim) =>
          claim._tag === "Limited" ? { ...claim, by: "charges" } : claim
        )
    })
  },
  {
    name: "the first charge is held to the limit of exposure",
    foundBy: "a payer without other exposure can claim any amount",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        BigInt(charge.exposureAtomic) > BigInt(limits.maxExposureAtomic)
          ? Effect.succeed({ _tag: "Limited", by: "exposure" })
          : store.claim(charge, lease, nowMillis, limits)
    })
  },
  {
    name: "a ready charge's exposure ends with its lease",
    foundBy: "exposure counts while a charge is in flight, not once it is settled",
    breaks: (store) => ({
      claim: claimWith(
        store,
        ({ leaseUntilMillis, state }, nowMillis) => state === "ready" && leaseUntilMillis <= nowMillis,
        (limits, found) => withExposure(limits, exposureOf(found))
      )
    })
  },
  {
    name: "settled charges count as exposure",
    foundBy: "exposure counts while a charge is in flight, not once it is settled",
    breaks: (store) => ({
      claim: claimWith(
        store,
        ({ state }) => state === "settled",
        (limits, found) => withExposure(limits, -exposureOf(found))
      )
    })
  },
  {
    name: "every voided charge keeps its exposure",
    foundBy: "a voided charge keeps its exposure only if requested",
    breaks: (store) => ({
      void: (key, owner, options) => store.void(key, owner, { ...options, keepExposure: true })
    })
  },
  {
    name: "no voided charge keeps its exposure",
    foundBy: "a voided charge keeps its exposure only if requested",
    breaks: (store) => ({
      void: (key, owner, options) => store.void(key, owner, { ...options, keepExposure: false })
    })
  },
  {
    name: "voided charges with an exposure take places",
    foundBy: "a voided charge doesn't count toward the number of charges, but its exposure counts",
    breaks: (store) => ({
      claim: claimWith(
        store,
        ({ exposureAtomic, state }) => state === "voided" && exposureAtomic !== "0",
        (limits, found) => ({ ...limits, maxUnsettled: limits.maxUnsettled - found.length })
      )
    })
  },
  {
    name: "a charge's own exposure counts beside it",
    foundBy: "a charge claimed again doesn't count twice",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        Effect.gen(function* () {
          const own = yield* store.find(charge.key)
          const isOver =
            own !== undefined &&
            BigInt(own.exposureAtomic) + BigInt(charge.exposureAtomic) > BigInt(limits.maxExposureAtomic)
          if (isOver) return { _tag: "Limited", by: "exposure" } as const
          return yield* store.claim(charge, lease, nowMillis, limits)
        })
    })
  },
  {
    name: "exposure is kept in floating point",
    foundBy: "exposures of tokens of 18 decimals are exact",
    breaks: (store) =>
      seeing(store, (charge) => ({ ...charge, exposureAtomic: rounded(charge.exposureAtomic) }))
  },
  {
    name: "exposure is summed in floating point",
    foundBy: "exposures of tokens of 18 decimals are exact",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        store.claim(charge, lease, nowMillis, {
          ...limits,
          maxExposureAtomic: rounded(limits.maxExposureAtomic)
        })
    })
  },
  {
    name: "the payer's exposure is summed, then a charge is claimed",
    foundBy: "racers of one payer only as many claim as its exposure allows",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limits) =>
        Effect.gen(function* () {
          const found = exposureOf(yield* others(store, charge, ({ state }) => state === "claimed"))
          yield* Effect.yieldNow
          if (found > 0n && found + BigInt(charge.exposureAtomic) > BigInt(limits.maxExposureAtomic))
            return { _tag: "Limited", by: "exposure" } as const
          return yield* store.claim(charge, lease, nowMillis, noLimits)
        })
    })
  }
]

const standing: ReadonlyArray<Mutant> = [
  {
    name: "expired claims are open amounts",
    foundBy: "a payer's open amounts are its ready and claimed charges",
    breaks: (store) => ({ payerActivity: (charge, since) => store.payerActivity(charge, since, 0) })
  },
  {
    name: "later charges are open amounts of earlier ones",
    foundBy: "a payer's open amounts include charges up to the given one, by age",
    breaks: (store) => ({
      payerActivity: (charge, ...rest) => store.payerActivity({ ...charge, createdAtMillis: 1e12 }, ...rest)
    })
  },
  {
    name: "a charge is left out of its own open amounts",
    foundBy: "a payer's open amounts include charges up to the given one, by age",
    breaks: (store) => ({
      payerActivity: (charge, ...rest) =>
        store.payerActivity({ ...charge, key: charge.key.slice(0, -1) }, ...rest)
    })
  },
  {
    name: "whatever settled long ago counts",
    foundBy: "a payer's settled amounts are those since a time, without refunds",
    breaks: (store) => ({ payerActivity: (charge, _, now) => store.payerActivity(charge, 0, now) })
  },
  {
    name: "what was paid back counts as settled",
    foundBy: "a payer's settled amounts are those since a time, without refunds",
    breaks: (store) => ({
      payerActivity: (charge, since, now) =>
        Effect.gen(function* () {
          const { openAtomic, settledAtomic } = yield* store.payerActivity(charge, since, now)
          const all = yield* settledSince(store, since)
          const refunded = amountOf(all.filter(({ refund }) => refund !== undefined))
          return { openAtomic, settledAtomic: (BigInt(settledAtomic) + refunded).toString() }
        })
    })
  },
  ...([{ network: "eip155:1" }, { asset: "0xasset" }, { payer: "0xother" }] as const).map(
    (other): Mutant => ({
      name: `the standing of one ${Object.keys(other)[0]} is that of another as well`,
      foundBy: "a payer's activity is that of one payer, network and asset",
      breaks: (store) => ({
        payerActivity: (charge, ...rest) =>
          Effect.gen(function* () {
            const one = yield* store.payerActivity(charge, ...rest)
            const two = yield* store.payerActivity({ ...charge, ...other }, ...rest)
            return { ...one, openAtomic: (BigInt(one.openAtomic) + BigInt(two.openAtomic)).toString() }
          })
      })
    })
  ),
  {
    name: "a settlement that was undone counts as settled",
    foundBy: "a payer's undone settlement doesn't count as settled",
    breaks: (store) => ({
      payerActivity: (charge, since, now) =>
        Effect.gen(function* () {
          const entries = yield* store.entries({ limit: noLimit, payer: charge.payer })
          const settled = amountOf(entries.filter(({ kind }) => kind === "settled"))
          return { ...(yield* store.payerActivity(charge, since, now)), settledAtomic: settled.toString() }
        })
    })
  },
  {
    name: "every settlement counts, however many they are",
    foundBy: "latest 200 settlements count, with exact sums",
    breaks: (store) => ({
      payerActivity: (charge, since, now) =>
        Effect.gen(function* () {
          const all = yield* settledSince(store, since)
          return {
            ...(yield* store.payerActivity(charge, since, now)),
            settledAtomic: amountOf(all).toString()
          }
        })
    })
  }
]

/** Stores that break what limits a payer. */
export const limitMutants: ReadonlyArray<Mutant> = [...repetitions, ...exposure, ...standing]
