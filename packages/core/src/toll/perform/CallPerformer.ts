import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { isOnSolana } from "../../domain/PaymentPayload.ts"
import type { Charge, Charges, RepeatRule } from "../../ports/Charges.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import type { Chain } from "../evidence/Chain.ts"
import type { Admission } from "../limits/Admission.ts"
import type { RecentRefusals } from "../limits/RecentRefusals.ts"
import { RetryBudget } from "../limits/RetryBudget.ts"
import { unreadChain } from "../limits/Verifications.ts"
import type { WaitingCalls } from "../limits/WaitingCalls.ts"
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
import type { SettlementRunner } from "./SettlementRunner.ts"
import { type CallResult, type Performing, WorkPerformer } from "./WorkPerformer.ts"
import { type PayableTask, type StoredTask, taskText } from "../machine/SettlementTask.ts"
import { spanned } from "../../runtime/span.ts"

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

/** Payments of one payer with one id that are looked at: refused ones may precede the one that counts. */
const maxNamed = 20

/** Takeovers of one charge by calls of this process. */
const takeoverBudget = { times: 10, spanMillis: 10_000 }

const waited: ChargeEvent = { _tag: "Waited" }

const shed: ChargeEvent = { _tag: "Limited", patient: false }

const inVerifySpan = spanned("x402.verify")
const inClaimSpan = spanned("x402.claim")
const inWorkSpan = spanned("x402.work")

/**
 * Performs the steps of a paid call. It changes the limits and the store; what a step changes in the call's progress is in
 * its event.
 */
export class CallPerformer {
  private readonly services: Services
  private readonly takeovers = new RetryBudget(takeoverBudget)
  private readonly worker: WorkPerformer
  constructor(services: Services) {
    this.services = services
    this.worker = new WorkPerformer(services)
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
        return inVerifySpan(this.verify(attempt, progress, step.task))
      case "Claim":
        return inClaimSpan(this.claim(attempt, progress, step.task))
      case "Queue":
        return Effect.as(this.services.admission.waitForPayer(attempt), waited)
      case "CheckFunds":
        return this.checkFunds(attempt, step)
      case "Work":
        return inWorkSpan(this.worker.work(attempt, heldBy(progress), step))
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
    return Effect.flatMap(lookup, (charge) =>
      // A voided charge with another signature: check the signer, which decides about this payment.
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
    const { secrets } = this.services
    return `${secrets.currentKeyId}:${secrets.digest("fingerprint", canonical)}`
  }

  private isSameRequest({ fingerprint }: Charge, { request }: PaymentAttempt): boolean {
    const separator = fingerprint.indexOf(":")
    const keyId = fingerprint.slice(0, separator)
    const digest = this.services.secrets.digest("fingerprint", request.canonical, keyId)
    return digest === fingerprint.slice(separator + 1)
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
      // From here on the facts are those of the charge, and not of the request at hand.
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
      const identified = yield* this.findIdentified(attempt)
      if (identified !== undefined) return identified
      const verdict = judgeOffered(attempt, offered)
      if (verdict._tag === "Refused") return (yield* this.findRepeated(attempt)) ?? verdict
      const refusal = (yield* admission.checkSignature(attempt)) ?? admission.recallFailure(attempt)
      return refusal === undefined
        ? { _tag: "Accepted", task: taskOf(attempt, verdict.offer) }
        : { _tag: "Refused", refusal }
    }
  )

  /** Which charges a request repeats, unless its caller intends to. */
  private repeatsOf({ lease, request }: PaymentAttempt): RepeatRule | undefined {
    const { repeats } = request
    if (repeats === undefined || repeats.isIntended) return undefined
    const { secrets } = this.services
    const fingerprints = secrets.keyIds.map(
      (keyId) => `${keyId}:${secrets.digest("fingerprint", request.canonical, keyId)}`
    )
    return { fingerprints, sinceMillis: Math.max(0, lease.nowMillis() - repeats.withinMillis) }
  }

  /**
   * The charge that a payment repeats which is about to be refused, such as one for a quote that the first one has
   * consumed: its payer must not be shown a new price. Nobody else learns of it.
   */
  private readonly findRepeated = Effect.fnUntraced(
    { self: this },
    function* (attempt: PaymentAttempt): Effect.fn.Return<ChargeEvent | undefined, StoreError> {
      const { admission, charges } = this.services
      const rule = this.repeatsOf(attempt)
      if (rule === undefined) return undefined
      const refusal = yield* admission.checkSignature(attempt)
      if (refusal !== undefined || !attempt.learned.isProven) return undefined
      const first = yield* charges.findRepeated({ key: attempt.lease.key, payer: attempt.payer }, rule)
      return first !== undefined && couldBuy(attempt, first) ? this.repeated(attempt, first) : undefined
    }
  )

  /** What a payment gets that repeats another one: its response, if the client gave both the same id. */
  private repeated({ learned, lease, request }: PaymentAttempt, first: Charge): ChargeEvent {
    const isNamed = first.paymentId !== "" && first.paymentId === request.payment.paymentId
    const { effectPending, refund, response, settledAtMillis = 0, state } = first
    const isReplayable =
      state === "settled" &&
      !effectPending &&
      refund === undefined &&
      response !== undefined &&
      lease.nowMillis() <= settledAtMillis + request.replayMillis
    return isNamed && learned.isProven && isReplayable
      ? { _tag: "Identified", first }
      : { _tag: "Repeated", first }
  }

  /**
   * The charge of the payer's other payment to which the client gave the same id, for the same operation. It counts only
   * for a proven signature, and while it is in flight, unknown, or paid and not refunded.
   */
  private readonly findIdentified = Effect.fnUntraced(
    { self: this },
    function* (attempt: PaymentAttempt): Effect.fn.Return<ChargeEvent | undefined, StoreError> {
      const { lease, payer, request } = attempt
      const { paymentId } = request.payment
      if (request.repeats === undefined || paymentId === undefined) return undefined
      const { admission, charges } = this.services
      const refusal = yield* admission.checkSignature(attempt)
      if (refusal !== undefined || !attempt.learned.isProven) return undefined
      const named = yield* charges.list({ payer, paymentId, limit: maxNamed })
      const first = named.find(
        ({ key, operation, refund, state }) =>
          key !== lease.key && operation === request.operation && state !== "voided" && refund === undefined
      )
      if (first === undefined) return undefined
      return this.isSameRequest(first, attempt)
        ? this.repeated(attempt, first)
        : { _tag: "Repeated", first, isOther: true }
    }
  )

  private verify(attempt: PaymentAttempt, progress: CallProgress, task: PayableTask): CallResult<never> {
    const { admission, chain, waiting } = this.services
    const { caip2 } = attempt.network
    const verifying = admission.verify(attempt, task.request, waiting)
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

  private readonly claim = Effect.fnUntraced(
    { self: this },
    function* (attempt: PaymentAttempt, { head, held }: CallProgress, task: PayableTask): Performing {
      const { admission, secrets } = this.services
      const { lease, request } = attempt
      const nowMillis = lease.nowMillis()
      const text = taskText(task)
      const charge = newCharge(attempt, task, {
        head,
        settlement: request.encrypted
          ? JSON.stringify({ encrypted: yield* secrets.encrypt(text) } satisfies StoredTask)
          : `{"task":${text}}`,
        fingerprint: this.fingerprintOf(request),
        nowMillis
      })
      const claim = yield* admission.claim(attempt, charge, this.repeatsOf(attempt))
      if (claim._tag === "Existing") return this.found(attempt, claim.charge, nowMillis)
      if (claim._tag === "Repeated") return this.repeated(attempt, claim.first)
      if (claim._tag === "Limited") return { _tag: "Limited", patient: admission.canWait(attempt) }
      return {
        _tag: "Claimed",
        claimedAtMillis: nowMillis,
        held: claimedCharge(attempt, task, charge, held)
      }
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
    const { admission, settlement } = this.services
    const held = heldBy(progress)
    return Effect.map(settlement.perform(step, held), (event): CallEvent<never> => {
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

/**
 * Whether a payment could buy what another one has bought. Whoever reads the chain can present the payer's old payments, also
 * those to others, and would learn what was bought here.
 */
const couldBuy = ({ lease, request }: PaymentAttempt, { payTo }: Charge): boolean => {
  const { payload } = request.payment
  if (isOnSolana(payload)) return true
  const { to, validBefore } = payload.payload.authorization
  return to.toLowerCase() === payTo.toLowerCase() && Number(validBefore) * 1000 > lease.nowMillis()
}

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
