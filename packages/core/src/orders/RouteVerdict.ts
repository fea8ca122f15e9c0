import {
  type AddressNotServed,
  type ProductNotFound,
  type ProductUnavailable,
  TemporarilyUnavailable
} from "../domain/Errors.ts"
import { DeadlineExceeded } from "../ports/HostCall.ts"

/*
 * Several routes failed to quote: what the caller is told. Pure.
 */

const tagOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined

/** Refusals in the order of how far the product got: one that is sold out is known and delivered there. */
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
 * What the failures of all routes come to. Where one was down, another try may succeed, so that is told before
 * any refusal; a broken one comes next, since it might have quoted; then the refusal that says most.
 */
export const verdictOf = (errors: ReadonlyArray<unknown>): unknown => {
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
