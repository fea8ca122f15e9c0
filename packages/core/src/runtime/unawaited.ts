import { Predicate } from "effect"

/** Whether a value is a promise where none is awaited. What it throws must not end the process. */
export const isUnawaited = (value: unknown): boolean => {
  // Not those of other makers, which may begin their work once they are looked at.
  if (value instanceof Promise) value.catch(() => undefined)
  return Predicate.isPromiseLike(value)
}
