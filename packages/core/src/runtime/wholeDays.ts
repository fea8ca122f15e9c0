/*
 * The UTC days that lie in a span of time as a whole.
 */

/** Days since 1970-01-01, the first included and the last not. */
export interface Days {
  readonly from: number
  readonly before: number
}

const dayMillis = 86_400_000
/** 9999-12-31: the names of later days don't sort as the days do. */
const lastDay = 2_932_896

/** The name of a day: `2026-11-21`. */
export const nameOfDay = (day: number): string => new Date(day * dayMillis).toISOString().slice(0, 10)

/**
 * Divides a span into its whole days and the rest: from its start until `untilDays`, and from `afterDays` until its end.
 * Without a whole day, all of it is before `untilDays`.
 */
export const wholeDays = (
  fromMillis: number,
  beforeMillis: number
): { readonly days: Days; readonly untilDays: number; readonly afterDays: number } => {
  const from = Math.max(Math.ceil(fromMillis / dayMillis), 0)
  const before = Math.min(Math.floor(beforeMillis / dayMillis), lastDay)
  return from < before
    ? { days: { from, before }, untilDays: from * dayMillis, afterDays: before * dayMillis }
    : { days: { from: 0, before: 0 }, untilDays: beforeMillis, afterDays: beforeMillis }
}
