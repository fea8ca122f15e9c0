import {
  type AddressNotServed,
  type ProductNotFound,
  type ProductUnavailable,
  TemporarilyUnavailable
} from "../ports/PortErrors.ts"
import { DeadlineExceeded } from "../../runtime/Deadline.ts"

/*
 * The one error for several routes that failed to quote. Pure.
 */

const tagOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined

/** Refusals, the most informative first: a sold-out product is known, and would be delivered there. */
const refusals: ReadonlyArray<unknown> = [
  "ProductUnavailable" satisfies ProductUnavailable["_tag"],
  "AddressNotServed" satisfies AddressNotServed["_tag"],
  "ProductNotFound" satisfies ProductNotFound["_tag"]
]

const soonest = (errors: ReadonlyArray<unknown>): number | undefined => {
  const seconds = errors
    .map((error) => (error as Partial<TemporarilyUnavailable>).retryAfterSeconds)
    .filter((each) => typeof each === "number")
  return seconds.length === 0 ? undefined : Math.min(...seconds)
}

/**
 * Combines the errors of all routes. An unavailable route comes first, since a retry may succeed; then one that failed,
 * since it might have quoted; then the most informative refusal.
 */
export const combinedError = (errors: ReadonlyArray<unknown>): unknown => {
  if (errors.length === 1) return errors[0]
  const isDown = (error: unknown) =>
    error instanceof DeadlineExceeded || tagOf(error) === "TemporarilyUnavailable"
  const down = errors.filter(isDown)
  if (down.length > 0) {
    const retryAfterSeconds = soonest(down)
    return new TemporarilyUnavailable({
      message: `${down.length} of ${errors.length} fulfilment routes are not available`,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
    })
  }
  const broken = errors.filter((error) => !refusals.includes(tagOf(error)))
  if (broken.length > 0)
    return broken.length === 1
      ? broken[0]
      : new AggregateError(broken, `${broken.length} fulfilment routes failed`)
  return errors.toSorted((a, b) => refusals.indexOf(tagOf(a)) - refusals.indexOf(tagOf(b)))[0]
}
