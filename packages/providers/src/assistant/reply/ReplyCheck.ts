import type { Product } from "@till402/core"
import { isHarmless, isOpening } from "./Grammar.ts"
import { type CheckedLanguage, lexicons } from "./lexicon/index.ts"
import type { Lexicon } from "./lexicon/Lexicon.ts"
import { type Names, namesOf, neededNames, shownName, type Title, type TitleWord } from "./Names.ts"
import { numbersIn } from "./Numbers.ts"
import { maxTitle, normalized, oneLine } from "./PlainText.ts"
import type { PriceLimit } from "./PriceLimits.ts"
import { isAmbiguous, isSensitive, withoutClaims } from "./SensitiveWords.ts"
import type { Sentence } from "./Sentences.ts"
import { isPlainTitle } from "./Titles.ts"
import { isNumber, type Word, wordsIn } from "./Words.ts"

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
  /** The places of the products that it names. */
  readonly named: ReadonlyArray<number>
  /** Whether it is one that says nothing of a product: `Here are two ideas.` */
  readonly isOpening: boolean
}

interface Checker {
  readonly titles: ReadonlyArray<Title>
  /** All words of titles. */
  readonly known: ReadonlySet<string | undefined>
  readonly urls: ReadonlyArray<string>
  readonly products: ReadonlyArray<Product>
  /** What each title is called in the reply; `undefined`: nothing without a claim. */
  readonly shown: ReadonlyArray<string | undefined>
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

/** A title as the model sees it, with signs instead of its claims. */
const titleText = (title: string): string => withoutClaims(withoutFacts(normalized(oneLine(title, maxTitle))))

/** A word of a title; `undefined` if it could make a claim. */
const titleWord = (text: string): TitleWord | undefined => {
  const isClaim = isSensitive(text) || isSensitive(lettersOf(text))
  return !isReadable(text) || (isClaim && !isAmbiguous(text)) ? undefined : { text, isAmbiguous: isClaim }
}

const titleWords = (title: string): Title => wordsIn(titleText(title)).map(({ text }) => titleWord(text))

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
  const shown = context.products.map(({ title }) => {
    const name = shownName(titleText(title), titleWord)
    return name !== undefined && isPlainTitle(name) ? name : undefined
  })
  const titles = context.products.map(({ title }, index) =>
    shown[index] === undefined ? [] : titleWords(title)
  )
  return {
    titles,
    shown,
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
  text.split(url).reduce((rest, part) => {
    if (!/(?:^|[\s(])$/.test(rest) || !/^[.,;:!)]*(?:\s|$)/.test(part)) return `${rest}${url}${part}`
    return rest.endsWith("(") && part.startsWith(")")
      ? `${rest.slice(0, -1).trimEnd()}${part.slice(1)}`
      : `${rest.trimEnd()}${part}`
  })

/** A sentence's number in a list, and the rest of it without the pages of the products. */
const partsOf = (sentence: string, { products, urls }: Checker): readonly [number: string, body: string] => {
  const text = normalized(urls.reduce(withoutUrl, sentence))
  const number = listNumber.exec(text)
  return number !== null && Number(number[1]) <= products.length
    ? [number[0], text.slice(number[0].length)]
    : ["", text]
}

/** The words of a sentence, with `,` for signs between them. */
const wordsAndSigns = (text: string): ReadonlyArray<Word> => {
  const words = wordsIn(text)
  return words.flatMap((word, index) => {
    const start = words[index - 1]?.end ?? word.start
    const before = text.slice(start, word.start)
    return /^(?:\s*|[-'&])$/.test(before) ? [word] : [{ text: ",", start, end: word.start }, word]
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

/** Where a name ends with its kind, if that is of the title as well: `Ridgeway trail running shoes`. */
const endOfKind = (
  words: ReadonlyArray<string>,
  start: number,
  title: Title = [],
  lexicon: Lexicon
): number => {
  const known = new Set(title.map((each) => each?.text))
  let end = start
  for (let at = start; known.has(words[at]); at++) {
    if (lexicon.lengthsAt("kind", words, at).includes(1)) end = at + 1
  }
  return end
}

/** The sentence with each name as code writes it; `undefined` if a name is of several products. */
const withShownNames = (
  text: string,
  spans: ReadonlyArray<Word>,
  names: Names,
  { shown, titles }: Checker,
  lexicon: Lexicon
): string | undefined => {
  const words = spans.map((word) => word.text)
  let rest = text
  for (const [start, [name]] of [...names].toReversed()) {
    const [title, ...others] = new Set(name?.titles.map((index) => shown[index]))
    if (name === undefined || title === undefined || others.length > 0) return undefined
    const end = endOfKind(words, name.end, titles[name.titles[0] ?? 0], lexicon)
    rest = `${rest.slice(0, spans[start]?.start)}“${title}”${rest.slice(spans[end - 1]?.end)}`
  }
  return rest
}

const checkOne = (
  sentence: Sentence,
  checker: Checker,
  lastNamed: ReadonlyArray<number>
): CheckedSentence => {
  const [number, text] = partsOf(sentence.text, checker)
  const failed = (fault: string): CheckedSentence => ({
    ...sentence,
    fault,
    language: undefined,
    named: [],
    isOpening: false
  })
  if (!allowedCharacters.test(text) || joined.test(text))
    return failed("it contains a question, an address, a code or a sign that can't be checked")
  const spans = wordsAndSigns(text)
  const words = spans.map((word) => word.text)
  const { isFruitless, titles } = checker
  const names = namesOf(titles, words)
  for (const language of languages) {
    const lexicon = lexicons.get(language)
    if (lexicon === undefined) continue
    const matched = { words, lexicon, titles, about: [], names, isFruitless }
    const needed = neededNames(
      names,
      (place) => lexicon.all.has(words[place] ?? "") || isNumber(words[place - 1] ?? ""),
      (some) => isHarmless({ ...matched, names: some })
    )
    if (needed === undefined) continue
    const named = [...needed.values()].flatMap(([name]) => name?.titles ?? [])
    const about = (named.length > 0 ? named : lastNamed).flatMap((place) => titles.slice(place, place + 1))
    if (!isHarmless({ ...matched, about, names: needed }))
      return failed("it states a number of another product")
    const written = withShownNames(text, spans, needed, checker, lexicon)
    if (written === undefined) return failed("it names a product by words that several titles have")
    return {
      ...sentence,
      text: `${number === "" ? "" : "- "}${written}`,
      fault: undefined,
      language,
      named,
      isOpening: isOpening({ ...matched, names: needed })
    }
  }
  const unknown = unknownWords(words, checker)
  return failed(
    unknown.length === 0
      ? "it says more than what a product is like and what it suits, or its form is too complex"
      : `it uses words that can't be checked: ${unknown.slice(0, shownWords).join(", ")}`
  )
}

/**
 * Checks each sentence on its own, except that its numbers must be those of the products named last. A fault is in words
 * that a model can act on.
 */
export const checkSentences = (
  sentences: ReadonlyArray<Sentence>,
  context: ReplyContext
): ReadonlyArray<CheckedSentence> => {
  const checker = makeChecker(context)
  const checked: Array<CheckedSentence> = []
  let lastNamed: ReadonlyArray<number> = [...checker.titles.keys()]
  for (const sentence of sentences) {
    const one = checkOne(sentence, checker, lastNamed)
    checked.push(one)
    if (one.named.length > 0) lastNamed = one.named
  }
  return checked
}
