import type { Product } from "@till402/core"
import { listLanguageOf } from "./Languages.ts"
import { type ListLanguage, listWords } from "./ListWords.ts"
import { maxTitle, oneLine } from "./PlainText.ts"
import { type Candidate, candidatesIn } from "./ReplyFilter.ts"
import { mayBeSent, type Opinion } from "./SecondOpinion.ts"

/*
 * The text of a reply: what may be sent of the model's, and the products' names, prices and ratings, which code writes.
 */

/** What the model answered. */
export interface Answered {
  readonly summary: string
  readonly picks: ReadonlyArray<{ readonly product: Product; readonly why: string }>
  /** What to know if nothing fits. */
  readonly note: string
}

/** What code doesn't refuse of it. */
export interface Draft {
  readonly summary: ReadonlyArray<Candidate>
  readonly picks: ReadonlyArray<{ readonly product: Product; readonly why: ReadonlyArray<Candidate> }>
  readonly note: ReadonlyArray<Candidate>
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

/** Ends of sentences after which no space follows. */
const wideEnd = /[。！？]$/u

/** The sentences that have room. */
const within = (sentences: ReadonlyArray<string>, room: number): string =>
  sentences.reduce((text, sentence) => {
    const more = text + (text === "" || wideEnd.test(text) ? "" : " ") + sentence
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

/** The sentences of an answer that code doesn't refuse. */
export const draftOf = (
  { note, picks, summary }: Answered,
  { found, request, secret }: ReplyContext
): Draft => {
  // As much of each title as the model saw.
  const titleOf = ({ title }: Product): string => oneLine(title, maxTitle)
  const others = found.map(titleOf)
  const candidates = (text: string, titles: ReadonlyArray<string>): ReadonlyArray<Candidate> =>
    candidatesIn(text, { titles, others, request, secret })
  // Without a pick, the answer says why none of the found products fits.
  const all = picks.length === 0 ? others : picks.map(({ product }) => titleOf(product))
  return {
    summary: candidates(summary, all),
    picks: picks.map(({ product, why }) => ({ product, why: candidates(why, [titleOf(product)]) })),
    note: candidates(note, all)
  }
}

/** The sentences on which the model is asked for its opinion; those that a shopper would miss most come first. */
export const sentencesOfDraft = ({ note, picks, summary }: Draft): ReadonlyArray<string> =>
  [...summary, ...note, ...picks.flatMap(({ why }) => why)].map(({ text }) => text)

/** A draft without the sentences that may not be sent. */
export const judgedDraft = (draft: Draft, opinions: ReadonlyMap<string, Opinion>): Draft => {
  const kept = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> =>
    candidates.filter((candidate) => {
      const opinion = opinions.get(candidate.text)
      return opinion !== undefined && mayBeSent(candidate, opinion)
    })
  return {
    summary: kept(draft.summary),
    picks: draft.picks.map(({ product, why }) => ({ product, why: kept(why) })),
    note: kept(draft.note)
  }
}

/** Whether a draft says nothing. */
export const isSilent = (draft: Draft): boolean => sentencesOfDraft(draft).length === 0

/** Says of a limit in another currency that it wasn't applied, and which one the prices are in. */
const currencyText = (
  products: ReadonlyArray<Product>,
  { inDollars, otherCurrency }: (typeof listWords)[ListLanguage]
): string => {
  const isInDollars =
    products.length > 0 && products.every(({ currency }) => currency.toUpperCase() === "USD")
  return within(isInDollars ? [inDollars, otherCurrency] : [otherCurrency], maxText)
}

/** The text of a reply. Where the model says nothing, `opening` does. */
export const replyText = (
  { note, picks, summary }: Draft,
  { hasOtherCurrency, request }: ReplyContext,
  opening: "uncompared" | "nothingFits" | undefined
): string => {
  const textOf = (candidates: ReadonlyArray<Candidate>, room: number): string =>
    within(
      candidates.map(({ text }) => text),
      room
    )
  const language = listLanguageOf(request, textOf(summary, maxText))
  const words = listWords[language]
  const products = picks.map(({ product }) => product)
  const lines = picks.map(({ product, why }) => {
    const line = lineOf(product, products, language)
    return why.length === 0 ? line : `${line}\n  ${textOf(why, maxWhy)}`
  })
  return [
    opening === undefined ? textOf(summary, maxText) : words[opening],
    lines.join("\n"),
    textOf(note, maxText),
    hasOtherCurrency ? currencyText(products, words) : ""
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}
