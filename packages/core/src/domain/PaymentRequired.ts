import { Schema } from "effect"

/** What a payment has to be: one entry of our table of offers, in the words of protocol version 2. */
export interface PaymentRequirements {
  readonly scheme: "exact"
  /** CAIP-2. */
  readonly network: string
  /** Atomic units. */
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Readonly<Record<string, string>>
}

/** An entry of `accepts` in the 402 body: protocol version 1, the contract's "payment option". */
export const PaymentOption = Schema.Struct({
  scheme: Schema.String,
  network: Schema.String,
  maxAmountRequired: Schema.String,
  resource: Schema.String,
  description: Schema.String,
  mimeType: Schema.String,
  maxTimeoutSeconds: Schema.Finite,
  asset: Schema.String,
  payTo: Schema.String,
  extra: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
}).annotate({ identifier: "PaymentOption" })
export type PaymentOption = typeof PaymentOption.Type

/** The body of every 402. */
export const PaymentRequired = Schema.Struct({
  x402Version: Schema.Finite,
  error: Schema.String,
  accepts: Schema.Array(PaymentOption)
}).annotate({ identifier: "PaymentRequired", description: "How to pay for this call." })
export type PaymentRequired = typeof PaymentRequired.Type

/** What was paid: the content of `PAYMENT-RESPONSE` and `X-PAYMENT-RESPONSE`. */
export interface Receipt {
  readonly success: true
  /** Transaction hash. */
  readonly transaction: string
  /** CAIP-2. */
  readonly network: string
  readonly payer: string
}
