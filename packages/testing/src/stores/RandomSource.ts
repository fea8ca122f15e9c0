import { mulberry32 } from "../mulberry32.ts"
import type { Effect } from "effect"
import type { StoreError, Stores } from "@till402/core/effect"

/** A seeded source of random choices: the same seed gives the same choices. */
export const randomSource = (seed: number) => {
  const next = mulberry32(seed)
  const below = (limit: number): number => next() % limit
  return { below, pick: <A>(choices: ReadonlyArray<A>): A => choices[below(choices.length)]! }
}
export type RandomSource = ReturnType<typeof randomSource>

/** A store operation with its arguments, to run on a store and on its model. */
export type Operation<Needed extends Stores = Stores> = Effect.Effect<unknown, StoreError, Needed>
/** Draws a store operation with random arguments. `step` is unique within a run. */
export type RandomOperation<Needed extends Stores = Stores> = (
  random: RandomSource,
  step: number
) => Operation<Needed>

export const randomKey = (random: RandomSource) => `key-${random.below(6)}`
export const randomTime = (random: RandomSource) => random.below(100)
