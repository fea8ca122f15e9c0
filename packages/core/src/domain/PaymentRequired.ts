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
  scheme: Schema.String.annotate({ description: "Payment scheme: exact." }),
  /** Version-1 name of the network: `base`. */
  network: Schema.String.annotate({ description: "Version-1 name of the network." }),
  /** Atomic units, in decimal digits. */
  maxAmountRequired: Schema.String.annotate({
    description: "Price in atomic units of the asset (millionths of a dollar), in decimal digits."
  }),
  /** Address of the paid resource. */
  resource: Schema.String.annotate({ description: "Address of the paid resource." }),
  /** What is paid for. */
  description: Schema.String.annotate({ description: "What is paid for." }),
  /** Media type of the response. */
  mimeType: Schema.String.annotate({ description: "Media type of the response." }),
  /** Seconds that a payment may take from challenge to settlement. */
  maxTimeoutSeconds: Schema.Finite.annotate({
    description: "Seconds that a payment may take from here to its settlement."
  }),
  /** Address of the stablecoin's contract. */
  asset: Schema.String.annotate({ description: "Address of the stablecoin's contract." }),
  /** Address that receives the payment. */
  payTo: Schema.String.annotate({ description: "Address that receives the payment." }),
  /** The EIP-712 domain, and the fields of a quote. */
  extra: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description: "The token's EIP-712 domain, and the items of a quote."
    })
  ),
  /** Describes input and output, for indexes. */
  outputSchema: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({ description: "Input and output, for indexes." })
  )
}).annotate({ identifier: "PaymentOption" })
export type PaymentOption = typeof PaymentOption.Type

/** The body of every 402. */
export const PaymentRequired = Schema.Struct({
  /** Version of the body: 1. */
  x402Version: Schema.Finite.annotate({
    description: "Version of this body: 1. The header PAYMENT-REQUIRED has version 2."
  }),
  /** Why payment is required, or why the one sent was refused. */
  error: Schema.String.annotate({
    description: "That a payment is required, or `<reason>: <text>` of the one that was refused."
  }),
  /** The ways to pay. */
  accepts: Schema.Array(PaymentOption).annotate({ description: "The ways to pay: one of them is enough." })
}).annotate({ identifier: "PaymentRequired", description: "How to pay for this call." })
export type PaymentRequired = typeof PaymentRequired.Type

/** How indexes show the whole service, in `resource` of version 2. */
export interface ServiceIdentity {
  readonly serviceName?: string
  readonly tags?: ReadonlyArray<string>
  readonly iconUrl?: string
}

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
