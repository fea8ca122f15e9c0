import type { FaultPlan } from "./FaultPlan.ts"
import type { SeededRandom } from "./SeededRandom.ts"

/** A time during which the clock of a machine is wrong. */
export interface ClockFault {
  /** Index of the machine. */
  readonly machine: number
  readonly fromMillis: number
  readonly untilMillis: number
  /** How far the clock is ahead; negative where it is behind. */
  readonly byMillis: number
}

/** Within what a till accepts, and beyond its longest lease, that of a charge. */
const differencesMillis = [20_000, 55_000, 250_000, 250_000, 400_000]

/**
 * Draws when the clocks of machines are wrong. Only where two machines share a database with a clock: processes of one
 * machine share theirs.
 */
export const drawClockFaults = (
  random: SeededRandom,
  { activeMillis, aftermathMillis, processes }: FaultPlan,
  startMillis: number
): ReadonlyArray<ClockFault> => {
  if (processes === 1 || !random.chance(0.7)) return []
  const wholeMillis = activeMillis + aftermathMillis
  return Array.from({ length: random.between(1, 3) }, () => {
    // Some clocks are wrong from the start.
    const fromMillis = startMillis + (random.chance(0.5) ? -1 : random.between(0, wholeMillis))
    return {
      machine: random.between(0, processes - 1),
      fromMillis,
      untilMillis: fromMillis + random.pick([5_000, 30_000, 250_000, wholeMillis, wholeMillis]),
      byMillis: random.pick(differencesMillis) * random.pick([1, 1, -1])
    }
  })
}

/** How far the clock of a machine is ahead by its faults. */
export const clockFaultMillis = (
  faults: ReadonlyArray<ClockFault>,
  machine: number,
  nowMillis: number
): number => {
  const current = faults.find(
    (fault) => fault.machine === machine && fault.fromMillis <= nowMillis && nowMillis < fault.untilMillis
  )
  return current?.byMillis ?? 0
}
