import { Effect } from "effect"
import { type PortName, type UpstreamError, UpstreamFailed, UpstreamUnavailable } from "./Errors.ts"
import { causeName } from "../../runtime/causeName.ts"
import type { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import { type CallContext, DeadlineExceeded, tryWithTimeout } from "../../runtime/Deadline.ts"
import { framesOf } from "../../runtime/events.ts"
import { report } from "./ShopEvents.ts"
import { type CallSettings, notifyHost } from "../../ports/ProviderFailure.ts"
import { type Allowed, type AllowedTag, toPortError } from "./ThrownErrors.ts"

/*
 * Calls a host's plain async functions: with a signal and a deadline, and with the port's own errors for what they
 * throw.
 */

/** The error of a port that did not respond within `timeoutMillis`. */
export const timedOut = (port: PortName, timeoutMillis: number): UpstreamUnavailable =>
  new UpstreamUnavailable({
    port,
    cause: new DeadlineExceeded({ message: `no response within ${timeoutMillis} ms`, timeoutMillis })
  })

/** One call of a host's function. */
export interface HostCall<A, Tag extends AllowedTag> {
  readonly port: PortName
  /** The function's name in the port's options: `track`. */
  readonly operation: string
  readonly settings: CallSettings
  /** Names of the errors that the function may throw; none by default. */
  readonly mayThrow?: ReadonlyArray<Tag>
  readonly call: (context: CallContext) => PromiseLike<unknown>
  readonly read: (response: unknown) => Effect.Effect<A, MalformedResponse>
}

/**
 * Calls a host's function and reads its response.
 *
 * Fails with the errors named in `mayThrow` if the host throws them; with `UpstreamUnavailable` for
 * `TemporarilyUnavailable` and after the deadline; with `UpstreamFailed` for anything else that is thrown, and for a
 * response that `read` rejects. Never dies. Upstream errors are reported and passed to `settings.onError`.
 */
export const hostCall = <A, Tag extends AllowedTag = never>(
  hostCall: HostCall<A, Tag>
): Effect.Effect<A, Allowed<Tag> | UpstreamError> => {
  const { call, mayThrow = [], operation, port, read, settings } = hostCall
  return tryWithTimeout({
    timeoutMillis: settings.timeoutMillis,
    call,
    catch: (cause) => toPortError(port, mayThrow, cause),
    onTimeout: () => timedOut(port, settings.timeoutMillis)
  }).pipe(
    Effect.flatMap((response) =>
      Effect.mapError(read(response), (cause) => new UpstreamFailed({ port, cause }))
    ),
    Effect.tapError((error) =>
      isUpstreamError(error) ? reportFailure(operation, error, settings) : Effect.void
    )
  )
}

const isUpstreamError = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamFailed || error instanceof UpstreamUnavailable

const reportFailure = (
  operation: string,
  failure: UpstreamError,
  { onError }: CallSettings
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { cause: error, port } = failure
    notifyHost(onError, { port, operation, error })
    return report("Warn", "provider_failed", "A provider failed", {
      port,
      operation,
      error: causeName(failure),
      at: framesOf(error)
    })
  })
