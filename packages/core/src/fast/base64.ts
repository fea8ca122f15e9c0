/*
 * Converts between base64, UTF-8 bytes and text, with a shortcut for ASCII.
 *
 * Replaces: a pattern for whitespace, and a decoder or loop over every byte. Almost all texts are ASCII.
 * Gain: 4.5 µs → 0.8 µs for a payment header, 6 % of a paid call; 3.5 µs → 0.4 µs for each of the two receipt headers,
 * 11 %.
 * Equivalence: test/fast/base64.test.ts.
 */

const utf8 = new TextDecoder("utf-8", { fatal: true })
const encoder = new TextEncoder()
/** Never read: `encodeInto` needs room to count bytes. */
const scratch = new Uint8Array(16_384)

/** Whether a text is ASCII, where each character is one byte. Native, unlike a pattern. */
const isAscii = (text: string): boolean => {
  if (text.length > scratch.length) return encoder.encode(text).length === text.length
  const { read, written } = encoder.encodeInto(text, scratch)
  return read === text.length && written === text.length
}

/** Characters that `atob` skips. Native searches, unlike a pattern. */
const whitespace = [" ", "\t", "\n", "\f", "\r"]

/** The bytes of one base64 value as a binary string; `undefined` for any other text. */
export const fromBase64 = (text: string): string | undefined => {
  if (text.length === 0 || whitespace.some((character) => text.includes(character))) return undefined
  try {
    return atob(text)
  } catch {
    return undefined
  }
}

/** The text of a binary string of UTF-8; `undefined` for other bytes. */
export const toText = (binary: string): string | undefined => {
  // Payments are ASCII, except for a rare name: such bytes are their own text.
  if (isAscii(binary)) return binary
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The UTF-8 bytes of a text as a binary string, which `btoa` takes. */
export const toBinary = (text: string): string => {
  if (isAscii(text)) return text
  let binary = ""
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte)
  return binary
}
