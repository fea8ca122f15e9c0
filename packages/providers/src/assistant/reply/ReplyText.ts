import type { Product } from "@till402/core"
import { listLanguageOf } from "./Languages.ts"
import { type ListLanguage, listWords } from "./ListWords.ts"
import { maxTitle, oneLine } from "./PlainText.ts"
import { keptSentences } from "./ReplyFilter.ts"

/*
 * The text of a reply: what may be sent of the model's, and the products' names, prices and ratings, which code writes.
 */

/** A recommended product, and what the model says about it. */
export interface Pick {
  readonly product: Product
  readonly why: string
}

/** What the model answered. */
export interface Draft {
  readonly summary: string
  readonly picks: ReadonlyArray<Pick>
  /** What to know if nothing fits. */
  readonly note: string
}

export interface ReplyContext {
  /** The shopper's words. */
  readonly request: string
  /** All products that the searches found. */
  readonly found: ReadonlyArray<Product>
  /** Whether the shopper stated a limit in another currency. */
  readonly hasOtherCurrency: boolean
  /** The model's instructions, of which nothing is repeated. */
  readonly secret: string
}

/** Longest summary or note, and longest text about a product, in characters. */
const maxText = 800
const maxWhy = 400

/** The sentences that have room. */
const within = (sentences: ReadonlyArray<string>, room: number): string =>
  sentences.reduce((text, sentence) => {
    const more = text === "" ? sentence : `${text} ${sentence}`
    return more.length > room ? text : more
  }, "")

const priceText = (price: number, currency: string, language: ListLanguage): string => {
  try {
    return new Intl.NumberFormat(language, { style: "currency", currency }).format(price)
  } catch {
    // Not an ISO 4217 code.
    return `${price} ${oneLine(currency, 10)}`
  }
}

/** Whether a product has the best value of several, all of which are known and of one currency. */
const isBest = (
  values: ReadonlyArray<number | null>,
  value: number | null,
  best: (...values: ReadonlyArray<number>) => number
): boolean => {
  const known = values.filter((each) => each !== null)
  return (
    values.length > 1 &&
    known.length === values.length &&
    value === best(...known) &&
    known.filter((each) => each === value).length < known.length
  )
}

/** A product's name, price, rating and number of reviews. */
const lineOf = (product: Product, all: ReadonlyArray<Product>, language: ListLanguage): string => {
  const words = listWords[language]
  const { currency, price, rating, reviewCount, title } = product
  const number = new Intl.NumberFormat(language)
  const sameCurrency = all.every((other) => other.currency === currency)
  const isLowest =
    sameCurrency &&
    isBest(
      all.map((each) => each.price),
      price,
      Math.min
    )
  const isBestRated = isBest(
    all.map((each) => each.rating),
    rating,
    Math.max
  )
  const facts = [
    price === null ? "" : priceText(price, currency, language) + (isLowest ? ` (${words.lowestPrice})` : ""),
    rating === null
      ? ""
      : words.rated.replace("{}", number.format(rating)) + (isBestRated ? ` (${words.bestRating})` : ""),
    reviewCount === null ? "" : words.reviews.replace("{}", number.format(reviewCount))
  ].filter((fact) => fact !== "")
  const name = `“${oneLine(title, maxTitle).replace(/[“”„"]/g, "'")}”`
  return facts.length === 0 ? `- ${name}` : `- ${name}: ${facts.join(", ")}`
}

/** What the service does, for a message that no search can serve. */
export const aboutText = (request: string): string => listWords[listLanguageOf(request)].about

/**
 * The reply that is sent. Without a sentence of the model, it says that nobody compared the products with the wish.
 * Returns `undefined` if there is neither a sentence nor a product.
 */
export const replyText = (
  { note, picks, summary }: Draft,
  { found, hasOtherCurrency, request, secret }: ReplyContext
): string | undefined => {
  const language = listLanguageOf(request, summary)
  const products = picks.map(({ product }) => product)
  const kept = (text: string, about: ReadonlyArray<Product>, room: number): string => {
    const titles = about.map(({ title }) => title)
    const others = found.map(({ title }) => title)
    return within(keptSentences(text, { titles, others, request, secret }), room)
  }
  const opening = kept(summary, products, maxText)
  const lines = picks.map(({ product, why }) => {
    const text = kept(why, [product], maxWhy)
    return { line: lineOf(product, products, language), text }
  })
  const closing = kept(note, products, maxText)
  const isEmpty = opening === "" && closing === "" && lines.every(({ text }) => text === "")
  if (isEmpty && picks.length === 0) return undefined
  const words = listWords[language]
  return [
    isEmpty ? words.uncompared : opening,
    lines.map(({ line, text }) => (text === "" ? line : `${line}\n  ${text}`)).join("\n"),
    closing,
    hasOtherCurrency ? words.otherCurrency : ""
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}
