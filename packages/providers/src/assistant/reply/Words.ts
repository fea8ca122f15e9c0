/*
 * Words of a text.
 */

/** A word or number of a text, in lower case. */
export interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
}

const word = /\d+(?:[.,]\d+)+[\p{L}\p{N}\p{M}]*|[\p{L}\p{N}\p{M}]+/gu

/** The words of a normalized text. A number with its decimals is one word. */
export const wordsIn = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(word), ({ 0: match, index }) => ({
    text: match.toLowerCase(),
    start: index,
    end: index + match.length
  }))

/** Whether a word is a number in digits. */
export const isNumber = (text: string): boolean => /^[\d.,]+$/.test(text)
