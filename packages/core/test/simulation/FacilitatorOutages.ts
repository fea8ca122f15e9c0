import type { FaultPlan } from "./FaultPlan.ts"
import type { SeededRandom } from "./SeededRandom.ts"

/** A time during which one of two facilitators can't be reached. */
export interface Outage {
  /** Index of the facilitator. */
  readonly facilitator: number
  readonly fromMillis: number
  readonly untilMillis: number
  /** Whether it does what it is asked to and its response is lost; otherwise nothing reaches it. */
  readonly losesResponses: boolean
}

export const facilitatorNames = ["first", "second"] as const

/** Draws the outages of two facilitators; none: there is only one facilitator. */
export const drawOutages = (
  random: SeededRandom,
  { activeMillis }: FaultPlan,
  startMillis: number
): ReadonlyArray<Outage> => {
  if (!random.chance(0.3)) return []
  return Array.from({ length: random.between(1, 4) }, () => {
    const fromMillis = startMillis + random.between(0, activeMillis)
    return {
      facilitator: random.between(0, 1),
      fromMillis,
      untilMillis: fromMillis + random.pick([2_000, 15_000, 60_000, 300_000]),
      losesResponses: random.chance(0.5)
    }
  })
}

/** The outage of a facilitator, if it has one now. */
export const outageOf = (
  outages: ReadonlyArray<Outage>,
  facilitator: number,
  nowMillis: number
): Outage | undefined =>
  outages.find(
    (outage) =>
      outage.facilitator === facilitator && outage.fromMillis <= nowMillis && nowMillis < outage.untilMillis
  )
