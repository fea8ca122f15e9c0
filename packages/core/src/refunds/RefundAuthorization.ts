import { Effect } from "effect"
import { checksumAddress } from "../domain/EvmAddress.ts"
import { type Hex, keccakOfText } from "../domain/Hex.ts"
import type { EvmNetwork } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../domain/PaymentRequired.ts"
import type { Charge, RefundAttempt } from "../ports/Charges.ts"
import type { RefundWallet } from "../ports/RefundWallet.ts"
import type { FacilitatorRequest } from "../toll/facilitator/Facilitator.ts"

/*
 * A refund as an EIP-3009 authorization from the host's wallet to the payer.
 *
 * Its nonce is a digest of the charge's key, and the token contract accepts a nonce of a wallet once: however often a
 * refund is signed and sent from one wallet, by however many processes, it moves at most once. `RefundTurn` sees to it
 * that no other wallet sends it at the same time.
 */

const validSeconds = 3_600
/** After refunds were stopped for this long, no refund that was signed before can move any more. Clocks may differ. */
export const quietMillis = (validSeconds + 1_800) * 1_000
const signTimeoutMillis = 10_000

/** The nonce of a charge's refund: always the same, and different for every charge. */
export const refundNonce = (chargeKey: string): Hex => keccakOfText(`till402 refund ${chargeKey}`)

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

/** An attempt to refund a charge from an address, valid for an hour. */
export const newAttempt = (
  charge: Pick<Charge, "key" | "amountAtomic">,
  wallet: string,
  sequence: number,
  nowMillis: number
): RefundAttempt => {
  const nowSeconds = Math.floor(nowMillis / 1000)
  return {
    chargeKey: charge.key,
    refundNumber: 1,
    sequence,
    wallet: wallet.toLowerCase(),
    amountAtomic: charge.amountAtomic,
    nonce: refundNonce(charge.key),
    notBefore: nowSeconds,
    validBefore: nowSeconds + validSeconds,
    atMillis: nowMillis
  }
}

/** The authorization of an attempt to refund a payer: the same, whenever it is signed. */
export const refundAuthorization = (
  { amountAtomic, nonce, validBefore, wallet }: RefundAttempt,
  payer: string
): Authorization => ({
  from: checksumAddress(wallet),
  to: checksumAddress(payer),
  value: amountAtomic,
  validAfter: "0",
  validBefore: String(validBefore),
  nonce
})

/** Has the host's wallet sign an authorization; fails with the wallet's own error. */
export const signRefund = (wallet: RefundWallet, network: EvmNetwork, authorization: Authorization) =>
  Effect.timeout(
    Effect.tryPromise({
      try: async () =>
        wallet.signTypedData({
          domain: {
            ...network.eip712,
            chainId: network.chainId,
            verifyingContract: network.asset
          },
          types,
          primaryType: "TransferWithAuthorization",
          message: {
            from: checksumAddress(authorization.from),
            to: checksumAddress(authorization.to),
            value: BigInt(authorization.value),
            validAfter: BigInt(authorization.validAfter),
            validBefore: BigInt(authorization.validBefore),
            nonce: authorization.nonce as Hex
          }
        }),
      catch: (error) => error
    }),
    signTimeoutMillis
  )

/** The request that settles a signed refund, like any payment: the wallet needs no gas. */
export const refundRequest = (
  network: EvmNetwork,
  authorization: Authorization,
  signature: string
): FacilitatorRequest => {
  const requirements: PaymentRequirements = {
    scheme: "exact",
    network: network.caip2,
    amount: authorization.value,
    asset: network.asset,
    payTo: authorization.to,
    maxTimeoutSeconds: validSeconds,
    extra: { ...network.eip712 }
  }
  return {
    x402Version: 2,
    payload: { signature, authorization },
    requirements,
    resource: { url: "urn:till402:refund", description: "Refund", mimeType: "application/json" }
  }
}
