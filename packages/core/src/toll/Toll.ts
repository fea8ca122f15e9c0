import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import { StoreError } from "../domain/Errors.ts"
import { isOnSolana } from "../domain/PaymentPayload.ts"
import { Charges } from "../ports/Charges.ts"
import { causeName } from "../runtime/causeName.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { report } from "../runtime/events.ts"
import { Identifiers } from "../runtime/Identifiers.ts"
import { Secrets } from "../runtime/Secrets.ts"
import { chargeKey } from "./request/ChargeKey.ts"
import { Chain } from "./evidence/Chain.ts"
import { Admission, type AdmissionConfig } from "./limits/Admission.ts"
import { type RefusedCall, ResponseWaiters } from "./limits/ResponseWaiters.ts"
import { begin, next } from "./machine/ChargeMachine.ts"
import { CallPerformer } from "./perform/CallPerformer.ts"
import type { Ending, RequestStep, SettlementStep } from "./machine/ChargeStep.ts"
import { driveSteps } from "./perform/driveSteps.ts"
import { endLeaseEarly } from "./perform/endLeaseEarly.ts"
import { findFresh } from "./perform/findFresh.ts"
import { openAttempt, type PaymentAttempt, type WorkFailure } from "./attempt/PaymentAttempt.ts"
import { RecordedResponses } from "./perform/RecordedResponses.ts"
import { SettlementRunner } from "./perform/SettlementRunner.ts"
import type { Payment } from "./request/PaymentHeader.ts"
import {
  type ContentUnavailable,
  type OwedReason,
  type PaymentError,
  PaymentInProgress,
  PaymentRefused,
  PaymentsLimited,
  ResponseOwed,
  SettlementPending,
  StoreUnavailable,
  VerificationUnavailable
} from "./request/PaymentErrors.ts"
import type { TollNetwork } from "./request/TollNetwork.ts"
import type { Outcome, TollRequest, WorkResponse } from "./request/TollRequest.ts"

export interface TollConfig extends AdmissionConfig {
  readonly networks: ReadonlyArray<TollNetwork>
  /** Maximum wait of a copy of a payment for the first one's response, and of a payment for capacity. */
  readonly waitMillis: number
}

/**
 * Sells one response for one payment: verifies, claims, works, records, settles. A payment that settles first is
 * settled before the work.
 */
export class Toll extends Context.Service<
  Toll,
  {
    /** Serves a paid request, within the caller's generator. */
    readonly pay: <E>(request: TollRequest<E>) => Effect.fn.Return<Outcome, E | PaymentError<E>>
    /**
     * Whether a copy of a payment is in progress or has settled. Checked before a delayed refusal: if a copy buys
     * something, a caller who reads "nothing was charged" would pay twice.
     */
    readonly isUnderWay: (request: { readonly payment: Payment }) => Effect.Effect<boolean, StoreUnavailable>
    /** Whether the payer, proven by the payment's signature, has settled here within a day. */
    readonly isKnownPayer: (request: TollRequest<unknown>) => Effect.Effect<boolean>
  }
>()("@till402/core/Toll") {
  static readonly layer = (config: TollConfig) =>
    Layer.effect(
      Toll,
      Effect.gen(function* () {
        const charges = yield* Charges
        const chain = yield* Chain
        const secrets = yield* Secrets
        const settlement = yield* SettlementRunner
        const admission = yield* Admission.make(config)
        const waiters = new ResponseWaiters()
        const responses = new RecordedResponses(secrets)
        const performer = new CallPerformer({
          charges,
          chain,
          secrets,
          admission,
          settlement,
          responses,
          waiters
        })
        const processId = (yield* Identifiers).uuid()
        const calls = new PaymentRunner(
          { charges, chain, admission, responses, performer, waiters },
          { ...config, processId }
        )
        return Toll.of({
          pay: (request) => calls.pay(request),
          isUnderWay: (request) => calls.isUnderWay(request.payment),
          isKnownPayer: (request) => calls.isKnownPayer(request)
        })
      })
    )
}

const unknownNetwork: Outcome = {
  _tag: "Refused",
  refusal: { code: "invalid_network", message: "pay on one of the networks in accepts" }
}

interface Services {
  readonly charges: Charges["Service"]
  readonly chain: Chain["Service"]
  readonly admission: Admission
  readonly responses: RecordedResponses
  readonly performer: CallPerformer
  readonly waiters: ResponseWaiters
}

interface RunnerConfig extends TollConfig {
  /** Unique to this process: the first part of the owner of its leases. */
  readonly processId: string
}

/** Drives a payment from its presentation to its outcome. */
class PaymentRunner {
  private readonly services: Services
  private readonly config: RunnerConfig
  private calls = 0
  constructor(services: Services, config: RunnerConfig) {
    this.services = services
    this.config = config
  }

  *pay<E>(request: TollRequest<E>): Effect.fn.Return<Outcome, E | PaymentError<E>> {
    const { admission, performer, waiters } = this.services
    const network = this.networkOf(request.payment)
    if (network === undefined) return unknownNetwork
    const attempt = this.open(request, network, yield* currentMillis)
    // Not interrupted: `TillService` runs calls uninterruptibly, so what follows always runs.
    const exit = yield* Effect.exit(drive(performer, attempt))
    if (Exit.isFailure(exit)) yield* this.yieldLease(attempt)
    admission.end(attempt)
    // A call that never held its charge has changed nothing for its waiters.
    if (attempt.heldCharge !== undefined || attempt.held.hasHeld("guard"))
      waiters.wake(attempt.lease.key, this.refusedCall(attempt, exit))
    return Exit.isSuccess(exit) ? yield* this.conclude(attempt, exit.value) : yield* fail(exit.cause)
  }

  /** The refusal that copies of the payment get, too; `undefined`: the call wasn't refused. */
  private refusedCall<E>(
    attempt: PaymentAttempt<E>,
    exit: Exit.Exit<Ending, unknown>
  ): RefusedCall | undefined {
    if (Exit.isFailure(exit) || exit.value._tag !== "Refused") return undefined
    return {
      digest: attempt.digest,
      fingerprint: this.services.performer.fingerprintOf(attempt.request),
      refusal: exit.value.refusal
    }
  }

  readonly isUnderWay = Effect.fnUntraced(
    { self: this },
    function* (payment: Payment) {
      const network = this.networkOf(payment)
      if (network === undefined) return false
      const charge = yield* findFresh(this.services.charges, chargeKey(network, payment.payload))
      if (charge?.state !== "voided") return charge !== undefined
      return charge.leaseUntilMillis > (yield* currentMillis)()
    },
    Effect.mapError((cause) => new StoreUnavailable({ cause }))
  )

  readonly isKnownPayer = Effect.fnUntraced(
    { self: this },
    function* (request: TollRequest<unknown>) {
      const network = this.networkOf(request.payment)
      if (network === undefined) return false
      return yield* this.services.admission.isKnownPayer(this.open(request, network, yield* currentMillis))
    },
    Effect.orElseSucceed(() => false)
  )

  private open<E>(request: TollRequest<E>, network: TollNetwork, nowMillis: () => number): PaymentAttempt<E> {
    return openAttempt(request, network, {
      owner: `${this.config.processId}:${++this.calls}`,
      nowMillis,
      waitMillis: this.config.waitMillis,
      canReadChain: this.services.chain.canRead(network.caip2),
      openedAfter: this.services.waiters.latestRefusal
    })
  }

  private networkOf({ payload }: Payment): TollNetwork | undefined {
    const name = payload.x402Version === 1 ? payload.network : payload.accepted.network
    const family = isOnSolana(payload) ? "solana" : "evm"
    return this.config.networks.find(
      (network) => network.family === family && (network.caip2 === name || network.v1Name === name)
    )
  }

  /** Ends the lease of a call that was interrupted or failed, so that the next process need not wait for it. */
  private yieldLease({ heldCharge }: PaymentAttempt): Effect.Effect<void> {
    return heldCharge === undefined ? Effect.void : endLeaseEarly(this.services.charges, heldCharge)
  }

  private *conclude<E>(
    attempt: PaymentAttempt<E>,
    ending: Ending
  ): Effect.fn.Return<Outcome, E | PaymentError<E>> {
    switch (ending._tag) {
      case "Paid":
        return { _tag: "Paid", response: yield* this.responseOf(attempt), receipt: ending.receipt }
      case "Replay": {
        const { receipt, response } = ending.charge
        if (receipt === undefined || response === undefined) return yield* new SettlementPending()
        const { responses } = this.services
        return { _tag: "Paid", response: yield* responses.open(attempt.request, response), receipt }
      }
      case "Refused":
        return ending
      case "Failed":
        return yield* fail(failureOf(attempt))
      case "Owed":
        return yield* new ResponseOwed(
          yield* owedReason(failureOf(attempt)),
          ending.receipt,
          ending.untilMillis
        )
      case "Unverifiable":
        return yield* new VerificationUnavailable()
      case "InProgress":
        return yield* new PaymentInProgress()
      case "Limited":
        return yield* new PaymentsLimited()
      case "Pending":
      case "Closed":
        return yield* new SettlementPending()
    }
  }

  private *responseOf<E>({
    request,
    result
  }: PaymentAttempt<E>): Effect.fn.Return<WorkResponse, ContentUnavailable<E>> {
    if (result._tag === "Worked") return result.response
    if (result._tag === "Recorded") return yield* this.services.responses.open(request, result.recorded)
    return yield* Effect.die(new Error("a paid call has no response"))
  }
}

/** Runs synchronously until the first asynchronous step. */
const drive = Effect.fnUntracedEager(function* <E>(
  performer: CallPerformer,
  attempt: PaymentAttempt<E>
): Effect.fn.Return<Ending, E | PaymentRefused | StoreError | SettlementPending> {
  const ending = yield* driveSteps(
    begin,
    (step: RequestStep | SettlementStep) => performer.perform(step, attempt),
    (plan, event) => next(plan, event, (attempt.heldCharge ?? attempt).facts)
  )
  return ending ?? (yield* new SettlementPending())
})

const failureOf = <E>({ result }: PaymentAttempt<E>): WorkFailure<E> =>
  result._tag === "Failed" ? result.failure : Cause.die(new Error("work that failed has no failure"))

/** Why there is no response yet. Reports a defect, since its details must not reach the caller. */
const owedReason = function* <E>(failure: WorkFailure<E>): Effect.fn.Return<OwedReason<E>> {
  const error = Cause.hasDies(failure) ? Option.none() : Cause.findErrorOption(failure)
  if (Option.isSome(error)) return error.value
  yield* report("Error", "paid_work_failed", "Work that was paid for failed because of a defect", {}, failure)
  return undefined
}

/** Fails a call. A refusal is an outcome. A failure of the store is reported, since its details stay in the log. */
const fail = function* <E>(
  cause: Cause.Cause<E | PaymentRefused | StoreError>
): Effect.fn.Return<Outcome, E | StoreUnavailable> {
  const error = Cause.findErrorOption(cause)
  if (Cause.hasDies(cause) || Option.isNone(error))
    return yield* Effect.failCause(
      Cause.fromReasons<never>(cause.reasons.filter((reason) => reason._tag !== "Fail"))
    )
  if (error.value instanceof PaymentRefused) return { _tag: "Refused", refusal: error.value.refusal }
  if (!(error.value instanceof StoreError)) return yield* Effect.fail(error.value)
  const { operation } = error.value
  yield* report("Error", "storage_failed", "The store failed", {
    operation,
    error: causeName(error.value.cause)
  })
  return yield* new StoreUnavailable({ cause: error.value })
}
