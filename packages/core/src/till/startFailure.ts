import { Cause } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"

/** Why a till or its books did not start, for the host. */
export const startFailure = (subject: string, cause: Cause.Cause<unknown>): Error => {
  const error = Cause.squash(cause)
  if (error instanceof ConfigurationError) return error
  const words =
    error instanceof Error ? [error.message, ...causesOf(error)].filter(Boolean).join(": ") : String(error)
  return new Error(`${subject}: ${words}`, { cause: error })
}

const causesOf = (error: Error): ReadonlyArray<string> =>
  error.cause instanceof Error ? [error.cause.message, ...causesOf(error.cause)] : []
