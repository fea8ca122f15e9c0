import { recoverTypedDataAddress, type Hex } from "viem"
import type { Payer } from "./Account.ts"
import { maxValidSeconds, type Offer, priceOf } from "./Offers.ts"

/*
 * What a payment allows, read of what was signed: whatever client signs, nothing is sent that wasn't shown.
 */

/** A payment as the client has signed it. */
export type Payload = Awaited<ReturnType<Payer["createPaymentPayload"]>>

/** What each way to pay signs: EIP-3009, Permit2, or a transaction of Solana. */
interface Signed {
  readonly authorization?: {
    readonly from: string
    readonly value: string
    readonly to: string
    readonly validAfter: string
    readonly validBefore: string
    readonly nonce: Hex
  }
  readonly signature?: Hex
  readonly permit2Authorization?: {
    readonly from: string
    readonly permitted: { readonly token: string; readonly amount: string }
    readonly witness: { readonly to: string }
    readonly deadline: string
  }
  readonly transaction?: string
}

interface SignedTerms {
  readonly amountAtomic: bigint
  /** Absent on Solana, as `payTo`. */
  readonly address?: string
  /** On Solana it is a token account, which the client derives. */
  readonly payTo?: string
  readonly asset?: string
  /** In seconds since 1970; Solana's expire with their block hash. */
  readonly validBefore?: bigint
}

const signedOf = ({ payload }: Payload): Signed => payload as Signed

/** The nonce by which the chain tells whether a payment of EIP-3009 was used, and its end in seconds since 1970. */
export const authorizationOf = (
  payload: Payload
): { readonly nonce: Hex; readonly validBefore: number } | undefined => {
  const { authorization } = signedOf(payload)
  return authorization === undefined
    ? undefined
    : { nonce: authorization.nonce, validBefore: Number(authorization.validBefore) }
}

/** Of the token program: `TransferChecked`, an amount of 8 bytes, and decimals. */
const transferChecked = 12

const readTransaction = async (transaction: string): Promise<SignedTerms | undefined> => {
  const { getCompiledTransactionMessageDecoder, getTransactionDecoder } = await import("@solana/kit")
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(transaction, "base64"))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (!("instructions" in message)) return undefined
  const { instructions, staticAccounts } = message
  const transfers = instructions.filter(
    ({ accountIndices = [], data }) => data?.[0] === transferChecked && accountIndices.length >= 4
  )
  const [{ accountIndices = [], data } = {}, ...others] = transfers
  const asset = staticAccounts[accountIndices[1] ?? -1]
  if (data === undefined || asset === undefined || others.length > 0) return undefined
  return { amountAtomic: Buffer.from(data).readBigUInt64LE(1), asset }
}

const readTerms = async (payload: Payload): Promise<SignedTerms | undefined> => {
  const { authorization, permit2Authorization, transaction } = signedOf(payload)
  if (authorization !== undefined)
    return {
      amountAtomic: BigInt(authorization.value),
      address: authorization.from,
      payTo: authorization.to,
      validBefore: BigInt(authorization.validBefore)
    }
  if (permit2Authorization !== undefined) {
    const { deadline, from, permitted, witness } = permit2Authorization
    return {
      amountAtomic: BigInt(permitted.amount),
      address: from,
      asset: permitted.token,
      payTo: witness.to,
      validBefore: BigInt(deadline)
    }
  }
  return transaction === undefined ? undefined : readTransaction(transaction)
}

/** Of EIP-3009. */
const transferWithAuthorization = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

/**
 * Whether an authorization was signed for the token and the network that were shown: it names neither, so only its
 * signature tells. Others name their token.
 */
const isOfToken = async (
  { authorization, signature }: Signed,
  { domain, network, requirements }: Offer
): Promise<boolean> => {
  if (authorization === undefined) return true
  if (signature === undefined || network?.family !== "evm") return false
  const { from, nonce, to, validAfter, validBefore, value } = authorization
  const signer = await recoverTypedDataAddress({
    domain: { ...domain, chainId: network.chainId, verifyingContract: requirements.asset as Hex },
    types: transferWithAuthorization,
    primaryType: "TransferWithAuthorization",
    message: {
      from: from as Hex,
      to: to as Hex,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce
    },
    signature
  })
  return isSame(signer, from)
}

const isSame = (one: string | undefined, other: string): boolean =>
  one === undefined || one.toLowerCase() === other.toLowerCase()

/** A clock may move on while a payment is signed. */
const marginSeconds = 60

/** Compares what was signed with what was shown. Returns why it must not be sent. */
export const signedFault = async (
  payload: Payload,
  { address, offer }: { readonly address: string; readonly offer: Offer },
  nowMillis: number
): Promise<string | undefined> => {
  // A kept payment may have been changed to anything.
  const signed = await readTerms(payload).catch(() => undefined)
  if (signed === undefined) return "what the client signed can't be read"
  const { amountAtomic, asset, payTo, validBefore = 0n } = signed
  const { requirements } = offer
  if (amountAtomic !== offer.amountAtomic)
    return `the client signed ${priceOf({ ...offer, amountAtomic })}, and ${priceOf(offer)} was shown`
  if (!isSame(signed.address, address))
    return `the client signed for the wallet ${signed.address}, and ${address} was shown`
  if (!isSame(payTo, requirements.payTo))
    return `the client signed a payment to ${payTo}, and ${requirements.payTo} was shown`
  if (!isSame(asset, requirements.asset))
    return `the client signed a payment of the token ${asset}, and ${requirements.asset} was shown`
  if (Number(validBefore) > nowMillis / 1_000 + maxValidSeconds + marginSeconds)
    return `the client signed a payment that is valid for more than ${maxValidSeconds} seconds`
  return (await isOfToken(signedOf(payload), offer).catch(() => false))
    ? undefined
    : `the signature isn't of a payment in the token ${requirements.asset} on ${offer.networkName}, which was shown`
}
