import { type Authorization, type EvmNetwork, EvmPaymentPayload, findEvmNetwork } from "@till402/core/effect"
import { Option, Schema } from "effect"
import { keccak256, stringToHex } from "viem"
import type { Hex } from "./SettlementJournal.ts"

/*
 * Reads a payment and its requirements, of either protocol version, and compares them. Pure.
 */

/** A payment that promises exactly what is required. Signature, time and funds are not checked yet. */
export interface PresentedPayment {
  /** With the token that it is paid in. */
  readonly network: EvmNetwork
  readonly authorization: Authorization
  readonly signature: Hex
  /** The authorization: `chain:asset:payer:nonce`, lower case. */
  readonly key: string
  /** Digest of the whole authorization. */
  readonly digest: string
}

export type PaymentReading =
  | { readonly _tag: "Read"; readonly payment: PresentedPayment }
  | { readonly _tag: "Refused"; readonly reason: string; readonly payer: string | undefined }

const Requirements = Schema.Struct({
  scheme: Schema.String,
  network: Schema.String,
  asset: Schema.String,
  payTo: Schema.String,
  /** Version 2. */
  amount: Schema.optionalKey(Schema.String),
  /** Version 1. */
  maxAmountRequired: Schema.optionalKey(Schema.String)
})

const decodePayment = Schema.decodeUnknownOption(EvmPaymentPayload)
const decodeRequirements = Schema.decodeUnknownOption(Requirements)

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

const isDigits = (text: string): boolean => /^\d{1,78}$/.test(text)

const digestOf = ({ from, nonce, to, validAfter, validBefore, value }: Authorization): string =>
  keccak256(stringToHex([from, to, value, validAfter, validBefore, nonce].join("\n").toLowerCase()))

/**
 * Reads a payment for the requirements that it must meet exactly. `tokensOn`: a network in each token that is settled
 * there.
 */
export const readPayment = (
  paymentPayload: unknown,
  paymentRequirements: unknown,
  tokensOn: (network: EvmNetwork) => ReadonlyArray<EvmNetwork>
): PaymentReading => {
  const decoded = decodePayment(paymentPayload)
  if (Option.isNone(decoded)) return { _tag: "Refused", reason: "invalid_payload", payer: undefined }
  const { authorization, signature } = decoded.value.payload
  const payer = authorization.from
  const refused = (reason: string): PaymentReading => ({ _tag: "Refused", reason, payer })
  const required = decodeRequirements(paymentRequirements)
  if (Option.isNone(required)) return refused("invalid_payment_requirements")
  const { amount, asset, maxAmountRequired, payTo, scheme } = required.value
  const value = decoded.value.x402Version === 1 ? maxAmountRequired : amount
  if (value === undefined || !isDigits(value)) return refused("invalid_payment_requirements")

  const paid = decoded.value.x402Version === 1 ? decoded.value : decoded.value.accepted
  if (scheme !== "exact" || paid.scheme !== "exact") return refused("unsupported_scheme")
  const known = findEvmNetwork(required.value.network)
  const tokens = known === undefined ? [] : tokensOn(known)
  if (tokens.length === 0) return refused("invalid_network")
  if (findEvmNetwork(paid.network) !== known) return refused("network_mismatch")
  const network = tokens.find((token) => same(asset, token.asset))
  if (network === undefined) return refused("invalid_payment_requirements")
  if (!same(authorization.to, payTo)) return refused("invalid_exact_evm_recipient_mismatch")
  // A transfer of nothing would cost gas and pay nobody.
  if (BigInt(value) === 0n || BigInt(authorization.value) !== BigInt(value)) {
    return refused("invalid_exact_evm_payload_authorization_value_mismatch")
  }
  const key = `${network.caip2}:${network.asset}:${authorization.from}:${authorization.nonce}`.toLowerCase()
  return {
    _tag: "Read",
    payment: { network, authorization, signature, key, digest: digestOf(authorization) }
  }
}
