import { Schema } from "effect"
import { isHex } from "../../domain/Hex.ts"
import {
  definiteRefusals,
  type FacilitatorRequest,
  type Settlement,
  type SupportedKind,
  type Verification
} from "./FacilitatorVerdicts.ts"
import { findNetwork } from "../../domain/Network.ts"

/*
 * Requests and responses of `/verify`, `/settle` and `/supported`, over HTTP or in the same process.
 */

/** Requirements in the form of the payment's own protocol version. */
export const wireRequirements = (request: FacilitatorRequest): Record<string, unknown> => {
  const { requirements, resource, x402Version } = request
  if (x402Version === 2) return { ...requirements }
  return {
    scheme: requirements.scheme,
    network: findNetwork(requirements.network)?.v1Name ?? requirements.network,
    maxAmountRequired: requirements.amount,
    resource: resource.url,
    description: resource.description,
    mimeType: resource.mimeType,
    payTo: requirements.payTo,
    maxTimeoutSeconds: requirements.maxTimeoutSeconds,
    asset: requirements.asset,
    extra: requirements.extra
  }
}

const optional = Schema.optionalKey(Schema.NullishOr(Schema.String))

export const VerifyResponse = Schema.Struct({
  isValid: Schema.Boolean,
  invalidReason: optional,
  payer: optional
})

export const SettleResponse = Schema.Struct({
  success: Schema.Boolean,
  errorReason: optional,
  transaction: optional,
  network: optional,
  payer: optional,
  /** Id of a pending payment, by which `/status` reports it. */
  paymentId: optional
})

export const SupportedResponse = Schema.Struct({
  kinds: Schema.Array(
    Schema.Struct({ x402Version: Schema.Finite, scheme: Schema.String, network: Schema.String })
  )
})

/** A reason that is safe to show: a protocol code, never the facilitator's free text, an address or a nonce. */
const reasonCode = (reason: string | null | undefined, fallback: string): string =>
  typeof reason === "string" && /^(?!0x)[a-z0-9_]{1,80}$/i.test(reason) ? reason : fallback

export const toVerification = (response: typeof VerifyResponse.Type): Verification =>
  response.isValid
    ? { _tag: "Valid", payer: response.payer ?? undefined }
    : { _tag: "Invalid", reason: reasonCode(response.invalidReason, "invalid_payment") }

/** Whether a settlement names a network other than the payment's. */
const isElsewhere = (network: string | null | undefined, { requirements }: FacilitatorRequest): boolean =>
  typeof network === "string" &&
  network !== requirements.network &&
  network !== findNetwork(requirements.network)?.v1Name

export const toSettlement = (
  response: typeof SettleResponse.Type,
  request: FacilitatorRequest
): Settlement => {
  if (isElsewhere(response.network, request)) {
    // Its transaction is on another chain.
    return { _tag: "Unknown", reason: "settled_on_another_network", transaction: undefined }
  }
  const named = response.transaction ?? ""
  // Receipts and the ledger hold it: only a transaction's hash is accepted.
  const transaction = isHex(named, 32) ? named : undefined
  if (response.success) {
    return transaction === undefined
      ? { _tag: "Unknown", reason: "settled_without_transaction", transaction }
      : { _tag: "Settled", transaction, payer: response.payer ?? undefined }
  }
  const reason = reasonCode(response.errorReason, "unexpected_settle_error")
  // With a transaction hash, something was sent, whatever the reason is.
  return definiteRefusals.has(reason) && named === ""
    ? { _tag: "Rejected", reason }
    : { _tag: "Unknown", reason, transaction }
}

/** The outcome of a settlement without a usable response. */
export const unreachableSettlement = (reason: string): Settlement => ({
  _tag: "Unknown",
  reason,
  transaction: undefined,
  isUnreachable: true
})

export const toKinds = (response: typeof SupportedResponse.Type): ReadonlyArray<SupportedKind> =>
  response.kinds
