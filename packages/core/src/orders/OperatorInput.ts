import { Effect } from "effect"

/*
 * Checks what operators pass, for hosts without type checks and for input from forms.
 */

const maxLength = 500

/**
 * Whether a text can name a transaction or an upstream's order: not blank, up to 500 characters, no control characters.
 */
export const isUsableName = (text: string): boolean =>
  // eslint-disable-next-line no-control-regex -- PostgreSQL can't store a NUL, and no name has any of these
  text.trim() !== "" && text.length <= maxLength && !/[\u0000-\u001f\u007f]/.test(text)

/** The size of a page; any but a whole number above 0 is a defect of the host. */
export const pageSizeOf = (limit: number): Effect.Effect<number> =>
  Number.isSafeInteger(limit) && limit > 0
    ? Effect.succeed(limit)
    : Effect.die(new RangeError("limit must be a whole number above 0"))
