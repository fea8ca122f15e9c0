import { Schema } from "effect"

const hex = (pattern: RegExp, message: string) => Schema.String.check(Schema.isPattern(pattern, { message }))
const Address = hex(/^0x[0-9a-fA-F]{40}$/u, "must be an address: 0x and 40 hexadecimal digits")
const Uint256 = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9]\d{0,77})$/u, { message: "must be decimal digits" })
)
const Name = Schema.String.check(Schema.isMaxLength(100))

/** EIP-3009 `TransferWithAuthorization`, as a client signs it. */
export const Authorization = Schema.Struct({
  /** Address that pays. */
  from: Address,
  /** Address that is paid. */
  to: Address,
  /** Atomic units. */
  value: Uint256,
  /** Seconds since the epoch before which it is not valid. */
  validAfter: Uint256,
  /** Seconds since the epoch after which it is not valid. */
  validBefore: Uint256,
  /** 32 bytes; the token accepts each once. */
  nonce: hex(/^0x[0-9a-fA-F]{64}$/u, "must be 32 bytes in hexadecimal")
})
export type Authorization = typeof Authorization.Type

/** Payload of scheme `exact` on EVM. */
export const ExactEvmPayload = Schema.Struct({
  signature: hex(/^0x(?:[0-9a-fA-F]{2}){65,4096}$/u, "must be a signature in hexadecimal"),
  authorization: Authorization
})
export type ExactEvmPayload = typeof ExactEvmPayload.Type

/** A payment of protocol version 1. */
export const PaymentPayloadV1 = Schema.Struct({
  x402Version: Schema.Literal(1),
  scheme: Name,
  network: Name,
  payload: ExactEvmPayload
})

/** A payment of protocol version 2. */
export const PaymentPayloadV2 = Schema.Struct({
  x402Version: Schema.Literal(2),
  accepted: Schema.Struct({
    scheme: Name,
    network: Name,
    amount: Uint256,
    asset: Name,
    payTo: Name,
    extra: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  }),
  payload: ExactEvmPayload,
  resource: Schema.optionalKey(Schema.Struct({ url: Schema.String.check(Schema.isMaxLength(4096)) }))
})

/** A payment header, decoded; dispatched on `x402Version`, never on the header's name. */
export const PaymentPayload = Schema.Union([PaymentPayloadV1, PaymentPayloadV2])
export type PaymentPayload = typeof PaymentPayload.Type
