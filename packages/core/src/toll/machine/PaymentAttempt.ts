import type { Cause } from "effect"
import type { Network } from "../../domain/Network.ts"
import type { NewCharge, RecordedResponse } from "../../ports/Charges.ts"
import { chargeKey, payloadDigest } from "../ChargeKey.ts"
import type { FairPool } from "../limits/FairPool.ts"
import type { PaymentRefused, WorkRetriedTooOften } from "../PaymentErrors.ts"
import type { TollRequest, WorkResponse } from "../TollRequest.ts"
import type { PaymentOffer } from "../Verdict.ts"
import type { ChargeFacts } from "./ChargeStep.ts"
import type { ChargeLease, HeldCharge } from "./HeldCharge.ts"
import type { PayableTask } from "./SettlementTask.ts"

/** A network with the EIP-712 domain separator of its stablecoin. */
export type TollNetwork = Network & { readonly separator: `0x${string}` }

/** Why the work of a payment has no response. */
export type WorkFailure<E> = Cause.Cause<E | PaymentRefused | WorkRetriedTooOften>

/** The result of a call so far. `Recorded`: the response of a charge that it took over. */
export type AttemptResult<E> =
  | { readonly _tag: "None" }
  | { readonly _tag: "Worked"; readonly response: WorkResponse }
  | { readonly _tag: "Recorded"; readonly recorded: RecordedResponse }
  | { readonly _tag: "Failed"; readonly failure: WorkFailure<E> }

/** One payment throughout one call. `E`: the error of the paid work. */
export interface PaymentAttempt<E = unknown> {
  readonly request: TollRequest<E>
  readonly digest: string
  readonly network: TollNetwork
  /** In lower case. */
  readonly payer: string
  /** Until when the caller can be kept waiting. */
  readonly untilMillis: number
  /** The lease under which the call claims or takes over the charge. */
  readonly held: ChargeLease
  /** Facts before the charge is held. */
  readonly facts: ChargeFacts
  /** The charge, from its claim or takeover on. */
  charge: HeldCharge | undefined
  result: AttemptResult<E>
  /** Its signature was checked, here or on the chain: it is the payer's own. */
  proven: boolean
  /** Counted among the unsettled of this process. */
  counted: boolean
  /** Worked on without a verification first. */
  onCredit: boolean
  /** This call verifies the payment; copies of it in this process wait, or did. */
  verifying: boolean
  hasGuarded: boolean
  /** Its place among the payments that are verified, and the client or payer that holds it. */
  place: { readonly pool: FairPool; readonly name: string } | undefined
  /** Whether the payer has settled here within a day, if the store was read for it. */
  isKnown: boolean | undefined
  /** What covers the loss if the work is never paid: earlier payments, or the budget for losses. */
  stake: "cover" | "loss" | undefined
  /** The payment has settled in this call. */
  settled: boolean
  /** Work was done in this call. */
  hasWorked: boolean
  /** Work has failed in this call. */
  hasFailed: boolean
  /** When the facilitator started to verify the payment. */
  verifiedAtMillis: number
}

export const openAttempt = <E>(
  request: TollRequest<E>,
  network: TollNetwork,
  options: {
    readonly owner: string
    readonly nowMillis: () => number
    /** How long the caller can be kept waiting. */
    readonly waitMillis: number
    readonly canReadChain: boolean
  }
): PaymentAttempt<E> => {
  const { payload } = request.payment
  const { canReadChain, nowMillis, owner, waitMillis } = options
  return {
    request,
    network,
    payer: payload.payload.authorization.from.toLowerCase(),
    digest: payloadDigest(payload),
    untilMillis: nowMillis() + waitMillis,
    held: { key: chargeKey(network, payload), owner, by: "call", nowMillis },
    facts: {
      by: "call",
      canReadChain,
      proofRequired: request.proofRequired,
      settlesFirst: request.settlesFirst,
      unverifiedSinceMillis: 0,
      validBeforeSeconds: Number(payload.payload.authorization.validBefore),
      finalitySeconds: network.finalitySeconds
    },
    charge: undefined,
    result: { _tag: "None" },
    proven: false,
    counted: false,
    onCredit: false,
    verifying: false,
    hasGuarded: false,
    place: undefined,
    isKnown: undefined,
    stake: undefined,
    settled: false,
    hasWorked: false,
    hasFailed: false,
    verifiedAtMillis: 0
  }
}

/** The charge of a call that has just claimed it. */
export const claimedCharge = (
  { facts, held }: PaymentAttempt,
  task: PayableTask,
  unverifiedSinceMillis: number
): HeldCharge => ({
  ...held,
  facts: { ...facts, unverifiedSinceMillis },
  task,
  subject: undefined,
  isSettled: false,
  attempts: 0
})

/** What settling this attempt's payment takes. */
export const taskOf = ({ network, request }: PaymentAttempt, { requirements }: PaymentOffer): PayableTask => {
  const { payload } = request.payment
  return {
    network: network.caip2,
    authorization: payload.payload.authorization,
    proofRequired: request.proofRequired,
    request: {
      x402Version: payload.x402Version,
      paymentPayload: request.payment.document,
      requirements,
      resource: request.resource
    }
  }
}

export const newCharge = (
  { digest, held, network, onCredit, payer, request }: PaymentAttempt,
  task: PayableTask,
  options: { readonly settlement: string; readonly fingerprint: string; readonly nowMillis: number }
): NewCharge => {
  const { authorization } = task
  const { requirements, x402Version } = task.request
  return {
    key: held.key,
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
    exposureAtomic: request.exposureAtomic.toString(),
    settlesFirst: request.settlesFirst,
    createdAtMillis: options.nowMillis,
    unverifiedSinceMillis: onCredit ? options.nowMillis : 0
  }
}
