import { Effect } from "effect"
import { closestName } from "../runtime/closestName.ts"

/*
 * Checks what operators pass, for hosts without type checks and for input from forms.
 */

/** The size of a page; any but a whole number above 0 is a defect of the host. */
export const pageSizeOf = (limit: number): Effect.Effect<number> =>
  Number.isSafeInteger(limit) && limit > 0
    ? Effect.succeed(limit)
    : Effect.die(new RangeError("limit must be a whole number above 0"))

/** A fault of the host's own call: its promise rejects with it. */
const wrong = (message: string): Effect.Effect<never> => Effect.die(new TypeError(message))

/** Checks that the ends of a span are dates; those that are left out are given as `undefined`. */
export const checkDates = (ends: { readonly [name: string]: unknown }): Effect.Effect<void> => {
  const names = Object.entries(ends)
    .filter(([, end]) => end !== undefined && !(end instanceof Date && !Number.isNaN(end.getTime())))
    .map(([name]) => name)
  return names.length === 0 ? Effect.void : wrong(`${names.join(" and ")} must be a valid Date`)
}

/** Checks a value that is one of a few texts, as an option of this name. */
export const checkChoice = (
  name: string,
  value: string | undefined,
  known: ReadonlyArray<string>
): Effect.Effect<void> => {
  if (value === undefined || known.includes(value)) return Effect.void
  const meant = closestName(String(value), known)
  return wrong(
    `unknown ${name} ${JSON.stringify(value)}: ${meant === undefined ? `it is one of ${known.join(", ")}` : `did you mean ${meant}?`}`
  )
}

/** Checks that a page begins after a record with a date, the last one of the page before. */
export const checkBefore = (date: unknown, record: string): Effect.Effect<void> =>
  date instanceof Date ? Effect.void : wrong(`before must be the last ${record} of the previous page`)
