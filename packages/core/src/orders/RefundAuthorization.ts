import { Effect } from "effect"
import { checksumAddress } from "../domain/EvmAddress.ts"
import { type Hex, keccakOfText } from "../domain/Hex.ts"
import type { EvmNetwork } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../domain/PaymentRequired.ts"
import type { Charge } from "../ports/Charges.ts"
import type { RefundWallet } from "../ports/RefundWallet.ts"
import type { FacilitatorRequest } from "../toll/facilitator/Facilitator.ts"

/*
 * A refund as an EIP-3009 authorization from the host's wallet to the payer.
 *
 * Its nonce is a digest of the charge's key, and the token contract accepts a nonce once: however often a refund is
 * signed and sent, by however many processes, it moves at most once.
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

/** The authorization that refunds a charge from an address. */
export const refundAuthorization = (
  charge: Pick<Charge, "key" | "payer" | "amountAtomic">,
  from: string,
  nowMillis: number
): Authorization => ({
  from: checksumAddress(from),
  to: checksumAddress(charge.payer),
  value: charge.amountAtomic,
  validAfter: "0",
  validBefore: String(Math.floor(nowMillis / 1000) + validSeconds),
  nonce: refundNonce(charge.key)
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
