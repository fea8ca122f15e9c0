import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import { StoreError } from "../domain/Errors.ts"
import { isOnSolana } from "../domain/PaymentPayload.ts"
import type { Receipt } from "../domain/PaymentRequired.ts"
import { Charges } from "../ports/Charges.ts"
import { causeName } from "../runtime/causeName.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { report } from "../runtime/events.ts"
import { Identifiers } from "../runtime/Identifiers.ts"
import { PaymentEvents, type PaymentFeed } from "../runtime/PaymentEvents.ts"
import { Secrets } from "../runtime/Secrets.ts"
import { chargeKey } from "./request/ChargeKey.ts"
import { Chain } from "./evidence/Chain.ts"
import { Admission, type AdmissionConfig } from "./limits/Admission.ts"
import { RecentRefusals } from "./limits/RecentRefusals.ts"
import { WaitingCalls } from "./limits/WaitingCalls.ts"
import { begin, next } from "./machine/ChargeMachine.ts"
import { CallPerformer } from "./perform/CallPerformer.ts"
import type { Ending, RequestStep, SettlementStep } from "./machine/ChargeStep.ts"
import { driveSteps } from "./perform/driveSteps.ts"
import { yieldLeaseEarly } from "./perform/yieldLeaseEarly.ts"
import { findFresh } from "./perform/findFresh.ts"
import {
  type AttemptResult,
  type CallProgress,
  noProgress,
  openAttempt,
  type PaymentAttempt,
  progressAfter,
  type WorkFailure
} from "./attempt/PaymentAttempt.ts"
import { concluded, outcomes } from "./perform/CallOutcome.ts"
import { outcomeEvent } from "./perform/outcomeEvent.ts"
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
  RequestRepeated,
  ResponseOwed,
  SettlementPending,
  StoreUnavailable,
  VerificationUnavailable
} from "./request/PaymentErrors.ts"
import type { TollNetwork } from "./request/TollNetwork.ts"
import type { Outcome, TollRequest, WorkResponse } from "./request/TollRequest.ts"
import { spanned } from "../runtime/span.ts"
import { discardBody } from "../runtime/BoundedBody.ts"

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
    /** Serves a paid request. */
    readonly pay: <E>(request: TollRequest<E>) => Effect.Effect<Outcome, E | PaymentError<E>>
    /**
     * Whether a copy of a payment is in progress or has settled. Checked before a delayed refusal: if a copy buys
     * something, a caller who reads "nothing was charged" would pay twice.
     */
    readonly isUnderWay: (request: { readonly payment: Payment }) => Effect.Effect<boolean, StoreUnavailable>
    /** Whether the payer, proven by the payment's signature, has settled here within a day. */
    readonly isKnownPayer: (request: TollRequest<unknown>) => Effect.Effect<boolean>
    /** The share of the hourly budget for losses that is used in this process. */
    readonly lossesUsedAt: (nowMillis: number) => number
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
        const waiting = new WaitingCalls()
        const refusals = new RecentRefusals()
        const responses = new RecordedResponses(secrets)
        const performer = new CallPerformer({
          charges,
          chain,
          secrets,
          admission,
          settlement,
          responses,
          waiting,
          refusals
        })
        const processId = (yield* Identifiers).uuid()
        const payments = yield* PaymentEvents
        const calls = new PaymentRunner(
          { charges, chain, admission, responses, performer, waiting, refusals, payments },
          { ...config, processId }
        )
        return Toll.of({
          pay: (request) => calls.pay(request),
          isUnderWay: (request) => calls.isUnderWay(request.payment),
          isKnownPayer: (request) => calls.isKnownPayer(request),
          lossesUsedAt: (nowMillis) => admission.lossesUsedAt(nowMillis)
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
  readonly waiting: WaitingCalls
  readonly refusals: RecentRefusals
  readonly payments: PaymentFeed
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

  pay<E>(request: TollRequest<E>): Effect.Effect<Outcome, E | PaymentError<E>> {
    const network = this.networkOf(request.payment)
    const paying =
      network === undefined
        ? concluded(request, "refused", Effect.succeed(unknownNetwork))
        : // Not interrupted: `TillService` runs calls uninterruptibly, so each attempt is ended.
          Effect.flatMap(currentMillis, (nowMillis) => {
            const attempt = this.open(request, network, nowMillis)
            return Effect.flatMap(drive(this.services.performer, attempt), (driven) =>
              this.end(attempt, driven)
            )
          })
    const { operation } = request
    return spanned(
      "till402.charge",
      network === undefined ? { operation } : { operation, network: network.caip2 }
    )(paying)
  }

  private end<E>(
    attempt: PaymentAttempt<E>,
    { exit, progress }: Driven<E>
  ): Effect.Effect<Outcome, E | PaymentError<E>> {
    const { held, result } = progress
    const { admission, charges, payments, waiting } = this.services
    const { lease, releases, request } = attempt
    // The next process need not wait for the lease of a call that failed.
    const yielding = Exit.isFailure(exit) && held !== undefined ? yieldLeaseEarly(charges, held) : Effect.void
    return Effect.flatMap(yielding, () => {
      admission.end(attempt)
      // A call that never held its charge has changed nothing for those that wait for it.
      if (held !== undefined || releases.hasHeld("guard")) {
        if (Exit.isSuccess(exit) && exit.value._tag === "Refused") this.noteRefusal(attempt, exit.value)
        waiting.wake(lease.key)
      }
      if (payments.isObserved)
        payments.publish(outcomeEvent(attempt, exit, progress, attempt.untilMillis - this.config.waitMillis))
      return Exit.isSuccess(exit)
        ? concluded(request, outcomes[exit.value._tag], this.conclude(request, result, exit.value))
        : concluded(request, "error", fail(exit.cause))
    })
  }

  /** Notes a refusal, which copies of the payment get, too. */
  private noteRefusal(
    { digest, learned, lease, request }: PaymentAttempt,
    { refusal }: Extract<Ending, { readonly _tag: "Refused" }>
  ): void {
    const { performer, refusals } = this.services
    const refused = { digest, fingerprint: performer.fingerprintOf(request), refusal }
    refusals.note(lease.key, refused, learned.refusalNumber)
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
      openedAfter: this.services.refusals.latest
    })
  }

  private networkOf({ payload }: Payment): TollNetwork | undefined {
    const name = payload.x402Version === 1 ? payload.network : payload.accepted.network
    const family = isOnSolana(payload) ? "solana" : "evm"
    return this.config.networks.find(
      (network) => network.family === family && (network.caip2 === name || network.v1Name === name)
    )
  }

  private conclude<E>(
    request: TollRequest<E>,
    result: AttemptResult<E>,
    ending: Ending
  ): Effect.Effect<Outcome, E | PaymentError<E>> {
    const { responses } = this.services
    const paidWith = <E2>(response: Effect.Effect<WorkResponse, E2>, receipt: Receipt) =>
      Effect.map(response, (opened): Outcome => ({ _tag: "Paid", response: opened, receipt }))
    switch (ending._tag) {
      case "Paid":
        return paidWith(this.responseOf(request, result), ending.receipt)
      case "Replay": {
        const { receipt, response } = ending.charge
        return receipt === undefined || response === undefined
          ? new SettlementPending()
          : paidWith(responses.open(request, response), receipt)
      }
      case "Refused":
        return Effect.succeed(ending)
      case "Failed":
        return fail(failureOf(result))
      case "Owed":
        return Effect.flatMap(
          owedReason(failureOf(result), request),
          (reason) => new ResponseOwed(reason, ending.receipt, ending.untilMillis)
        )
      case "Unverifiable":
        return new VerificationUnavailable()
      case "InProgress":
        return new PaymentInProgress()
      case "Limited":
        return new PaymentsLimited()
      case "Repeated":
        return new RequestRepeated({ first: ending.first, as: ending.as })
      case "Pending":
      case "Closed":
        return new SettlementPending()
    }
  }

  private responseOf<E>(
    request: TollRequest<E>,
    result: AttemptResult<E>
  ): Effect.Effect<WorkResponse, ContentUnavailable<E>> {
    if (result._tag === "Worked") return Effect.succeed(result.response)
    if (result._tag === "Recorded") return this.services.responses.open(request, result.recorded)
    return Effect.die(new Error("a paid call has no response"))
  }
}

/** How a call was driven to its ending, or to a failure. */
interface Driven<E> {
  readonly exit: Exit.Exit<Ending, E | PaymentRefused | StoreError | SettlementPending>
  readonly progress: CallProgress<E>
}

const drive = <E>(performer: CallPerformer, attempt: PaymentAttempt<E>): Effect.Effect<Driven<E>> =>
  Effect.suspend(() => {
    let progress: CallProgress<E> = noProgress
    let worked: WorkResponse | undefined
    const driving = driveSteps(
      begin,
      (step: RequestStep | SettlementStep) => performer.perform(step, attempt, progress),
      (plan, event) => {
        progress = progressAfter(progress, event)
        if (event.result?._tag === "Worked") worked = event.result.response
        return next(plan, event, (progress.held ?? attempt).facts)
      }
    )
    const ended = Effect.flatMap(driving, (ending) =>
      ending === undefined ? new SettlementPending() : Effect.succeed(ending)
    )
    return Effect.map(Effect.exit(ended), (exit) => {
      const isSent = Exit.isSuccess(exit) && exit.value._tag === "Paid"
      if (!isSent && worked?.body._tag === "Bytes") discardBody(worked.body.content.body)
      return { exit, progress }
    })
  })

const failureOf = <E>(result: AttemptResult<E>): WorkFailure<E> =>
  result._tag === "Failed" ? result.failure : Cause.die(new Error("work that failed has no failure"))

/** Why there is no response yet. Reports a defect, since its details must not reach the caller. */
const owedReason = Effect.fnUntraced(function* <E>(
  failure: WorkFailure<E>,
  { operation }: TollRequest<E>
): Effect.fn.Return<OwedReason<E>> {
  const error = Cause.hasDies(failure) ? Option.none() : Cause.findErrorOption(failure)
  if (Option.isSome(error)) return error.value
  yield* report(
    "Error",
    "paid_work_failed",
    "Work that was paid for failed because of a defect",
    { operation },
    failure
  )
  return undefined
})

/** Fails a call. A refusal is an outcome. A failure of the store is reported, since its details stay in the log. */
const fail = Effect.fnUntraced(function* <E>(
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
})
