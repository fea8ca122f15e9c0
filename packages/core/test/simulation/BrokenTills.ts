import type { RailName } from "./Economy.ts"
import { facilitatorMutations } from "./FacilitatorMutations.ts"
import { type BrokenTill, mutations } from "./Mutations.ts"
import { simulate } from "./simulate.ts"
import { solanaMutations } from "./solana/SolanaMutations.ts"

/** A broken till, with its name and its rail. */
export interface NamedTill extends BrokenTill {
  readonly name: string
  readonly rail: RailName
}

const named = (rail: RailName, tills: Iterable<readonly [string, BrokenTill]>): ReadonlyArray<NamedTill> =>
  Array.from(tills, ([name, till]) => ({ name, rail, ...till }))

/** Every broken till. */
export const brokenTills: ReadonlyArray<NamedTill> = [
  ...named("evm", mutations),
  ...named("evm", Object.entries(facilitatorMutations)),
  ...named("solana", Object.entries(solanaMutations)),
  // Many payments there have no memo, so that nothing else binds them.
  ...named("solana", [["fingerprintDropped", mutations.get("fingerprintDropped")!]])
]

/** The first of some seeds that reveals a broken till. */
export const firstDetecting = async (
  { mutation, rail, symptom, world }: NamedTill,
  first: number,
  seeds: number
): Promise<number | undefined> => {
  for (let seed = first; seed < first + seeds; seed++) {
    const { violations } = await simulate(seed, "memory", { mutation, rail, world })
    if (violations.some((violation) => symptom.test(violation))) return seed
  }
  return undefined
}
