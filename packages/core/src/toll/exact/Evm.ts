import { keccak_256 } from "@noble/hashes/sha3"
import { concat, type Hex, hexToBytes, keccak256, pad, stringToHex, toHex } from "viem"
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

const wordBytes = 32
const typeHashBytes = hexToBytes(authorizationType)
const zero = 0x30

/** The value of a hexadecimal digit's character code; the text was checked to hold no others. */
const nibble = (code: number): number => (code <= 0x39 ? code - zero : (code | 0x20) - 0x57)

/** Writes the bytes of `0x…` text to end at `end`. */
const writeHex = (into: Uint8Array, text: string, end: number): void => {
  let at = end - (text.length - 2) / 2
  for (let index = 2; index < text.length; index += 2)
    into[at++] = (nibble(text.charCodeAt(index)) << 4) | nibble(text.charCodeAt(index + 1))
}

/** Writes a decimal number as an unsigned integer that ends at `end`. */
const writeUint = (into: Uint8Array, decimal: string, end: number): void => {
  const digits = BigInt.asUintN(256, BigInt(decimal)).toString(16)
  writeHex(into, `0x${digits.length % 2 === 0 ? "" : "0"}${digits}`, end)
}

/** What the payer signed: the EIP-712 hash of an authorization in its token's domain. */
export const authorizationHash = (separator: Hex, authorization: Authorization): Uint8Array => {
  const { from, nonce, to, validAfter, validBefore, value } = authorization
  const struct = new Uint8Array(7 * wordBytes)
  struct.set(typeHashBytes)
  writeHex(struct, from, 2 * wordBytes)
  writeHex(struct, to, 3 * wordBytes)
  writeUint(struct, value, 4 * wordBytes)
  writeUint(struct, validAfter, 5 * wordBytes)
  writeUint(struct, validBefore, 6 * wordBytes)
  writeHex(struct, nonce, 7 * wordBytes)
  const signed = new Uint8Array(2 + 2 * wordBytes)
  signed[0] = 0x19
  signed[1] = 0x01
  writeHex(signed, separator, 2 + wordBytes)
  signed.set(keccak_256(struct), 2 + wordBytes)
  return keccak_256(signed)
}

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * `Ordinary`: the payer's own key signed. `Malformed`: no token contract takes such a signature.
 * `Foreign`: well-formed but not by the key of `from`; only a contract wallet could still accept it.
 * `Contract`: longer than an ordinary signature, so for the chain to judge (EIP-1271, EIP-6492).
 */
export type SignatureVerdict = "Ordinary" | "Foreign" | "Contract" | "Malformed"

/** Judges a signature as far as it can be without a chain. */
export const judgeSignature = (
  separator: Hex,
  authorization: Authorization,
  signature: string
): SignatureVerdict | Promise<SignatureVerdict> => {
  if (signature.length !== 132) return "Contract"
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = Number.parseInt(signature.slice(130), 16)
  // The token's own rule (FiatTokenV2 ECRecover): low s, v of 27 or 28. Other forms of the same
  // signature would be a second spelling of one payment.
  if (s > halfOrder || s === 0n || (v !== 27 && v !== 28)) return "Malformed"
  const verdictOn = (signer: Hex | undefined): SignatureVerdict => {
    if (signer === undefined) return "Malformed"
    return signer.toLowerCase() === authorization.from.toLowerCase() ? "Ordinary" : "Foreign"
  }
  const signer = recoverSigner(authorizationHash(separator, authorization), signature as Hex)
  return signer instanceof Promise ? signer.then(verdictOn) : verdictOn(signer)
}
