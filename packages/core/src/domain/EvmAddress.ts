import { keccakOfText, type Hex, isHex } from "./Hex.ts"

/**
 * An address in the letter case of its checksum (EIP-55, https://eips.ethereum.org/EIPS/eip-55).
 *
 * @param address `0x` and 40 hexadecimal digits of any case
 */
export const checksumAddress = (address: string): Hex => {
  const digits = address.slice(2).toLowerCase()
  const hash = keccakOfText(digits)
  return `0x${Array.from(digits, (digit, index) => (hash[index + 2]! >= "8" ? digit.toUpperCase() : digit)).join("")}`
}

/** Whether a text is an address: in lower case, or with a right checksum. */
export const isAddress = (text: string): boolean =>
  isHex(text, 20) && (text === text.toLowerCase() || text === checksumAddress(text))

/** An address as hosts see it: on EVM with its checksum, on Solana as it is. */
export const shownAddress = (address: string): string =>
  address.startsWith("0x") ? checksumAddress(address) : address
