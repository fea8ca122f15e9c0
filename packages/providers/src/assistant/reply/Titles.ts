import { numbersIn } from "./Numbers.ts"
import { normalized } from "./PlainText.ts"
import { isAmbiguous, isSensitive, withoutClaims } from "./SensitiveWords.ts"
import { wordsIn } from "./Words.ts"

/*
 * Whether a title states anything.
 */

/** Whether a text has a word of letters. */
export const hasWords = (text: string): boolean => /\p{L}{2}/u.test(text)

const bound = /(?:over|under|up|down|max)(?: to)? ?\d/iu
const sign = /[@#%$€£“”]|\p{L}[./:]{1,3}\p{L}/u

/** Pictures such as stars, and signs that make a price of a number: `-50`, `45,-`, `90 → 45`. A temperature is none. */
const statingSign =
  /(?![®©°])\p{So}|(?<=\s)-\d[\d.,]*(?! ?[\p{L}°\d.,])|\d[.,]-(?!\d)|\d ?(?:[-=]*>|[→⇒]) ?\d/u

/** Letters that look like others: small capitals, and words of two alphabets. */
const lookalike =
  /[\u0250-\u02af\u1d00-\u1dbf\ua720-\ua7ff]|(?:\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin})/u

/** Letters that stand apart, joined: `s a l e`. */
const joinedLetters = (text: string): string =>
  text.replace(/(?<=(?<!\p{L})\p{L})[ .-]+(?=\p{L}(?!\p{L}))/gu, "")

/** Whether a title names a product and states no price, rating, stock or address of its own. */
export const isPlainTitle = (title: string): boolean => {
  const text = normalized(title)
  return (
    hasWords(text) &&
    !sign.test(text) &&
    !statingSign.test(text) &&
    numbersIn(text).every(({ kind }) => kind === "plain") &&
    !bound.test(text) &&
    withoutClaims(text) === text &&
    !lookalike.test(text) &&
    ![...wordsIn(text), ...wordsIn(joinedLetters(text))].some(
      (word) => isSensitive(word.text) && !isAmbiguous(word.text)
    )
  )
}
