/* Numbers derived from text: a product keeps its rating and identifier when others are added before it. */

/** 32-bit FNV-1a of the UTF-16 code units, mixed so that similar keys differ. */
const hash = (key: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < key.length; index++) {
    value = Math.imul(value ^ key.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** An integer from 0 to `below - 1`, derived from `key`. */
export const drawInteger = (key: string, below: number): number => hash(key) % below

/** `length` characters of `alphabet`, derived from `key`. */
export const drawText = (key: string, alphabet: string, length: number): string =>
  Array.from({ length }, (_, position) => alphabet[drawInteger(`${key}#${position}`, alphabet.length)]!).join(
    ""
  )
