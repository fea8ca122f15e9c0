/*
 * Base58 in Bitcoin's alphabet, in which Solana writes addresses, hashes and signatures.
 */

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const values = new Map(Array.from(alphabet, (character, value) => [character, value]))
/** A signature has 64 bytes; nothing longer is read. */
const maxCharacters = 88

/** The text of up to 64 bytes. */
export const toBase58 = (bytes: Uint8Array): string => {
  const digits: Array<number> = []
  for (const byte of bytes) {
    let carry = byte
    for (let index = 0; index < digits.length; index++) {
      carry += digits[index]! << 8
      digits[index] = carry % 58
      carry = Math.floor(carry / 58)
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58)
  }
  const zeros = bytes.findIndex((byte) => byte !== 0)
  const leading = "1".repeat(zeros === -1 ? bytes.length : zeros)
  return leading + digits.reduceRight((text, digit) => text + alphabet[digit]!, "")
}

/** The bytes of a text, if it stands for exactly `length` of them; otherwise `undefined`. */
export const fromBase58 = (text: string, length: number): Uint8Array | undefined => {
  if (text.length > maxCharacters) return undefined
  const bytes: Array<number> = []
  for (const character of text) {
    const value = values.get(character)
    if (value === undefined) return undefined
    let carry = value
    for (let index = 0; index < bytes.length; index++) {
      carry += bytes[index]! * 58
      bytes[index] = carry & 0xff
      carry >>= 8
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff)
  }
  const first = Array.from(text).findIndex((character) => character !== "1")
  const zeros = first === -1 ? text.length : first
  if (zeros + bytes.length !== length) return undefined
  return Uint8Array.from([...Array.from({ length: zeros }, () => 0), ...bytes.toReversed()])
}
