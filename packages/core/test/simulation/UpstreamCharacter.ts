import type { Fate } from "./Fate.ts"

/** How one call to place an order goes, beside refusals. */
export type PlaceManner =
  | "clean"
  /** Certainly places nothing, and says so. */
  | "notPlaced"
  /** Fails before or after the order is made, in words that say nothing. */
  | "lostBefore"
  | "lostAfter"
  /** Never answers. */
  | "silentBefore"
  | "silentAfter"
  /** Makes the order and answers later than anybody waits. */
  | "slow"
  /** Makes the order up to a minute later, and has not said so. */
  | "late"
  /** Makes the order, and answers what nobody can use. */
  | "malformed"
  | "throwsAnything"

export interface UpstreamTemper {
  readonly place: Readonly<Record<PlaceManner, number>>
  /** How likely a question for an order fails. */
  readonly askChance: number
}

/** What an upstream is like, troubles or none. */
export interface UpstreamCharacter {
  /** Takes an order id once. */
  readonly honoursKeys: boolean
  /** Can say whether it has an order. */
  readonly canBeAsked: boolean
  /** Whether it can say how an order stands. */
  readonly tells: "status" | "nothing" | "no function"
  /** Ships in seconds, not in days. */
  readonly isQuick: boolean
  readonly refusalChance: number
  /** From when until when it is down. */
  readonly outage: readonly [fromMillis: number, untilMillis: number]
}

export const reliable: UpstreamTemper = {
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
  askChance: 0
}

const faults: ReadonlyArray<Exclude<PlaceManner, "clean">> = [
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

export const drawUpstreamTemper = (fate: Fate): UpstreamTemper => {
  if (fate.chance(0.4)) return reliable
  const place: Record<PlaceManner, number> = { ...reliable.place, clean: fate.pick([0.3, 1, 2]) }
  for (let count = fate.between(1, 3); count > 0; count--) place[fate.pick(faults)] = 1
  return { place, askChance: fate.pick([0, 0.2, 0.5]) }
}

const outagesMillis = [5_000, 60_000, 600_000, 100_000_000, 140_000_000]

export const drawUpstream = (fate: Fate, startMillis: number): UpstreamCharacter => {
  const fromMillis = startMillis + fate.between(0, 60_000)
  return {
    honoursKeys: fate.chance(0.4),
    canBeAsked: fate.chance(0.5),
    tells: fate.weighted({ status: 8, nothing: 1, "no function": 1 }),
    isQuick: fate.chance(0.6),
    refusalChance: fate.pick([0, 0, 0.3]),
    outage: fate.chance(0.25) ? [fromMillis, fromMillis + fate.pick(outagesMillis)] : [0, 0]
  }
}
