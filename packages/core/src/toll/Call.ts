import type { Cause } from "effect"
import type { ApiFailure } from "../ApiFailure.ts"
import type { Network } from "../domain/Network.ts"
import type { NewCharge, RecordedAnswer } from "../ports/Charges.ts"
import { chargeKey, payloadDigest } from "./ChargeKey.ts"
import type { FacilitatorRequest } from "./Facilitator.ts"
import type { FairPool } from "./FairPool.ts"
import type { Held, SettlementTask } from "./Settling.ts"
import type { Answer, PaymentRefused, TollRequest } from "./TollRequest.ts"
import type { PaymentOffer } from "./Verdict.ts"

/** A network with the EIP-712 domain separator of its stablecoin. */
export type TollNetwork = Network & { readonly separator: `0x${string}` }

/** What is known of one payment throughout one call, and what has come of it so far. */
export interface Call {
  readonly request: TollRequest
  readonly digest: string
  readonly network: TollNetwork
  /** In lower case. */
  readonly payer: string
  /** Until when the caller can be kept waiting. */
  readonly untilMillis: number
  readonly held: Held
  offer: PaymentOffer | undefined
  /** What settling the payment will take, once it matches an offer. */
  task: (SettlementTask & { readonly request: FacilitatorRequest }) | undefined
  /** Its signature was checked, here or on the chain: it is the payer's own. */
  proven: boolean
  /** Counted among the unsettled of this process. */
  counted: boolean
  /** Worked on without a verification first. */
  onCredit: boolean
  /** This call verifies the payment; copies of it in this process wait, or did. */
  verifying: boolean
  hasGuarded: boolean
  /** Its place among the payments that are verified, and whose it is. */
  place: { readonly pool: FairPool; readonly name: string } | undefined
  /** Whether the payer has settled here within a day, where the store was read for it. */
  isKnown: boolean | undefined
  /** What bounds the loss, should the work never be paid: earlier payments, or the budget for losses. */
  stake: "cover" | "loss" | undefined
  /** The payment has settled in this call. */
  settled: boolean
  /** The work has failed in this call. */
  hasFailed: boolean
  /** When the facilitator was asked to verify the payment. */
  verifiedAtMillis: number
  /** When the charge was claimed. */
  claimedAtMillis: number
  /** The charge's lease may be ours, and was at some time. */
  leased: boolean
  hadLease: boolean
  answer: Answer | undefined
  /** The answer of a charge that was taken up. */
  recorded: RecordedAnswer | undefined
  failure: Cause.Cause<ApiFailure | PaymentRefused> | undefined
}

export const openCall = (
  request: TollRequest,
  network: TollNetwork,
  options: {
    readonly owner: string
    readonly nowMillis: () => number
    /** How long the caller can be kept waiting. */
    readonly waitMillis: number
    readonly canReadChain: boolean
    readonly finalitySeconds: number
  }
): Call => {
  const { payload } = request.payment
  return {
    request,
    network,
    payer: payload.payload.authorization.from.toLowerCase(),
    digest: payloadDigest(payload),
    untilMillis: options.nowMillis() + options.waitMillis,
    held: {
      key: chargeKey(network, payload),
      owner: options.owner,
      nowMillis: options.nowMillis,
      facts: {
        by: "call",
        canReadChain: options.canReadChain,
        proofRequired: request.proofRequired,
        settlesFirst: request.settlesFirst,
        isRefunded: false,
        unverifiedSinceMillis: 0,
        validBeforeSeconds: Number(payload.payload.authorization.validBefore),
        finalitySeconds: options.finalitySeconds
      },
      task: undefined,
      subject: undefined,
      isSettled: false,
      awaitsFinality: false,
      attempts: 0
    },
    offer: undefined,
    task: undefined,
    proven: false,
    counted: false,
    onCredit: false,
    verifying: false,
    hasGuarded: false,
    place: undefined,
    isKnown: undefined,
    stake: undefined,
    settled: false,
    hasFailed: false,
    verifiedAtMillis: 0,
    claimedAtMillis: 0,
    leased: false,
    hadLease: false,
    answer: undefined,
    recorded: undefined,
    failure: undefined
  }
}

/** What settling this call's payment will take. */
export const taskOf = (
  { network, request }: Call,
  { requirements }: PaymentOffer
): SettlementTask & { readonly request: FacilitatorRequest } => {
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

/** The JSON of a task, its payment in the words that it came in: they are JSON already. */
export const taskText = (
  { authorization, network, proofRequired, request }: SettlementTask,
  payment: string
): string => {
  const { requirements, resource, x402Version } = request!
  const head = `"network":${JSON.stringify(network)},"authorization":${JSON.stringify(authorization)}`
  const rest = `"requirements":${jsonOf(requirements)},"resource":${jsonOf(resource)}`
  return `{${head},"proofRequired":${proofRequired},"request":{"x402Version":${x402Version},"paymentPayload":${payment},${rest}}}`
}

/** JSON of what most calls share: the offer of a fixed price, and its resource. Neither ever changes. */
const jsonOf = (shared: object): string => {
  let json = jsons.get(shared)
  if (json === undefined) {
    json = JSON.stringify(shared)
    jsons.set(shared, json)
  }
  return json
}
const jsons = new WeakMap<object, string>()

export const newCharge = (
  { digest, held, network, onCredit, payer, request }: Call,
  task: SettlementTask,
  options: { readonly settlement: string; readonly fingerprint: string; readonly nowMillis: number }
): NewCharge => {
  const { authorization } = task
  const { requirements, x402Version } = task.request!
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
