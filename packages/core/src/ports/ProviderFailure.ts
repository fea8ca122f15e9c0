import { nodeEnv } from "../runtime/nodeEnv.ts"

/** A call of a host's provider that failed, with the error as the provider threw it. */
export interface ProviderFailure {
  /** The port of the function: `tracking`, `fulfilment`, …; `operations`, `publicRoutes`: a route of your own. */
  readonly port: string
  /** The function that failed: `track`, `quote`, `place`; of your own route, its id or path. */
  readonly operation: string
  /** The thrown error, or the till's `MalformedResponse` or `DeadlineExceeded`. May contain personal data. */
  readonly error: unknown
  /** The stack of `error`, with its message; `undefined` if it has none. */
  readonly stack: string | undefined
}

/** How a host's functions are called. */
export interface CallSettings {
  /** Deadline of one call in milliseconds; after it the call's signal aborts and the port is unavailable. */
  readonly timeoutMillis: number
  /** Receives each failure with the real error, which events leave out. Its errors are ignored. */
  readonly onError?: ((failure: ProviderFailure) => void) | undefined
}

/** Prints a failure on standard error, unless NODE_ENV is `production`: the error may quote an address. */
export const printProviderFailure = ({ error, operation, port }: ProviderFailure): void => {
  const environment = nodeEnv()
  // What can't be read may be production.
  if (environment === undefined || environment === "production") return
  console.error(`Till402: a provider failed (port ${port}, operation ${operation}):`, error)
}

/** Calls an observer. Its errors, also those of a promise that it returns, must not change the result of the call. */
export const notifyHost = (
  observe: ((failure: ProviderFailure) => void) | undefined,
  failure: Omit<ProviderFailure, "stack">
): void => {
  if (observe === undefined) return
  const { error } = failure
  const observed = async () =>
    observe({ ...failure, stack: error instanceof Error ? error.stack : undefined })
  observed().catch(() => undefined)
}
