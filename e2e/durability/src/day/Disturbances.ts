import type { Fleet } from "../Fleet.ts"
import type { Randomness } from "../Randomness.ts"
import type { CuttableProxy } from "./CuttableProxy.ts"
import type { OnlyFault } from "./Day.ts"

/** What is broken while buyers buy. */
export interface Disturbed {
  readonly fleet: Fleet
  /** Servers that may be killed. */
  readonly mortals: readonly [number, ...ReadonlyArray<number>]
  readonly database: CuttableProxy
  readonly facilitator: CuttableProxy
}

const names = ["kill", "cut database", "unreachable facilitator"] as const
export type DisturbanceName = (typeof names)[number]

/** Time between the end of a disturbance and the next one. */
const peaceMillis = { min: 1_000, max: 9_000 }
/** Longest time for which the database refuses connections. */
const databaseMillis = 2_000
const facilitatorMillis = 6_000

const perform: Readonly<
  Record<DisturbanceName, (disturbed: Disturbed, randomness: Randomness) => Promise<void>>
> = {
  kill: ({ fleet, mortals }, randomness) =>
    fleet.replace(
      randomness.chance(0.2) ? mortals : [randomness.pick(mortals)],
      randomness.chance(0.15) ? randomness.between(1, 80) : undefined
    ),
  "cut database": ({ database }, randomness) =>
    database.cut(randomness.chance(0.5) ? 0 : randomness.between(1, databaseMillis)),
  "unreachable facilitator": ({ facilitator }, randomness) =>
    facilitator.cut(randomness.between(0, facilitatorMillis))
}

/** Longer than an alert's `for`, and than a cached health. */
const outageMillis = 100_000
/** Longer than the rate of an alert and its `for` together, at the pace of such a day. */
const longOutageMillis = 150_000
const quietMillis = 30_000

const performOnly: Readonly<Record<OnlyFault, (disturbed: Disturbed) => Promise<void>>> = {
  nothing: async () => {},
  "stopped refunds": async ({ fleet }) => {
    await fleet.control("/control/stop-refunds", {})
  },
  "no database": ({ database }) => database.cut(outageMillis),
  "no facilitator": ({ facilitator }) => facilitator.cut(longOutageMillis)
}

/** Lets one thing go wrong, after a quiet half minute. */
export const disturbOnly = async (
  disturbed: Disturbed,
  fault: OnlyFault,
  isStopping: () => boolean
): Promise<Readonly<Record<DisturbanceName, number>>> => {
  await new Promise((resolve) => setTimeout(resolve, quietMillis))
  await performOnly[fault](disturbed)
  while (!isStopping()) await new Promise((resolve) => setTimeout(resolve, 100))
  return { kill: 0, "cut database": 0, "unreachable facilitator": 0 }
}

/** Disturbs one thing after another until stopped. Returns how often each was disturbed. */
export const disturb = async (
  disturbed: Disturbed,
  randomness: Randomness,
  isStopping: () => boolean
): Promise<Readonly<Record<DisturbanceName, number>>> => {
  const counts = { kill: 0, "cut database": 0, "unreachable facilitator": 0 }
  for (;;) {
    const nextMillis = Date.now() + randomness.between(peaceMillis.min, peaceMillis.max)
    while (!isStopping() && Date.now() < nextMillis) await new Promise((resolve) => setTimeout(resolve, 100))
    if (isStopping()) return counts
    const name = randomness.pick(names)
    await perform[name](disturbed, randomness)
    counts[name]++
  }
}
