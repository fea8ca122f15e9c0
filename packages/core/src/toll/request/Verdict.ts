import {
  type Authorization,
  isOnSolana,
  type PaymentPayload,
  type SolanaPaymentPayload
} from "../../domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../../domain/PaymentRequired.ts"
import { judgeTransaction, requirementsMet, type SolanaTerms } from "../exact/Solana.ts"
import type { Refusal } from "../exact/Refusal.ts"

export type { Refusal } from "../exact/Refusal.ts"

/** A way to pay: the requirements, and the version-1 name of their network. */
export interface PaymentOffer {
  readonly requirements: PaymentRequirements
  readonly v1Name: string | undefined
  /** On Solana only. */
  readonly solana?: SolanaTerms
}

export type Verdict =
  | { readonly _tag: "Accepted"; readonly offer: PaymentOffer }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }

const refused = (code: string, message: string): Verdict => ({ _tag: "Refused", refusal: { code, message } })

/** Seconds that a settlement takes. An authorization must be valid for that long after the work. */
export const settlementSeconds = 6
/** Seconds by which a payer's clock may be ahead of ours. */
export const clockSkewSeconds = 30

/** Compares addresses: on EVM in any letter case, on Solana exactly. */
const sameAddress = (left: string, right: string): boolean =>
  left === right || (right.startsWith("0x") && left.toLowerCase() === right.toLowerCase())

const matches = (payload: PaymentPayload, { requirements, v1Name }: PaymentOffer): boolean =>
  payload.x402Version === 1
    ? payload.scheme === requirements.scheme &&
      (payload.network === v1Name || payload.network === requirements.network)
    : payload.accepted.scheme === requirements.scheme &&
      payload.accepted.network === requirements.network &&
      sameAddress(payload.accepted.asset, requirements.asset)

/** Finds the offer that a payment is for, by scheme, network and asset. */
export const matchOffer = (
  payload: PaymentPayload,
  offers: ReadonlyArray<PaymentOffer>
): PaymentOffer | undefined => offers.find((offer) => matches(payload, offer))

/** The path of an absolute URL, without its trailing slash. */
const pathOf = (url: string): string | undefined => {
  const path = URL.parse(url)?.pathname
  return path?.endsWith("/") === true ? path.slice(0, -1) : path
}

/**
 * Whether a URL from a client names this resource. Compares only paths: clients repeat the URL that they requested,
 * with its query and the host name they know.
 */
const isSameResource = (named: string, resourceUrl: string): boolean => {
  // Most clients send the URL of the 402 unchanged, with its query.
  if (
    named.startsWith(resourceUrl) &&
    (named.length === resourceUrl.length || named[resourceUrl.length] === "?")
  )
    return true
  const path = pathOf(named)
  return path !== undefined && path === pathOf(resourceUrl)
}

/**
 * Checks resource, payee, amount and validity of a payment against the offers. Pure: reads no chain and checks no
 * signature.
 */
export const judge = (
  payload: PaymentPayload,
  offers: ReadonlyArray<PaymentOffer>,
  request: {
    readonly resourceUrl: string
    /** Timeout of the work, in seconds. */
    readonly workSeconds: number
    readonly nowSeconds: number
  }
): Verdict => {
  const offer = matchOffer(payload, offers)
  if (offer === undefined) {
    return refused(
      "unsupported_scheme_or_network",
      "pay with one of the options in accepts: scheme, network and asset must match"
    )
  }
  const { requirements } = offer
  if (
    payload.x402Version === 2 &&
    payload.resource !== undefined &&
    !isSameResource(payload.resource.url, request.resourceUrl)
  ) {
    return refused("resource_mismatch", "the payment names another resource; a payment buys one request")
  }
  const { quoteId } = requirements.extra
  const agreed = payload.x402Version === 2 ? payload.accepted.extra?.["quoteId"] : undefined
  if (quoteId !== undefined && agreed !== undefined && agreed !== quoteId) {
    return refused(
      "quote_expired",
      "the payment is for an earlier quote; nothing was charged, pay the new amount"
    )
  }
  return isOnSolana(payload)
    ? judgeOnSolana(payload, offer)
    : judgeAuthorization(payload.payload.authorization, payload, offer, request)
}

const judgeOnSolana = (payload: SolanaPaymentPayload, offer: PaymentOffer): Verdict => {
  const { requirements, solana } = offer
  if (solana === undefined) return otherFamily
  const { transaction } = payload.payload
  const refusal = judgeTransaction(transaction, solana, requirements)
  if (refusal !== undefined) return { _tag: "Refused", refusal }
  if (!claimsTerms(payload, requirements)) return otherTerms
  const met = requirementsMet(transaction, requirements)
  // The facilitator may pay fees from several addresses: it must sign with the one that the payer signed for.
  const feePayer = transaction.accounts[0]!
  if (feePayer !== met.extra["feePayer"])
    return acceptedFor(offer, { ...met, extra: { ...met.extra, feePayer } })
  return met === requirements ? { _tag: "Accepted", offer } : acceptedFor(offer, met)
}

const acceptedFor = (offer: PaymentOffer, requirements: PaymentRequirements): Verdict => ({
  _tag: "Accepted",
  offer: { ...offer, requirements }
})

const otherFamily = refused("invalid_payload", "the payload is of another kind of chain than its network")

const otherTerms = refused(
  "invalid_payment_requirements",
  "accepted names another amount or payTo than the option that it is for"
)

/** Whether a version-2 payment repeats the offer's payee and amount. */
const claimsTerms = (payload: PaymentPayload, { amount, payTo }: PaymentRequirements): boolean =>
  payload.x402Version === 1 ||
  (payload.accepted.amount === amount && sameAddress(payload.accepted.payTo, payTo))

/** Seconds for which an authorization must still be valid. A new signature always leaves enough. */
const timeNeeded = (workSeconds: number, maxTimeoutSeconds: number): number =>
  Math.min(settlementSeconds + Math.ceil(workSeconds), Math.floor(maxTimeoutSeconds / 2))

const judgeAuthorization = (
  authorization: Authorization,
  payload: PaymentPayload,
  offer: PaymentOffer,
  { nowSeconds, workSeconds }: { readonly nowSeconds: number; readonly workSeconds: number }
): Verdict => {
  const { requirements } = offer
  if (offer.solana !== undefined) return otherFamily
  const claimed = payload.x402Version === 2 ? payload.accepted : requirements
  if (!sameAddress(authorization.to, requirements.payTo) || !sameAddress(claimed.payTo, requirements.payTo)) {
    return refused(
      "invalid_exact_evm_payload_recipient_mismatch",
      "the payment goes to another recipient than payTo"
    )
  }
  if (authorization.value !== requirements.amount || claimed.amount !== requirements.amount) {
    return refused(
      "invalid_exact_evm_payload_authorization_value_mismatch",
      `the payment is of ${authorization.value} atomic units; exactly ${requirements.amount} are required`
    )
  }
  // Numbers are exact for all realistic times.
  const now = Math.floor(nowSeconds)
  const validAfter = Number(authorization.validAfter)
  const validBefore = Number(authorization.validBefore)
  if (validAfter > now) {
    return refused(
      "invalid_exact_evm_payload_authorization_valid_after",
      "the payment is not valid yet: check validAfter and your clock"
    )
  }
  const needed = timeNeeded(workSeconds, requirements.maxTimeoutSeconds)
  if (validBefore < now + needed) {
    return refused(
      "invalid_exact_evm_payload_authorization_valid_before",
      `the payment has expired or leaves less than the ${needed} seconds that this call may take; sign a new one`
    )
  }
  if (validBefore > now + requirements.maxTimeoutSeconds + clockSkewSeconds) {
    return refused(
      "invalid_exact_evm_payload_authorization_valid_before",
      `the payment is valid for longer than maxTimeoutSeconds (${requirements.maxTimeoutSeconds}); sign a shorter one`
    )
  }
  return { _tag: "Accepted", offer }
}
