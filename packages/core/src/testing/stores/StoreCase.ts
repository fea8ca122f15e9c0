import { Effect } from "effect"
import type { Stores } from "../../ports/Stores.ts"

/** One promise of the stores. Runs on stores that are empty, and leaves them as it likes. */
export interface StoreCase {
  /** A sentence, e.g. `Charges: of 50 racers for one key exactly one claims it`. */
  readonly name: string
  /** Dies with a `StoreContractViolation` where the promise is broken, fails where a store fails. */
  readonly run: Effect.Effect<void, unknown, Stores>
}

/** Opens stores, runs an effect on them and closes them again: what one leaves behind is what the next finds. */
export type Opened = <A, E>(use: Effect.Effect<A, E, Stores>) => Effect.Effect<A, unknown>

/** One promise of stores that outlive their process. Begins with stores that are empty. */
export interface RestartCase {
  readonly name: string
  /** Opens the stores several times, one after the other. Dies with a `StoreContractViolation`, like a `StoreCase`. */
  readonly run: (opened: Opened) => Effect.Effect<void, unknown>
}

/** A promise of the stores that an implementation does not keep. */
export class StoreContractViolation extends Error {
  override readonly name = "StoreContractViolation"
}

/** Makes a case of a generator over the stores. */
export const storeCase = <E>(
  name: string,
  body: () => Generator<Effect.Effect<unknown, E, Stores>, void>
): StoreCase => ({ name, run: Effect.gen(body as () => Generator<Effect.Effect<never, E, Stores>, void>) })

const plain = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** A value as text: keys in order, a missing key and an undefined one alike. */
export const show = (value: unknown): string => JSON.stringify(value, plain) ?? "undefined"

const leadLength = 80
const shownLength = 600

/** The part of a text that begins a little before its character `from`. */
const around = (text: string, from: number): string => {
  const start = Math.max(0, from - leadLength)
  const part = text.slice(start, start + shownLength)
  return `${start > 0 ? "…" : ""}${part}${start + shownLength < text.length ? "…" : ""}`
}

const firstDifference = (left: string, right: string): number => {
  let index = 0
  while (index < left.length && left[index] === right[index]) index++
  return index
}

/** Throws unless both are the same value. `what` says what was looked at. */
export const equal = (actual: unknown, expected: unknown, what: string): void => {
  const shown = show(actual)
  const due = show(expected)
  if (shown === due) return
  const from = firstDifference(shown, due)
  throw new StoreContractViolation(`${what}: expected ${around(due, from)}, got ${around(shown, from)}`)
}

export const racers = 50

/** Runs an effect as often as there are racers, all at once; each knows its number. */
export const race = <A, E, R>(
  run: (racer: number) => Effect.Effect<A, E, R>
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.forEach(
    Array.from({ length: racers }, (_, racer) => racer),
    run,
    { concurrency: "unbounded" }
  )

/** How many of them are `true`. */
export const wins = (outcomes: ReadonlyArray<boolean>): number => outcomes.filter(Boolean).length
