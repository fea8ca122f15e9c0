import { Cause, Effect, Exit } from "effect"
import { isHex } from "../../domain/Hex.ts"
import { isSolanaTransactionId } from "../../domain/SolanaAddress.ts"
import { causeName } from "../../runtime/causeName.ts"
import type { ClockReading } from "../../runtime/ClockReading.ts"
import { DeadlineExceeded, exitWithin } from "../../runtime/Deadline.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import type { Facilitator } from "./Facilitator.ts"
import type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"
import { unreachableSettlement } from "./Wire.ts"

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

const isTransaction = (value: unknown, { requirements: { network } }: FacilitatorRequest): boolean =>
  typeof value === "string" &&
  (network.startsWith("solana:") ? isSolanaTransactionId(value) : isHex(value, 32))

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
  call: () => Effect.Effect<unknown, unknown>,
  is: (value: unknown) => value is A,
  otherwise: (reason: string) => A
): Effect.Effect<A> =>
  exitWithin(
    {
      timeoutMillis,
      onTimeout: () =>
        new DeadlineExceeded({ message: `no response within ${timeoutMillis} ms`, timeoutMillis })
    },
    Effect.suspend(call)
  ).pipe(
    Effect.flatMap((exit) =>
      Exit.isFailure(exit)
        ? Effect.fail(Cause.squash(exit.cause))
        : is(exit.value)
          ? Effect.succeed(exit.value)
          : Effect.fail(new MalformedResponse({ message: "a result of another shape" }))
    ),
    Effect.catch((fault) => Effect.succeed(otherwise(causeName(fault))))
  )

const isList = <A>(value: unknown): value is ReadonlyArray<A> => Array.isArray(value)
const isFlag = (value: unknown): value is boolean | undefined =>
  value === undefined || typeof value === "boolean"

/** A facilitator whose calls end, whose faults are unknown outcomes, and whose results have their shape. */
export const guardedFacilitator = (given: Facilitator["Service"]): Facilitator["Service"] => {
  const { clocks, feePayers, settles, supported } = given
  const { movesNoMoney, withhold } = given
  const guarded: Partial<Facilitator["Service"]> = {
    ...(withhold === undefined ? {} : { withhold: (name) => withhold.call(given, name) }),
    ...(movesNoMoney === undefined ? {} : { movesNoMoney: (caip2) => movesNoMoney.call(given, caip2) }),
    verify: (request) =>
      called<Verification>(
        verifyMillis,
        () => given.verify(request),
        isVerification,
        (reason) => ({ _tag: "Unreachable", reason })
      ),
    settle: (request) =>
      called<Settlement>(
        given.settleTimeoutMillis ?? settleMillis,
        () => given.settle(request),
        (value): value is Settlement => isSettlement(value, request),
        unreachableSettlement
      ),
    supported: called<ReadonlyArray<SupportedKind>>(
      readMillis,
      () => supported,
      isList,
      () => []
    ),
    ...(feePayers === undefined
      ? {}
      : {
          feePayers: (caip2) =>
            called<ReadonlyArray<ReadonlyArray<string>>>(
              readMillis,
              () => feePayers.call(given, caip2),
              isList,
              () => []
            )
        }),
    ...(settles === undefined
      ? {}
      : {
          settles: (caip2) =>
            called(
              readMillis,
              () => settles.call(given, caip2),
              isFlag,
              () => undefined
            )
        }),
    ...(clocks === undefined
      ? {}
      : {
          clocks: called<ReadonlyArray<ClockReading>>(
            readMillis,
            () => clocks,
            isList,
            () => []
          )
        })
  }
  // What isn't called is read of the host's own, which may be an instance of a class.
  return Object.assign(Object.create(given) as Facilitator["Service"], guarded)
}
