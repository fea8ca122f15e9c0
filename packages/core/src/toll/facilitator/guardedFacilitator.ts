import { Effect } from "effect"
import { isTransactionIdOn } from "../../domain/transactionId.ts"
import { causeName } from "../../runtime/causeName.ts"
import { type ClockReading, isClockReading } from "../../runtime/ClockReading.ts"
import { resultWithin } from "../../runtime/Deadline.ts"
import { present } from "../../runtime/present.ts"
import type { Facilitator } from "./Facilitator.ts"
import type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"
import { reasonCode, unreachableSettlement } from "./Wire.ts"

/*
 * The boundary between the till and a `Facilitator` that a host wrote as a service. Those that this package makes have
 * their own.
 */

const verifyMillis = 15_000
const settleMillis = 60_000
const readMillis = 5_000

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {}

const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === "string"

const isVerification = (value: unknown): value is Verification => {
  const { _tag: tag, payer, reason } = fieldsOf(value)
  return tag === "Valid"
    ? isTextOrNone(payer)
    : (tag === "Invalid" || tag === "Unreachable") && typeof reason === "string"
}

/** Callers get the reason of a refusal, also in a header. */
const withCode = <A extends Verification | Settlement>(result: A): A =>
  result._tag === "Invalid" || result._tag === "Rejected"
    ? { ...result, reason: reasonCode(result.reason, "invalid_payment") }
    : result

const isTransaction = (value: unknown, { requirements: { network } }: FacilitatorRequest): boolean =>
  typeof value === "string" && isTransactionIdOn(network, value)

const isSettlement = (value: unknown, request: FacilitatorRequest): value is Settlement => {
  const { _tag: tag, payer, reason, transaction } = fieldsOf(value)
  switch (tag) {
    case "Settled":
      // Receipts, books and the search on the chain need the transaction.
      return isTransaction(transaction, request) && isTextOrNone(payer)
    case "Rejected":
      return typeof reason === "string"
    case "Unknown":
      return typeof reason === "string" && (transaction === undefined || isTransaction(transaction, request))
    default:
      return false
  }
}

/** What a call returned within a time, checked; else what `otherwise` makes of the name of its fault. Never fails. */
const called = <A>(
  timeoutMillis: number,
  call: () => Effect.Effect<A, unknown>,
  is: (value: unknown) => boolean,
  otherwise: (reason: string) => A
): Effect.Effect<A> =>
  Effect.catch(resultWithin(timeoutMillis, is, call), (fault) => Effect.succeed(otherwise(causeName(fault))))

const isListOf =
  <A>(is: (member: unknown) => boolean) =>
  (value: unknown): value is ReadonlyArray<A> =>
    Array.isArray(value) && value.every(is)
const isKind = (member: unknown): boolean => typeof fieldsOf(member)["network"] === "string"
const isFlag = (value: unknown): value is boolean | undefined =>
  value === undefined || typeof value === "boolean"

/** A facilitator whose calls end, whose faults are unknown outcomes, and whose results have their shape. */
export const guardedFacilitator = (given: Facilitator["Service"]): Facilitator["Service"] => {
  const { addresses, clocks, feePayers, movesNoMoney, settles, settleTimeoutMillis, sources } = given
  const { supported, withhold } = given
  // Not over the host's own object, which may be frozen, or an instance of a class with private fields.
  return {
    verify: (request) =>
      Effect.map(
        called<Verification>(
          verifyMillis,
          () => given.verify(request),
          isVerification,
          (reason) => ({ _tag: "Unreachable", reason })
        ),
        withCode
      ),
    settle: (request) =>
      Effect.map(
        called<Settlement>(
          settleTimeoutMillis ?? settleMillis,
          () => given.settle(request),
          (value): value is Settlement => isSettlement(value, request),
          unreachableSettlement
        ),
        withCode
      ),
    supported: called<ReadonlyArray<SupportedKind>>(
      readMillis,
      () => supported,
      isListOf(isKind),
      () => []
    ),
    ...present<Facilitator["Service"]>({
      addresses,
      settleTimeoutMillis,
      sources,
      withhold: withhold && ((name) => withhold.call(given, name)),
      movesNoMoney: movesNoMoney && ((caip2) => movesNoMoney.call(given, caip2)),
      feePayers:
        feePayers &&
        ((caip2) =>
          called<ReadonlyArray<ReadonlyArray<string>>>(
            readMillis,
            () => feePayers.call(given, caip2),
            isListOf(Array.isArray),
            () => []
          )),
      settles:
        settles &&
        ((caip2) =>
          called(
            readMillis,
            () => settles.call(given, caip2),
            isFlag,
            () => undefined
          )),
      clocks:
        clocks &&
        called<ReadonlyArray<ClockReading>>(
          readMillis,
          () => clocks,
          isListOf(isClockReading),
          () => []
        )
    })
  }
}
