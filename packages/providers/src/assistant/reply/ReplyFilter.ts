import { hasForeignFigure } from "./Figures.ts"
import { normalized, plainText } from "./PlainText.ts"
import { sentencesOf } from "./Sentences.ts"

/*
 * Sentences of a model that code refuses: with figures that aren't the products' own, addresses, codes, hidden letters, or
 * the model's instructions. What the others speak of is for `SecondOpinion.ts`.
 */

/** What a text may draw on. */
export interface FilterContext {
  /** Titles of the products that the text is about. */
  readonly titles: ReadonlyArray<string>
  /** Titles of all found products: a sentence may be about one that it names. */
  readonly others: ReadonlyArray<string>
  /** The shopper's own words. */
  readonly request: string
  /** A text of which nothing may be repeated: the model's instructions. */
  readonly secret: string
}

/** A sentence that code doesn't refuse. */
export interface Candidate {
  readonly text: string
  /** The titles that it may draw on, normalized, in lower case. */
  readonly title: string
  /** Whether it has a number that only the shopper said: it may advise, and state no feature. */
  readonly hasShoppersNumber: boolean
}

/** Letters that stand apart: `f r e e`. */
const lettersApart = /(?<!\p{L})\p{L}(?:[ .*_-]\p{L}){3,}(?!\p{L})/u

/** The form in which a sentence is read: `ＦＲＥＥ` and `free` are the same. */
const readable = (text: string): string => normalized(text).toLowerCase()

const wordsIn = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Words of one alphabet with letters of another. */
const mixedAlphabets =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u
const address =
  /[{}<>\\|=^~]|https?:|www\.|\/\/|@[\p{L}\d]|#[\p{L}\d]|[\p{L}\d-]+\.(?:com|net|org|io|shop|store|info|biz|app|co|de|fr|es|it|pt|eu|uk|cn|jp|ru|xyz|site|online|example)(?![\p{L}\d])|\p{L}{2,}(?: ?\(?\[?(?:dot|punkt|punto|ponto)\]?\)? ?)(?:com|net|org|shop)(?!\p{L})/iu
/** What may be a code to enter: `WELCOME`, `FRIEND15`. */
const codes = /(?<![\p{L}\d])(?:\p{Lu}{5,}|\p{Script=Latin}{3,}-?\d+)(?![\p{L}\d])/gu

/** A form in which `USB-3.2` and `USB 3.2` are the same. */
const joined = (text: string): string => text.replace(/[\s-]+/gu, "")

/** Whether the sentence is of the secret, or has so many of its words in a row. */
const secretRun = 5
const repeats = (text: string, secret: string): boolean => {
  const words = wordsIn(text)
  const all = ` ${wordsIn(secret).join(" ")} `
  if (words.length > 2 && all.includes(` ${words.join(" ")} `)) return true
  return words.some(
    (_, at) =>
      at + secretRun <= words.length && all.includes(` ${words.slice(at, at + secretRun).join(" ")} `)
  )
}

/** Words at the beginning of a title that name its product. */
const nameWords = 3

/** The titles that a sentence names, with a capital, by a word that begins no other title. */
const named = (sentence: string, titles: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = titles.map((title) => wordsIn(title).slice(0, nameWords))
  const words = new Set(wordsIn(sentence).filter((word) => /\p{Lu}|\d/u.test(word) && word.length > 1))
  return titles.filter((_, index) =>
    names[index]?.some(
      (word) => words.has(word) && !names.some((other, place) => place !== index && other.includes(word))
    )
  )
}

/**
 * Longest sentence that is read, and most sentences of a text: a reply has no room for more, and the work grows with the
 * square of a sentence's length.
 */
const maxSentence = 400
const maxSentences = 40

/** No number that anybody says, and much work for the patterns. */
const endlessNumber = /\d{16,}/gu

/** A sentence as a candidate; none if code refuses it. */
const candidateOf = (
  sentence: string,
  { others, request, secret, titles }: FilterContext
): ReadonlyArray<Candidate> => {
  if (sentence.length > maxSentence) return []
  const plain = normalized(sentence)
  const text = readable(sentence)
  const title = [...titles, ...named(plain, others.map(normalized))].map(readable).join("\n")
  const asked = readable(request).replace(endlessNumber, " ")
  const given = joined(`${title} ${asked}`)
  const signs = plain.match(codes)?.map((word) => joined(word.toLowerCase())) ?? []
  if (
    !/[\p{L}]{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ||
    mixedAlphabets.test(plain) ||
    lettersApart.test(plain) ||
    address.test(text) ||
    repeats(text, readable(secret)) ||
    !signs.every((word) => given.includes(word))
  )
    return []
  if (!hasForeignFigure(text, title)) return [{ text: sentence, title, hasShoppersNumber: false }]
  return hasForeignFigure(text, `${title}\n${asked}`)
    ? []
    : [{ text: sentence, title, hasShoppersNumber: true }]
}

/** The sentences of a model's text that code doesn't refuse. */
export const candidatesIn = (text: string, context: FilterContext): ReadonlyArray<Candidate> =>
  sentencesOf(plainText(text))
    .slice(0, maxSentences)
    .flatMap((sentence) => candidateOf(sentence, context))
