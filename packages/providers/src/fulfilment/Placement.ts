import { NotPlaced, PlacementRefused } from "@till402/core"
import { Effect } from "effect"
import { isFault, retryAfterMillisOf } from "../upstream/UpstreamFault.ts"

/*
 * What a failed attempt to place an order says of the order. A till refunds what was refused and places again what
 * was not placed, so neither may be said of an order that may be on its way.
 */

export type Outcome =
  /** Not placed, and never to be under this order. `reason`: a word for programs. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** Certainly not placed, and nothing is on its way. */
  | { readonly _tag: "NotPlaced"; readonly retryAfterMillis?: number }
  /** Perhaps placed: it has to be looked up. */
  | { readonly _tag: "Unknown" }

/** A failure of an attempt, with what it says of the order. */
export interface FailedPlacement<E> {
  readonly error: E
  readonly outcome: Outcome
}

/** An error as a port knows it: something to read, perhaps with a code for logs. */
interface Failure {
  readonly _tag: string
  readonly message: string
}

export const unknown = (): Outcome => ({ _tag: "Unknown" })
export const refused = (reason: string): Outcome => ({ _tag: "Refused", reason })

/** Certainly not placed; the pause that an upstream asks for goes along. */
export const notPlaced = (error: Failure): Outcome => {
  const retryAfterMillis = retryAfterMillisOf(error)
  return { _tag: "NotPlaced", ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }) }
}

/** The word for an order that an upstream refused in the port's own terms; `undefined` for any other error. */
export const refusalReason = (error: Failure & { readonly reason?: unknown }): string | undefined => {
  switch (error._tag) {
    case "ProductNotFound":
      return "product_not_found"
    case "AddressNotServed":
      return "address_not_served"
    case "ProductUnavailable":
      return typeof error.reason === "string" ? error.reason : "product_unavailable"
    default:
      return undefined
  }
}

/** Failures of one stage of placing, each with what it says of the order. */
export const judged =
  <E>(outcomeOf: (error: E) => Outcome) =>
  <A>(stage: Effect.Effect<A, E>): Effect.Effect<A, FailedPlacement<E>> =>
    Effect.mapError(stage, (error) => ({ error, outcome: outcomeOf(error) }))

/** The attempt as programs in Effect see it: with its errors alone. */
export const unjudged = <A, E>(attempt: Effect.Effect<A, FailedPlacement<E>>): Effect.Effect<A, E> =>
  Effect.mapError(attempt, ({ error }) => error)

/** What logs may tell of an error beside its name. */
const codeOf = (error: Failure & { readonly code?: unknown }): string =>
  (isFault(error) || error._tag === "WalletShort" || error._tag === "TemporarilyUnavailable") &&
  typeof error.code === "string"
    ? error.code
    : error._tag

/**
 * A failed attempt as `place` throws it: `PlacementRefused` or `NotPlaced` where that is certain, and else the error
 * as `toHostError` has it.
 */
export const toPlaceError = <E extends Failure, H>(
  { error, outcome }: FailedPlacement<E>,
  toHostError: (error: E) => H
): H | PlacementRefused | NotPlaced => {
  switch (outcome._tag) {
    case "Refused":
      return Object.assign(new PlacementRefused({ reason: outcome.reason }), { code: error._tag })
    case "NotPlaced": {
      const { retryAfterMillis } = outcome
      return Object.assign(
        new NotPlaced({
          message: error.message,
          ...(retryAfterMillis === undefined
            ? {}
            : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMillis / 1_000)) })
        }),
        { code: codeOf(error) }
      )
    }
    case "Unknown":
      return toHostError(error)
  }
}
