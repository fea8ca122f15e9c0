import type { SignedPayload } from "../../domain/PaymentPayload.ts"
import type { PaymentRequirements, ServiceIdentity } from "../../domain/PaymentRequired.ts"

/**
 * A resource as facilitators receive it, and their public catalogues list it: the till's own words, and the same for
 * every call of a route. Nothing in it is from a payer or about a purchase.
 */
export interface ListedResource {
  /** Without a query, and with the names of path parameters in place of their values. */
  readonly url: string
  readonly description: string
  readonly mimeType: string
  /** How the service is named. */
  readonly service?: ServiceIdentity | undefined
  /** Version 1: describes the call. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Version 2: the same, as an extension. */
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** The listed resources of a till, by the id of their operation. */
export type ListedResources = ReadonlyMap<string, ListedResource>

/** A payment to verify or settle, with the requirement that it must meet. */
export interface FacilitatorRequest {
  readonly x402Version: 1 | 2
  /** What the payer signed: of the payment as sent, facilitators receive nothing else. */
  readonly payload: SignedPayload
  readonly requirements: PaymentRequirements
  readonly resource: ListedResource
  /** The facilitator that settles it, recorded with the charge. Without it, the first one that takes its network. */
  readonly route?: FacilitatorRoute
}

/** The facilitator of a payment. It alone settles the payment: another may not, while the outcome is unknown. */
export interface FacilitatorRoute {
  /** Name of the facilitator. */
  readonly facilitator: string
  /** Protocol version in which it gets the payment. */
  readonly x402Version: 1 | 2
}

/** The result of `verify`. `Unreachable`: there was no usable response, so nothing is known. */
export type Verification =
  | {
      readonly _tag: "Valid"
      readonly payer: string | undefined
      /** The facilitator that verified it, and that has to settle it. */
      readonly route?: FacilitatorRoute | undefined
    }
  | { readonly _tag: "Invalid"; readonly reason: string }
  | { readonly _tag: "Unreachable"; readonly reason: string }

/**
 * The result of `settle`. `Rejected`: definitely refused before anything was sent to the chain. `Unknown`: the money
 * may or may not have moved, so such a payment is neither released nor followed by a fresh 402.
 */
export type Settlement =
  | { readonly _tag: "Settled"; readonly transaction: string; readonly payer: string | undefined }
  | { readonly _tag: "Rejected"; readonly reason: string }
  | {
      readonly _tag: "Unknown"
      readonly reason: string
      readonly transaction: string | undefined
      /** There was no usable response. */
      readonly isUnreachable?: true
    }

/**
 * Reasons that refuse a payment before anything is sent to the chain. Every other reason leaves the outcome open: a
 * used nonce may have been used by this very payment, and a failed or pending transaction may be followed by one that
 * succeeds. A failed simulation on Solana may be that of a transaction that is on the chain already.
 */
export const definiteRefusals: ReadonlySet<string> = new Set([
  "insufficient_funds",
  "insufficient_balance",
  "invalid_network",
  "invalid_scheme",
  "invalid_payload",
  "invalid_payment",
  "invalid_payment_requirements",
  "invalid_x402_version",
  "unsupported_scheme",
  "network_mismatch",
  "missing_eip712_domain",
  "invalid_exact_evm_payload_signature",
  "invalid_exact_evm_payload_signature_address",
  "invalid_exact_evm_payload_authorization_valid_after",
  "invalid_exact_evm_payload_authorization_value",
  "invalid_exact_evm_payload_authorization_value_mismatch",
  "invalid_exact_evm_payload_recipient_mismatch",
  "invalid_exact_evm_signature",
  "invalid_exact_evm_recipient_mismatch",
  "invalid_exact_evm_insufficient_balance",
  "invalid_exact_evm_authorization_value",
  "invalid_exact_evm_authorization_value_mismatch",
  "invalid_exact_evm_authorization_valid_after",
  // Of the local facilitator.
  "settlement_gas_above_limit",
  "wallet_factory_not_allowed",
  "invalid_exact_svm_unsupported_scheme",
  "invalid_exact_svm_network_mismatch",
  "invalid_exact_svm_fee_payer_mismatch",
  "invalid_exact_svm_fee_payer_not_managed_by_facilitator",
  "invalid_exact_svm_payload_missing_fee_payer",
  "invalid_exact_svm_payload_transaction",
  "invalid_exact_svm_payload_transaction_could_not_be_decoded",
  "invalid_exact_svm_payload_signature_invalid",
  "invalid_exact_svm_payload_excessive_signers",
  "invalid_exact_svm_payload_no_transfer_instruction",
  "invalid_exact_svm_payload_mint_mismatch",
  "invalid_exact_svm_payload_recipient_mismatch",
  "invalid_exact_svm_payload_amount_mismatch",
  "invalid_exact_svm_payload_memo_count",
  "invalid_exact_svm_payload_memo_mismatch"
])

/** A kind of payment that a facilitator settles. */
export interface SupportedKind {
  readonly x402Version: number
  readonly scheme: string
  readonly network: string
  /** On Solana: the addresses from which it pays fees; the first is the one to offer. */
  readonly feePayers?: ReadonlyArray<string>
}
