import { Effect } from "effect"
import { findNetwork, isSameAsset } from "../../domain/Network.ts"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { Encrypted, Secrets } from "../../runtime/Secrets.ts"
import type {
  FacilitatorRequest,
  ListedResource,
  ListedResources
} from "../facilitator/FacilitatorVerdicts.ts"
import { chargedAuthorization } from "./ChargedAuthorization.ts"

/** Everything that settling a payment needs. Stored with the charge, so that any process can finish it. */
export interface SettlementTask {
  /** CAIP-2. */
  readonly network: string
  /** The token, if it isn't the network's USDC. After a takeover, that of the charge. */
  readonly asset?: string
  readonly authorization: Authorization
  readonly proofRequired: boolean
  /** `undefined` if the charge no longer stores it, because it is voided or finally settled. */
  readonly request: FacilitatorRequest | undefined
}

/** The task of a payment that matched an offer. */
export interface PayableTask extends SettlementTask {
  readonly request: FacilitatorRequest
}

/**
 * A task as stored: encrypted if the response is, since the task's payment could request that response. A plain task
 * reveals no more than the response stored with it, and can pay only the host.
 */
export type StoredTask = { readonly task: SettlementTask } | { readonly encrypted: Encrypted }

/** The task of a charge whose payment isn't stored or can't be read: enough to find its transfer on the chain. */
export const taskWithoutPayment = (charge: Charge): SettlementTask => ({
  network: charge.network,
  authorization: chargedAuthorization(charge),
  proofRequired: true,
  request: undefined
})

/** The token of a payment, as far as it isn't the network's USDC. */
export const tokenOf = (caip2: string, asset: string): Pick<SettlementTask, "asset"> => {
  const network = findNetwork(caip2)
  return network === undefined || isSameAsset(network, asset) ? {} : { asset }
}

/**
 * The JSON of a task as it is stored. The description of the call, some 2 KB that each operation has once, is left out.
 */
export const taskText = (task: PayableTask): string => {
  const { request } = task
  const { description, mimeType, url } = request.resource
  return JSON.stringify({ ...task, request: { ...request, resource: { url, description, mimeType } } })
}

/** Reads the task of a charge; `undefined` if it was encrypted with a key that is not configured. */
export const readTask = (
  charge: Charge,
  secrets: Secrets["Service"],
  listedResources: ListedResources
): Effect.Effect<SettlementTask | undefined> => {
  if (charge.settlement === "") return Effect.succeed(taskWithoutPayment(charge))
  const listed = listedResources.get(charge.operation)
  const stored: StoredTask = JSON.parse(charge.settlement)
  if ("task" in stored) return Effect.succeed(withResource(stored.task, listed))
  return Effect.map(secrets.decrypt(stored.encrypted), (text): SettlementTask | undefined =>
    text === undefined ? undefined : withResource(JSON.parse(text), listed)
  )
}

/** Puts the description of the call back, if the till still has its operation. */
const withResource = (task: SettlementTask, listed: ListedResource | undefined): SettlementTask =>
  task.request === undefined || listed === undefined
    ? task
    : { ...task, request: { ...task.request, resource: listed } }
