import { Effect } from "effect"
import type { Charges, Stores } from "@till402/core/effect"

/** One test case of the contract of some stores. Starts with empty stores and may leave data behind. */
export interface StoreCase<out Needed extends Stores = Stores> {
  /** A sentence, e.g. `Charges: of 50 racers for one key exactly one claims it`. */
  readonly name: string
  /** Dies with a `StoreContractViolation` if the contract is broken; fails if a store fails. */
  readonly run: Effect.Effect<void, unknown, Needed>
}

/** A test case of `Charges` alone. */
export type ChargeCase = StoreCase<Charges>

/** Opens the stores, runs an effect on them and closes them again. The data persists between runs. */
export type WithStores<Needed extends Stores = Stores> = <A, E>(
  use: Effect.Effect<A, E, Needed>
) => Effect.Effect<A, unknown>

/** One test case for persistent stores. Starts with empty stores. */
export interface RestartCase<Needed extends Stores = Stores> {
  readonly name: string
  /** Opens the stores several times in sequence. Dies with a `StoreContractViolation`, like a `StoreCase`. */
  readonly run: (opened: WithStores<Needed>) => Effect.Effect<void, unknown>
}

/** Thrown if an implementation breaks the store contract. */
export class StoreContractViolation extends Error {
  override readonly name = "StoreContractViolation"
}

/** Creates a case from a generator over the stores. */
export const storeCase = <E, Needed extends Stores>(
  name: string,
  body: () => Generator<Effect.Effect<unknown, E, Needed>, void>
): StoreCase<Needed> => ({
  name,
  run: Effect.gen(body as () => Generator<Effect.Effect<never, E, Needed>, void>)
})

const normalize = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** Formats a value as text, with sorted keys and without undefined values. */
export const format = (value: unknown): string => JSON.stringify(value, normalize) ?? "undefined"

const leadLength = 80
const excerptLength = 600

/** The part of a text around its character `from`. */
const excerpt = (text: string, from: number): string => {
  const start = Math.max(0, from - leadLength)
  const part = text.slice(start, start + excerptLength)
  return `${start > 0 ? "…" : ""}${part}${start + excerptLength < text.length ? "…" : ""}`
}

const firstDifference = (left: string, right: string): number => {
  let index = 0
  while (index < left.length && left[index] === right[index]) index++
  return index
}

/** Throws unless both values are equal. `what` describes the value in the error. */
export const expectEqual = (actual: unknown, expected: unknown, what: string): void => {
  const actualText = format(actual)
  const expectedText = format(expected)
  if (actualText === expectedText) return
  const from = firstDifference(actualText, expectedText)
  throw new StoreContractViolation(
    `${what}: expected ${excerpt(expectedText, from)}, got ${excerpt(actualText, from)}`
  )
}

export const racers = 50

/** Runs an effect once per racer, all concurrently, with the racer's number. */
export const race = <A, E, R>(
  run: (racer: number) => Effect.Effect<A, E, R>
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.forEach(
    Array.from({ length: racers }, (_, racer) => racer),
    run,
    { concurrency: "unbounded" }
  )

/** Counts the `true` outcomes. */
export const countTrue = (outcomes: ReadonlyArray<boolean>): number => outcomes.filter(Boolean).length
