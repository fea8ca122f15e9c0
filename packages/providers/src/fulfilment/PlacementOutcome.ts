import { NotPlaced, PlacementRefused, TemporarilyUnavailable } from "@till402/core"
import { Effect } from "effect"
import { isUpstreamFault, retryAfterMillisOf } from "../upstream/UpstreamFault.ts"

/*
 * What a failed attempt to place an order means for the order. A till refunds a refused order and retries one
 * that was not placed. Both would be wrong for an order that may have been placed.
 */

/** Not placed, and never will be under this order. `reason`: a word for programs. */
export interface RefusedOutcome {
  readonly _tag: "Refused"
  readonly reason: string
}

/** Certainly not placed. It can be retried. */
export interface NotPlacedOutcome {
  readonly _tag: "NotPlaced"
  readonly retryAfterMillis?: number
}

/** Perhaps placed: look it up. */
export interface UnknownOutcome {
  readonly _tag: "Unknown"
}

export type PlacementOutcome = RefusedOutcome | NotPlacedOutcome | UnknownOutcome

/** A failed attempt, and what it means for the order. */
export interface FailedPlacement<E> {
  readonly error: E
  readonly outcome: PlacementOutcome
}

interface Failure {
  readonly _tag: string
  readonly message: string
}

export const unknown = (): PlacementOutcome => ({ _tag: "Unknown" })
export const refused = (reason: string): PlacementOutcome => ({ _tag: "Refused", reason })

/** Certainly not placed. Includes the pause that the upstream requested. */
export const notPlaced = (error: Failure): PlacementOutcome => {
  const retryAfterMillis = retryAfterMillisOf(error)
  return { _tag: "NotPlaced", ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }) }
}

/** The reason in an error of the port that refuses an order; `undefined` for any other error. */
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

/** Adds to each failure of a stage what it means for the order. */
export const withOutcome =
  <E>(outcomeOf: (error: E) => PlacementOutcome) =>
  <A>(stage: Effect.Effect<A, E>): Effect.Effect<A, FailedPlacement<E>> =>
    Effect.mapError(stage, (error) => ({ error, outcome: outcomeOf(error) }))

/** The attempt with its errors alone, for programs in Effect. */
export const withoutOutcome = <A, E>(attempt: Effect.Effect<A, FailedPlacement<E>>): Effect.Effect<A, E> =>
  Effect.mapError(attempt, ({ error }) => error)

/** The code of an error for logs. */
const codeOf = (error: Failure & { readonly code?: unknown }): string =>
  (isUpstreamFault(error) || error._tag === "WalletUnderfunded" || error._tag === "TemporarilyUnavailable") &&
  typeof error.code === "string"
    ? error.code
    : error._tag

/** An error that passes, as a plain function throws it: with its code. */
export const temporarily = (error: Failure, retryAfterSeconds?: number): TemporarilyUnavailable =>
  Object.assign(
    new TemporarilyUnavailable({
      message: error.message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
    }),
    { code: codeOf(error) }
  )

/** The error of `place` for a certain outcome, with the code of its cause. */
export const toPlaceError = (
  error: Failure,
  outcome: RefusedOutcome | NotPlacedOutcome
): PlacementRefused | NotPlaced => {
  if (outcome._tag === "Refused") {
    return Object.assign(new PlacementRefused({ reason: outcome.reason }), { code: error._tag })
  }
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

/** The error of an attempt that may have placed the order. A till takes the refusals of the port as certain. */
const inDoubt = (error: Failure): TemporarilyUnavailable | undefined =>
  refusalReason(error) === undefined
    ? undefined
    : Object.assign(
        new TemporarilyUnavailable({ message: "the order was refused, but an earlier request may place it" }),
        { code: error._tag }
      )

/** A failed attempt as a plain `place` throws it; an unknown outcome as `toHostError` converts it. */
export const toThrownPlacement = <E extends Failure, H>(
  { error, outcome }: FailedPlacement<E>,
  toHostError: (error: E) => H
): H | PlacementRefused | NotPlaced | TemporarilyUnavailable =>
  outcome._tag === "Unknown" ? (inDoubt(error) ?? toHostError(error)) : toPlaceError(error, outcome)
