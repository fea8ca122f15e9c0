import { createHash } from "node:crypto"
import type { Hex } from "../../../src/domain/Hex.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"

/** Calls that a transaction can make. Addresses are compared in lower case. */
export type ChainCall =
  | { readonly _tag: "transfer"; readonly to: string; readonly value: bigint }
  | {
      readonly _tag: "transferWithAuthorization" | "receiveWithAuthorization"
      readonly authorization: Authorization
      readonly signature: string
    }
  | {
      readonly _tag: "cancelAuthorization"
      readonly from: string
      readonly nonce: string
      readonly signature: string
    }
  /** Another contract emits the events that the token would emit for this authorization. Nothing moves. */
  | { readonly _tag: "imitate"; readonly authorization: Authorization }

/** One call of a transaction. */
export interface ContractCall {
  /** The token's `msg.sender`: an account, a contract wallet, or the contract that batches calls. */
  readonly sender: string
  readonly call: ChainCall
  /** Whether its failure is tolerated instead of reverting the transaction. */
  readonly mayFail?: boolean
}

/** Multicall3, at its address on every chain. Any account can call other contracts through it. */
export const multicallAddress = "0xca11bde05977b3631167028862be2a173976ca11"
/** A token that imitates the real one. */
export const imitationAddress = "0x00000000000000000000000000000000000fa4e0"

/**
 * Messages of EIP-3009: each kind has its own type hash, so a signature of one kind is invalid for another.
 */
export type MessageKind = "transferWithAuthorization" | "receiveWithAuthorization" | "cancelAuthorization"

const fieldsOf = ({ from, nonce, to, validAfter, validBefore, value }: Authorization): string =>
  [from, to, value, validAfter, validBefore, nonce].join("\n").toLowerCase()

const sign = (text: string): Hex => `0x${createHash("sha512").update(text).digest("hex")}${"00".repeat(32)}`

/** The signature of the first owner of the payer's contract wallet for an authorization. */
export const signatureOf = (
  authorization: Authorization,
  kind: Exclude<MessageKind, "cancelAuthorization"> = "transferWithAuthorization"
): Hex => sign(`${kind}\n${fieldsOf(authorization)}`)

/** That of the second owner. The wallet accepts either. */
export const secondSignatureOf = (authorization: Authorization): Hex =>
  sign(`transferWithAuthorization by the second owner\n${fieldsOf(authorization)}`)

/** Whether the payer's contract wallet accepts a signature for an authorization. */
export const isSignatureOf = (
  authorization: Authorization,
  signature: string,
  kind: Exclude<MessageKind, "cancelAuthorization"> = "transferWithAuthorization"
): boolean =>
  signature === signatureOf(authorization, kind) ||
  (kind === "transferWithAuthorization" && signature === secondSignatureOf(authorization))

/** The one signature that the payer's contract wallet accepts for a cancellation. */
export const cancellationSignatureOf = (from: string, nonce: string): Hex =>
  sign(`cancelAuthorization\n${from}\n${nonce}`.toLowerCase())

/** A signature of the same form that no wallet made. */
export const forgedSignature = (authorization: Authorization): Hex =>
  sign(`forged\n${fieldsOf(authorization)}`)

/** Payer and nonce: the token contract accepts each pair once. */
export const nonceKey = ({ from, nonce }: Pick<Authorization, "from" | "nonce">): string =>
  `${from}:${nonce}`.toLowerCase()

/** The signed transfer of an authorization, which any account can submit. */
export const transferCall = (authorization: Authorization): ChainCall => ({
  _tag: "transferWithAuthorization",
  authorization,
  signature: signatureOf(authorization)
})
