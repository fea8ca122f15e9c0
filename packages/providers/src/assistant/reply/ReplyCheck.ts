import type { Product } from "@till402/core"
import {
  type CheckedLanguage,
  countPhrases,
  emptyPhrases,
  neutralPhrases,
  neutralWords,
  tellingPhrases
} from "./NeutralWords.ts"
import { numbersIn } from "./Numbers.ts"
import { normalized } from "./PlainText.ts"
import type { PriceLimit } from "./PriceLimits.ts"
import { isSensitive } from "./SensitiveWords.ts"
import type { Sentence } from "./Sentences.ts"
import { type Word, wordsIn } from "./Words.ts"

/*
 * Keeps a sentence of a model only if everything in it is known to be harmless: each word is part of a title, the
 * shopper's own, or neutral in one language. Such a sentence can't state a price, a rating, stock or an order, whatever
 * the model means. Code adds the prices and ratings.
 */

/** What a reply is checked against. */
export interface ReplyContext {
  /** The products that are returned with the reply. */
  readonly products: ReadonlyArray<Product>
  /** The shopper's limits. */
  readonly limits: ReadonlyArray<PriceLimit>
  /** The shopper's own words. */
  readonly request: string
  /** Texts that may not be repeated, such as the instructions. */
  readonly secrets: ReadonlyArray<string>
}

/** A sentence with what is wrong about it, if anything. */
export interface CheckedSentence extends Sentence {
  readonly fault: string | undefined
  /** The language whose neutral words it uses; `undefined` if it has a fault or only words of titles. */
  readonly language: CheckedLanguage | undefined
}

/** The words of a source that a model may repeat. */
interface Source {
  readonly words: ReadonlySet<string>
  /** Numbers with the word after them, `85 db`, or the two before them, `nordwind kettle 17`. */
  readonly numbers: ReadonlySet<string>
}

interface Checker {
  readonly titles: Source
  readonly request: Source
  /** Languages that the shopper may have written in. */
  readonly requestLanguages: ReadonlySet<CheckedLanguage>
  readonly phrases: ReadonlyArray<ReadonlyArray<string>>
  readonly secretRuns: ReadonlySet<string>
  readonly urls: ReadonlyArray<string>
  readonly products: ReadonlyArray<Product>
}

const isNumber = (word: string): boolean => /^[\d.,]+$/.test(word)
const languages = [...neutralWords.keys()]
const isNeutral = (word: string): boolean =>
  languages.some((language) => neutralWords.get(language)?.has(word))

/** Whether only a space or a hyphen is between two words of a text. */
const areJoined = (left: Word, right: Word, text: string): boolean =>
  /^[ -]$/.test(text.slice(left.end, right.start))

/** A number, and the unit that follows it: only such a unit tells what the number is. */
const numberWithUnit = (words: ReadonlyArray<Word>, at: number, text: string): string | undefined => {
  const [number, unit] = [words[at], words[at + 1]]
  if (number === undefined || unit === undefined || isNumber(unit.text)) return undefined
  return areJoined(number, unit, text) ? `${number.text} ${unit.text}` : undefined
}

/** A number that ends a name, with the two words before it. */
const numberOfName = (words: ReadonlyArray<Word>, at: number, text: string): string | undefined => {
  const [first, second, number] = [words[at - 2], words[at - 1], words[at]]
  if (first === undefined || second === undefined || number === undefined) return undefined
  const named = [first, second]
  if (named.some((word) => isNumber(word.text) || isSensitive(word.text))) return undefined
  return areJoined(first, second, text) && areJoined(second, number, text)
    ? `${first.text} ${second.text} ${number.text}`
    : undefined
}

/** Units that are neutral words, too. */
const shortUnits = new Set(["l", "ml", "kg", "mm", "cm", "w", "v", "db", "hz"])

const isUnit = (word: string): boolean =>
  !isSensitive(word) && (!isNeutral(word) || shortUnits.has(word) || /^\p{L}{4,}$/u.test(word))

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

const sourceOf = (texts: ReadonlyArray<string>, isTitle: boolean): Source => {
  const words = new Set<string>()
  const numbers = new Set<string>()
  for (const each of texts) {
    const text = withoutFacts(normalized(each))
    const all = wordsIn(text)
    for (const [at, word] of all.entries()) {
      if (!isNumber(word.text)) {
        if (!isSensitive(word.text) && !isSensitive(lettersOf(word.text))) words.add(word.text)
        continue
      }
      const pair = numberWithUnit(all, at, text)
      if (pair !== undefined && isUnit(all[at + 1]?.text ?? "")) numbers.add(pair)
      if (isTitle) numbers.add(numberOfName(all, at, text) ?? "")
    }
  }
  return { words, numbers }
}

/** Runs of so many words of a secret text give it away. */
const secretLength = 4

const runsOf = (text: string): ReadonlyArray<string> => {
  const words = wordsIn(normalized(text)).map((word) => word.text)
  return words.slice(secretLength - 1).map((_, at) => words.slice(at, at + secretLength).join(" "))
}

/** The least share of a request's words that are neutral in its language. Words of titles say nothing about it. */
const minShare = 1 / 3

/** The languages of a request, the likeliest first. */
export const languagesOf = ({ products, request }: ReplyContext): ReadonlyArray<CheckedLanguage> => {
  const titles = sourceOf(
    products.map(({ title }) => title),
    true
  ).words
  const words = wordsIn(normalized(request))
    .map(({ text }) => text)
    .filter((word) => /^\p{L}/u.test(word))
  const own = words.filter((word) => !titles.has(word))
  return languages
    .map((language) => {
      const isOf = (word: string) => neutralWords.get(language)?.has(word) === true
      const known = own.filter(isOf).length
      return { language, known, share: own.length === 0 ? 0 : known / own.length }
    })
    .filter(({ known, share }) => known > 0 && share >= minShare)
    .toSorted((left, right) => right.known - left.known)
    .map(({ language }) => language)
}

const makeChecker = (context: ReplyContext): Checker => ({
  titles: sourceOf(
    context.products.flatMap(({ asin, title }) => [title, asin]),
    true
  ),
  request: sourceOf([context.request], false),
  requestLanguages: new Set(languagesOf(context)),
  phrases: [
    ...neutralPhrases,
    ...countPhrases(context.products.length),
    ...(context.products.length === 0 ? emptyPhrases : [])
  ],
  secretRuns: new Set(context.secrets.flatMap(runsOf)),
  urls: context.products.flatMap(({ productUrl }) => (productUrl === null ? [] : [productUrl])),
  products: context.products
})

const allowedCharacters = /^[\p{L}\p{M}\p{Nd}\s.,;:!?'"“”„«»‹›()&…¿¡+-]*$/u
/** Addresses, codes and scores have such signs without a space. */
const joined = /\p{L}[.:;!?+&()]\p{L}|\p{L}\+|\+\p{L}|\d[:;!?+&()]\d/u
const listNumber = /^\s*(\d{1,2})[.)]\s+/

/** Places of the words that belong to a harmless phrase. */
const phrasePlaces = (
  words: ReadonlyArray<Word>,
  phrases: ReadonlyArray<ReadonlyArray<string>>
): ReadonlySet<number> => {
  const places = new Set<number>()
  for (const at of words.keys()) {
    for (const phrase of phrases) {
      if (phrase.every((part, offset) => words[at + offset]?.text === part))
        for (const offset of phrase.keys()) places.add(at + offset)
    }
  }
  return places
}

const isTelling = (text: string): boolean => phrasePlaces(wordsIn(text), tellingPhrases).size > 0

/** The text without what precedes its first word in a list, and without the pages of the products. */
const bodyOf = (sentence: string, { products, urls }: Checker): string => {
  const text = normalized(urls.reduce((rest, url) => rest.replaceAll(url, " "), sentence))
  const number = Number(listNumber.exec(text)?.[1] ?? Infinity)
  return number <= products.length ? text.replace(listNumber, "") : text
}

/** The words of a sentence that neither titles nor phrases explain, and whether the shopper used them. */
const openWords = (text: string, checker: Checker) => {
  const words = wordsIn(text)
  const places = phrasePlaces(words, checker.phrases)
  return words.flatMap(({ text: word }, at) => {
    if (places.has(at)) return []
    const pairs = [numberWithUnit(words, at, text), numberOfName(words, at, text)]
    const isIn = ({ numbers, words: known }: Source) =>
      isNumber(word) ? pairs.some((pair) => pair !== undefined && numbers.has(pair)) : known.has(word)
    return isIn(checker.titles) ? [] : [{ word, isShoppers: isIn(checker.request) }]
  })
}

/** The first language in which all open words are neutral or the shopper's. */
const judged = (
  text: string,
  checker: Checker
): { readonly language: CheckedLanguage | undefined; readonly unknown: ReadonlyArray<string> } => {
  const open = openWords(text, checker)
  if (open.length === 0) return { language: undefined, unknown: [] }
  const attempts = languages.map((language) => ({
    language,
    unknown: open
      .filter(
        ({ isShoppers, word }) =>
          !neutralWords.get(language)?.has(word) && !(isShoppers && checker.requestLanguages.has(language))
      )
      .map(({ word }) => word)
  }))
  return attempts.reduce((best, each) => (each.unknown.length < best.unknown.length ? each : best))
}

const shownWords = 6

const checkOne = (sentence: Sentence, checker: Checker): CheckedSentence => {
  const text = bodyOf(sentence.text, checker)
  const failed = (fault: string): CheckedSentence => ({ ...sentence, fault, language: undefined })
  if (!allowedCharacters.test(text) || joined.test(text))
    return failed("it contains an address, a code or a sign that can't be checked")
  if (runsOf(text).some((run) => checker.secretRuns.has(run))) return failed("it repeats the instructions")
  if (isTelling(text)) return failed("it could state an order, a delivery or a gift")
  const { language, unknown } = judged(text, checker)
  if (unknown.length === 0) return { ...sentence, fault: undefined, language }
  return failed(`it uses words that can't be checked: ${unknown.slice(0, shownWords).join(", ")}`)
}

/** Checks each sentence on its own. A fault is in words that a model can act on. */
export const checkSentences = (
  sentences: ReadonlyArray<Sentence>,
  context: ReplyContext
): ReadonlyArray<CheckedSentence> => {
  const checker = makeChecker(context)
  return sentences.map((sentence) => checkOne(sentence, checker))
}
