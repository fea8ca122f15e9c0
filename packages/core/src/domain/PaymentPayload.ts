import { Schema } from "effect"
import { type Hex, isHex } from "./Hex.ts"
import { maxTransactionBytes, type SolanaTransaction } from "./SolanaTransaction.ts"

/** EIP-3009 `TransferWithAuthorization`, as a client signs it. */
export const Authorization = Schema.Struct({
  /** Address that pays. */
  from: Schema.String,
  /** Address that is paid. */
  to: Schema.String,
  /** Atomic units, in decimal digits. */
  value: Schema.String,
  /** Seconds since the epoch before which it is not valid, in decimal digits. */
  validAfter: Schema.String,
  /** Seconds since the epoch after which it is not valid, in decimal digits. */
  validBefore: Schema.String,
  /** 32 bytes; the token accepts each once. */
  nonce: Schema.String
})
export type Authorization = typeof Authorization.Type

const isUint256 = (text: string): boolean => /^(?:0|[1-9]\d{0,77})$/u.test(text)

const isAuthorization = ({ from, nonce, to, validAfter, validBefore, value }: Authorization): boolean =>
  isHex(from, 20) &&
  isHex(to, 20) &&
  isHex(nonce, 32) &&
  isUint256(value) &&
  isUint256(validAfter) &&
  isUint256(validBefore)

/** Payload of scheme `exact` on EVM. One check for all fields: one per field takes twice as long. */
export const ExactEvmPayload = Schema.Struct({
  /** 65 to 4,096 bytes: those of a contract wallet may be long. */
  signature: Schema.String,
  authorization: Authorization
}).pipe(
  Schema.refine(
    (payload): payload is { readonly signature: Hex; readonly authorization: Authorization } =>
      isHex(payload.signature, 65, 4096) && isAuthorization(payload.authorization),
    { message: "must hold a signature and an authorization of EIP-3009" }
  )
)
export type ExactEvmPayload = typeof ExactEvmPayload.Type

/** Payload of scheme `exact` on Solana: the transaction in base64, signed by the payer and not by the fee payer. */
export const ExactSolanaPayload = Schema.Struct({
  transaction: Schema.String.check(Schema.isMaxLength(Math.ceil(maxTransactionBytes / 3) * 4))
})

/** The part of a payment that moves money: all that facilitators receive of it. */
export type SignedPayload =
  | { readonly signature: string; readonly authorization: Authorization }
  | typeof ExactSolanaPayload.Type

const version1 = <P extends Schema.Top>(payload: P) =>
  Schema.Struct({
    x402Version: Schema.Literal(1),
    scheme: Schema.String,
    network: Schema.String,
    payload
  })

const version2 = <P extends Schema.Top>(payload: P) =>
  Schema.Struct({
    x402Version: Schema.Literal(2),
    accepted: Schema.Struct({
      scheme: Schema.String,
      network: Schema.String,
      amount: Schema.String,
      asset: Schema.String,
      payTo: Schema.String,
      extra: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    }),
    payload,
    resource: Schema.optionalKey(Schema.Struct({ url: Schema.String.check(Schema.isMaxLength(4096)) }))
  })

/** A payment on EVM of protocol version 1. */
export const PaymentPayloadV1 = version1(ExactEvmPayload)
/** A payment on EVM of protocol version 2. */
export const PaymentPayloadV2 = version2(ExactEvmPayload)
/** A payment on Solana of protocol version 1. */
export const SolanaPayloadV1 = version1(ExactSolanaPayload)
/** A payment on Solana of protocol version 2. */
export const SolanaPayloadV2 = version2(ExactSolanaPayload)

/** A payment on EVM, dispatched on `x402Version`, never on the header's name. */
export const EvmPaymentPayload = Schema.Union([PaymentPayloadV1, PaymentPayloadV2])
export type EvmPaymentPayload = typeof EvmPaymentPayload.Type

/** A payment on Solana, with its transaction as read. */
export type SolanaPaymentPayload = (
  | Omit<typeof SolanaPayloadV1.Type, "payload">
  | Omit<typeof SolanaPayloadV2.Type, "payload">
) & { readonly payload: { readonly transaction: SolanaTransaction } }

/** A decoded payment header. */
export type PaymentPayload = EvmPaymentPayload | SolanaPaymentPayload

/** Whether a payment is on Solana: by its payload, which its network must fit. */
export const isOnSolana = (payment: PaymentPayload): payment is SolanaPaymentPayload =>
  "transaction" in payment.payload
