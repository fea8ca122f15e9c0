import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import { getBase64Encoder, getTransactionDecoder, type Transaction } from "@solana/kit"
import { Option, Schema } from "effect"
import { termsOf, type TransactionTerms } from "./TransactionTerms.ts"

/*
 * Reads a payment and its requirements, of either protocol version. Pure. What the transaction does isn't checked yet.
 */

/** The requirements, in the form of version 2. */
export interface SvmRequirements {
  readonly scheme: string
  readonly network: `solana:${string}`
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Record<string, unknown>
}

export interface PresentedPayment {
  readonly requirements: SvmRequirements
  /** The signed transaction in base64, and decoded. */
  readonly wire: string
  readonly transaction: Transaction
  readonly terms: TransactionTerms
  /** Names the payment: the network, and the digest of the signed message. */
  readonly key: string
}

export type PaymentReading =
  | { readonly _tag: "Read"; readonly payment: PresentedPayment }
  | { readonly _tag: "Refused"; readonly reason: string }

/** The network that a facilitator serves, by its names. */
export interface ServedNetwork {
  readonly caip2: `solana:${string}`
  readonly v1Name: string
}

const Payload = Schema.Struct({ transaction: Schema.String })
const Payment = Schema.Union([
  Schema.Struct({
    x402Version: Schema.Literal(2),
    accepted: Schema.Struct({ scheme: Schema.String, network: Schema.String }),
    payload: Payload
  }),
  Schema.Struct({
    x402Version: Schema.Literal(1),
    scheme: Schema.String,
    network: Schema.String,
    payload: Payload
  })
])
const Requirements = Schema.Struct({
  scheme: Schema.String,
  network: Schema.String,
  asset: Schema.String,
  payTo: Schema.String,
  maxTimeoutSeconds: Schema.Finite,
  /** Version 2. */
  amount: Schema.optionalKey(Schema.String),
  /** Version 1. */
  maxAmountRequired: Schema.optionalKey(Schema.String),
  extra: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})

const decodePayment = Schema.decodeUnknownOption(Payment)
const decodeRequirements = Schema.decodeUnknownOption(Requirements)

/** The largest transaction that Solana accepts, in base64. */
const maxWireLength = Math.ceil(1232 / 3) * 4

const decodeTransaction = (wire: string): Transaction | undefined => {
  if (wire.length > maxWireLength) return undefined
  try {
    return getTransactionDecoder().decode(getBase64Encoder().encode(wire))
  } catch {
    return undefined
  }
}

const isAmount = (text: string): boolean => /^\d{1,20}$/.test(text) && BigInt(text) > 0n

/** Reads a payment for the requirements that it must meet. */
export const readPayment = (
  paymentPayload: unknown,
  paymentRequirements: unknown,
  served: ServedNetwork
): PaymentReading => {
  const refused = (reason: string): PaymentReading => ({ _tag: "Refused", reason })
  const payment = Option.getOrUndefined(decodePayment(paymentPayload))
  if (payment === undefined) return refused("invalid_payload")
  const required = Option.getOrUndefined(decodeRequirements(paymentRequirements))
  if (required === undefined) return refused("invalid_payment_requirements")
  const { asset, extra, maxTimeoutSeconds, payTo, scheme } = required
  const amount = payment.x402Version === 1 ? required.maxAmountRequired : required.amount
  if (amount === undefined || !isAmount(amount)) return refused("invalid_payment_requirements")
  const paid = payment.x402Version === 1 ? payment : payment.accepted
  if (scheme !== "exact" || paid.scheme !== "exact") return refused("unsupported_scheme")
  const isServed = (name: string): boolean => name === served.caip2 || name === served.v1Name
  if (!isServed(required.network)) return refused("invalid_network")
  if (!isServed(paid.network)) return refused("network_mismatch")
  const wire = payment.payload.transaction
  const transaction = decodeTransaction(wire)
  const terms = transaction === undefined ? undefined : termsOf(transaction)
  if (transaction === undefined || terms === undefined) {
    return refused("invalid_exact_svm_payload_transaction_could_not_be_decoded")
  }
  const key = `${served.caip2}:${bytesToHex(sha256(Uint8Array.from(transaction.messageBytes)))}`
  return {
    _tag: "Read",
    payment: {
      requirements: {
        scheme,
        network: served.caip2,
        amount,
        asset,
        payTo,
        maxTimeoutSeconds,
        extra: extra ?? {}
      },
      wire,
      transaction,
      terms,
      key
    }
  }
}
