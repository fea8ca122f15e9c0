import { Effect } from "effect"
import type { Charge } from "../../../src/ports/Charges.ts"
import { later, type Mutant, type Store } from "./Mutant.ts"

const byTime = (left: Charge, right: Charge): number => left.checkAfterMillis - right.checkAfterMillis

/** Releases each of some charges, one after the other. */
const releaseEach = (store: Store, keys: ReadonlyArray<string>, matches: (charge: Charge) => boolean) =>
  Effect.gen(function* () {
    let released = 0
    for (const key of keys) {
      const charge = yield* store.find(key)
      yield* Effect.yieldNow
      if (charge === undefined || !matches(charge)) continue
      yield* store.release(key, charge.leaseOwner)
      released++
    }
    return released
  })

/** Stores that break what they promise of charges that are due. */
export const dueMutants: ReadonlyArray<Mutant> = [
  {
    name: "an owed response is not unfinished",
    foundBy: "unfinished returns charges that are not settled or have something pending",
    breaks: (store) => ({
      unfinished: (...input) =>
        Effect.map(store.unfinished(...input), (found) =>
          found.filter(({ responseOwedUntilMillis }) => responseOwedUntilMillis === undefined)
        )
    })
  },
  {
    name: "a provisional settlement is not unfinished",
    foundBy: "unfinished returns charges that are not settled or have something pending",
    breaks: (store) => ({
      unfinished: (...input) =>
        Effect.map(store.unfinished(...input), (found) =>
          found.filter(({ awaitsFinality }) => !awaitsFinality)
        )
    })
  },
  {
    name: "a charge that awaits nothing but finality is not taken over",
    foundBy: "the expired lease of an unfinished charge is taken over",
    breaks: (store) => ({
      takeOver: (key, lease, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.awaitsFinality === true ? Effect.succeed(false) : store.takeOver(key, lease, nowMillis)
        )
    })
  },
  {
    name: "a pending effect waits for its time",
    foundBy: "a pending effect is due at once, everything else at its time",
    breaks: (store) => ({
      unfinished: (nowMillis, limit) =>
        Effect.map(store.unfinished(nowMillis, limit), (found) =>
          found.filter(({ checkAfterMillis }) => checkAfterMillis <= nowMillis)
        )
    })
  },
  {
    name: "unfinished charges come in the order of their time alone",
    foundBy: "unfinished returns claims after all other charges, even if they are due longer",
    breaks: (store) => ({
      unfinished: (nowMillis, limit) =>
        Effect.map(store.unfinished(nowMillis, limit), (found) => found.toSorted(byTime))
    })
  },
  {
    name: "a limit is reached by claims before others come",
    foundBy: "unfinished returns claims after all other charges, even if they are due longer",
    breaks: (store) => ({
      unfinished: (nowMillis, limit) =>
        Effect.map(store.unfinished(nowMillis, 100), (found) =>
          found.toReversed().slice(0, limit).toReversed()
        )
    })
  },
  {
    name: "voided charges are among the unfinished",
    foundBy: "voided charges without a subject are released in bulk, not returned as unfinished",
    breaks: (store) => ({
      unfinished: (nowMillis, limit) =>
        Effect.zipWith(
          store.unfinished(nowMillis, limit),
          store.voidedDue(nowMillis, limit),
          (found, voided) => [...found, ...voided]
        )
    })
  },
  {
    name: "voided charges are due before their time",
    foundBy: "voided charges are due once their lease has expired",
    breaks: (store) => ({ voidedDue: (_, limit) => store.voidedDue(later, limit) })
  },
  {
    name: "the last voided charges are due first",
    foundBy: "voided charges are returned longest due first, up to the limit",
    breaks: (store) => ({
      voidedDue: (nowMillis, limit) =>
        Effect.map(store.voidedDue(nowMillis, 100), (found) => found.toReversed().slice(0, limit))
    })
  },
  {
    name: "voided charges are released that somebody holds",
    foundBy: "only voided charges without a lease are released in bulk",
    breaks: (store) => ({ releaseVoided: (keys) => store.releaseVoided(keys, later) })
  },
  {
    name: "voided charges are released whose order waits for them",
    foundBy: "only voided charges without a lease are released in bulk",
    breaks: (store) => ({
      releaseVoided: (keys, nowMillis) =>
        releaseEach(
          store,
          keys,
          ({ leaseUntilMillis, state }) => state === "voided" && leaseUntilMillis <= nowMillis
        )
    })
  },
  {
    name: "claims are released in bulk",
    foundBy: "only voided charges without a lease are released in bulk",
    breaks: (store) => ({
      releaseVoided: (keys, nowMillis) =>
        releaseEach(
          store,
          keys,
          ({ leaseUntilMillis, subject }) => subject === undefined && leaseUntilMillis <= nowMillis
        )
    })
  },
  {
    name: "a charge is looked at, then released in bulk",
    foundBy: "racers releasing in bulk count each charge once",
    breaks: (store) => ({
      releaseVoided: (keys) => releaseEach(store, keys, ({ state }) => state === "voided")
    })
  },
  {
    name: "a few hundred charges are released at most",
    foundBy: "a thousand voided charges are released at once",
    breaks: (store) => ({
      releaseVoided: (keys, nowMillis) => store.releaseVoided(keys.slice(0, 500), nowMillis)
    })
  },
  {
    name: "released in bulk are as many as requested",
    foundBy: "a voided charge is settled or released in bulk, never both",
    breaks: (store) => ({
      releaseVoided: (keys, nowMillis) =>
        Effect.andThen(Effect.yieldNow, Effect.as(store.releaseVoided(keys, nowMillis), keys.length))
    })
  }
]
