import { Clock, Context, Effect, Exit, Layer } from "effect"
import { getAddress } from "viem"
import { type ApiFailure, ApiFailure as Failure, storeFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import { Identifiers } from "../Identifiers.ts"
import { type Charge, Charges, type NewCharge, type Subject } from "../ports/Charges.ts"
import { Secrets } from "../Secrets.ts"
import { answers } from "./Answers.ts"
import { Chain } from "./Chain.ts"
import { chargeKey, payloadDigest } from "./ChargeKey.ts"
import { judgeSignature } from "./exact/Evm.ts"
import { Facilitator, type FacilitatorRequest } from "./Facilitator.ts"
import { resumption } from "./Resume.ts"
import { type KeptTask, Settling, type SettlementTask } from "./Settling.ts"
import { type Answer, type Outcome, PaymentRefused, type TollRequest } from "./TollRequest.ts"
import { judge, type PaymentOffer, type Refusal } from "./Verdict.ts"

export interface TollConfig {
  readonly networks: ReadonlyArray<Network & { readonly separator: `0x${string}` }>
  /** How long a claim is held; longer than work and settlement together. */
  readonly leaseMillis: number
  /** How long a copy of a payment waits for the answer of the first. */
  readonly waitMillis: number
}

const inProgress = new Failure({
  status: 409,
  code: "PAYMENT_IN_PROGRESS",
  message: "A request with this payment is being answered. Send the same payment again in a moment.",
  retryAfterSeconds: 2
})

const pending = new Failure({
  status: 503,
  code: "SETTLEMENT_PENDING",
  message:
    "Whether the payment was settled is not known yet. Send the same payment again; do not sign a new one.",
  retryAfterSeconds: 5
})

/** Between "no payment" and "receipt": claims, verifies, works, records, settles. */
export class Toll extends Context.Service<
  Toll,
  { readonly pay: (request: TollRequest) => Effect.Effect<Outcome, ApiFailure> }
>()("@till402/core/Toll") {
  static readonly layer = (config: TollConfig) =>
    Layer.effect(
      Toll,
      Effect.map(makePay(config), (pay) => Toll.of({ pay }))
    )
}

/** What is known of one payment throughout one call. */
interface Call {
  readonly request: TollRequest
  readonly key: string
  readonly digest: string
  readonly network: TollConfig["networks"][number]
  readonly authorization: Authorization
}

type Step<A> = Effect.Effect<A, ApiFailure | PaymentRefused | StoreError>

const makePay = Effect.fnUntraced(function* (config: TollConfig) {
  const charges = yield* Charges
  const secrets = yield* Secrets
  const facilitator = yield* Facilitator
  const chain = yield* Chain
  const settling = yield* Settling

  const fingerprintOf = (request: TollRequest, keyId: string) =>
    secrets.digest("fingerprint", request.canonical, keyId)

  const isSameRequest = (charge: Charge, request: TollRequest): boolean => {
    const separator = charge.fingerprint.indexOf(":")
    return (
      fingerprintOf(request, charge.fingerprint.slice(0, separator)) ===
      charge.fingerprint.slice(separator + 1)
    )
  }

  const { recall, record } = yield* answers

  const replay = Effect.fnUntraced(function* (call: Call, charge: Charge) {
    const answer = yield* recall(call.request, charge.answer!)
    return { _tag: "Paid", answer, receipt: charge.receipt! } satisfies Outcome
  })

  const taskOf = (call: Call, offer: PaymentOffer): SettlementTask => ({
    network: call.network.caip2,
    authorization: call.authorization,
    proofRequired: call.request.proofRequired,
    request: {
      x402Version: call.request.payment.payload.x402Version,
      paymentPayload: call.request.payment.document,
      requirements: offer.requirements,
      resource: {
        url: call.request.resource.url,
        description: call.request.resource.description,
        mimeType: call.request.resource.mimeType
      }
    }
  })

  const newCharge = (call: Call, task: SettlementTask, kept: KeptTask, nowMillis: number): NewCharge => {
    const { authorization, request } = call
    const fingerprint = fingerprintOf(request, secrets.currentKeyId)
    return {
      key: call.key,
      payloadDigest: call.digest,
      fingerprint: `${secrets.currentKeyId}:${fingerprint}`,
      operation: request.operation,
      network: call.network.caip2,
      asset: call.network.asset,
      payer: getAddress(authorization.from),
      payTo: task.request.requirements.payTo,
      amountAtomic: task.request.requirements.amount,
      validBeforeSeconds: Number(authorization.validBefore),
      x402Version: request.payment.payload.x402Version,
      settlement: JSON.stringify(kept),
      createdAtMillis: nowMillis
    }
  }

  /** Signature first where it can be judged here; a contract wallet's is the facilitator's to judge. */
  const checkSignature = Effect.fnUntraced(function* (call: Call) {
    const { signature } = call.request.payment.payload.payload
    const verdict = yield* Effect.promise(() =>
      judgeSignature(call.network.separator, call.authorization, signature)
    )
    if (verdict === "Ordinary" || verdict === "Contract") return undefined
    const hasCode =
      verdict === "Foreign" ? yield* chain.hasCode(call.network, call.authorization.from) : false
    return hasCode === true
      ? undefined
      : ({
          code: "invalid_exact_evm_payload_signature",
          message:
            "the signature is not by the payer, over this authorization, in this token's EIP-712 domain"
        } satisfies Refusal)
  })

  const verify = Effect.fnUntraced(function* (request: FacilitatorRequest) {
    const verification = yield* facilitator.verify(request)
    switch (verification._tag) {
      case "Valid":
        return
      case "Invalid":
        return yield* new PaymentRefused({
          refusal: {
            code: verification.reason,
            message: "the facilitator refused the payment; nothing was charged"
          }
        })
      case "Unreachable":
        return yield* new Failure({
          status: 503,
          code: "FACILITATOR_UNAVAILABLE",
          message: "Payments can't be verified now. Nothing was charged; send the same payment again later.",
          retryAfterSeconds: 10
        })
    }
  })

  /** Claimed: verify, work, record, settle. Whatever fails before the record frees the payment. */
  const underLease = Effect.fnUntraced(function* (call: Call, owner: string, task: SettlementTask) {
    const worked = yield* verify(task.request).pipe(
      Effect.andThen(Effect.suspend(() => call.request.work(call.key, task.request.requirements))),
      Effect.flatMap(({ answer, subject }) =>
        Effect.map(record(call.request, answer), (recorded) => ({ answer, subject, recorded }))
      ),
      Effect.exit
    )
    if (Exit.isFailure(worked)) {
      yield* charges.release(call.key, owner)
      return yield* Effect.failCause(worked.cause)
    }
    const { answer, recorded, subject } = worked.value
    if (!(yield* charges.advance(call.key, owner, { answer: recorded, subject }))) {
      // The lease lapsed under us and somebody else holds the payment now, with a quote that it may have
      // consumed as well: only what was prepared here is void.
      yield* settling.abandon(undefined, subject)
      return yield* inProgress
    }
    return yield* conclude(call, task, owner, answer, subject)
  })

  const conclude = Effect.fnUntraced(function* (
    call: Call,
    task: SettlementTask,
    owner: string,
    answer: Answer,
    subject: Subject | undefined
  ) {
    const result = yield* settling.settle({ key: call.key, owner, subject, task, first: true })
    return yield* resultOf(result, answer)
  })

  const resultOf = (result: Effect.Success<ReturnType<typeof settling.settle>>, answer: Answer) => {
    switch (result._tag) {
      case "Settled":
        return Effect.succeed<Outcome>({ _tag: "Paid", answer, receipt: result.receipt })
      case "Refused":
        return Effect.succeed<Outcome>({ _tag: "Refused", refusal: result.refusal })
      case "Unknown":
        return Effect.fail(pending)
    }
  }

  /** Takes up an answer that stands unsettled with nobody at work on it. */
  const finish = Effect.fnUntraced(function* (call: Call, charge: Charge) {
    const owner = (yield* Identifiers).uuid()
    const nowMillis = yield* Clock.currentTimeMillis
    const lease = { owner, untilMillis: nowMillis + config.leaseMillis }
    if (!(yield* charges.takeOver(call.key, lease, nowMillis))) return yield* inProgress
    const result = yield* settling.resume(charge, owner)
    return yield* resultOf(result, yield* recall(call.request, charge.answer!))
  })

  /** `undefined`: the key is free. */
  const meet = (
    call: Call,
    charge: Charge,
    untilMillis: number
  ): Effect.Effect<Outcome | undefined, ApiFailure | StoreError> =>
    Effect.gen(function* () {
      const nowMillis = yield* Clock.currentTimeMillis
      const decision = resumption(
        charge,
        {
          payloadDigest: call.digest,
          sameRequest: isSameRequest(charge, call.request),
          replayableUntilMillis: (charge.settledAtMillis ?? nowMillis) + call.request.replayMillis
        },
        nowMillis
      )
      switch (decision._tag) {
        case "Begin":
          return undefined
        case "Refuse":
          return { _tag: "Refused", refusal: decision.refusal }
        case "Replay":
          return yield* replay(call, charge)
        case "Finish":
          return yield* finish(call, charge)
        case "Wait": {
          if (nowMillis >= untilMillis) return yield* inProgress
          yield* Effect.sleep(50)
          const next = yield* charges.find(call.key)
          return next === undefined ? undefined : yield* meet(call, next, untilMillis)
        }
      }
    })

  const begin: (call: Call, untilMillis: number) => Step<Outcome> = Effect.fnUntraced(function* (
    call: Call,
    untilMillis: number
  ): Effect.fn.Return<Outcome, ApiFailure | PaymentRefused | StoreError> {
    const { request } = call
    const offers = yield* request.offers
    const nowMillis = yield* Clock.currentTimeMillis
    const verdict = judge(request.payment.payload, offers, request.resource.url, nowMillis / 1000)
    if (verdict._tag === "Refused") return verdict
    const refusal = yield* checkSignature(call)
    if (refusal !== undefined) return { _tag: "Refused", refusal }
    const task = taskOf(call, verdict.offer)
    const owner = (yield* Identifiers).uuid()
    const kept: KeptTask = request.sealed ? { sealed: yield* secrets.seal(JSON.stringify(task)) } : { task }
    const claim = yield* charges.claim(
      newCharge(call, task, kept, nowMillis),
      { owner, untilMillis: nowMillis + config.leaseMillis },
      nowMillis
    )
    if (claim._tag === "Claimed") return yield* underLease(call, owner, task)
    // Whoever was first may have failed and freed the payment while we waited: then it is our turn.
    const met = yield* meet(call, claim.charge, untilMillis)
    if (met !== undefined) return met
    return (yield* Clock.currentTimeMillis) < untilMillis
      ? yield* begin(call, untilMillis)
      : yield* inProgress
  })

  return Effect.fnUntraced(
    function* (request: TollRequest): Effect.fn.Return<Outcome, ApiFailure | PaymentRefused | StoreError> {
      const { payload } = request.payment
      const name = payload.x402Version === 1 ? payload.network : payload.accepted.network
      const network = config.networks.find(({ caip2, v1Name }) => caip2 === name || v1Name === name)
      if (network === undefined) {
        return {
          _tag: "Refused",
          refusal: { code: "invalid_network", message: "pay on one of the networks in accepts" }
        }
      }
      const call: Call = {
        request,
        network,
        key: chargeKey(network, payload),
        digest: payloadDigest(payload),
        authorization: payload.payload.authorization
      }
      const untilMillis = (yield* Clock.currentTimeMillis) + config.waitMillis
      const known = yield* charges.find(call.key)
      const met = known === undefined ? undefined : yield* meet(call, known, untilMillis)
      return met ?? (yield* begin(call, untilMillis))
    },
    Effect.catchTag("PaymentRefused", ({ refusal }) => Effect.succeed<Outcome>({ _tag: "Refused", refusal })),
    Effect.catchTag("StoreError", (error) =>
      Effect.andThen(
        Effect.logError("The store failed", error.operation, error.cause),
        Effect.fail(storeFailure(error))
      )
    )
  )
})
