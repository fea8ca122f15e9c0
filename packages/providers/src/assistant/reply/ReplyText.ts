import type { Product } from "@till402/core"
import { numbersIn } from "./Numbers.ts"
import { normalized, oneLine, plainText, shortened } from "./PlainText.ts"
import { checkReply, checkSentences, type CheckedSentence, type ReplyContext } from "./ReplyCheck.ts"
import { joinSentences, type Sentence, sentencesOf } from "./Sentences.ts"

/*
 * The text of a reply: what is true of it, or a list of the products.
 */

/** Longest reply, in characters. */
const maxLength = 2_000
const maxTitle = 120

const hasWords = (text: string): boolean => /\p{L}{2}/u.test(text)

/** The sentences of a model's reply that can't be sent, each with the reason. */
export const faultsOf = (draft: string, context: ReplyContext): ReadonlyArray<CheckedSentence> =>
  checkReply(plainText(draft), context).filter(({ fault }) => fault !== undefined)

/**
 * The true part of a model's reply, empty if nothing is left. Dropping a sentence can change what the next one speaks
 * of, so the rest is checked again.
 */
export const trueText = (draft: string, context: ReplyContext): string => {
  let kept: ReadonlyArray<Sentence> = sentencesOf(plainText(draft))
  for (;;) {
    const checked = checkSentences(kept, context)
    const left = checked.filter(({ fault }) => fault === undefined)
    if (left.length === checked.length) break
    kept = left
  }
  while (joinSentences(kept).length > maxLength) kept = kept.slice(0, -1)
  const text = joinSentences(kept.filter(({ text }) => hasWords(text) || /\d/.test(text)))
  return hasWords(text) ? text : ""
}

const amountText = ({ currency, price }: Product): string | undefined => {
  if (price === null) return undefined
  const digits = Number.isInteger(price * 100) ? price.toFixed(2) : String(price)
  return currency.toUpperCase() === "USD" ? `$${digits}` : `${digits} ${currency.toUpperCase()}`
}

const factsText = (product: Product): string => {
  const { rating, reviewCount } = product
  const facts = [
    amountText(product),
    rating === null ? undefined : `rated ${rating}`,
    reviewCount === null ? undefined : `${reviewCount} reviews`
  ].filter((fact) => fact !== undefined)
  return facts.length === 0 ? "" : `: ${facts.join(", ")}`
}

/** A line about one product. A title that states a price, a rating or a discount of its own is left out. */
const lineOf = (product: Product, context: ReplyContext): string => {
  const line = (name: string): string => `- ${name}${factsText(product)}`
  const title = oneLine(product.title, maxTitle)
  const isPlain = numbersIn(normalized(title)).every(({ kind }) => kind === "plain")
  const titled = `The pick is here.\n${line(title)}`
  const checked = checkReply(titled, { ...context, products: [product] })
  return isPlain && checked.every(({ fault }) => fault === undefined)
    ? line(title)
    : line(oneLine(product.asin, maxTitle))
}

/** A reply made of the products' data. */
export const builtReply = (context: ReplyContext): string => {
  const { limits, products } = context
  if (products.length === 0) {
    return limits.length === 0
      ? "I found no product that matches your request. Please try other words."
      : "I found no product that matches your request within your limits on the price. Please try other words or other limits."
  }
  const opening =
    products.length === 1 ? "This product matches your request:" : "These products match your request:"
  return shortened([opening, ...products.map((product) => lineOf(product, context))].join("\n"), maxLength)
}
