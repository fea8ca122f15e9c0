import { Clock, Effect } from "effect"
import { defectFailure } from "../domain/ApiFailure.ts"
import { type DecimalText, formatAtomic, parseAtomic } from "../domain/Money.ts"
import { isAsyncFunction } from "../runtime/isAsyncFunction.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import type { Price } from "./Operation.ts"

/**
 * The price of a host's operation, in dollars as decimal text (`"0.02"`): fixed, or a function of the input, which must
 * stay between `min` and `max`.
 *
 * @example
 * import type { OwnPrice } from "@till402/core"
 *
 * // One cent a page, as an integer: a float would lose fractions.
 * const price: OwnPrice<{ pages: number }> = {
 *   min: "0.01",
 *   max: "1.00",
 *   of: ({ pages }) => {
 *     const cents = BigInt(pages)
 *     return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`
 *   }
 * }
 */
export type OwnPrice<Input> =
  | DecimalText
  | {
      /** Lowest price. Shown to requests without input. */
      readonly min: DecimalText
      /** Highest price. Shown in the OpenAPI document. */
      readonly max: DecimalText
      /** The price of one request. Called for the 402 and for the payment: return the same for the same input. */
      readonly of: (input: Input) => DecimalText
    }

const atomicOf = (text: unknown): bigint | undefined => {
  const atomic = typeof text === "string" ? parseAtomic(text) : undefined
  return atomic === undefined || atomic <= 0n ? undefined : atomic
}

/** Why a price is invalid; `undefined` if it is valid. */
export const priceFault = (price: unknown): string | undefined => {
  if (typeof price !== "object" || price === null) {
    return atomicOf(price) === undefined
      ? `price must be dollars such as "0.02", or { min, max, of }`
      : undefined
  }
  const { max, min, of } = price as Readonly<Record<string, unknown>>
  const [low, high] = [atomicOf(min), atomicOf(max)]
  if (low === undefined || high === undefined || low > high)
    return `price.min and price.max must be dollars such as "0.02", with min at most max`
  return typeof of === "function" && !isAsyncFunction(of)
    ? undefined
    : "price.of must be a function of the input that isn't async"
}

/** Reports a failing price once in this time: requests without payment compute it, too, and a stranger may send many. */
const reportEveryMillis = 60_000

/** The price that a till charges. A function that returns a price out of bounds is a defect: nothing is charged. */
export const ownPrice = <Input>(id: string, price: OwnPrice<Input>, description: string): Price<Input> => {
  if (typeof price === "string") return { _tag: "Fixed", atomic: parseAtomic(price)! }
  const [minAtomic, maxAtomic] = [parseAtomic(price.min)!, parseAtomic(price.max)!]
  const computed = (input: Input) =>
    Effect.sync(() => {
      const atomic = atomicOf(price.of(input))
      if (atomic !== undefined && atomic >= minAtomic && atomic <= maxAtomic) return atomic
      throw new MalformedResponse({
        message: `price.of of operation ${id} must return dollars between ${formatAtomic(minAtomic)} and ${formatAtomic(maxAtomic)}`
      })
    })
  let quietUntilMillis = 0
  const failed = (defect: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      if (nowMillis < quietUntilMillis) return Effect.fail(defectFailure())
      quietUntilMillis = nowMillis + reportEveryMillis
      return Effect.die(defect)
    })
  return {
    _tag: "Computed",
    minAtomic,
    maxAtomic,
    indicative: { atomic: minAtomic, description, extra: {} },
    of: (input) => Effect.catchDefect(computed(input), failed)
  }
}
