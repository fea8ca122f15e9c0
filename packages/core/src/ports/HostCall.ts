import { askAndThen, type Asking } from "../Deadline.ts"
import { Data, Effect } from "effect"
import {
  AdditionalFieldRequired,
  AddressNotServed,
  CarrierNotDetected,
  InvalidCarrier,
  InvalidTrackingNumber,
  MailRejected,
  NoTrackingInfo,
  NotPlaced,
  PlacementRefused,
  type PortName,
  ProductNotFound,
  ProductUnavailable,
  StoreError,
  type UpstreamError,
  UpstreamFailed,
  UpstreamUnavailable
} from "../domain/Errors.ts"
import { MalformedAnswer } from "./HostAnswer.ts"

/*
 * Calls into a host's plain async functions: a signal, a deadline, and a sorting of what is thrown into
 * the port's own errors.
 */

/** How a host's functions are called. */
export interface CallSettings {
  /** Deadline of one call; past it the call's signal aborts and the port is unavailable. */
  readonly timeoutMillis: number
}

/** No answer came in time. What the upstream did or did not do is not known. */
export class DeadlineExceeded extends Data.TaggedError("DeadlineExceeded")<{
  readonly message: string
  readonly timeoutMillis: number
}> {}

/** The failure of a port that did not answer within `timeoutMillis`. */
export const pastDeadline = (port: PortName, timeoutMillis: number): UpstreamUnavailable =>
  new UpstreamUnavailable({
    port,
    cause: new DeadlineExceeded({ message: `no answer within ${timeoutMillis} ms`, timeoutMillis })
  })

type Thrown = { readonly [key: string]: unknown }

const maxMessageLength = 500

const messageOf = (thrown: Thrown, otherwise: string): string =>
  typeof thrown["message"] === "string" && thrown["message"] !== ""
    ? thrown["message"].slice(0, maxMessageLength)
    : otherwise

const candidatesOf = (thrown: Thrown): ReadonlyArray<{ readonly code: number; readonly name: string }> =>
  (Array.isArray(thrown["candidates"]) ? thrown["candidates"] : []).flatMap((candidate: unknown) => {
    const { code, name } = (candidate ?? {}) as Thrown
    return typeof code === "number" && Number.isFinite(code) && typeof name === "string"
      ? [{ code, name }]
      : []
  })

/** A word for programs and mails: upstream's own, kept short. */
export const wordOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 60) || "refused"

const additionalFields = [
  "destinationPostalCode",
  "destinationCountry",
  "shipDate",
  "phone",
  "cpfOrCnpj"
] as const

const maxRetryAfterSeconds = 86_400

const retryAfterOf = (thrown: Thrown): { readonly retryAfterSeconds?: number } => {
  const seconds = thrown["retryAfterSeconds"]
  return typeof seconds === "number" && seconds >= 0
    ? { retryAfterSeconds: Math.min(Math.max(Math.ceil(seconds), 1), maxRetryAfterSeconds) }
    : {}
}

/*
 * The refusals a host may throw, made anew from what was thrown: it may be of another copy of this
 * package, so it is known by `_tag`, and its fields can't be trusted. `undefined`: not usable.
 */
const refusals = {
  ProductNotFound: (thrown: Thrown) =>
    new ProductNotFound({ message: messageOf(thrown, "There is no such product.") }),
  ProductUnavailable: (thrown: Thrown) =>
    new ProductUnavailable({
      message: messageOf(thrown, "The product can't be bought now."),
      ...(typeof thrown["reason"] === "string" ? { reason: thrown["reason"].slice(0, maxMessageLength) } : {})
    }),
  AddressNotServed: (thrown: Thrown) =>
    new AddressNotServed({ message: messageOf(thrown, "The product is not delivered to this address.") }),
  PlacementRefused: (thrown: Thrown) =>
    new PlacementRefused({
      reason: typeof thrown["reason"] === "string" ? wordOf(thrown["reason"]) : "refused"
    }),
  NotPlaced: (thrown: Thrown) =>
    new NotPlaced({ message: messageOf(thrown, "The order was not placed."), ...retryAfterOf(thrown) }),
  MailRejected: (thrown: Thrown) =>
    new MailRejected({ message: messageOf(thrown, "The mail was rejected.") }),
  InvalidTrackingNumber: (thrown: Thrown) =>
    new InvalidTrackingNumber({ message: messageOf(thrown, "is not a valid tracking number") }),
  NoTrackingInfo: (thrown: Thrown) =>
    new NoTrackingInfo({ message: messageOf(thrown, "Nothing is known of this tracking number yet.") }),
  CarrierNotDetected: (thrown: Thrown) =>
    new CarrierNotDetected({
      message: messageOf(thrown, "The carrier could not be detected; send carrier."),
      candidates: candidatesOf(thrown)
    }),
  InvalidCarrier: (thrown: Thrown) =>
    new InvalidCarrier({ message: messageOf(thrown, "The carrier does not fit this tracking number.") }),
  AdditionalFieldRequired: (thrown: Thrown) => {
    const field = additionalFields.find((name) => name === thrown["field"])
    return field === undefined
      ? undefined
      : new AdditionalFieldRequired({ message: messageOf(thrown, `The carrier needs ${field}.`), field })
  }
}

/** The name of an error that a port lets a host throw. */
export type RefusalTag = keyof typeof refusals
type Refusal<Tag extends RefusalTag> = NonNullable<ReturnType<(typeof refusals)[Tag]>>

const sortThrown = <Tag extends RefusalTag>(
  port: PortName,
  allowed: ReadonlyArray<Tag>,
  cause: unknown
): Refusal<Tag> | UpstreamError => {
  if (typeof cause === "object" && cause !== null && "_tag" in cause) {
    const thrown = cause as unknown as Thrown
    if (thrown["_tag"] === "TemporarilyUnavailable") {
      return new UpstreamUnavailable({ port, cause, ...retryAfterOf(thrown) })
    }
    const tag = allowed.find((name) => name === thrown["_tag"])
    const refusal = tag === undefined ? undefined : refusals[tag](thrown)
    if (refusal !== undefined) return refusal as Refusal<Tag>
  }
  return new UpstreamFailed({ port, cause })
}

/**
 * Asks a host's function and reads its answer.
 *
 * Fails with the refusals named in `refuses` where the host throws them; with `UpstreamUnavailable` for
 * `TemporarilyUnavailable` and past the deadline; with `UpstreamFailed` for whatever else is thrown, by
 * a rejection or on the spot, and for an answer that `read` can't use. Never dies.
 */
export const hostCall = <A, Tag extends RefusalTag = never>(call: {
  readonly port: PortName
  readonly timeoutMillis: number
  readonly refuses?: ReadonlyArray<Tag>
  readonly ask: (asking: Asking) => PromiseLike<unknown>
  readonly read: (answer: unknown) => Effect.Effect<A, MalformedAnswer>
}): Effect.Effect<A, Refusal<Tag> | UpstreamError> => {
  const { ask, port, read, refuses = [], timeoutMillis } = call
  const failed = (error: Refusal<Tag> | UpstreamError): Effect.Effect<never, Refusal<Tag> | UpstreamError> =>
    isUpstreamError(error)
      ? Effect.andThen(
          Effect.logWarning("A provider failed", port, causeName(error)),
          Effect.fail<Refusal<Tag> | UpstreamError>(error)
        )
      : Effect.fail(error)
  return askAndThen<unknown, A, Refusal<Tag> | UpstreamError>({
    millis: timeoutMillis,
    ask,
    onAnswer: (answer) =>
      Effect.catchEager(read(answer), (cause) => failed(new UpstreamFailed({ port, cause }))),
    onThrow: (cause) => failed(sortThrown(port, refuses, cause)),
    onLapse: () => failed(pastDeadline(port, timeoutMillis))
  })
}

const isUpstreamError = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamFailed || error instanceof UpstreamUnavailable

const maxCauseDepth = 4

/**
 * An upstream's failure in words that are safe to log beside a caller's request: what the host threw may
 * quote a query or an address in its message, so only its name and code are told.
 *
 * @example
 * causeName(new UpstreamFailed({ port: "tracking", cause: refusedConnection }))
 * // "UpstreamFailed: TypeError ECONNREFUSED"
 */
export const causeName = (cause: unknown, depth = 0): string => {
  if (cause instanceof MalformedAnswer || cause instanceof DeadlineExceeded) return cause.message
  if (!(cause instanceof Error)) return typeof cause
  const code: unknown = "code" in cause ? cause.code : undefined
  const named = cause instanceof StoreError ? `${cause.name} ${cause.operation}` : cause.name
  const name = typeof code === "string" && /^\w{1,60}$/.test(code) ? `${named} ${code}` : named
  if (depth === maxCauseDepth) return name
  const inner: ReadonlyArray<unknown> =
    cause instanceof AggregateError
      ? cause.errors
      : (isUpstreamError(cause) || cause instanceof StoreError) && cause.cause !== undefined
        ? [cause.cause]
        : []
  return inner.length === 0 ? name : `${name}: ${inner.map((each) => causeName(each, depth + 1)).join("; ")}`
}
