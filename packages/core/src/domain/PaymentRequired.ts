import { Schema } from "effect"

/** The terms of a payment: one offer, in protocol version 2. */
export interface PaymentRequirements {
  readonly scheme: "exact"
  /** CAIP-2. */
  readonly network: string
  /** Atomic units. */
  readonly amount: string
  /** Address of the stablecoin's contract. */
  readonly asset: string
  /** Address that receives the payment. */
  readonly payTo: string
  /** Seconds that a payment may take from challenge to settlement. */
  readonly maxTimeoutSeconds: number
  /** The EIP-712 domain, on Solana the fee payer; and the fields of a quote. */
  readonly extra: Readonly<Record<string, string>>
}

/** An entry of `accepts` in the 402 body: protocol version 1, the contract's "payment option". */
export const PaymentOption = Schema.Struct({
  /** Payment scheme: `exact`. */
  scheme: Schema.String,
  /** Version-1 name of the network: `base`. */
  network: Schema.String,
  /** Atomic units, in decimal digits. */
  maxAmountRequired: Schema.String,
  /** Address of the paid resource. */
  resource: Schema.String,
  /** What is paid for. */
  description: Schema.String,
  /** Media type of the response. */
  mimeType: Schema.String,
  /** Seconds that a payment may take from challenge to settlement. */
  maxTimeoutSeconds: Schema.Finite,
  /** Address of the stablecoin's contract. */
  asset: Schema.String,
  /** Address that receives the payment. */
  payTo: Schema.String,
  /** The EIP-712 domain, and the fields of a quote. */
  extra: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Describes input and output, for indexes. */
  outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
}).annotate({ identifier: "PaymentOption" })
export type PaymentOption = typeof PaymentOption.Type

/** The body of every 402. */
export const PaymentRequired = Schema.Struct({
  /** Version of the body: 1. */
  x402Version: Schema.Finite,
  /** Why payment is required, or why the one sent was refused. */
  error: Schema.String,
  /** The ways to pay. */
  accepts: Schema.Array(PaymentOption)
}).annotate({ identifier: "PaymentRequired", description: "How to pay for this call." })
export type PaymentRequired = typeof PaymentRequired.Type

/** The receipt of a payment: the content of `PAYMENT-RESPONSE` and `X-PAYMENT-RESPONSE`. */
export interface Receipt {
  readonly success: true
  /** Transaction hash. */
  readonly transaction: string
  /** CAIP-2. */
  readonly network: string
  /** Address that paid. */
  readonly payer: string
}
