import type { SeededRandom } from "./SeededRandom.ts"

/** How one call to place an order goes, besides refusals. */
export type PlaceMode =
  | "clean"
  /** Certainly places nothing, and reports that. */
  | "notPlaced"
  /** Fails before or after creating the order, with an ambiguous error. */
  | "lostBefore"
  | "lostAfter"
  /** Never responds. */
  | "silentBefore"
  | "silentAfter"
  /** Creates the order and responds after the timeout. */
  | "slow"
  /** Creates the order up to a minute later, and doesn't report it. */
  | "late"
  /** Creates the order, and responds with unusable data. */
  | "malformed"
  | "throwsAnything"

export interface UpstreamBehavior {
  readonly place: Readonly<Record<PlaceMode, number>>
  /** Probability that a lookup fails. */
  readonly lookupFailureChance: number
}

/** What an upstream supports, independent of faults. */
export interface UpstreamProfile {
  /** Supports idempotency keys. */
  readonly honorsKeys: boolean
  /** Supports looking up an order by id. */
  readonly canFind: boolean
  /** Whether it reports the status of an order. */
  readonly reports: "status" | "nothing" | "no function"
  /** Ships within seconds instead of days. */
  readonly isQuick: boolean
  readonly refusalChance: number
  /** When it is down. */
  readonly outage: readonly [fromMillis: number, untilMillis: number]
}

export const reliable: UpstreamBehavior = {
  place: {
    clean: 1,
    notPlaced: 0,
    lostBefore: 0,
    lostAfter: 0,
    silentBefore: 0,
    silentAfter: 0,
    slow: 0,
    late: 0,
    malformed: 0,
    throwsAnything: 0
  },
  lookupFailureChance: 0
}

const faultyModes: ReadonlyArray<Exclude<PlaceMode, "clean">> = [
  "notPlaced",
  "lostBefore",
  "lostAfter",
  "silentBefore",
  "silentAfter",
  "slow",
  "late",
  "malformed",
  "throwsAnything"
]

export const drawUpstreamBehavior = (random: SeededRandom): UpstreamBehavior => {
  if (random.chance(0.4)) return reliable
  const place: Record<PlaceMode, number> = { ...reliable.place, clean: random.pick([0.3, 1, 2]) }
  for (let count = random.between(1, 3); count > 0; count--) place[random.pick(faultyModes)] = 1
  return { place, lookupFailureChance: random.pick([0, 0.2, 0.5]) }
}

const outagesMillis = [5_000, 60_000, 600_000, 100_000_000, 140_000_000]

export const drawUpstreamProfile = (random: SeededRandom, startMillis: number): UpstreamProfile => {
  const fromMillis = startMillis + random.between(0, 60_000)
  return {
    honorsKeys: random.chance(0.4),
    canFind: random.chance(0.5),
    reports: random.weighted({ status: 8, nothing: 1, "no function": 1 }),
    isQuick: random.chance(0.6),
    refusalChance: random.pick([0, 0, 0.3]),
    outage: random.chance(0.25) ? [fromMillis, fromMillis + random.pick(outagesMillis)] : [0, 0]
  }
}
