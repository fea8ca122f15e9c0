import { keccak_256 } from "@noble/hashes/sha3"
import { type Hex, keccakOfText, toBytes } from "../domain/Hex.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"

/*
 * Hashes EIP-3009 authorizations as EIP-712 typed data, straight into bytes.
 *
 * Replaces: viem's `hashTypedData`, which walks the types anew for each message.
 * Gain: 100 µs → 23 µs, 140 % of a paid call.
 * Equivalence: test/fast/authorizationHash.test.ts.
 */

const authorizationType = keccakOfText(
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)

const wordBytes = 32
const typeHashBytes = toBytes(authorizationType)
const zero = 0x30

/** The value of a hexadecimal digit's character code; the text was checked to contain no others. */
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

/** The EIP-712 hash of an authorization in its token's domain: the hash that the payer signs. */
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
