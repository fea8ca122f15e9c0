import type { Cause } from "effect"
import type { NewCharge, RecordedResponse } from "../../ports/Charges.ts"
import { chargeKey, payloadDigest } from "../request/ChargeKey.ts"
import { type ChainHead, headText } from "../evidence/ChainHead.ts"
import { authorizationOf, payerOf, validBeforeOf } from "../exact/SignedPayment.ts"
import { accountOf, openPayingCall, type PayingCall } from "./PayingCall.ts"
import type { PaymentRefused, PaidWorkLimited } from "../request/PaymentErrors.ts"
import type { TollNetwork } from "../request/TollNetwork.ts"
import type { TollRequest, WorkResponse } from "../request/TollRequest.ts"
import type { PaymentOffer } from "../request/Verdict.ts"
import type { ChargeEvent, ChargeFacts } from "../machine/ChargeStep.ts"
import type { ChargeLease, HeldCharge } from "./HeldCharge.ts"
import { type PayableTask, tokenOf } from "../machine/SettlementTask.ts"

/** Why the work of a payment has no response. */
export type WorkFailure<E> = Cause.Cause<E | PaymentRefused | PaidWorkLimited>

/** The result of a call so far. `Recorded`: the response of a charge that it took over. */
export type AttemptResult<E> =
  | { readonly _tag: "None" }
  | { readonly _tag: "Worked"; readonly response: WorkResponse }
  | { readonly _tag: "Recorded"; readonly recorded: RecordedResponse }
  | { readonly _tag: "Failed"; readonly failure: WorkFailure<E> }

/** One payment throughout one call. `E`: the error of the paid work. */
export interface PaymentAttempt<E = unknown> extends PayingCall {
  readonly request: TollRequest<E>
  /** The key and owner under which the call claims or takes over the charge. It holds nothing yet. */
  readonly lease: ChargeLease
  /** Facts before the charge is held. */
  readonly facts: ChargeFacts
  /** Number of the latest refusal of this process when the call began. */
  readonly openedAfter: number
}

/** What a call has come to so far. */
export interface CallProgress<E = unknown> {
  /** The newest block that the host's node had shown when the payment was presented, if it is known. */
  readonly head: ChainHead | undefined
  /** The charge under the call's lease, from its claim or takeover on. */
  readonly held: HeldCharge | undefined
  readonly result: AttemptResult<E>
}

/** The progress of a call that begins. */
export const noProgress: CallProgress<never> = { head: undefined, held: undefined, result: { _tag: "None" } }

/** The event of a call's step, with what it changes in the call's progress. */
export type CallEvent<E> = ChargeEvent & Partial<CallProgress<E>>

/** The progress of a call after a step. */
export const progressAfter = <E>(
  progress: CallProgress<E>,
  { head = progress.head, held = progress.held, result = progress.result }: Partial<CallProgress<E>>
): CallProgress<E> => ({ head, held, result })

export const openAttempt = <E>(
  request: TollRequest<E>,
  network: TollNetwork,
  options: {
    readonly owner: string
    readonly nowMillis: () => number
    /** How long the caller can be kept waiting. */
    readonly waitMillis: number
    readonly canReadChain: boolean
    /** See `PaymentAttempt`; by default no copy counts. */
    readonly openedAfter?: number
  }
): PaymentAttempt<E> => {
  const { payload } = request.payment
  const { canReadChain, nowMillis, owner, waitMillis } = options
  const openedMillis = nowMillis()
  const payer = payerOf(payload)
  return {
    request,
    network,
    payer,
    account: accountOf(payer, network.caip2),
    digest: payloadDigest(payload),
    untilMillis: openedMillis + waitMillis,
    lease: { key: chargeKey(network, payload), owner, by: "call", nowMillis },
    facts: {
      by: "call",
      canReadChain,
      // Until the amount is known, with the charge.
      proofRequired: true,
      workIsDue: request.settlesFirst,
      validBeforeSeconds: validBeforeOf(payload, openedMillis / 1000),
      finalitySeconds: network.finalitySeconds
    },
    ...openPayingCall(),
    openedAfter: options.openedAfter ?? Infinity
  }
}

/** The charge of a call that has just claimed it. `voided`: the one that it held under the same key before. */
export const claimedCharge = (
  { facts, lease, request }: PaymentAttempt,
  task: PayableTask,
  { claimedAfterBlock }: Pick<NewCharge, "claimedAfterBlock">,
  voided: HeldCharge | undefined
): HeldCharge => ({
  ...lease,
  operation: request.operation,
  facts: { ...facts, proofRequired: task.proofRequired },
  task,
  subject: undefined,
  // A voided charge that is claimed again keeps its own.
  claimedAfterBlock: voided?.claimedAfterBlock ?? claimedAfterBlock,
  attempts: 0
})

/** Everything needed to settle this attempt's payment. */
export const taskOf = (
  { facts, network, request }: PaymentAttempt,
  { requirements }: PaymentOffer
): PayableTask => {
  const { payload, signed } = request.payment
  return {
    network: network.caip2,
    ...tokenOf(network.caip2, network.asset),
    authorization: authorizationOf(payload, requirements, facts.validBeforeSeconds),
    proofRequired: request.proofRequired(BigInt(requirements.amount)),
    request: {
      x402Version: payload.x402Version,
      payload: signed,
      requirements,
      resource: request.resource
    }
  }
}

export const newCharge = (
  { digest, lease, network, payer, request }: PaymentAttempt,
  task: PayableTask,
  options: {
    readonly head: ChainHead | undefined
    readonly settlement: string
    readonly fingerprint: string
    readonly repeatKey: string
    readonly nowMillis: number
  }
): NewCharge => {
  const { authorization } = task
  const { requirements, x402Version } = task.request
  return {
    key: lease.key,
    payloadDigest: digest,
    fingerprint: options.fingerprint,
    operation: request.operation,
    network: network.caip2,
    asset: network.asset,
    payer,
    payTo: requirements.payTo,
    amountAtomic: requirements.amount,
    validBeforeSeconds: Number(authorization.validBefore),
    x402Version,
    settlement: options.settlement,
    exposureAtomic: request.exposureAtomic().toString(),
    settlesFirst: request.settlesFirst,
    repeatKey: options.repeatKey,
    paymentId: request.repeats === undefined ? "" : (request.payment.paymentId ?? ""),
    createdAtMillis: options.nowMillis,
    claimedAfterBlock: headText(options.head)
  }
}
