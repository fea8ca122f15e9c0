import { Cause, Context, Effect, Exit, Layer } from "effect"
import { type ApiFailure, storeFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { PaymentRequirements } from "../domain/PaymentRequired.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import { Secrets } from "../Secrets.ts"
import { type AdmissionConfig, makeAdmission } from "./Admission.ts"
import { answers } from "./Answers.ts"
import { type Call, newCharge, openCall, taskOf, taskText, type TollNetwork } from "./Call.ts"
import { Chain } from "./Chain.ts"
import { chargeKey } from "./ChargeKey.ts"
import { lookAnew } from "./lookAnew.ts"
import { RetryBudget } from "./RetryBudget.ts"
import { type KeptTask, Settling } from "./Settling.ts"
import { type Outcome, type PaymentRefused, type TollRequest } from "./TollRequest.ts"
import type { Ending, Event, Step } from "./Steps.ts"
import { timeAndChance } from "./timeAndChance.ts"
import { begin, next } from "./Transitions.ts"
import { failed, inProgress, limited, owed, pending, tooOften } from "./TollFailures.ts"
import { judge } from "./Verdict.ts"
import { Waiting } from "./Waiting.ts"

export interface TollConfig extends AdmissionConfig {
  readonly networks: ReadonlyArray<TollNetwork>
  /** How long a copy of a payment waits for the response to the first, and a payment for room. */
  readonly waitMillis: number
}

/** Between "no payment" and "receipt": claims, verifies, works, records, settles. */
export class Toll extends Context.Service<
  Toll,
  {
    /** A part of the generator that answers the request. */
    readonly pay: (request: TollRequest) => Effect.fn.Return<Outcome, ApiFailure>
    /**
     * Whether a copy of a payment has been taken up, or has paid, by now. For who was refused and could not be told
     * at once: to be told "nothing was charged" while a copy buys would be to pay twice.
     */
    readonly isUnderWay: (request: TollRequest) => Effect.Effect<boolean, ApiFailure>
  }
>()("@till402/core/Toll") {
  static readonly layer = (config: TollConfig) => Layer.effect(Toll, make(config))
}

const make = Effect.fnUntraced(function* (config: TollConfig) {
  const charges = yield* Charges
  const isUnderWay = Effect.fnUntraced(
    function* ({ payment }: TollRequest) {
      const network = networkOf(payment.payload, config.networks)
      const charge =
        network === undefined ? undefined : yield* lookAnew(charges, chargeKey(network, payment.payload))
      return charge !== undefined && charge.state !== "voided"
    },
    Effect.catchTag("StoreError", (error) => Effect.fail(storeFailure(error)))
  )
  return Toll.of({ pay: yield* makePay(config), isUnderWay })
})

const networkOf = (
  payload: TollRequest["payment"]["payload"],
  networks: ReadonlyArray<TollNetwork>
): TollNetwork | undefined => {
  const name = payload.x402Version === 1 ? payload.network : payload.accepted.network
  return networks.find(({ caip2, v1Name }) => caip2 === name || v1Name === name)
}

/** Copies of one payment that may wait for its answer, and waiting calls in all. */
const waitingLimits = { perKey: 64, inAll: 2_000 }

/** How often calls may take up one payment that others left, in so much time. */
const retryBudget = { times: 10, spanMillis: 10_000 }

/** How often the work of one payment that settled first is done again: it may fail each time. */
const owedWorkBudget = { times: 8, spanMillis: 600_000 }

/** Steps of one call: a dozen, and for who waits some more. */
const maxSteps = 200

/** The event of a step, in the generator that drives the call. */
type Performing<A> = Effect.fn.Return<A, ApiFailure | PaymentRefused | StoreError>

const unknownNetwork: Outcome = {
  _tag: "Refused",
  refusal: { code: "invalid_network", message: "pay on one of the networks in accepts" }
}

const makePay = Effect.fnUntraced(function* (config: TollConfig) {
  const charges = yield* Charges
  const secrets = yield* Secrets
  const chain = yield* Chain
  const admission = yield* makeAdmission(config)
  const settling = yield* Settling
  const { recall, record } = yield* answers
  const waiting = new Waiting(waitingLimits)
  const retries = new RetryBudget(retryBudget)
  const owedWork = new RetryBudget(owedWorkBudget)

  const isSameRequest = (charge: Charge, request: TollRequest): boolean => {
    const separator = charge.fingerprint.indexOf(":")
    const digest = secrets.digest("fingerprint", request.canonical, charge.fingerprint.slice(0, separator))
    return digest === charge.fingerprint.slice(separator + 1)
  }

  const found = (call: Call, charge: Charge | undefined, nowMillis: number): Event => ({
    _tag: "Found",
    charge,
    presented:
      charge === undefined
        ? undefined
        : {
            payloadDigest: call.digest,
            sameRequest: isSameRequest(charge, call.request),
            proven: call.proven,
            replayableUntilMillis: (charge.settledAtMillis ?? nowMillis) + call.request.replayMillis
          },
    patient: nowMillis < call.untilMillis && waiting.hasRoom(call.held.key),
    nowMillis
  })

  const judgePayment = function* (call: Call): Performing<Event> {
    const { offers, payment, resource, workMillis } = call.request
    const offering = offers(call.held.key)
    const offered = Effect.isEffect(offering)
      ? yield* Effect.catchTag(offering, "PaymentRefused", Effect.succeed)
      : offering
    if ("refusal" in offered) return { _tag: "Judged", refusal: offered.refusal }
    const nowMillis = call.held.nowMillis()
    const verdict = judge(payment.payload, offered, {
      resourceUrl: resource.url,
      workSeconds: workMillis / 1000,
      nowSeconds: nowMillis / 1000
    })
    if (verdict._tag === "Refused") return { _tag: "Judged", refusal: verdict.refusal }
    call.offer = verdict.offer
    call.task = taskOf(call, verdict.offer)
    const refusal = yield* admission.checkSignature(call)
    return { _tag: "Judged", refusal: refusal ?? admission.recallShort(call) }
  }

  const claim = function* (call: Call): Performing<Event> {
    const { held, request } = call
    const nowMillis = call.held.nowMillis()
    const task = call.task!
    const text = taskText(task, request.payment.json)
    const charge = newCharge(call, task, {
      settlement: request.sealed
        ? JSON.stringify({ sealed: yield* secrets.seal(text) } satisfies KeptTask)
        : `{"task":${text}}`,
      fingerprint: `${secrets.currentKeyId}:${secrets.digest("fingerprint", request.canonical)}`,
      nowMillis
    })
    const claimed = yield* admission.claim(call, charge)
    if (claimed._tag === "Existing") return found(call, claimed.charge, nowMillis)
    if (claimed._tag === "Limited") return { _tag: "Limited", patient: admission.patience(call) }
    held.task = task
    held.subject = undefined
    held.facts = {
      ...held.facts,
      proofRequired: request.proofRequired,
      settlesFirst: request.settlesFirst,
      isRefunded: false,
      unverifiedSinceMillis: charge.unverifiedSinceMillis,
      validBeforeSeconds: charge.validBeforeSeconds
    }
    call.claimedAtMillis = nowMillis
    call.leased = true
    call.hadLease = true
    return claimed
  }

  const work = function* (call: Call, { paid }: Extract<Step, { _tag: "Work" }>): Performing<Event> {
    const { held, request } = call
    if (paid !== undefined && !owedWork.take(held.key, held.nowMillis())) {
      call.failure = Cause.fail(tooOften)
      return { _tag: "WorkFailed" }
    }
    const worked = yield* Effect.exit(request.work(held.key, agreedOf(call)))
    if (Exit.isFailure(worked)) {
      call.failure = worked.cause
      call.hasFailed = true
      return { _tag: "WorkFailed" }
    }
    call.answer = worked.value.answer
    held.subject = worked.value.subject
    return { _tag: "Worked", nowSeconds: call.held.nowMillis() / 1000 }
  }

  const recordAnswer = function* ({ answer, held, request }: Call): Performing<Event> {
    const kept = answer === undefined ? undefined : yield* record(request, answer)
    const recorded = yield* charges.advance(held.key, held.owner, { answer: kept, subject: held.subject })
    return { _tag: "Recorded", recorded }
  }

  const deliver = function* ({ answer, held, request }: Call): Performing<Event> {
    const kept = yield* record(request, answer!)
    return { _tag: "Delivered", delivered: yield* charges.deliver(held.key, held.owner, kept) }
  }

  const find = function* (call: Call, isLast: boolean): Performing<Event> {
    const { key } = call.held
    const charge = isLast ? yield* lookAnew(charges, key) : yield* charges.find(key)
    // Of another payment with this key, which came to nothing: whose this one is decides what that means for it.
    if (charge?.state === "voided" && charge.payloadDigest !== call.digest)
      yield* admission.checkSignature(call)
    return found(call, charge, call.held.nowMillis())
  }

  const takeOver = function* (call: Call): Performing<Event> {
    if (!retries.take(call.held.key, call.held.nowMillis())) return { _tag: "Exhausted" }
    const event = yield* settling.perform({ _tag: "TakeOver" }, call.held)
    if (event._tag === "Taken" && event.charge !== undefined) {
      // A charge that was taken over is brought to its end as what it is, not as what this request asks for.
      call.leased = true
      call.hadLease = true
      call.recorded = event.charge.answer
      const { charge } = event
      // A recorded response is for the very payment that bought it.
      const isOurs =
        charge.state === "claimed" || charge.state === "voided" || charge.payloadDigest === call.digest
      return { ...event, sameRequest: isOurs && isSameRequest(charge, call.request) }
    }
    return event
  }

  const settle = function* (call: Call, step: Extract<Step, { _tag: "Settle" }>): Performing<Event> {
    const event = yield* settling.perform(step, call.held)
    if (event._tag === "Settled" && event.settlement._tag === "Rejected")
      admission.noteShort(call, event.settlement.reason)
    return event
  }

  const complete = function* (call: Call, step: Extract<Step, { _tag: "Complete" }>): Performing<Event> {
    const event = yield* settling.perform(step, call.held)
    if (event._tag === "Completed") admission.settled(call)
    return event
  }

  const wait = function* ({ held }: Call): Performing<Event> {
    yield* waiting.wait(held.key)
    return waited
  }

  const queue = function* (call: Call): Performing<Event> {
    yield* admission.waitForRoom(call)
    return waited
  }

  /** Performs a step. Plain generators: a call takes about ten steps and none needs its own fiber. */
  const perform = (step: Exclude<Step, { _tag: "End" }>, call: Call): Performing<Event> => {
    switch (step._tag) {
      case "Find":
        return find(call, step.instead !== undefined)
      case "Wait":
        return wait(call)
      case "Judge":
        return judgePayment(call)
      case "Claim":
        return claim(call)
      case "Verify":
        return admission.verify(call)
      case "Queue":
        return queue(call)
      case "CheckFunds":
        return admission.checkFunds(call, call.claimedAtMillis)
      case "Work":
        return work(call, step)
      case "Record":
        return recordAnswer(call)
      case "TakeOver":
        return takeOver(call)
      case "Settle":
        return settle(call, step)
      case "Complete":
        return complete(call, step)
      case "Deliver":
        return deliver(call)
      default:
        return settling.perform(step, call.held)
    }
  }

  const conclude = function* (call: Call, ending: Ending): Performing<Outcome> {
    switch (ending._tag) {
      case "Paid":
        return {
          _tag: "Paid",
          answer: call.answer ?? (yield* recall(call.request, call.recorded!)),
          receipt: ending.receipt
        }
      case "Replay":
        return {
          _tag: "Paid",
          answer: yield* recall(call.request, ending.charge.answer!),
          receipt: ending.charge.receipt!
        }
      case "Refused":
        return ending
      case "Failed":
        return yield* Effect.failCause(call.failure!)
      case "Owed":
        return yield* owed(call.failure!, ending)
      case "InProgress":
        return yield* inProgress
      case "Limited":
        return yield* limited
      case "Pending":
      case "Closed":
        return yield* pending
    }
  }

  /** Begins at once: what needs no waiting needs no fiber. */
  const drive = Effect.fnUntracedEager(function* (call: Call): Performing<Outcome> {
    let step = begin
    for (let steps = 0; step._tag !== "End"; steps++) {
      // A store that says one thing and then another must not keep a call going for ever.
      if (steps === maxSteps) return yield* pending
      step = next(step, yield* perform(step, call), call.held.facts)
    }
    call.leased = false
    return yield* conclude(call, step.ending)
  })

  /** Cut short: what it held is for whoever comes next, who need not wait the lease out. */
  const letGo = (call: Call) =>
    call.leased
      ? Effect.ignore(charges.yieldLease(call.held.key, call.held.owner, 0), { log: "Warn" })
      : Effect.void

  return function* (request: TollRequest): Effect.fn.Return<Outcome, ApiFailure> {
    const network = networkOf(request.payment.payload, config.networks)
    if (network === undefined) return unknownNetwork
    const { identifiers, nowMillis } = yield* timeAndChance
    const call = openCall(request, network, {
      owner: identifiers.uuid(),
      nowMillis,
      waitMillis: config.waitMillis,
      canReadChain: chain.canRead(network.caip2),
      finalitySeconds: network.finalitySeconds
    })
    const exit = yield* Effect.exit(drive(call))
    if (Exit.isFailure(exit)) yield* letGo(call)
    admission.end(call)
    // A call that held nothing has changed nothing for those that wait.
    if (call.hadLease || call.hasGuarded) waiting.wake(call.held.key)
    return Exit.isSuccess(exit) ? exit.value : yield* failed(exit.cause)
  }
})

/** The requirements that were agreed on; of a charge that forgot them, those of its fixed price. */
const agreedOf = ({ held, network, request }: Call): PaymentRequirements => {
  const agreed = held.task?.request?.requirements
  if (agreed !== undefined) return agreed
  const offers = request.offers(held.key)
  const offer = Effect.isEffect(offers)
    ? undefined
    : offers.find(({ requirements }) => requirements.network === network.caip2)
  if (offer === undefined) throw new Error("a payment that settled first has no fixed price")
  return offer.requirements
}

const waited: Event = { _tag: "Waited" }
