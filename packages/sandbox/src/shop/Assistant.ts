import type { AssistantOptions, Product, ProductQuery, SearchProduct, ShopRequest } from "@till402/core"
import type { Listing } from "./Listing.ts"
import { bestFit, foldText, wordsOf } from "./Words.ts"

/** Maximum number of products in a response. */
const maxRecommended = 5
/** Maximum number of searches per response. */
const maxSearches = 6

/** Words that name no product. */
const chatter = new Set(
  `a about above actually all am an and any anything are around as at be below best between budget but buy by can
  cheap cheapest could doesn dollar dollars don find for from get give good great have hello help hey hi
  how i id im in is it just last least less let like likes looking love loves maximum me minimum more most my need
  needs nice no not of offer on one or our over please product products recommend recommendation search
  shop show some someone something stuff suggest tell than thank thanks that the their them then there these
  they thing things this to under up us usd want wants we what where when where which who whose why with would you your`.split(
    /\s+/
  )
)

interface PriceRange {
  readonly min: number | undefined
  readonly max: number | undefined
}

/** Units and words that show a number is not a price, as in "at least 40 hours". */
const units =
  "%|°|€|£|euros?|eur|gbp|hours?|hrs?|h|days?|years?|kg|g|lbs?|oz|mm|cm|m|in|inch(?:es)?|ft|l|ml|mah|w|watts?|gb|tb|people|persons?|players?|pieces|stars?|miles?"
const amount = String.raw`(?:us)?\$?\s*(\d{1,3}(?:,\d{3})+(?!\d)|\d{1,6}(?:\.\d{1,2})?(?!,\d{3}))(?!\.?\d)(?!\s*(?:${units})(?![a-z]))\s*(?:usd|dollars?|bucks)?`
const between = new RegExp(String.raw`\b(?:between|from)\s+${amount}\s*(?:and|to|-)\s*${amount}`, "i")
const atMost = new RegExp(
  String.raw`\b(?:under|below|less than|up to|at most|no more than|cheaper than|max(?:imum)?(?: of)?)\s+${amount}`,
  "i"
)
const atLeast = new RegExp(
  String.raw`\b(?:over|above|more than|at least|min(?:imum)?(?: of)?)\s+${amount}`,
  "i"
)

const numberIn = (match: RegExpExecArray | null, group: number): number | undefined =>
  match === null ? undefined : Number(match[group]?.replaceAll(",", ""))

/** Extracts the price range from a message; returns the range and the remaining text. */
const readBudget = (message: string): { readonly range: PriceRange; readonly rest: string } => {
  const both = between.exec(message)
  const rest = message.replace(between, " ")
  const range = {
    min: numberIn(both, 1) ?? numberIn(atLeast.exec(rest.replace(/no more than/gi, "at most")), 1),
    max: numberIn(both, 2) ?? numberIn(atMost.exec(rest), 1)
  }
  return { range, rest: rest.replace(atMost, " ").replace(atLeast, " ") }
}

const isWithin = (price: number | null, { max, min }: PriceRange): boolean =>
  (min === undefined && max === undefined) ||
  (price !== null && price >= (min ?? 0) && price <= (max ?? Infinity))

const toQuery = (words: ReadonlyArray<string>, { max, min }: PriceRange): ProductQuery => ({
  q: words.join(" "),
  page: 1,
  // Marketplaces require bounds above zero; the result is filtered again below.
  ...(min !== undefined && min > 0 ? { priceMin: min } : {}),
  ...(max !== undefined && max > 0 ? { priceMax: max } : {})
})

type Search = (query: ProductQuery) => Promise<ReadonlyArray<SearchProduct>>

/** The wishes of a text: its words without those that name nothing. A compound such as "over-ear" is one wish. */
const wishesIn = (text: string): ReadonlyArray<string> => {
  const parts =
    foldText(text)
      .replace(/['’]\p{L}*/gu, "")
      .match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? []
  return [...new Set(parts)].filter((word) => !chatter.has(word)).slice(0, 12)
}

/** Products that match all wishes, and up to five pages of those that match one. */
const candidates = async (
  wishes: ReadonlyArray<string>,
  range: PriceRange,
  search: Search
): Promise<ReadonlyArray<SearchProduct>> => {
  const single = wishes.length === 1 ? [] : wishes.toReversed().slice(0, maxSearches - 1)
  const queries = [wishes, ...single.map((wish) => [wish])]
  const pages = await Promise.all(queries.map((words) => search(toQuery(words, range))))
  const distinct = new Map(pages.flat().map((product) => [product.asin, product]))
  return [...distinct.values()].filter(({ price }) => isWithin(price, range))
}

/** `isExpedited` belongs to search results only. */
const toProduct = (product: SearchProduct): Product => ({
  asin: product.asin,
  title: product.title,
  price: product.price,
  currency: product.currency,
  rating: product.rating,
  reviewCount: product.reviewCount,
  imageUrl: product.imageUrl,
  productUrl: product.productUrl,
  source: product.source
})

const rangeText = ({ max, min }: PriceRange): string => {
  if (min !== undefined && max !== undefined) return ` between $${min} and $${max}`
  if (max !== undefined) return ` up to $${max}`
  return min === undefined ? "" : ` from $${min}`
}

const opinionText = ({ rating, reviewCount }: Product): string => {
  if (rating === null) return ""
  const by = reviewCount === null ? "" : ` from ${reviewCount.toLocaleString("en-US")} reviews`
  return `, rated ${rating.toFixed(1)} of 5${by}`
}

const priceText = ({ price }: Product): string => (price === null ? "no price given" : `$${price.toFixed(2)}`)

/** A product with its score, and the wishes that its words don't meet. */
interface Candidate {
  readonly product: Product
  readonly score: number
  readonly missing: ReadonlyArray<string>
}

const titleScore = 3

/** How well the words of a product meet a wish: those of its title count most. */
const scoreOf = (wish: string, title: string, others: string): number => {
  const parts = wordsOf(wish)
  const isIn = (text: string): boolean =>
    wish.includes("-")
      ? foldText(text).includes(wish)
      : parts.every((part) => bestFit(part, wordsOf(text)) > 0)
  return isIn(title) ? titleScore : isIn(`${title} ${others}`) ? 1 : 0
}

/** Products by the words of the wishes, best first, then by rating. Those that meet less than half as well are left out. */
const ranked = (
  products: ReadonlyArray<SearchProduct>,
  wishes: ReadonlyArray<string>,
  known: ReadonlyMap<string, Listing>
): ReadonlyArray<Candidate> => {
  const candidates = products
    .map((found) => {
      const { category = "", features = "", keywords = "" } = known.get(found.asin) ?? {}
      const others = `${features} ${category} ${keywords} ${found.asin}`
      const scores = wishes.map((wish) => scoreOf(wish, found.title, others))
      return {
        product: toProduct(found),
        score: scores.reduce((sum, score) => sum + score, 0),
        missing: wishes.filter((_, index) => scores[index] === 0)
      }
    })
    .sort(
      (left, right) =>
        right.score - left.score ||
        left.missing.length - right.missing.length ||
        (right.product.rating ?? 0) - (left.product.rating ?? 0)
    )
  const best = candidates[0]?.score ?? 0
  return candidates.filter(
    ({ missing, score }) => score * 2 > best && (score >= titleScore || missing.length * 2 <= wishes.length)
  )
}

/** Recommends only one color of each product. */
const onePerFamily = (
  candidates: ReadonlyArray<Candidate>,
  known: ReadonlyMap<string, Listing>
): ReadonlyArray<Candidate> => {
  const families = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const { asin } = candidate.product
    const family = known.get(asin)?.family ?? asin
    if (!families.has(family)) families.set(family, candidate)
  }
  return [...families.values()]
}

const limits = "I compare the words of titles and wishes, in English only, and can't judge anything else."
const otherCurrency =
  /[€£¥]\s?\d[\d.,]*|(?:\d[\d.,]*|\b(?:ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred))\s?(?:[€£¥]|(?:euros?|eur|gbp|yen)\b)/gi

const replyFor = (
  picks: readonly [Candidate, ...Array<Candidate>],
  wishes: ReadonlyArray<string>,
  range: PriceRange
): string => {
  const [{ missing, product }, ...others] = picks
  const quoted = (words: ReadonlyArray<string>): string => words.map((word) => `“${word}”`).join(", ")
  const opening =
    missing.length === 0
      ? `this has all your words (${quoted(wishes)})${rangeText(range)}:`
      : `this comes closest${rangeText(range)}, without ${quoted(missing)}:`
  const rest = others.map((other) => `${other.product.title} (${priceText(other.product)})`).join("; ")
  return (
    `${opening} ${product.title} (${priceText(product)}${opinionText(product)}).` +
    (rest === "" ? "" : ` Also: ${rest}.`)
  )
}

/** A message without the questions that follow a wish: their words name no product. */
const withoutQuestions = (message: string): string => message.replace(/(?<=[.!] )[^.!?]*\?/g, " ")

/** The range from the request if given; otherwise from the message. */
const rangeOf = (request: ShopRequest, stated: PriceRange): PriceRange => {
  const given = request.context?.priceRange
  return given?.min === undefined && given?.max === undefined ? stated : { min: given.min, max: given.max }
}

/** Words that ask for an order instead of a product. */
const aboutOrders = /\b(?:my|an) (?:order|parcel|package|delivery|refund)\b|\btracking number\b/i

/**
 * A sample assistant with rules instead of a language model.
 *
 * It searches for the words of message and preferences, respects `priceRange` (or a budget such as "under $50"), and ranks
 * by the words that a product has. Its replies begin with "Sample assistant:" and say what it can't do.
 */
export const assistant = (listings: ReadonlyArray<Listing>): AssistantOptions => {
  const known = new Map(listings.map((listing) => [listing.product.asin, listing]))
  const categories = [...new Set(listings.map(({ category }) => category))].slice(0, 6).join(", ")
  const say = (...sentences: ReadonlyArray<string>): string =>
    ["Sample assistant:", ...sentences.filter((sentence) => sentence !== ""), limits].join(" ")
  return {
    reply: async (request, { search }) => {
      const { range: stated, rest } = readBudget(withoutQuestions(request.message))
      const range = rangeOf(request, stated)
      const wanted = rest.replace(otherCurrency, " ").replace(/\b(?:not|no|without)\s+\S+/gi, " ")
      const wishes = wishesIn([wanted, ...(request.context?.preferences ?? [])].join(" "))
      if (wishes.length === 0 || aboutOrders.test(request.message)) {
        const reply = say(
          `tell me which product you are looking for, such as ${categories}.`,
          "I don't see orders or parcels: this service's parcel tracking follows a parcel by its tracking number."
        )
        return { reply, products: [] }
      }
      const hasOtherCurrency = request.message.search(otherCurrency) >= 0
      const currency = hasOtherCurrency
        ? "Prices are in USD, and your limit in another currency wasn't applied."
        : ""
      const found = ranked(await candidates(wishes, range, search), wishes, known)
      const [first, ...others] = onePerFamily(found, known).slice(0, maxRecommended)
      if (first === undefined) {
        const reply = say(
          `I found nothing for “${wishes.join(" ")}”${rangeText(range)}. Try other words or another price range.`,
          currency
        )
        return { reply, products: [] }
      }
      const picks: readonly [Candidate, ...Array<Candidate>] = [first, ...others]
      return {
        reply: say(replyFor(picks, wishes, range), currency),
        products: picks.map(({ product }) => product)
      }
    }
  }
}
