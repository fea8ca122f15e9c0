import type { Product } from "@till402/core"
import {
  admitsIgnorance,
  comparedClaims,
  endsInComparator,
  isNegated,
  pointsByOrder,
  speaksOfAll,
  speaksOfMany,
  unsupportedClaim
} from "./Claims.ts"
import { currencyWords } from "./Currencies.ts"
import { isCheckedLanguage } from "./Languages.ts"
import { type Mention, mentionsIn, nameProducts, type NamedProduct, wordsIn } from "./Mentions.ts"
import { largeNumberWord, numberWordBefore, spelledPrice } from "./NumberWords.ts"
import { numbersIn, opinionWords, type StatedNumber } from "./Numbers.ts"
import { normalized } from "./PlainText.ts"
import { limitsIn, meetsLimit, type PriceLimit, type StatedLimit } from "./PriceLimits.ts"
import { type Sentence, sentencesOf } from "./Sentences.ts"
import { isTrueClaim, isTrueOf, type Subject, subjectOf } from "./StatedFacts.ts"
import { linksIn } from "./Links.ts"

/*
 * Checks what a reply states about price, rating, reviews and availability against the products that are returned.
 * Every number must be explained: a fact of the product that it is about, a limit that all products meet, or part of a
 * title or of the shopper's own words.
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
}

interface Checker extends ReplyContext {
  readonly named: ReadonlyArray<NamedProduct>
  readonly requestNumbers: ReadonlySet<string>
  readonly titleNumbers: ReadonlySet<string>
  readonly secretRuns: ReadonlySet<string>
}

/** A number with the unit after it: `40 hours` → `40hours`. */
const withUnit = (text: string, { end, start, text: digits }: StatedNumber): string => {
  const before = /[\p{L}\p{N}]*$/u.exec(text.slice(0, start))?.[0] ?? ""
  const after = /^[ -]?(\p{L}+|[%°"])?/u.exec(text.slice(end))?.[1] ?? ""
  return `${before}${digits}${after}`.toLowerCase()
}

const numbersWithUnits = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    texts.flatMap((text) => {
      const plain = normalized(text)
      return numbersIn(plain)
        .filter(({ kind }) => kind === "plain")
        .map((stated) => withUnit(plain, stated))
        .filter((token) => /[\p{L}%°"]/u.test(token))
    })
  )

/** Runs of so many words of a secret text give it away. */
const secretLength = 4
/** Names of tools and fields, which shoppers don't know. */
const technicalName = /\p{L}_\p{L}|recommendedIds/iu

const runsOf = (text: string): ReadonlyArray<string> => {
  const words = wordsIn(normalized(text)).map((word) => word.text)
  return words.slice(secretLength - 1).map((_, at) => words.slice(at, at + secretLength).join(" "))
}

const makeChecker = (context: ReplyContext): Checker => ({
  ...context,
  named: nameProducts(context.products),
  requestNumbers: numbersWithUnits([context.request]),
  titleNumbers: numbersWithUnits(context.products.map(({ title }) => title)),
  secretRuns: new Set(context.secrets.flatMap(runsOf))
})

const spelledAmount = numberWordBefore(currencyWords)
const spelledOpinion = numberWordBefore(`${opinionWords}|percent|prozent`)
const strangeNumber = /[\p{No}\p{Nl}⁄]|\p{Nd}\p{M}|[★⭐☆]{2}|[★⭐]\s?[★⭐☆]/u
const magnitude = /^ ?(?:k|m|mio|mln|million|thousand|тыс|млн|万|萬|千|億|亿|만|천)(?!\p{Script=Latin})/iu
const perUnit =
  /^ ?(?:\/ ?\p{L}|per |a (?:month|year|week|day|piece|pair)|apiece|for (?:two|three|both|all|\d)|pro |par |al mes|à l'|je )/iu
/** What makes a number a difference: `$45 less than the Foo`. */
const difference =
  /^ ?(?:less|more|fewer|cheaper|off|lower|higher|extra|below|above|under|over|back|saved|weniger|mehr|billiger|günstiger|teurer|de moins|de plus|moins|plus|menos|más|meno|più|mais|minder|meer|mniej|więcej|меньше|больше|дешевле|дороже|安い|高い|便宜)(?!\p{Script=Latin})/iu

/** What is wrong about a number that states a price, a rating or a number of reviews. */
const faultOfFact = (
  text: string,
  stated: StatedNumber,
  subject: Subject,
  checker: Checker
): string | undefined => {
  const { end, kind, start } = stated
  const what = kind === "count" ? "number of reviews" : kind
  if (endsInComparator(text.slice(0, start)) || text.slice(end).startsWith("+"))
    return `the ${what} ${stated.text} must be exact`
  if (difference.test(text.slice(end))) return `${stated.text} must not be a difference`
  if (magnitude.test(text.slice(end)) || (kind === "price" && perUnit.test(text.slice(end))))
    return `${stated.text} must be written as in the data`
  if (isNegated(text)) return `a sentence with the ${what} ${stated.text} must not be negative`
  const isOfAll = speaksOfAll(text)
  const isOfMany = subject.kind === "unclear" ? speaksOfMany(text) : isOfAll && subject.kind !== "one"
  const about: Subject = isOfMany ? { kind: "all", owners: checker.products } : subject
  if (isOfAll && subject.kind === "one" && !isTrueOf({ kind: "all", owners: checker.products }, stated))
    return `the ${what} ${stated.text} isn't that of all products`
  if (about.kind === "unclear") return `name the product whose ${what} is ${stated.text}`
  return isTrueOf(about, stated) ? undefined : `${stated.text} isn't the ${what} of that product`
}

const isWithinAny = (
  { end, start }: StatedNumber,
  spans: ReadonlyArray<{ readonly start: number; readonly end: number }>
): boolean => spans.some((span) => span.start <= start && end <= span.end)

/** Whether a number without currency or rating is part of a title, of the shopper's words, or counts the products. */
const isExplained = (
  text: string,
  stated: StatedNumber,
  mentions: ReadonlyArray<Mention>,
  checker: Checker
): boolean => {
  if (isWithinAny(stated, mentions)) return true
  const token = withUnit(text, stated)
  if (checker.requestNumbers.has(token) || checker.titleNumbers.has(token)) return true
  const value = stated.values[0] ?? 0
  const isListed = text.slice(0, stated.start).trim() === "" && /^[.):]/.test(text.slice(stated.end))
  return (
    /^\d{1,2}$/.test(stated.text) &&
    ((isListed && value <= checker.products.length) ||
      (value === checker.products.length && /^ \p{L}{3}/u.test(text.slice(stated.end))))
  )
}

/** Whether a lowest price, as in `from $20`, is that of the products that the sentence names, or of all. */
const isLowest = (
  { value }: StatedLimit,
  mentions: ReadonlyArray<Mention>,
  products: ReadonlyArray<Product>
): boolean => {
  const named = mentions.length === 0 ? products : mentions.flatMap(({ owners }) => owners)
  return Math.min(...named.map(({ price }) => price ?? 0)) === value
}

const faultOfLimit = (
  limit: StatedLimit,
  text: string,
  mentions: ReadonlyArray<Mention>,
  { limits, products }: Checker
): string | undefined => {
  const isOwn = limits.some(
    ({ currencies, value }) =>
      value === limit.value &&
      (limit.currencies.length === 0 ||
        currencies.length === 0 ||
        limit.currencies.some((currency) => currencies.includes(currency)))
  )
  if (products.length === 0) return isOwn ? undefined : "the shopper stated no such limit"
  const isTrue =
    !isNegated(text) &&
    products.every((product) => meetsLimit(product, limit)) &&
    (limit.bound === "max" || isOwn || isLowest(limit, mentions, products))
  return isTrue ? undefined : `“${text.slice(limit.start, limit.end)}” isn't true of the products`
}

/** Words that the sentence adds to what it repeats: those outside of mentions. */
const ownWords = (text: string, mentions: ReadonlyArray<Mention>): ReadonlyArray<string> =>
  wordsIn(text)
    .filter((word) => !mentions.some(({ end, start }) => start <= word.start && word.end <= end))
    .filter((word) => /\p{L}/u.test(word.text))
    .map((word) => word.text)

const faultOfWords = (
  text: string,
  mentions: ReadonlyArray<Mention>,
  checker: Checker
): string | undefined => {
  if (strangeNumber.test(text)) return "write numbers in digits, as in the data"
  if (!isCheckedLanguage(text, ownWords(text, mentions))) return "this language or alphabet can't be checked"
  const unsupported = unsupportedClaim(text)
  if (unsupported !== undefined && !admitsIgnorance(text)) return `it states ${unsupported}`
  if (spelledAmount.test(text) || spelledOpinion.test(text) || spelledPrice.test(text))
    return "write numbers in digits, as in the data"
  const large = largeNumberWord.exec(text)?.[0]
  const isRepeated =
    large !== undefined && normalized(checker.request).toLowerCase().includes(large.toLowerCase())
  const isInTitle =
    large !== undefined && checker.named.some(({ words }) => words.includes(large.toLowerCase()))
  return large === undefined || isRepeated || isInTitle
    ? undefined
    : "write numbers in digits, as in the data"
}

const faultOfNumbers = (
  text: string,
  mentions: ReadonlyArray<Mention>,
  spokenOf: Subject,
  checker: Checker
): string | undefined => {
  const limits = limitsIn(text)
  for (const limit of limits) {
    const fault = faultOfLimit(limit, text, mentions, checker)
    if (fault !== undefined) return fault
  }
  for (const stated of numbersIn(text)) {
    if (isWithinAny(stated, limits)) continue
    if (stated.kind === "plain") {
      if (!isExplained(text, stated, mentions, checker)) return `${stated.text} is in no data`
      continue
    }
    const subject = subjectOf(text, stated, mentions, spokenOf)
    const isByOrder = subject === spokenOf && checker.products.length > 1 && pointsByOrder(text)
    const fault = faultOfFact(text, stated, isByOrder ? { kind: "unclear" } : subject, checker)
    if (fault !== undefined) return fault
  }
  return undefined
}

const faultOf = (
  sentence: string,
  mentions: ReadonlyArray<Mention>,
  spokenOf: Subject,
  checker: Checker
): string | undefined => {
  const { fault, text } = linksIn(sentence, checker.products)
  if (fault !== undefined) return fault
  if (technicalName.test(text) || runsOf(text).some((run) => checker.secretRuns.has(run)))
    return "it repeats the instructions"
  const claims = comparedClaims(text)
  return (
    faultOfWords(text, mentions, checker) ??
    faultOfNumbers(text, mentions, spokenOf, checker) ??
    (claims.length > 0 && isNegated(text) ? "a comparison must not be negative" : undefined) ??
    claims
      .filter((claim) => !isTrueClaim(text, claim, mentions, { spokenOf, products: checker.products }))
      .map(({ claim }) => `it states the ${claim} wrongly`)[0]
  )
}

/** What the next sentence speaks of, if it names no product. */
const nextSpokenOf = (mentions: ReadonlyArray<Mention>, spokenOf: Subject): Subject => {
  if (mentions.length === 0) return spokenOf
  const exact = mentions.filter(({ owners }) => owners.length === 1)
  const owners = [...new Set((exact.length > 0 ? exact : mentions).flatMap((mention) => mention.owners))]
  return owners.length === 1 ? { kind: "one", owners } : { kind: "unclear" }
}

/** Checks each sentence of a plain reply. A fault is in words that a model can act on. */
export const checkReply = (reply: string, context: ReplyContext): ReadonlyArray<CheckedSentence> =>
  checkSentences(sentencesOf(reply), context)

/** Checks sentences in their order: a sentence may speak of the product that the one before it names. */
export const checkSentences = (
  sentences: ReadonlyArray<Sentence>,
  context: ReplyContext
): ReadonlyArray<CheckedSentence> => {
  const checker = makeChecker(context)
  const { products } = context
  let spokenOf: Subject = products.length === 1 ? { kind: "one", owners: products } : { kind: "unclear" }
  return sentences.map((sentence) => {
    const { text } = linksIn(sentence.text, products)
    const mentions = mentionsIn(text, checker.named)
    const fault = faultOf(sentence.text, mentions, spokenOf, checker)
    spokenOf = nextSpokenOf(mentions, spokenOf)
    return { ...sentence, fault }
  })
}
