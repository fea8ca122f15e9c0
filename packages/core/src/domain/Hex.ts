import { keccak_256 } from "@noble/hashes/sha3"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils"

/** `0x` and hexadecimal digits. */
export type Hex = `0x${string}`

export const toHex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`

/** The bytes of `0x` and an even number of digits; throws for another text. */
export const toBytes = (hex: string): Uint8Array => hexToBytes(hex.slice(2))

/** `0x` and the digits of one EVM word, 32 bytes, padded on the left. */
export const toWord = (value: string | number): Hex =>
  `0x${(typeof value === "number" ? value.toString(16) : value.slice(2)).padStart(64, "0")}`

/** Keccak-256 of a text's UTF-8 bytes. */
export const keccakOfText = (text: string): Hex => toHex(keccak_256(utf8ToBytes(text)))

/** Whether a text is `0x` and the hexadecimal digits, of either case, of `min` to `max` bytes. */
export const isHex = (text: string, min: number, max = min): text is Hex => {
  const bytes = (text.length - 2) / 2
  return bytes >= min && bytes <= max && Number.isInteger(bytes) && /^0x[0-9a-fA-F]*$/.test(text)
}

/** Hexadecimal digits in lower case, as they are stored; other texts as they are: on Solana, letter case counts. */
export const plainHex = (text: string): string => (/^0x/i.test(text) ? text.toLowerCase() : text)
