import { createHash } from "node:crypto"

/** What a payer signed. */
export interface SignedPayment {
  /** Of the authorization; on Solana, the digest of the message. In lower case. */
  readonly nonce: string
  readonly amountAtomic: bigint
}

interface PaymentHeader {
  readonly accepted: { readonly amount: string }
  readonly payload:
    | { readonly authorization: { readonly nonce: string; readonly value: string } }
    | { readonly transaction: string }
}

const signatureBytes = 64

/** Digest of the message that a Solana transaction carries after its signatures, in base64. */
export const messageDigest = (transaction: string): string => {
  const bytes = Buffer.from(transaction, "base64")
  // One byte counts up to 127 signatures; a payment has two.
  const message = bytes.subarray(1 + bytes.readUInt8(0) * signatureBytes)
  return createHash("sha256").update(message).digest("hex")
}

/** Reads the header of a version-2 payment on either rail. */
export const readSignedPayment = (header: string): SignedPayment => {
  const { accepted, payload } = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as PaymentHeader
  return "transaction" in payload
    ? { nonce: messageDigest(payload.transaction), amountAtomic: BigInt(accepted.amount) }
    : {
        nonce: payload.authorization.nonce.toLowerCase(),
        amountAtomic: BigInt(payload.authorization.value)
      }
}
