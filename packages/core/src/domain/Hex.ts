const digits = new Uint8Array(128)
for (const digit of "0123456789abcdefABCDEF") digits[digit.charCodeAt(0)] = 1

/**
 * Whether a text is `0x` and the hexadecimal digits, of either case, of `min` to `max` bytes.
 *
 * A table, and no pattern: the digits of a signature are random, so the branches of a pattern can't be predicted, and
 * it takes three times as long.
 *
 * @example
 * isHex("0xAb12", 2) // true
 */
export const isHex = (text: string, min: number, max = min): boolean => {
  const bytes = (text.length - 2) / 2
  if (bytes < min || bytes > max || !Number.isInteger(bytes) || !text.startsWith("0x")) return false
  let all = 1
  for (let index = 2; index < text.length; index++) all &= digits[text.charCodeAt(index)] ?? 0
  return all === 1
}
