import { keccak_256 } from "@noble/hashes/sha3"
import { type Hex, keccakOfText, toBytes, toHex, toWord } from "../../domain/Hex.ts"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import type { EvmNetwork } from "../../domain/Network.ts"
import { authorizationHash } from "../../fast/authorizationHash.ts"
import { recoverSigner } from "../../fast/recoverSigner.ts"

/*
 * Scheme `exact` on EVM: EIP-3009 TransferWithAuthorization, signed as EIP-712 typed data.
 * https://eips.ethereum.org/EIPS/eip-3009, https://eips.ethereum.org/EIPS/eip-712
 */

const domainType = keccakOfText(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)
/** The EIP-712 domain separator of a network's stablecoin. Computed once per network, not per payment. */
export const domainSeparator = (network: EvmNetwork): Hex => {
  const { name, version } = network.eip712
  const words = [
    domainType,
    keccakOfText(name),
    keccakOfText(version),
    toWord(network.chainId),
    toWord(network.asset)
  ]
  return toHex(keccak_256(toBytes(`0x${words.map((word) => word.slice(2)).join("")}`)))
}

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * The verdict on a signature, without reading a chain.
 *
 * `Ordinary`: the payer's own key signed. `Malformed`: no token contract accepts it. `Foreign`: well-formed but not by
 * the key of `from`; only a contract wallet could still accept it. `Contract`: longer than an ordinary signature, so
 * the chain decides (EIP-1271, EIP-6492).
 */
export type SignatureVerdict = "Ordinary" | "Foreign" | "Contract" | "Malformed"

/** Judges a signature without reading a chain. */
export const judgeSignature = (
  separator: Hex,
  authorization: Authorization,
  signature: Hex
): SignatureVerdict | Promise<SignatureVerdict> => {
  if (signature.length !== 132) return "Contract"
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = Number.parseInt(signature.slice(130), 16)
  // The token's own rule (FiatTokenV2 ECRecover): low s, v of 27 or 28. Other forms of the same
  // signature would be a second encoding of one payment. No key makes an s of 0: that part holds for a library that
  // would accept it.
  if (s > halfOrder || s === 0n || (v !== 27 && v !== 28)) return "Malformed"
  const verdictOn = (signer: Hex | undefined): SignatureVerdict => {
    if (signer === undefined) return "Malformed"
    return signer.toLowerCase() === authorization.from.toLowerCase() ? "Ordinary" : "Foreign"
  }
  const signer = recoverSigner(authorizationHash(separator, authorization), signature)
  return signer instanceof Promise ? signer.then(verdictOn) : verdictOn(signer)
}
