import type { Fleet } from "./Fleet.ts"
import type { Moment } from "./Moments.ts"
import type { Outside } from "./Outside.ts"
import type { Randomness } from "./Randomness.ts"

/** Maximum pause between two kills, so that some calls complete. */
const peaceMillis = 400
/** How long to wait for a moment that may not come, on a busy machine. */
const momentMillis = 5_000

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * Kills one server of a fleet, or all, at a random moment, and waits for their successors. Returns the moment's name,
 * or `clock`.
 */
export const killOnce = async (
  fleet: Fleet,
  outside: Outside,
  moments: readonly [Moment, ...ReadonlyArray<Moment>],
  randomness: Randomness
): Promise<string> => {
  await sleep(randomness.between(0, peaceMillis))
  const everyone = randomness.chance(0.25)
  const stillbornMillis = randomness.chance(0.15) ? randomness.between(1, 80) : undefined
  const kill = (slot: number): Promise<void> =>
    fleet.replace(everyone ? fleet.slots : [slot], stillbornMillis)
  const byClock = async (): Promise<string> => {
    await kill(randomness.below(fleet.slots.length))
    return "clock"
  }
  if (randomness.chance(0.25)) {
    await sleep(randomness.between(20, 400))
    return byClock()
  }
  const moment = randomness.pick(moments)
  let killing: Promise<void> | undefined
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, momentMillis)
    outside.watch((reached, server) => {
      const slot = fleet.slotOf(server)
      if (killing !== undefined || reached !== moment || slot === undefined) return
      // In the same tick: the server is dead before the external services continue.
      killing = kill(slot)
      clearTimeout(timer)
      resolve()
    })
  })
  outside.watch(undefined)
  if (killing === undefined) return byClock()
  await killing
  return moment
}
