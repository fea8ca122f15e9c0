import { backoff } from "../../runtime/backoff.ts"

/*
 * When a mail is retried. Pure; milliseconds.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pause before a mail that failed is retried. */
export const mailBackoff = backoff(10 * second, 2 * hour)
/** Attempts after which a mail is given up, about two days later. */
export const maxMailAttempts = 30
