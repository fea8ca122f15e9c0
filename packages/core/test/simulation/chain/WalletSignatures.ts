import { hashTypedData, type Hex } from "viem"
import type { EvmNetwork } from "../../../src/domain/Network.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { isSignatureOf } from "./Calls.ts"

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

/** The hash of EIP-712 that a wallet signs. */
export const hashOf = (
  { asset, chainId, eip712 }: Pick<EvmNetwork, "asset" | "chainId" | "eip712">,
  authorization: Authorization
): Hex =>
  hashTypedData({
    domain: { ...eip712, chainId, verifyingContract: asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      from: authorization.from as Hex,
      to: authorization.to as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex
    }
  })

/**
 * Implements `isValidSignature` of the payers' contract wallets: each signed message has two valid signatures.
 */
export class WalletSignatures {
  private readonly network: EvmNetwork
  private readonly signed: () => Iterable<Authorization>
  private readonly hashes = new Map<Authorization, string>()

  /** @param signed every authorization signed so far */
  constructor(network: EvmNetwork, signed: () => Iterable<Authorization>) {
    this.network = network
    this.signed = signed
  }

  /** EIP-1271, over the hash of EIP-712. */
  accepts(address: string, hash: string, signature: string): boolean {
    for (const authorization of this.signed()) {
      if (authorization.from.toLowerCase() !== address.toLowerCase()) continue
      const known = this.hashes.get(authorization) ?? hashOf(this.network, authorization)
      this.hashes.set(authorization, known)
      if (known === hash.toLowerCase()) return isSignatureOf(authorization, signature.toLowerCase())
    }
    return false
  }
}
