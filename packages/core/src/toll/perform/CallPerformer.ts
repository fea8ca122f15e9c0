import { Effect } from "effect"
import { StoreError } from "../../domain/Errors.ts"
import type { Charge, Charges, NewCharge } from "../../ports/Charges.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import type { Chain } from "../evidence/Chain.ts"
import type { Admission } from "../limits/Admission.ts"
import type { RecentRefusals } from "../limits/RecentRefusals.ts"
import { RetryBudget } from "../limits/RetryBudget.ts"
import { unreadChain } from "../limits/Verifications.ts"
import type { WaitingCalls } from "../limits/WaitingCalls.ts"
import { isDigestOf, keyedDigest } from "../request/keyedDigest.ts"
import { PaymentRefused } from "../request/PaymentErrors.ts"
import { judge, type PaymentOffer, type Refusal, type Verdict } from "../request/Verdict.ts"
import type { ChargeEvent, RequestStep, SettlementStep } from "../machine/ChargeStep.ts"
import { findFresh } from "./findFresh.ts"
import type { HeldCharge } from "../attempt/HeldCharge.ts"
import {
  type CallEvent,
  type CallProgress,
  claimedCharge,
  newCharge,
  type PaymentAttempt,
  taskOf
} from "../attempt/PaymentAttempt.ts"
import type { RecordedResponses } from "./RecordedResponses.ts"
import { RepeatedPayments } from "./RepeatedPayments.ts"
import type { SettlementRunner } from "./SettlementRunner.ts"
import { type CallResult, type Performing, WorkPerformer } from "./WorkPerformer.ts"
import { type PayableTask, type StoredTask, taskText } from "../machine/SettlementTask.ts"
import { callStep } from "../../runtime/span.ts"

interface Services {
  readonly charges: Charges["Service"]
  readonly secrets: Secrets["Service"]
  readonly admission: Admission
  readonly chain: Pick<Chain["Service"], "canRead" | "head">
  readonly settlement: SettlementRunner["Service"]
  readonly responses: RecordedResponses
  /** Calls that wait for the response to a copy of their payment. */
  readonly waiting: WaitingCalls
  readonly refusals: RecentRefusals
}

type StepOf<Tag extends RequestStep["_tag"]> = Extract<RequestStep, { readonly _tag: Tag }>

const unknownKey = new MalformedResponse({ message: "secret lacks the key of a stored payment" })

/** Takeovers of one charge by calls of this process. */
const takeoverBudget = { times: 10, spanMillis: 10_000 }

const waited: ChargeEvent = { _tag: "Waited" }

const shed: ChargeEvent = { _tag: "Limited", patient: false }

const asVerification = callStep("till402.verify")
const asClaim = callStep("till402.claim")
const asWork = callStep("till402.work")

/**
 * Performs the steps of a paid call. It changes the limits and the store; what a step changes in the call's progress is in
 * its event.
 */
export class CallPerformer {
  private readonly services: Services
  private readonly takeovers = new RetryBudget(takeoverBudget)
  private readonly worker: WorkPerformer
  private readonly repeated: RepeatedPayments
  constructor(services: Services) {
    this.services = services
    this.worker = new WorkPerformer(services)
    this.repeated = new RepeatedPayments(services)
  }

  perform<E>(
    step: RequestStep | SettlementStep,
    attempt: PaymentAttempt<E>,
    progress: CallProgress<E>
  ): CallResult<E> {
    const { charges, waiting } = this.services
    switch (step._tag) {
      case "Find":
        return this.find(attempt, charges.find(attempt.lease.key))
      case "FindCopy":
        return this.find(attempt, findFresh(charges, attempt.lease.key))
      case "Wait":
        return Effect.as(waiting.wait(attempt.lease.key), waited)
      case "TakeOver":
        return this.takeOver(attempt)
      case "Judge":
        return this.judge(attempt, progress)
      case "Verify":
        return asVerification(this.verify(attempt, progress, step.task))
      case "Claim":
        return asClaim(this.claim(attempt, progress, step.task))
      case "ClaimRefused":
        return asClaim(this.claimRefused(attempt, progress, step.task))
      case "Queue":
        return Effect.as(this.services.admission.waitForPayer(attempt), waited)
      case "CheckFunds":
        return this.checkFunds(attempt, step)
      case "Work":
        return asWork(this.worker.work(attempt, heldBy(progress), step))
      case "Advance":
        return this.worker.advance(attempt, step)
      case "Deliver":
        return this.worker.deliver(attempt, heldBy(progress), step)
      default:
        return this.settlementStep(attempt, progress, step)
    }
  }

  private find(
    attempt: PaymentAttempt,
    lookup: Effect.Effect<Charge | undefined, StoreError>
  ): CallResult<never> {
    const found = (charge: Charge | undefined) => this.found(attempt, charge, attempt.lease.nowMillis())
    return Effect.flatMap(lookup, (charge): CallResult<never> =>
      charge !== undefined && this.lacksKey(charge, attempt)
        ? Effect.fail(new StoreError({ operation: "charges.find", cause: unknownKey }))
        : // A voided charge with another signature: check the signer, which decides about this payment.
          charge?.state === "voided" && charge.payloadDigest !== attempt.digest
          ? Effect.map(this.services.admission.checkSignature(attempt), () => found(charge))
          : Effect.succeed(found(charge))
    )
  }

  private found(attempt: PaymentAttempt, charge: Charge | undefined, nowMillis: number): ChargeEvent {
    const { digest, learned, lease, request, untilMillis } = attempt
    const { admission, waiting } = this.services
    const copyRefusal = this.refusalOfCopy(attempt)
    const patient = nowMillis < untilMillis && waiting.admits(lease.key, admission.recallsPayer(attempt))
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
    const refused = this.services.refusals.after(lease.key, openedAfter)
    const isCopy = refused?.digest === digest && refused.fingerprint === this.fingerprintOf(request)
    return isCopy ? refused.refusal : undefined
  }

  /** Identifies a request under the current secret. */
  fingerprintOf({ canonical }: Pick<PaymentAttempt["request"], "canonical">): string {
    return keyedDigest(this.services.secrets, "fingerprint", canonical)
  }

  private isSameRequest({ fingerprint }: Charge, { request }: PaymentAttempt): boolean {
    return isDigestOf(this.services.secrets, fingerprint, "fingerprint", request.canonical)
  }

  /**
   * Whether another process has replaced the key under which the payment was recorded, and this one has only the old ones:
   * it can't tell what was paid for, and must not ask for another payment.
   */
  private lacksKey(
    { fingerprint, payloadDigest, settledAtMillis }: Charge,
    attempt: PaymentAttempt
  ): boolean {
    const { keyIds, retiredKeyIds } = this.services.secrets
    const id = fingerprint.slice(0, fingerprint.indexOf(":"))
    const nowMillis = attempt.lease.nowMillis()
    return (
      payloadDigest === attempt.digest &&
      !keyIds.includes(id) &&
      !retiredKeyIds.has(id) &&
      nowMillis <= (settledAtMillis ?? nowMillis) + attempt.request.replayMillis
    )
  }

  private readonly takeOver = Effect.fnUntraced(
    { self: this },
    function* (attempt: PaymentAttempt): Performing {
      const { lease } = attempt
      if (this.takeovers.isUsedUp(lease.key, lease.nowMillis())) return { _tag: "Exhausted" }
      const taken = yield* this.services.settlement.takeOver(lease)
      if (taken === undefined) return { _tag: "Overtaken" }
      // Counted only now: of many copies at once, one takes the charge over and the others wait for it.
      this.takeovers.take(lease.key, lease.nowMillis())
      // From here on, decide by the charge, not by the presented request.
      const { event, held } = taken
      const { charge } = event
      // A recorded response is only for the payment that bought it.
      const isOurs =
        charge.state === "claimed" || charge.state === "voided" || charge.payloadDigest === attempt.digest
      const isRefused = charge.refusedDigest === attempt.digest
      const sameRequest = isOurs && this.isSameRequest(charge, attempt)
      const found: CallEvent<never> = { ...event, sameRequest, isRefused, held }
      return charge.response === undefined
        ? found
        : { ...found, result: { _tag: "Recorded", recorded: charge.response } }
    }
  )

  private judge<E>(attempt: PaymentAttempt<E>, { held }: CallProgress<E>): CallResult<E> {
    const copy = this.refusalOfCopy(attempt)
    if (copy !== undefined) return Effect.succeed({ _tag: "Refused", refusal: copy })
    const judgeByOffers = () =>
      Effect.flatMap(offersFor(attempt), (offered) => this.judgeBy(attempt, offered))
    if (held !== undefined) return judgeByOffers()
    return Effect.flatMap(this.services.admission.isShed(attempt), (isShed): CallResult<E> =>
      isShed ? Effect.succeed(shed) : judgeByOffers()
    )
  }

  private readonly judgeBy = Effect.fnUntraced(
    { self: this },
    function* (attempt: PaymentAttempt, offered: Offered): Performing {
      const { admission } = this.services
      const named = yield* this.repeated.findNamed(attempt)
      if (named !== undefined) return named
      const verdict = judgeOffered(attempt, offered)
      if (verdict._tag === "Refused") return (yield* this.repeated.findAny(attempt)) ?? verdict
      const refusal = (yield* admission.checkSignature(attempt)) ?? admission.recallFailure(attempt)
      if (refusal === undefined) return { _tag: "Accepted", task: taskOf(attempt, verdict.offer) }
      return (yield* this.repeated.findAny(attempt)) ?? { _tag: "Refused", refusal }
    }
  )

  private verify(attempt: PaymentAttempt, progress: CallProgress, task: PayableTask): CallResult<never> {
    const { admission, chain, waiting } = this.services
    const { caip2 } = attempt.network
    const verifying = Effect.flatMap(admission.verify(attempt, task.request, waiting), (verified) =>
      // The first payment may have emptied the wallet. Its owner must not read that another one is needed.
      verified._tag === "Verified" && verified.verification._tag === "Invalid"
        ? Effect.map(this.repeated.findAny(attempt), (repeated) => repeated ?? verified)
        : Effect.succeed(verified)
    )
    if (chain.head === undefined || !chain.canRead(caip2)) return verifying
    // Before the verification: if somebody else sends the payment from now on, it still counts for this call.
    const reading = progress.head === undefined ? chain.head(caip2) : Effect.succeed(progress.head)
    return Effect.flatMap(reading, (head): CallResult<never> =>
      // Without it, a transfer that was made before would count for this call, too.
      head === undefined
        ? Effect.succeed(unreadChain)
        : Effect.map(verifying, (verified) => ({ ...verified, head }))
    )
  }

  private readonly chargeFor = Effect.fnUntraced(
    { self: this },
    function* (
      attempt: PaymentAttempt,
      { head }: CallProgress,
      task: PayableTask
    ): Effect.fn.Return<NewCharge> {
      const { lease, request } = attempt
      const text = taskText(task)
      return newCharge(attempt, task, {
        head,
        settlement: request.encrypted
          ? JSON.stringify({ encrypted: yield* this.services.secrets.encrypt(text) } satisfies StoredTask)
          : `{"task":${text}}`,
        fingerprint: this.fingerprintOf(request),
        repeatKey: this.repeated.keyOf(request),
        nowMillis: lease.nowMillis()
      })
    }
  )

  private readonly claim = Effect.fnUntraced(
    { self: this },
    function* (attempt: PaymentAttempt, progress: CallProgress, task: PayableTask): Performing {
      const { admission } = this.services
      const charge = yield* this.chargeFor(attempt, progress, task)
      const claim = yield* admission.claim(attempt, charge, this.repeated.ruleOf(attempt))
      if (claim._tag === "Existing") return this.found(attempt, claim.charge, charge.createdAtMillis)
      if (claim._tag === "Repeated") return this.repeated.eventOf(attempt, claim.first)
      if (claim._tag === "Limited") return { _tag: "Limited", patient: admission.canWait(attempt) }
      return claimedEvent(attempt, charge, task, progress)
    }
  )

  private readonly claimRefused = Effect.fnUntraced(
    { self: this },
    function* (attempt: PaymentAttempt, progress: CallProgress, task: PayableTask): Performing {
      const charge = yield* this.chargeFor(attempt, progress, task)
      const existing = yield* this.services.admission.claimRefused(attempt, charge)
      return existing === undefined
        ? claimedEvent(attempt, charge, task, progress)
        : this.found(attempt, existing, charge.createdAtMillis)
    }
  )

  private checkFunds<E>(
    attempt: PaymentAttempt<E>,
    { claimedAtMillis, task }: StepOf<"CheckFunds">
  ): CallResult<E> {
    const { admission } = this.services
    return Effect.map(admission.isCovered(attempt, task.request, claimedAtMillis), (isCovered) => ({
      _tag: "Funded",
      isCovered
    }))
  }

  private settlementStep(
    attempt: PaymentAttempt,
    progress: CallProgress,
    step: SettlementStep
  ): CallResult<never> {
    const { admission, refusals, settlement } = this.services
    const held = heldBy(progress)
    return Effect.map(settlement.perform(step, held), (event): CallEvent<never> => {
      // If the process stands still from here on, what was learned is too old for calls that begin later.
      if (step._tag === "Settle" || step._tag === "QueryChain")
        attempt.learned.refusalNumber = refusals.next()
      if (event._tag === "Settled" && event.settlement._tag === "Rejected")
        admission.noteFailure(attempt, event.settlement.reason)
      if (event._tag === "Seen" && event.evidence._tag === "Moved" && event.evidence.precedesClaim === true)
        admission.blameStranger(attempt)
      // A payment that is refunded pays for nothing.
      else if (event._tag === "Completed" && !event.refundDue)
        admission.settled(attempt, held.task.authorization.value)
      // From here on, the response is that of another call, if any.
      return step._tag === "RollBack" && progress.result._tag === "Worked"
        ? { ...event, result: { _tag: "None" } }
        : event
    })
  }
}

const claimedEvent = (
  attempt: PaymentAttempt,
  charge: NewCharge,
  task: PayableTask,
  { held }: CallProgress
): CallEvent<never> => ({
  _tag: "Claimed",
  claimedAtMillis: charge.createdAtMillis,
  held: claimedCharge(attempt, task, charge, held)
})

type Offered = ReadonlyArray<PaymentOffer> | PaymentRefused

/** Judges a payment by the offers, or refuses it where the request isn't sold. */
const judgeOffered = ({ lease, request }: PaymentAttempt, offered: Offered): Verdict =>
  offered instanceof PaymentRefused
    ? { _tag: "Refused", refusal: offered.refusal }
    : judge(request.payment.payload, offered, {
        resourceUrl: request.resourceUrl,
        workSeconds: request.workMillis / 1000,
        nowSeconds: lease.nowMillis() / 1000
      })

/** The ways to pay for the request, or why it isn't sold. */
const offersFor = <E>({ lease, request }: PaymentAttempt<E>): Effect.Effect<Offered, E> => {
  const offering = request.offers(lease.key)
  if (!Effect.isEffect(offering)) return Effect.succeed(offering)
  return Effect.catch(offering, (error): Effect.Effect<Offered, E> =>
    error instanceof PaymentRefused ? Effect.succeed(error) : Effect.fail(error)
  )
}

/** The machine lets a call work on a charge only after it claimed it or took it over. */
const heldBy = ({ held }: CallProgress): HeldCharge => {
  if (held === undefined) throw new Error("a call works on a charge that it doesn't hold")
  return held
}
