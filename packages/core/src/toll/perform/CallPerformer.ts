import { Cause, Effect, Exit, Option } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Charge, Charges } from "../../ports/Charges.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import type { Chain } from "../evidence/Chain.ts"
import type { Admission } from "../limits/Admission.ts"
import type { ResponseWaiters } from "../limits/ResponseWaiters.ts"
import { RetryBudget } from "../limits/RetryBudget.ts"
import { PaymentRefused, WorkRetriedTooOften } from "../request/PaymentErrors.ts"
import { judge, type PaymentOffer, type Refusal } from "../request/Verdict.ts"
import type { ChargeEvent, RequestStep, SettlementStep } from "../machine/ChargeStep.ts"
import type { StepGenerator } from "./driveSteps.ts"
import { findFresh } from "./findFresh.ts"
import type { HeldCharge } from "../attempt/HeldCharge.ts"
import { claimedCharge, newCharge, type PaymentAttempt, taskOf } from "../attempt/PaymentAttempt.ts"
import type { RecordedResponses } from "./RecordedResponses.ts"
import type { SettlementRunner } from "./SettlementRunner.ts"
import { type PayableTask, type StoredTask, taskText } from "../machine/SettlementTask.ts"

interface Services {
  readonly charges: Charges["Service"]
  readonly secrets: Secrets["Service"]
  readonly admission: Admission
  readonly chain: Pick<Chain["Service"], "canRead" | "head">
  readonly settlement: SettlementRunner["Service"]
  readonly responses: RecordedResponses
  readonly waiters: ResponseWaiters
}

type StepOf<Tag extends RequestStep["_tag"]> = Extract<RequestStep, { readonly _tag: Tag }>

/** The event of a call's step whose work fails with `E`. */
type CallResult<E, Event = ChargeEvent> = StepGenerator<E | PaymentRefused | StoreError, Event>

/** Takeovers of one charge by calls of this process. */
const takeoverBudget = { times: 10, spanMillis: 10_000 }

/** Tries of the work of one payment that settled first; each may fail. */
const owedWorkBudget = { times: 3, spanMillis: 600_000 }

const waited: ChargeEvent = { _tag: "Waited" }

const unreadChain: ChargeEvent = {
  _tag: "Verified",
  verification: { _tag: "Unreachable", reason: "chain" }
}

/**
 * Performs the steps of a paid call. Plain generators that the call's one generator delegates to with `yield*`: no
 * `Effect.gen` per step. Run them only so.
 */
export class CallPerformer {
  private readonly services: Services
  private readonly takeovers = new RetryBudget(takeoverBudget)
  private readonly owedWork = new RetryBudget(owedWorkBudget)
  constructor(services: Services) {
    this.services = services
  }

  perform<E>(step: RequestStep | SettlementStep, attempt: PaymentAttempt<E>): CallResult<E> {
    const { charges } = this.services
    switch (step._tag) {
      case "Find":
        return this.find(attempt, charges.find(attempt.lease.key))
      case "FindCopy":
        return this.find(attempt, findFresh(charges, attempt.lease.key))
      case "Wait":
        return this.wait(attempt)
      case "TakeOver":
        return this.takeOver(attempt)
      case "Judge":
        return this.judge(attempt)
      case "Verify":
        return this.verify(attempt, step.task)
      case "Claim":
        return this.claim(attempt, step.task)
      case "Queue":
        return this.queue(attempt)
      case "CheckFunds":
        return this.checkFunds(attempt, step)
      case "Work":
        return this.work(attempt, step)
      case "Record":
        return this.record(attempt, step)
      case "Deliver":
        return this.deliver(attempt, step)
      default:
        return this.settlementStep(attempt, step)
    }
  }

  private *find<E>(
    attempt: PaymentAttempt<E>,
    lookup: Effect.Effect<Charge | undefined, StoreError>
  ): CallResult<E> {
    const charge = yield* lookup
    // A voided charge with another signature: check the signer, which decides about this payment.
    if (charge?.state === "voided" && charge.payloadDigest !== attempt.digest)
      yield* this.services.admission.checkSignature(attempt)
    return this.found(attempt, charge, attempt.lease.nowMillis())
  }

  private found(attempt: PaymentAttempt, charge: Charge | undefined, nowMillis: number): ChargeEvent {
    const { digest, learned, lease, request, untilMillis } = attempt
    const { admission, waiters } = this.services
    const copyRefusal = this.refusalOfCopy(attempt)
    const patient = nowMillis < untilMillis && waiters.hasRoom(lease.key, admission.recallsPayer(attempt))
    if (charge === undefined) return { _tag: "Found", found: undefined, patient, nowMillis, copyRefusal }
    const presented = {
      payloadDigest: digest,
      sameRequest: this.isSameRequest(charge, attempt),
      proven: learned.isProven,
      replayableUntilMillis: (charge.settledAtMillis ?? nowMillis) + request.replayMillis
    }
    return { _tag: "Found", found: { charge, presented }, patient, nowMillis, copyRefusal }
  }

  /** The refusal of a copy of the payment that ended in this process since the call began. */
  private refusalOfCopy({ digest, lease, openedAfter, request }: PaymentAttempt): Refusal | undefined {
    const refused = this.services.waiters.refusalAfter(lease.key, openedAfter)
    const isCopy = refused?.digest === digest && refused.fingerprint === this.fingerprintOf(request)
    return isCopy ? refused.refusal : undefined
  }

  /** Identifies a request under the current secret. */
  fingerprintOf({ canonical }: Pick<PaymentAttempt["request"], "canonical">): string {
    const { secrets } = this.services
    return `${secrets.currentKeyId}:${secrets.digest("fingerprint", canonical)}`
  }

  private isSameRequest({ fingerprint }: Charge, { request }: PaymentAttempt): boolean {
    const separator = fingerprint.indexOf(":")
    const keyId = fingerprint.slice(0, separator)
    const digest = this.services.secrets.digest("fingerprint", request.canonical, keyId)
    return digest === fingerprint.slice(separator + 1)
  }

  private *wait<E>(attempt: PaymentAttempt<E>): CallResult<E> {
    yield* this.services.waiters.wait(attempt.lease.key)
    return waited
  }

  private *queue<E>(attempt: PaymentAttempt<E>): CallResult<E> {
    yield* this.services.admission.waitForRoom(attempt)
    return waited
  }

  private *takeOver<E>(attempt: PaymentAttempt<E>): CallResult<E> {
    const { lease } = attempt
    if (this.takeovers.isUsedUp(lease.key, lease.nowMillis())) return { _tag: "Exhausted" }
    const taken = yield* this.services.settlement.takeOver(lease)
    if (taken === undefined) return { _tag: "Overtaken" }
    // Counted only now: of many copies at once, one takes the charge over and the others wait for it.
    this.takeovers.take(lease.key, lease.nowMillis())
    const { event, held } = taken
    const { charge } = event
    // From here on the facts are those of the charge, and not of the request at hand.
    attempt.heldCharge = held
    if (charge.response !== undefined) attempt.result = { _tag: "Recorded", recorded: charge.response }
    // A recorded response is only for the payment that bought it.
    const isOurs =
      charge.state === "claimed" || charge.state === "voided" || charge.payloadDigest === attempt.digest
    const isRefused = charge.refusedDigest === attempt.digest
    return { ...event, sameRequest: isOurs && this.isSameRequest(charge, attempt), isRefused }
  }

  private *judge<E>(attempt: PaymentAttempt<E>): CallResult<E> {
    const { admission } = this.services
    const { offers, payment, resourceUrl, workMillis } = attempt.request
    const copy = this.refusalOfCopy(attempt)
    if (copy !== undefined) return { _tag: "Refused", refusal: copy }
    if (attempt.heldCharge === undefined && (yield* admission.isShed(attempt)))
      return { _tag: "Limited", patient: false }
    const offering = offers(attempt.lease.key)
    const offered = Effect.isEffect(offering)
      ? yield* Effect.catchIf(offering, isPaymentRefused, Effect.succeed)
      : offering
    if (offered instanceof PaymentRefused) return { _tag: "Refused", refusal: offered.refusal }
    const verdict = judge(payment.payload, offered, {
      resourceUrl,
      workSeconds: workMillis / 1000,
      nowSeconds: attempt.lease.nowMillis() / 1000
    })
    if (verdict._tag === "Refused") return verdict
    const refusal = (yield* admission.checkSignature(attempt)) ?? admission.recallFailure(attempt)
    return refusal === undefined
      ? { _tag: "Accepted", task: taskOf(attempt, verdict.offer) }
      : { _tag: "Refused", refusal }
  }

  private *verify<E>(attempt: PaymentAttempt<E>, task: PayableTask): CallResult<E> {
    const { admission, chain, waiters } = this.services
    const { caip2 } = attempt.network
    if (chain.head !== undefined && chain.canRead(caip2)) {
      // Before the verification: if somebody else sends the payment from now on, it still counts for this call.
      attempt.head ??= yield* chain.head(caip2)
      // Without it, a transfer that was made before would count for this call, too.
      if (attempt.head === undefined) return unreadChain
    }
    return yield* admission.verify(attempt, task.request, waiters)
  }

  private *claim<E>(attempt: PaymentAttempt<E>, task: PayableTask): CallResult<E> {
    const { admission, secrets } = this.services
    const { lease, request } = attempt
    const nowMillis = lease.nowMillis()
    const text = taskText(task)
    const charge = newCharge(attempt, task, {
      settlement: request.encrypted
        ? JSON.stringify({ encrypted: yield* secrets.encrypt(text) } satisfies StoredTask)
        : `{"task":${text}}`,
      fingerprint: this.fingerprintOf(request),
      nowMillis
    })
    const claim = yield* admission.claim(attempt, charge)
    if (claim._tag === "Existing") return this.found(attempt, claim.charge, nowMillis)
    if (claim._tag === "Limited") return { _tag: "Limited", patient: admission.canWait(attempt) }
    attempt.heldCharge = claimedCharge(attempt, task, charge)
    return { _tag: "Claimed", claimedAtMillis: nowMillis }
  }

  private *checkFunds<E>(
    attempt: PaymentAttempt<E>,
    { claimedAtMillis, task }: StepOf<"CheckFunds">
  ): CallResult<E> {
    const isCovered = yield* this.services.admission.isCovered(attempt, task.request, claimedAtMillis)
    return { _tag: "Funded", isCovered }
  }

  private *work<E>(attempt: PaymentAttempt<E>, { paid }: StepOf<"Work">): CallResult<E> {
    const { lease } = attempt
    const held = heldBy(attempt)
    if (paid !== undefined && !this.mayWork(attempt, held)) {
      attempt.result = { _tag: "Failed", failure: Cause.fail(new WorkRetriedTooOften()) }
      return { _tag: "WorkFailed" }
    }
    const worked = yield* Effect.exit(workFor(attempt, held))
    attempt.unpaidWork = {
      hasFailed: attempt.unpaidWork?.hasFailed === true || Exit.isFailure(worked),
      paidBy: paid === undefined ? "settlement" : "delivery",
      lostBy: "payer"
    }
    if (Exit.isFailure(worked)) {
      attempt.result = { _tag: "Failed", failure: worked.cause }
      return { _tag: "WorkFailed", refusal: refusalIn(worked.cause) }
    }
    const work = worked.value
    attempt.result = { _tag: "Worked", response: work.response }
    attempt.heldCharge = { ...held, subject: work.subject }
    return { _tag: "Worked", work, nowSeconds: lease.nowMillis() / 1000 }
  }

  /**
   * Whether paid work is tried. Its amount is at stake: a call takes it before the payment settles, and one that finds the
   * payment settled takes it now.
   */
  private mayWork(attempt: PaymentAttempt, { task }: HeldCharge): boolean {
    const { key, nowMillis } = attempt.lease
    if (this.owedWork.isUsedUp(key, nowMillis())) return false
    if (!this.services.admission.takePaidStake(attempt, task.authorization.value)) return false
    return this.owedWork.take(key, nowMillis())
  }

  private *record<E>({ lease, request }: PaymentAttempt<E>, { work }: StepOf<"Record">): CallResult<E> {
    const { charges, responses } = this.services
    const response = work === undefined ? undefined : yield* responses.record(request, work.response)
    const recorded = yield* charges.advance(lease.key, lease.owner, { response, subject: work?.subject })
    return { _tag: "Recorded", recorded }
  }

  private *deliver<E>(attempt: PaymentAttempt<E>, { work }: StepOf<"Deliver">): CallResult<E> {
    const { admission, charges, responses } = this.services
    const { lease, request } = attempt
    const response = yield* responses.record(request, work.response)
    const delivered = yield* charges.deliver(lease.key, lease.owner, response)
    if (delivered) admission.delivered(attempt, heldBy(attempt).task.authorization.value)
    return { _tag: "Delivered", delivered }
  }

  private *settlementStep<E>(attempt: PaymentAttempt<E>, step: SettlementStep): CallResult<E> {
    const { admission, settlement } = this.services
    const held = heldBy(attempt)
    const event = yield* settlement.perform(step, held)
    // From here on, the response is that of another call, if any.
    if (step._tag === "RollBack" && attempt.result._tag === "Worked") attempt.result = { _tag: "None" }
    if (event._tag === "Settled" && event.settlement._tag === "Rejected")
      admission.noteFailure(attempt, event.settlement.reason)
    if (event._tag === "Seen" && event.evidence._tag === "Moved" && event.evidence.precedesClaim === true)
      admission.blameStranger(attempt)
    // A payment that is refunded pays for nothing.
    else if (event._tag === "Completed" && !event.refundDue)
      admission.settled(attempt, held.task.authorization.value)
    return event
  }
}

const isPaymentRefused = (error: unknown): error is PaymentRefused => error instanceof PaymentRefused

/** The refusal of work that its payment doesn't buy after all. A defect comes first. */
const refusalIn = (cause: Cause.Cause<unknown>): Refusal | undefined => {
  const error = Cause.hasDies(cause) ? undefined : Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof PaymentRefused ? error.refusal : undefined
}

/** The machine lets a call work on a charge only after it claimed it or took it over. */
const heldBy = ({ heldCharge }: PaymentAttempt): HeldCharge => {
  if (heldCharge === undefined) throw new Error("a call works on a charge that it doesn't hold")
  return heldCharge
}

/**
 * The work, by the requirements that the payment met; for a charge that no longer stores them, by those of its price
 * now.
 */
const workFor = <E>({ lease: { key }, network, request }: PaymentAttempt<E>, { task }: HeldCharge) => {
  if (task.request !== undefined) return request.work(key, task.request.requirements)
  const workAt = (offers: ReadonlyArray<PaymentOffer>) => {
    const offer = offers.find(({ requirements }) => requirements.network === network.caip2)
    if (offer === undefined) throw new Error("a payment that settled first has no price")
    return request.work(key, offer.requirements)
  }
  const offers = request.offers(key)
  return Effect.isEffect(offers) ? Effect.flatMap(offers, workAt) : workAt(offers)
}
