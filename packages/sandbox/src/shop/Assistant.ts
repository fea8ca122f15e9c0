import type { AssistantOptions, Product, ProductQuery, SearchProduct, ShopRequest } from "@till402/core"
import type { Listing } from "./Listing.ts"
import { bestFit, wordsOf } from "./Words.ts"

/** Maximum number of products in a response. */
const maxRecommended = 5
/** Preferences that a reply mentions. */
const maxNamed = 5
/** Maximum number of searches per response. */
const maxSearches = 6

/** Words that name no product. */
const chatter = new Set(
  `a about above actually all am an and any anything are around as at be below best between but buy by can
  cheap cheapest could doesn dollar dollars don find for from get give good great have hello help hey hi
  how i id im in is it just less let like likes looking love loves maximum me minimum more most my need
  needs nice no not of offer on one or our over please product products recommend recommendation search
  shop show some someone something stuff suggest than thank thanks that the their them then there these
  they thing things this to under up us usd want wants we what where which who with would you your`.split(
    /\s+/
  )
)

interface PriceRange {
  readonly min: number | undefined
  readonly max: number | undefined
}

/** Units and words that show a number is not a price, as in "at least 40 hours". */
const units =
  "%|°|hours?|hrs?|h|days?|years?|kg|g|lbs?|oz|mm|cm|m|in|inch(?:es)?|ft|l|ml|mah|w|watts?|gb|tb|people|persons?|players?|pieces|stars?|miles?"
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

/** Products that match all words; otherwise those that match most. */
const candidates = async (
  words: ReadonlyArray<string>,
  range: PriceRange,
  search: Search
): Promise<{ readonly products: ReadonlyArray<SearchProduct>; readonly whole: boolean }> => {
  const within = (products: ReadonlyArray<SearchProduct>) =>
    products.filter(({ price }) => isWithin(price, range))
  const whole = within(await search(toQuery(words, range)))
  if (whole.length > 0 || words.length === 1) return { products: whole, whole: true }
  const pages = await Promise.all(
    // In "quiet trail shoes", the last word names the product, so it wins ties.
    words
      .toReversed()
      .slice(0, maxSearches - 1)
      .map(async (word) => within(await search(toQuery([word], range))))
  )
  const counts = new Map<string, number>()
  for (const { asin } of pages.flat()) counts.set(asin, (counts.get(asin) ?? 0) + 1)
  const most = Math.max(0, ...counts.values())
  const closest = most > 1 ? pages.flat() : (pages.find((page) => page.length > 0) ?? [])
  const distinct = new Map(
    closest.filter(({ asin }) => counts.get(asin) === most).map((product) => [product.asin, product])
  )
  return { products: [...distinct.values()], whole: false }
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

/** A product with the preferences that it meets. */
interface Candidate {
  readonly product: Product
  readonly met: ReadonlyArray<string>
}

/** Sorts by met preferences; products that meet none only if none meets any. */
const preferred = (
  products: ReadonlyArray<SearchProduct>,
  preferences: ReadonlyArray<string>,
  known: ReadonlyMap<string, Listing>
): ReadonlyArray<Candidate> => {
  const wishes = preferences
    .map((text) => ({ text, words: wordsOf(text) }))
    .filter(({ words }) => words.length > 0)
  const judged = products.map((product) => {
    const words = wordsOf(`${product.title} ${known.get(product.asin)?.features ?? ""}`)
    const met = wishes.filter((wish) => wish.words.every((word) => bestFit(word, words) > 0))
    return { product: toProduct(product), met: met.map(({ text }) => text) }
  })
  const liked = judged.filter(({ met }) => met.length > 0)
  return (liked.length > 0 ? liked : judged).sort((left, right) => right.met.length - left.met.length)
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

const replyFor = (
  picks: readonly [Candidate, ...Array<Candidate>],
  wish: { readonly words: ReadonlyArray<string>; readonly range: PriceRange; readonly whole: boolean },
  preferences: ReadonlyArray<string>
): string => {
  const [{ met, product }, ...others] = picks
  const wished = `“${wish.words.join(" ")}”${rangeText(wish.range)}`
  const opening = wish.whole
    ? `here ${picks.length === 1 ? "is one match" : `are ${picks.length} matches`} for ${wished}.`
    : `nothing fits all of ${wished}, but this comes close.`
  const liking =
    met.length > 0
      ? ` It has what you prefer: “${met.slice(0, maxNamed).join(", ")}”.`
      : preferences.length > 0
        ? ` None of these is known for what you prefer: “${preferences.slice(0, maxNamed).join(", ")}”.`
        : ""
  const rest = others.map((other) => `${other.product.title} (${priceText(other.product)})`).join("; ")
  return (
    `Sample assistant: ${opening} My first pick is ${product.title} (${priceText(product)}${opinionText(product)}).` +
    liking +
    (rest === "" ? "" : ` Also worth a look: ${rest}.`)
  )
}

/** The range from the request if given; otherwise from the message. */
const rangeOf = (request: ShopRequest, stated: PriceRange): PriceRange => {
  const given = request.context?.priceRange
  return given?.min === undefined && given?.max === undefined ? stated : { min: given.min, max: given.max }
}

/**
 * A sample assistant with rules instead of a language model.
 *
 * It searches for the product words in the message, respects `priceRange` (or a budget such as "under $50"),
 * and ranks products that meet the `preferences` first. Its replies begin with "Sample assistant:".
 */
export const assistant = (listings: ReadonlyArray<Listing>): AssistantOptions => {
  const known = new Map(listings.map((listing) => [listing.product.asin, listing]))
  const categories = [...new Set(listings.map(({ category }) => category))].slice(0, 6).join(", ")
  return {
    reply: async (request, { search }) => {
      const { range: stated, rest } = readBudget(request.message)
      const range = rangeOf(request, stated)
      const words = [...new Set(wordsOf(rest))].filter((word) => !chatter.has(word)).slice(0, 12)
      const preferences = request.context?.preferences ?? []
      if (words.length === 0) {
        const reply = `Sample assistant: tell me what you are looking for. I know my way around ${categories} and more.`
        return { reply, products: [] }
      }
      const { products, whole } = await candidates(words, range, search)
      const [first, ...others] = onePerFamily(preferred(products, preferences, known), known).slice(
        0,
        maxRecommended
      )
      if (first === undefined) {
        const reply =
          `Sample assistant: I found nothing for “${words.join(" ")}”${rangeText(range)}. ` +
          `Try other words or another price range; I know my way around ${categories} and more.`
        return { reply, products: [] }
      }
      const picks: readonly [Candidate, ...Array<Candidate>] = [first, ...others]
      return {
        reply: replyFor(picks, { words, range, whole }, preferences),
        products: picks.map(({ product }) => product)
      }
    }
  }
}
