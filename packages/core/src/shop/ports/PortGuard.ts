import { Cause, Context, Effect, Exit, Option } from "effect"
import { type PortName, type UpstreamError, UpstreamFailed, UpstreamUnavailable } from "./PortErrors.ts"
import { causeName } from "../../runtime/causeName.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import { type CallContext, deadlineExceeded, exitWithin } from "../../runtime/Deadline.ts"
import { framesOf } from "../../runtime/events.ts"
import { report } from "./ShopEvents.ts"
import { type CallSettings, notifyHost } from "../../ports/ProviderFailure.ts"
import { type Allowed, type AllowedTag, toPortError } from "./ThrownErrors.ts"
import { callStep, handedToFunction } from "../../runtime/span.ts"
import { awaited } from "../../runtime/awaited.ts"

/*
 * The one boundary between the till and a host's port, whatever made the port: plain functions or a layer. Nothing that
 * a port returns, throws or leaves undone gets past it unchecked.
 */

/** How ports are called. A till provides its own. */
export const PortSettings = Context.Reference<CallSettings>("@till402/core/PortSettings", {
  defaultValue: () => ({ timeoutMillis: 20_000 })
})

/** What a call of a port may come to. */
export interface PortCall<A, Tag extends AllowedTag> {
  readonly port: PortName
  /** The name of its span: `Tracker.track`. */
  readonly span: string
  readonly attributes?: Readonly<Record<string, string>>
  /** Names of the errors with which it may fail, besides those of every port; none by default. */
  readonly refusals?: ReadonlyArray<Tag>
  /** Checks what it returned. */
  readonly read: (response: unknown) => Effect.Effect<A, unknown>
}

/**
 * Calls a port and reads its response.
 *
 * Fails with the errors named in `refusals`; with `UpstreamUnavailable` for that, for `TemporarilyUnavailable` and after
 * the deadline; with `UpstreamFailed` for anything else, defects included, and for a response that `read` rejects. Never
 * dies. Upstream errors are reported and passed to `settings.onError`.
 */
export const guarded = <A, Tag extends AllowedTag = never>(
  settings: CallSettings,
  { attributes = {}, port, read, refusals = [], span }: PortCall<A, Tag>,
  call: () => Effect.Effect<unknown, unknown>
): Effect.Effect<A, Allowed<Tag> | UpstreamError> =>
  exitWithin(
    { timeoutMillis: settings.timeoutMillis, onTimeout: () => timedOut(port, settings.timeoutMillis) },
    Effect.suspend(() => effectOf(span, call())).pipe(
      Effect.flatMap(awaited),
      Effect.flatMap((response) => (Effect.isEffect(response) ? nested(span) : read(response)))
    )
  ).pipe(
    Effect.flatMap((exit) =>
      Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.fail(errorOf(port, refusals, exit.cause))
    ),
    Effect.tapError((error) =>
      isUpstreamError(error) ? reportFailure(operationOf(span), error, settings) : Effect.void
    ),
    callStep(span, attributes)
  )

/** Hosts mix up the two ways to write a port: the texts name the member, and the other way. */
const malformed = (span: string, text: string) =>
  Effect.fail(new MalformedResponse({ message: `${span} returned ${text}` }))

/** Fails for an effect that nobody runs: of a function that is awaited, or of another effect. */
const nested = (span: string) =>
  malformed(
    span,
    "an Effect, and must return a promise: run the effect (Effect.runPromise). In a layer, run it with yield* or Effect.flatten"
  )

/** The effect that a member of a port returned. */
const effectOf = (span: string, returned: unknown): Effect.Effect<unknown, unknown> => {
  if (Effect.isEffect(returned)) return returned as Effect.Effect<unknown, unknown>
  const isPromise = returned instanceof Promise
  // Nobody awaits it: what it throws must not end the process.
  if (isPromise) returned.catch(() => undefined)
  const port = span.slice(0, span.indexOf("."))
  return malformed(
    span,
    `${isPromise ? "a promise" : "no Effect"}, and must return an Effect: provide async functions by ${port}.layerPromise`
  )
}

/** The error of a port that did not respond within `timeoutMillis`. */
const timedOut = (port: PortName, timeoutMillis: number): UpstreamUnavailable =>
  new UpstreamUnavailable({
    port,
    cause: deadlineExceeded(timeoutMillis)
  })

/** An error counts only as a failure: thrown as a defect it is a bug of the port. */
const errorOf = <Tag extends AllowedTag>(
  port: PortName,
  refusals: ReadonlyArray<Tag>,
  cause: Cause.Cause<unknown>
): Allowed<Tag> | UpstreamError => {
  const failure = Cause.findErrorOption(cause)
  try {
    return Option.isSome(failure)
      ? toPortError(port, refusals, failure.value)
      : new UpstreamFailed({ port, cause: Cause.squash(cause) })
  } catch (unreadable) {
    // What was thrown throws when it is read: a getter, a revoked proxy.
    return new UpstreamFailed({ port, cause: unreadable })
  }
}

/** The name and place of what was thrown, which may throw when it is read. */
const describe = (failure: UpstreamError): { readonly error: string; readonly at?: string | undefined } => {
  try {
    return { error: causeName(failure), at: framesOf(failure.cause) }
  } catch {
    return { error: failure._tag }
  }
}

const isUpstreamError = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamFailed || error instanceof UpstreamUnavailable

/** The function's name in the port: `track`. */
const operationOf = (span: string): string => span.slice(span.indexOf(".") + 1)

/** Reports what the host's function has done wrong, and passes it to `onError`. */
export const reportFailure = (
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
      ...describe(failure)
    })
  })

const madeOf = new WeakMap<object, unknown>()

/** Notes the plain functions that a service is made of, for the check at start. */
export const fromOptions = <Service extends object>(options: unknown, service: Service): Service => {
  madeOf.set(service, options)
  return service
}

/** The plain functions that a service was made of; `undefined`: it wasn't. */
export const optionsOf = (service: unknown): unknown =>
  typeof service === "object" && service !== null ? madeOf.get(service) : undefined

/** The effect of a host's async function. What it throws is a failure, of any type: the guard judges it. */
export const fromPromise = <A, E>(call: (context: CallContext) => PromiseLike<A>): Effect.Effect<A, E> =>
  handedToFunction(
    Effect.tryPromise({
      try: async (signal) => call({ signal }),
      catch: (thrown) => thrown as E
    })
  )
