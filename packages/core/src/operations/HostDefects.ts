import { Cause, Effect } from "effect"
import { ApiFailure, nothingCharged } from "../domain/ApiFailure.ts"
import { type CallSettings, notifyHost } from "../ports/ProviderFailure.ts"
import type { Operation } from "./Operation.ts"

/** 503: the work of a host's operation missed its deadline. */
export const timedOut = (id: string) =>
  new ApiFailure({
    status: 503,
    code: "OPERATION_TIMEOUT",
    message: `${id} took too long.${nothingCharged} Retry later.`,
    retryAfterSeconds: 30
  })

/** Passes the defects of a function of the host to `onProviderError`: the caller gets only the id of an incident. */
export const reportDefects =
  (operation: string, { onError }: Pick<CallSettings, "onError">) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapCause(effect, (cause) =>
      Effect.sync(() => {
        if (Cause.hasDies(cause))
          notifyHost(onError, { port: "operations", operation, error: Cause.squash(cause) })
      })
    )

/** Does so for all functions of an operation. */
export const reportingDefects = <Input>(
  operation: Operation<Input>,
  settings: Pick<CallSettings, "onError">
): Operation<Input> => {
  const { endpoint, input: { decode, ...input } = {}, price, work } = operation
  const report = reportDefects(endpoint.identifier, settings)
  return {
    ...operation,
    input: decode === undefined ? input : { ...input, decode: (raw) => report(decode(raw)) },
    price: price._tag === "Computed" ? { ...price, of: (input) => report(price.of(input)) } : price,
    work: (input, charge) => report(work(input, charge))
  }
}
