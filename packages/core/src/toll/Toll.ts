import { Cause, Context, Effect, Exit, Layer } from "effect"
import { type ApiFailure, storeFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import { Secrets } from "../Secrets.ts"
import { answers } from "./Answers.ts"
import { type Call, newCharge, openCall, taskOf, taskText, type TollNetwork } from "./Call.ts"
import { Chain } from "./Chain.ts"
import { judgeSignature } from "./exact/Evm.ts"
import { Facilitator } from "./Facilitator.ts"
import { chargeKey } from "./ChargeKey.ts"
import { lookAnew } from "./lookAnew.ts"
import { PayerCredit } from "./PayerCredit.ts"
import { PayerMemory } from "./PayerMemory.ts"
import { RetryBudget } from "./RetryBudget.ts"
import { type KeptTask, Settling } from "./Settling.ts"
import { type Outcome, type PaymentRefused, type TollRequest } from "./TollRequest.ts"
import type { Ending, Event, Step } from "./Steps.ts"
import { timeAndChance } from "./timeAndChance.ts"
import { begin, next } from "./Transitions.ts"
import { failed, inProgress, limited, pending, unverifiable } from "./TollFailures.ts"
import { judge, type Refusal } from "./Verdict.ts"
import { Unproven } from "./Unproven.ts"
import { Waiting } from "./Waiting.ts"

export interface TollConfig {
  readonly networks: ReadonlyArray<TollNetwork>
  /** How long a claim is held; longer than work and settlement together. */
  readonly leaseMillis: number
  /** How long a copy of a payment waits for the answer of the first. */
  readonly waitMillis: number
  /** Unsettled charges that one payer may have, and that this process takes on in all. */
  readonly maxUnsettledPerPayer: number
  readonly maxUnsettled: number
  /** For how long a payer who could not pay is remembered. */
  readonly payerMemoryMillis: number
  /** How long a settled payment is worth a call without verification. */
  readonly payerCreditMillis: number
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

/** Steps of one call: a dozen, and for who waits some more. */
const maxSteps = 200

/** What a step of a call comes to, in the generator that drives the call. */
type Performing<A> = Effect.fn.Return<A, ApiFailure | PaymentRefused | StoreError>

const unknownNetwork: Outcome = {
  _tag: "Refused",
  refusal: { code: "invalid_network", message: "pay on one of the networks in accepts" }
}

const foreignSignature: Refusal = {
  code: "invalid_exact_evm_payload_signature",
  message: "the signature is not by the payer, over this authorization, in this token's EIP-712 domain"
}

const makePay = Effect.fnUntraced(function* (config: TollConfig) {
  const charges = yield* Charges
  const secrets = yield* Secrets
  const facilitator = yield* Facilitator
  const chain = yield* Chain
  const settling = yield* Settling
  const { recall, record } = yield* answers
  const waiting = new Waiting(waitingLimits)
  const shortPayers = new PayerMemory(config.payerMemoryMillis)
  const credit = new PayerCredit(config.payerCreditMillis)
  const retries = new RetryBudget(retryBudget)
  const unproven = new Unproven(Math.ceil(config.maxUnsettledPerPayer / 2))
  let unsettled = 0

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

  /** Signature first where it can be judged here; a contract wallet's is the facilitator's to judge. */
  const checkSignature = function* (call: Call): Performing<Refusal | undefined> {
    const { authorization, signature } = call.request.payment.payload.payload
    const judging = judgeSignature(call.network.separator, authorization, signature)
    const verdict = typeof judging === "string" ? judging : yield* Effect.promise(() => judging)
    if (verdict === "Ordinary") {
      call.proven = true
      return undefined
    }
    if (verdict === "Contract") return undefined
    const hasCode = verdict === "Foreign" ? yield* chain.hasCode(call.network, authorization.from) : false
    return hasCode === true ? undefined : foreignSignature
  }

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
    const refusal = yield* checkSignature(call)
    return {
      _tag: "Judged",
      refusal: refusal ?? (call.proven ? shortPayers.recall(call.payer, nowMillis) : undefined)
    }
  }

  const claim = function* (call: Call): Performing<Event> {
    const { held, request } = call
    if (!call.counted && unsettled >= config.maxUnsettled) return { _tag: "Limited" }
    if (!call.proven && !unproven.enter(call)) return { _tag: "Limited" }
    const nowMillis = call.held.nowMillis()
    const task = taskOf(call, call.offer!)
    const text = taskText(task, request.payment.json)
    const claimed = yield* charges.claim(
      newCharge(call, task, {
        settlement: request.sealed
          ? JSON.stringify({ sealed: yield* secrets.seal(text) } satisfies KeptTask)
          : `{"task":${text}}`,
        fingerprint: `${secrets.currentKeyId}:${secrets.digest("fingerprint", request.canonical)}`,
        nowMillis
      }),
      { owner: held.owner, untilMillis: nowMillis + config.leaseMillis },
      nowMillis,
      config.maxUnsettledPerPayer
    )
    if (claimed._tag === "Existing") return found(call, claimed.charge, nowMillis)
    if (claimed._tag === "Limited") return claimed
    held.task = task
    held.subject = undefined
    call.facts = settling.factsOf(task, "call")
    if (!call.counted) unsettled++
    call.counted = true
    call.leased = true
    call.hadLease = true
    return claimed
  }

  const verify = function* (call: Call): Performing<Event> {
    const { payer } = call
    // What is ordered in somebody's name is worth the question, each time.
    if (call.proven && !call.request.alwaysVerified && credit.take(payer, call.held.nowMillis())) {
      call.onCredit = true
      return { _tag: "Verified", verification: { _tag: "Valid", payer } }
    }
    const verification = yield* facilitator.verify(call.held.task!.request)
    if (verification._tag === "Unreachable") call.failure = Cause.fail(unverifiable)
    else if (verification._tag === "Invalid") noteShort(call, verification.reason)
    return { _tag: "Verified", verification }
  }

  const noteShort = (call: Call, code: string): void => {
    if (call.proven) shortPayers.note(call.payer, { code, message: couldNotPay }, call.held.nowMillis())
  }

  const work = function* (call: Call): Performing<Event> {
    const { held, request } = call
    const worked = yield* Effect.exit(request.work(held.key, held.task!.request.requirements))
    if (Exit.isFailure(worked)) {
      call.failure = worked.cause
      return { _tag: "WorkFailed" }
    }
    call.answer = worked.value.answer
    held.subject = worked.value.subject
    return { _tag: "Worked", nowSeconds: call.held.nowMillis() / 1000 }
  }

  const recordAnswer = function* ({ answer, held, request }: Call): Performing<Event> {
    const kept = yield* record(request, answer!)
    const recorded = yield* charges.advance(held.key, held.owner, { answer: kept, subject: held.subject })
    return { _tag: "Recorded", recorded }
  }

  const find = function* (call: Call, isLast: boolean): Performing<Event> {
    const { key } = call.held
    const charge = isLast ? yield* lookAnew(charges, key) : yield* charges.find(key)
    // Of another payment with this key, which came to nothing: whose this one is decides what that means for it.
    if (charge?.state === "voided" && charge.payloadDigest !== call.digest) yield* checkSignature(call)
    return found(call, charge, call.held.nowMillis())
  }

  const takeOver = function* (call: Call): Performing<Event> {
    if (!retries.take(call.held.key, call.held.nowMillis())) return { _tag: "Exhausted" }
    const event = yield* settling.perform({ _tag: "TakeOver" }, call.held, "call")
    if (event._tag === "Taken" && event.charge !== undefined) {
      // A charge that was taken up is brought to its end for what it is, not for what is asked for now.
      call.leased = true
      call.hadLease = true
      call.recorded = event.charge.answer
      if (call.held.task !== undefined) call.facts = settling.factsOf(call.held.task, "call")
      const { charge } = event
      // An answer that stands is for the very payment that bought it.
      const isOurs = charge.state !== "ready" || charge.payloadDigest === call.digest
      return { ...event, sameRequest: isOurs && isSameRequest(charge, call.request) }
    }
    return event
  }

  const settle = function* (call: Call, step: Extract<Step, { _tag: "Settle" }>): Performing<Event> {
    const event = yield* settling.perform(step, call.held, "call")
    if (event._tag !== "Settled") return event
    if (event.settlement._tag === "Rejected") noteShort(call, event.settlement.reason)
    if (event.settlement._tag !== "Settled") credit.lose(call.payer)
    else if (call.proven) credit.earn(call.payer, call.held.nowMillis())
    return event
  }

  const wait = function* ({ held }: Call): Performing<Event> {
    yield* waiting.wait(held.key)
    return waited
  }

  /** Does what a step says. Generators, not effects: a call takes ten steps, and none has a fiber's cares. */
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
        return verify(call)
      case "Work":
        return work(call)
      case "Record":
        return recordAnswer(call)
      case "TakeOver":
        return takeOver(call)
      case "Settle":
        return settle(call, step)
      default:
        return settling.perform(step, call.held, "call")
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
      step = next(step, yield* perform(step, call), call.facts)
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
      canReadChain: chain.canRead(network.caip2)
    })
    const exit = yield* Effect.exit(drive(call))
    if (Exit.isFailure(exit)) yield* letGo(call)
    if (call.counted) unsettled--
    if (call.onCredit) credit.giveBack(call.payer)
    unproven.leave(call)
    // Who held nothing has changed nothing for those who wait.
    if (call.hadLease) waiting.wake(call.held.key)
    return Exit.isSuccess(exit) ? exit.value : yield* failed(exit.cause)
  }
})

const couldNotPay = "the payer could not pay a moment ago; top up and try again in a few seconds"
const waited: Event = { _tag: "Waited" }
