/*
 * When an order is looked at again. Pure; milliseconds.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Twice as far off after each attempt in vain, from `first` to `longest`. */
const backoff =
  (first: number, longest: number) =>
  (attempts: number): number =>
    Math.min(first * 2 ** Math.min(attempts, 30), longest)

/**
 * How long a worker has an order to itself: longer than a call upstream may take (40 seconds at most) and what it
 * sent may still be on its way.
 */
export const lease = 3 * minute

/**
 * How long after it wrote down that it begins a worker may call upstream. One that was stopped in between (a machine
 * that was suspended) must not: whoever has the order by then finds nothing upstream, and what is sent after that
 * comes twice. Far enough from the end of the lease for the longest call and its way.
 */
export const placingHesitation = 30 * second

/** An order that is not placed yet: it was refused for now, or what became of it is not known. */
export const placingAgain = backoff(2 * second, 15 * minute)
/** How long placing is tried in all, from the making of the order on. */
export const placingPatience = day

/** A mail that did not go out. */
export const mailAgain = backoff(10 * second, 2 * hour)
/** Attempts after which a mail is given up, some two days on. */
export const mailAttempts = 30

/** A refund that is due, by whomever it is sent. */
export const refundAgain = backoff(5 * second, hour)

/** An order whose payment has not settled yet. */
export const paymentAgain = minute
/** When an order that waits for its payment is looked into first: longer than any authorization lives. */
export const paymentPatience = 15 * minute

/** How long the status of an order is asked for, from its last change on; then an operator is told. */
export const trackingPatience = 60 * day

/** The next question for the status of an order that has stood as it is for so long: often first, then seldom. */
export const statusAgain = (standsSinceMillis: number): number =>
  Math.min(Math.max(standsSinceMillis / 4, 15 * second), 6 * hour)

/** The next question after one that was not answered. */
export const statusRetry = backoff(15 * second, hour)
