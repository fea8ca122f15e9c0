import type { Address, Hex, LocalAccount } from "viem"
import type { Chain } from "../../src/chain/index.ts"

/** An EIP-3009 transfer. */
export interface Transfer {
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

/** Signs a transfer with viem alone, like any wallet: the payload of a payment. */
export const authorize = async (chain: Chain, payer: LocalAccount, transfer: Transfer) => {
  const authorization = { from: payer.address, ...transfer }
  const signature = await payer.signTypedData({
    domain: { name: "USDC", version: "2", chainId: chain.chainId, verifyingContract: chain.usdc },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" }
      ]
    },
    primaryType: "TransferWithAuthorization",
    message: authorization
  })
  return {
    signature,
    authorization: {
      ...authorization,
      value: String(authorization.value),
      validAfter: String(authorization.validAfter),
      validBefore: String(authorization.validBefore)
    }
  }
}
