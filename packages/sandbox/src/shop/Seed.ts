/*
 * Numbers drawn from text: the same key always gives the same number, so a product keeps its rating and
 * its identifier when others are added before it.
 */

/** 32-bit FNV-1a of text's UTF-16 code units, mixed so that near keys lie far apart. */
const hash = (key: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < key.length; index++) {
    value = Math.imul(value ^ key.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** A whole number from 0 to `below - 1`, drawn from `key`. */
export const drawInteger = (key: string, below: number): number => hash(key) % below

/** Text of `length` characters of `alphabet`, drawn from `key`. */
export const drawText = (key: string, alphabet: string, length: number): string =>
  Array.from({ length }, (_, position) => alphabet[drawInteger(`${key}#${position}`, alphabet.length)]!).join(
    ""
  )
