import { concat, type Hex, keccak256, pad, stringToHex, toHex } from "viem"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import type { Network } from "../../domain/Network.ts"
import { recoverSigner } from "./recoverSigner.ts"

/*
 * Scheme `exact` on EVM: EIP-3009 TransferWithAuthorization, signed as EIP-712 typed data.
 * https://eips.ethereum.org/EIPS/eip-3009, https://eips.ethereum.org/EIPS/eip-712
 */

const domainType = keccak256(
  stringToHex("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
)
const authorizationType = keccak256(
  stringToHex(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
  )
)

/** The EIP-712 domain separator of a network's stablecoin: once per network, not per payment. */
export const domainSeparator = (network: Network): Hex =>
  keccak256(
    concat([
      domainType,
      keccak256(stringToHex(network.eip712.name)),
      keccak256(stringToHex(network.eip712.version)),
      toHex(network.chainId, { size: 32 }),
      pad(network.asset, { size: 32 })
    ])
  )

/** What the payer signed: the EIP-712 hash of an authorization in its token's domain. */
export const authorizationHash = (separator: Hex, authorization: Authorization): Hex =>
  keccak256(
    concat([
      "0x1901",
      separator,
      keccak256(
        concat([
          authorizationType,
          pad(authorization.from as Hex, { size: 32 }),
          pad(authorization.to as Hex, { size: 32 }),
          toHex(BigInt(authorization.value), { size: 32 }),
          toHex(BigInt(authorization.validAfter), { size: 32 }),
          toHex(BigInt(authorization.validBefore), { size: 32 }),
          authorization.nonce as Hex
        ])
      )
    ])
  )

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * `Ordinary`: the payer's own key signed. `Malformed`: no token contract takes such a signature.
 * `Foreign`: well-formed but not by the key of `from`; only a contract wallet could still accept it.
 * `Contract`: longer than an ordinary signature, so for the chain to judge (EIP-1271, EIP-6492).
 */
export type SignatureVerdict = "Ordinary" | "Foreign" | "Contract" | "Malformed"

/** Judges a signature as far as it can be without a chain. */
export const judgeSignature = async (
  separator: Hex,
  authorization: Authorization,
  signature: string
): Promise<SignatureVerdict> => {
  if (signature.length !== 132) return "Contract"
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = Number.parseInt(signature.slice(130), 16)
  // The token's own rule (FiatTokenV2 ECRecover): low s, v of 27 or 28. Other forms of the same
  // signature would be a second spelling of one payment.
  if (s > halfOrder || s === 0n || (v !== 27 && v !== 28)) return "Malformed"
  const signer = await recoverSigner(authorizationHash(separator, authorization), signature as Hex)
  if (signer === undefined) return "Malformed"
  return signer.toLowerCase() === authorization.from.toLowerCase() ? "Ordinary" : "Foreign"
}
