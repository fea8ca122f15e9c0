/** Seeded random numbers: the same seed gives the same choices. */
export interface Randomness {
  /** A whole number from 0 to `end`, excluding `end`. */
  readonly below: (end: number) => number
  /** A whole number from `first` to `last`, both included. */
  readonly between: (first: number, last: number) => number
  /** True with this probability (0 to 1). */
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(choices: readonly [A, ...ReadonlyArray<A>]) => A
}

/** FNV-1a over seed and label: the source's first state. */
const startOf = (seed: number, label: string): number => {
  let hash = 0x811c9dc5 ^ seed
  for (let index = 0; index < label.length; index++) {
    hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** The generator mulberry32: 32 bits of state, enough to choose moments and requests. */
const mulberry32 = (start: number): (() => number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * @example
 * const millis = randomnessOf(42, "round 3").between(20, 400)
 */
export const randomnessOf = (seed: number, label = ""): Randomness => {
  const next = mulberry32(startOf(seed, label))
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[below(choices.length)] ?? choices[0]
  }
}
