import type { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Stores } from "../../ports/Stores.ts"

/** Numbers that look random and are the same for the same seed (mulberry32). */
export const dice = (seed: number) => {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: <A>(choices: ReadonlyArray<A>): A => choices[below(choices.length)]! }
}
export type Dice = ReturnType<typeof dice>

/** A verb with its arguments, to be said to a store and to its model. */
export type Verb = Effect.Effect<unknown, StoreError, Stores>
/** A verb with random arguments; the step is a number that comes once. */
export type Roll = (dice: Dice, step: number) => Verb

export const someKey = (dice: Dice) => `key-${dice.below(6)}`
export const someTime = (dice: Dice) => dice.below(100)
