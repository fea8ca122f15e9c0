import {
  type Authorization,
  isOnSolana,
  type PaymentPayload,
  type SolanaPaymentPayload
} from "../../domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../../domain/PaymentRequired.ts"
import { solanaPayer } from "./Solana.ts"

/*
 * The signed part of a payment in the terms of an authorization, which charges, evidence and refunds share: payer,
 * payee, value, nonce, and an end of its validity. On EVM it is what the payer signed.
 */

/**
 * The longest time for which a transaction may still be valid, in seconds: 150 blocks after the one whose hash it
 * names. Blocks take 0.4 s, and up to 0.6 s. It is only an estimate, by which nothing is declared expired: the chain
 * must also have forgotten the block's hash (`toll/evidence/solana`).
 */
export const blockhashSeconds = 90

/** The payer's address, in one spelling: on EVM in lower case. */
export const payerOf = (payment: PaymentPayload): string =>
  isOnSolana(payment)
    ? solanaPayer(payment.payload.transaction)
    : payment.payload.authorization.from.toLowerCase()

/** The end of a payment's validity, in seconds since the epoch. */
export const validBeforeOf = (payment: PaymentPayload, nowSeconds: number): number =>
  isOnSolana(payment)
    ? Math.ceil(nowSeconds) + blockhashSeconds
    : Number(payment.payload.authorization.validBefore)

/**
 * Identifies a payment among those of its payer. On Solana the hash of the block that ends its validity, and the digest
 * of the signed message: enough to look the payment up on the chain.
 */
export const nonceOf = (payment: PaymentPayload): string =>
  isOnSolana(payment) ? solanaNonce(payment) : payment.payload.authorization.nonce

const solanaNonce = ({ payload: { transaction } }: SolanaPaymentPayload): string =>
  `${transaction.blockhash}.${transaction.digest}`

/** The parts of the nonce of a payment on Solana; `undefined` for another text. */
export const readSolanaNonce = (
  nonce: string
): { readonly blockhash: string; readonly digest: string } | undefined => {
  const match = /^([1-9A-HJ-NP-Za-km-z]{32,44})\.([0-9a-f]{64})$/.exec(nonce)
  return match === null ? undefined : { blockhash: match[1]!, digest: match[2]! }
}

/** The authorization of a payment that matched an offer. */
export const authorizationOf = (
  payment: PaymentPayload,
  { amount, payTo }: PaymentRequirements,
  validBeforeSeconds: number
): Authorization =>
  isOnSolana(payment)
    ? {
        from: payerOf(payment),
        to: payTo,
        value: amount,
        validAfter: "0",
        validBefore: String(validBeforeSeconds),
        nonce: nonceOf(payment)
      }
    : payment.payload.authorization
