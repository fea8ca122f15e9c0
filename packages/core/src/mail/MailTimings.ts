/*
 * When a mail is retried. Pure; milliseconds.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Doubles the pause after each failed attempt, from `first` to `longest`. */
export const backoff =
  (first: number, longest: number) =>
  (attempts: number): number =>
    Math.min(first * 2 ** Math.min(attempts, 30), longest)

/** The pause before a mail that failed is retried. */
export const mailBackoff = backoff(10 * second, 2 * hour)
/** Attempts after which a mail is given up, about two days later. */
export const maxMailAttempts = 30
