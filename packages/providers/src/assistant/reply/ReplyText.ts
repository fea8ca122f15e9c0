import type { Product } from "@till402/core"
import { withoutFactPhrases } from "./FactPhrases.ts"
import { factWords, type FactWords, type ListLanguage } from "./FactWords.ts"
import { oneLine, plainText } from "./PlainText.ts"
import { type CheckedSentence, checkSentences, languagesOf, type ReplyContext } from "./ReplyCheck.ts"
import { isSensitive } from "./SensitiveWords.ts"
import { joinSentences, sentencesOf } from "./Sentences.ts"
import { hasWords, isPlainTitle } from "./Titles.ts"
import { wordsIn } from "./Words.ts"

/*
 * The text of a reply: the harmless sentences of a model, and a list of the products that code writes.
 */

/** Longest reply, in characters. */
const maxLength = 2_000
const maxTitle = 120

/** Most sentences of a draft that are checked. */
const maxSentences = 200

/**
 * Each sentence of a model's reply, checked, up to a number. Phrases that state prices and ratings are left out: code
 * states these.
 */
export const checkDraft = (draft: string, context: ReplyContext): ReadonlyArray<CheckedSentence> => {
  const sentences = sentencesOf(plainText(draft))
    .map(withoutFactPhrases)
    .filter(({ text }) => hasWords(text))
  return checkSentences(sentences.slice(0, maxSentences), context)
}

/** The harmless part of a model's reply, empty if nothing is left. */
export const keptText = (draft: string, context: ReplyContext): string =>
  joinSentences(checkDraft(draft, context).filter(({ fault }) => fault === undefined))

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"))

const amountText = ({ currency, price }: Product): string | undefined => {
  const code = currency.toUpperCase()
  if (price === null || price < 0 || !currencies.has(code)) return undefined
  const digits = Number(price.toFixed(2)) === price ? price.toFixed(2) : String(price)
  // Neither `1e+21` nor `NaN`.
  if (!/^\d+(?:\.\d+)?$/.test(digits)) return undefined
  return code === "USD" ? `$${digits}` : `${digits} ${code}`
}

/** Whether a number of a product is known and greater than that of each other product. */
const isGreatest = (
  product: Product,
  products: ReadonlyArray<Product>,
  factOf: (product: Product) => number | null
): boolean => {
  const own = factOf(product)
  const others = products.filter((other) => other !== product).map(factOf)
  return own !== null && others.length > 0 && others.every((other) => other !== null && other < own)
}

const negativePrice = ({ price }: Product): number | null => (price === null ? null : -price)

const factsText = (product: Product, products: ReadonlyArray<Product>, words: FactWords): string => {
  const { rating, reviewCount } = product
  const isComparable = products.every(({ currency }) => currency === product.currency)
  const isLowest = isComparable && isGreatest(product, products, negativePrice)
  const isBest = isGreatest(product, products, (each) => each.rating)
  const amount = amountText(product)
  const facts = [
    amount === undefined ? undefined : `${amount}${isLowest ? ` (${words.lowestPrice})` : ""}`,
    rating === null ? undefined : `${words.rated(String(rating))}${isBest ? ` (${words.bestRating})` : ""}`,
    reviewCount === null ? undefined : words.reviews(reviewCount)
  ].filter((fact) => fact !== undefined)
  return facts.length === 0 ? "" : `: ${facts.join(", ")}`
}

/** Whether a product's code states nothing. */
const isPlainCode = (code: string): boolean =>
  /^[A-Za-z0-9][\w:-]{0,39}$/.test(code) &&
  !wordsIn(code.replace(/[_\d]/g, " ")).some(({ text }) => isSensitive(text))

/** A line about one product. The title is a stranger's, so it is quoted; one that makes claims of its own is left out. */
const lineOf = (product: Product, products: ReadonlyArray<Product>, words: FactWords): string => {
  const title = oneLine(product.title, maxTitle)
  const code = isPlainCode(product.asin) ? product.asin : words.product
  const name = isPlainTitle(title) ? `“${title}”` : code
  return `- ${name}${factsText(product, products, words)}`
}

/** The language of a list: that of the shopper's words, else English. */
const listLanguage = (context: ReplyContext): ListLanguage => {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(context.request)) return "ja"
  if (/\p{Script=Han}/u.test(context.request)) return "zh"
  return languagesOf(context)[0] ?? "en"
}

/** A line about each product with its price and rating. A line that has no room is left out: half a price is another. */
const linesOf = ({ products }: ReplyContext, language: ListLanguage, room: number): string =>
  products
    .map((product) => lineOf(product, products, factWords[language]))
    .reduce((lines, line) => {
      const more = lines === "" ? line : `${lines}\n${line}`
      return more.length > room ? lines : more
    }, "")

/** A reply made of the products' data. */
export const builtReply = (context: ReplyContext): string => {
  const { hasSearched, limits, products } = context
  const language = listLanguage(context)
  const words = factWords[language]
  if (products.length === 0 && !hasSearched) return words.refused
  if (products.length === 0) return limits.length === 0 ? words.none : words.noneWithin
  const opening = products.length === 1 ? words.one : words.several
  return `${opening}\n${linesOf(context, language, maxLength - opening.length - 1)}`
}

/** The sentences as one text. Before the first that names a product, code says what they are about. */
const textOf = (
  sentences: ReadonlyArray<CheckedSentence>,
  context: ReplyContext,
  language: ListLanguage
): string => {
  const text = joinSentences(sentences)
  const first = sentences.find(({ isOpening }) => !isOpening)
  if (first === undefined || first.named.length > 0 || context.products.length === 0) return text
  return `${factWords[language].about(context.products.length)}\n${text}`
}

/** The reply that is sent: the harmless part of a model's reply with a list of the products, or the list alone. */
export const replyText = (draft: string, context: ReplyContext): string => {
  const kept = checkDraft(draft, context).filter(({ fault }) => fault === undefined)
  const language = kept.find((sentence) => sentence.language !== undefined)?.language ?? listLanguage(context)
  const lines = linesOf(context, language, maxLength)
  const list = lines === "" ? "" : `\n\n${lines}`
  for (let count = kept.length; count > 0; count--) {
    const text = `${textOf(kept.slice(0, count), context, language)}${list}`
    if (text.length <= maxLength) return text
  }
  return builtReply(context)
}
