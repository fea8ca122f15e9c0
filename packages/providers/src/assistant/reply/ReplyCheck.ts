import type { Product } from "@till402/core"
import { isHarmless } from "./Grammar.ts"
import { type CheckedLanguage, lexicons } from "./lexicon/index.ts"
import { numbersIn } from "./Numbers.ts"
import { maxTitle, normalized, oneLine } from "./PlainText.ts"
import type { PriceLimit } from "./PriceLimits.ts"
import type { TitleWord } from "./Patterns.ts"
import { isAmbiguous, isSensitive, withoutClaims } from "./SensitiveWords.ts"
import type { Sentence } from "./Sentences.ts"
import { wordsIn } from "./Words.ts"

/*
 * Keeps a sentence of a model only if it is of the grammar: words of titles and of one language's lexicon, in a form that
 * says what a product is like, and whom and what it suits. Such a sentence can't state a price, a rating, stock or an
 * order, nor repeat the instructions, whatever the model means. Code adds the prices and ratings.
 */

/** What a reply is checked against. */
export interface ReplyContext {
  /** The products that are returned with the reply. */
  readonly products: ReadonlyArray<Product>
  /** The shopper's limits. */
  readonly limits: ReadonlyArray<PriceLimit>
  /** The shopper's own words. They tell the language of a list. */
  readonly request: string
  /** Whether a search was made. */
  readonly hasSearched: boolean
  /** Whether a search found a product. */
  readonly hasFound: boolean
}

/** A sentence with what is wrong about it, if anything. */
export interface CheckedSentence extends Sentence {
  readonly fault: string | undefined
  /** The language that it is in; `undefined` if it has a fault. */
  readonly language: CheckedLanguage | undefined
}

interface Checker {
  /** The words of each title; those that could make a claim are `undefined`. */
  readonly titles: ReadonlyArray<ReadonlyArray<TitleWord | undefined>>
  /** All words of titles. */
  readonly known: ReadonlySet<string | undefined>
  readonly urls: ReadonlyArray<string>
  readonly products: ReadonlyArray<Product>
  readonly isFruitless: boolean
}

const languages = [...lexicons.keys()]

/** A text without prices, ratings and numbers of reviews. */
const withoutFacts = (text: string): string =>
  numbersIn(text)
    .filter(({ kind }) => kind !== "plain")
    .reduce(
      (rest, { end, start }) => `${rest.slice(0, start)}${";".repeat(end - start)}${rest.slice(end)}`,
      text
    )

/** Letters of a word with digits, such as `usd` of `50usd`. */
const lettersOf = (word: string): string => word.replace(/[^\p{L}]/gu, "")

/** Digits and letters of the checked languages. What words of others say is unknown. */
const isReadable = (word: string): boolean => /^[\d.,a-zà-žẞß]+$/u.test(word.normalize("NFC"))

/** The words of a title as the model sees it, without those that could make a claim. */
const titleWords = (title: string): ReadonlyArray<TitleWord | undefined> =>
  wordsIn(withoutClaims(withoutFacts(normalized(oneLine(title, maxTitle))))).map(({ text }) => {
    const isClaim = isSensitive(text) || isSensitive(lettersOf(text))
    return !isReadable(text) || (isClaim && !isAmbiguous(text)) ? undefined : { text, isAmbiguous: isClaim }
  })

/** The least share of a request's words that are of its language. Words of titles say nothing about it. */
const minShare = 1 / 3

/** The languages of a request, the likeliest first. */
export const languagesOf = ({ products, request }: ReplyContext): ReadonlyArray<CheckedLanguage> => {
  const titles = new Set(products.flatMap(({ title }) => titleWords(title)).map((word) => word?.text))
  const own = wordsIn(normalized(request))
    .map(({ text }) => text)
    .filter((word) => /^\p{L}/u.test(word) && !titles.has(word))
  return languages
    .map((language) => {
      const known = own.filter((word) => lexicons.get(language)?.all.has(word) === true).length
      return { language, known, share: own.length === 0 ? 0 : known / own.length }
    })
    .filter(({ known, share }) => known > 0 && share >= minShare)
    .toSorted((left, right) => right.known - left.known)
    .map(({ language }) => language)
}

const makeChecker = (context: ReplyContext): Checker => {
  const titles = context.products.map(({ title }) => titleWords(title))
  return {
    titles,
    known: new Set(titles.flat().map((word) => word?.text)),
    urls: context.products.flatMap(({ productUrl }) => (productUrl === null ? [] : [productUrl])),
    products: context.products,
    isFruitless: context.hasSearched && !context.hasFound
  }
}

const allowedCharacters = /^[\p{L}\p{M}\p{Nd}\s.,;:!'"“”„«»‹›()&…¿¡+-]*$/u
/** Addresses, codes and scores have such signs without a space. */
const joined = /\p{L}[.:;!?+&()]\p{L}|\p{L}\+|\+\p{L}|\d[:;!?+&()]\d/u
const listNumber = /^\s*(\d{1,2})[.)]\s+/

/** The text without an address where it stands alone: with letters beside it, it would be another one. */
const withoutUrl = (text: string, url: string): string =>
  text
    .split(url)
    .reduce((rest, part) =>
      /(?:^|[\s(])$/.test(rest) && /^[.,;:!)]*(?:\s|$)/.test(part)
        ? `${rest} ${part}`
        : `${rest}${url}${part}`
    )

/** The text without what precedes its first word in a list, and without the pages of the products. */
const bodyOf = (sentence: string, { products, urls }: Checker): string => {
  const text = normalized(urls.reduce(withoutUrl, sentence))
  const number = Number(listNumber.exec(text)?.[1] ?? Infinity)
  return number <= products.length ? text.replace(listNumber, "") : text
}

/** The words of a sentence, with `,` for signs between them. */
const wordsAndSigns = (text: string): ReadonlyArray<string> => {
  const words = wordsIn(text)
  return words.flatMap((word, index) => {
    const before = text.slice(words[index - 1]?.end ?? word.start, word.start)
    return /^(?:\s*|[-'&])$/.test(before) ? [word.text] : [",", word.text]
  })
}

const shownWords = 6

/** The words of a text that no title and no lexicon has, in the language with the fewest. */
const unknownWords = (words: ReadonlyArray<string>, { known }: Checker): ReadonlyArray<string> => {
  const open = words.filter((word) => word !== "," && !known.has(word))
  return languages
    .map((language) => open.filter((word) => lexicons.get(language)?.all.has(word) !== true))
    .reduce((best, each) => (each.length < best.length ? each : best))
}

const checkOne = (sentence: Sentence, checker: Checker): CheckedSentence => {
  const text = bodyOf(sentence.text, checker)
  const failed = (fault: string): CheckedSentence => ({ ...sentence, fault, language: undefined })
  if (!allowedCharacters.test(text) || joined.test(text))
    return failed("it contains a question, an address, a code or a sign that can't be checked")
  const words = wordsAndSigns(text)
  const { isFruitless, titles } = checker
  const language = languages.find((each) => {
    const lexicon = lexicons.get(each)
    return lexicon !== undefined && isHarmless({ words, lexicon, titles, isFruitless })
  })
  if (language !== undefined) return { ...sentence, fault: undefined, language }
  const unknown = unknownWords(words, checker)
  return failed(
    unknown.length === 0
      ? "it says more than what a product is like and what it suits, or its form is too complex"
      : `it uses words that can't be checked: ${unknown.slice(0, shownWords).join(", ")}`
  )
}

/** Checks each sentence on its own. A fault is in words that a model can act on. */
export const checkSentences = (
  sentences: ReadonlyArray<Sentence>,
  context: ReplyContext
): ReadonlyArray<CheckedSentence> => {
  const checker = makeChecker(context)
  return sentences.map((sentence) => checkOne(sentence, checker))
}
