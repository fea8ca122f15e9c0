import type { Cause } from "effect"
import type { ApiFailure } from "../ApiFailure.ts"
import type { Network } from "../domain/Network.ts"
import type { NewCharge, RecordedAnswer } from "../ports/Charges.ts"
import { chargeKey, payloadDigest } from "./ChargeKey.ts"
import type { Held, SettlementTask } from "./Settling.ts"
import type { Answer, PaymentRefused, TollRequest } from "./TollRequest.ts"
import type { Facts } from "./Steps.ts"
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
  facts: Facts
  offer: PaymentOffer | undefined
  /** Its signature was checked here: the payer is who they say. */
  proven: boolean
  /** Counted among the unsettled of this process. */
  counted: boolean
  /** Worked on without a verification first. */
  onCredit: boolean
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
      task: undefined,
      subject: undefined,
      attempts: 0
    },
    facts: {
      by: "call",
      canReadChain: options.canReadChain,
      proofRequired: request.proofRequired,
      validBeforeSeconds: Number(payload.payload.authorization.validBefore)
    },
    offer: undefined,
    proven: false,
    counted: false,
    onCredit: false,
    leased: false,
    hadLease: false,
    answer: undefined,
    recorded: undefined,
    failure: undefined
  }
}

/** What settling this call's payment will take. */
export const taskOf = ({ network, request }: Call, { requirements }: PaymentOffer): SettlementTask => {
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
  const { requirements, resource, x402Version } = request
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
  { digest, held, network, payer, request }: Call,
  task: SettlementTask,
  options: { readonly settlement: string; readonly fingerprint: string; readonly nowMillis: number }
): NewCharge => {
  const { authorization } = task
  return {
    key: held.key,
    payloadDigest: digest,
    fingerprint: options.fingerprint,
    operation: request.operation,
    network: network.caip2,
    asset: network.asset,
    payer,
    payTo: task.request.requirements.payTo,
    amountAtomic: task.request.requirements.amount,
    validBeforeSeconds: Number(authorization.validBefore),
    x402Version: task.request.x402Version,
    settlement: options.settlement,
    createdAtMillis: options.nowMillis
  }
}
