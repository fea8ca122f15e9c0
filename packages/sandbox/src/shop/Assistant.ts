import type { AssistantOptions, Product, ProductQuery, SearchProduct, ShopRequest } from "@till402/core"
import type { Listing } from "./Listing.ts"
import { bestFit, wordsOf } from "./Words.ts"

/** Products in an answer. */
const maxRecommended = 5
/** Searches of one answer, the one for the whole wish included. */
const maxSearches = 6

/** Words of a wish that name no goods. */
const chatter = new Set(
  `a about above actually all am an and any anything are around as at be below best between but buy by can cheap
  cheapest could dollar dollars find for from get give good great have hello help hey hi how i id im in is it just
  less let like looking maximum me minimum more most my need needs nice no not of offer on one or our over please
  product products recommend recommendation search shop show some someone something suggest than thank thanks
  that the their them then there these they thing things this to under up us usd want wants we what where which
  who with would you your`.split(/\s+/)
)

interface PriceRange {
  readonly min: number | undefined
  readonly max: number | undefined
}

const amount = String.raw`(?:us)?\$?\s*(\d{1,6}(?:\.\d{1,2})?)\s*(?:usd|dollars?|bucks)?`
const between = new RegExp(String.raw`\b(?:between|from)\s+${amount}\s*(?:and|to|-)\s*${amount}`, "i")
const atMost = new RegExp(
  String.raw`\b(?:under|below|less than|up to|at most|no more than|cheaper than|max(?:imum)?(?: of)?)\s+${amount}`,
  "i"
)
const atLeast = new RegExp(String.raw`\b(?:over|above|more than|at least|min(?:imum)?(?: of)?)\s+${amount}`, "i")

const numberIn = (match: RegExpExecArray | null, group: number): number | undefined =>
  match === null ? undefined : Number(match[group])

/** The price range a message speaks of, and the message without it. */
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
  // Marketplaces take bounds above zero; the answer is held to the range once more below.
  ...(min !== undefined && min > 0 ? { priceMin: min } : {}),
  ...(max !== undefined && max > 0 ? { priceMax: max } : {})
})

type Search = (query: ProductQuery) => Promise<ReadonlyArray<SearchProduct>>

/** Products for all words at once; failing that, for each word, those that fit most words first. */
const candidates = async (
  words: ReadonlyArray<string>,
  range: PriceRange,
  search: Search
): Promise<{ readonly products: ReadonlyArray<SearchProduct>; readonly whole: boolean }> => {
  const within = (products: ReadonlyArray<SearchProduct>) => products.filter(({ price }) => isWithin(price, range))
  const whole = within(await search(toQuery(words, range)))
  if (whole.length > 0 || words.length === 1) return { products: whole, whole: true }
  const pages = await Promise.all(
    words.slice(0, maxSearches - 1).map(async (word) => within(await search(toQuery([word], range))))
  )
  const hits = new Map<string, { readonly product: SearchProduct; count: number }>()
  for (const product of pages.flat()) {
    const hit = hits.get(product.asin)
    if (hit === undefined) hits.set(product.asin, { product, count: 1 })
    else hit.count += 1
  }
  const ranked = [...hits.values()].sort((left, right) => right.count - left.count)
  return { products: ranked.map(({ product }) => product), whole: false }
}

/** `isExpedited` belongs to search alone. */
const toProduct = ({ isExpedited: _, ...product }: SearchProduct): Product => product

const rangeText = ({ max, min }: PriceRange): string => {
  if (min !== undefined && max !== undefined) return ` between $${min} and $${max}`
  if (max !== undefined) return ` up to $${max}`
  return min === undefined ? "" : ` from $${min}`
}

const opinionText = ({ rating, reviewCount }: Product): string => {
  if (rating === null) return ""
  const by = reviewCount === null ? "" : ` from ${reviewCount.toLocaleString("en-US")} reviews`
  return `, rated ${rating} of 5${by}`
}

const priceText = ({ price }: Product): string => (price === null ? "no price given" : `$${price.toFixed(2)}`)

/** A product with the preferences that it meets. */
interface Candidate {
  readonly product: Product
  readonly met: ReadonlyArray<string>
}

/** Those that meet most preferences first; those that meet none only where none meets any. */
const preferred = (
  products: ReadonlyArray<SearchProduct>,
  preferences: ReadonlyArray<string>,
  featuresOf: ReadonlyMap<string, string>
): ReadonlyArray<Candidate> => {
  const wishes = preferences.map((text) => ({ text, words: wordsOf(text) })).filter(({ words }) => words.length > 0)
  const judged = products.map((product) => {
    const words = wordsOf(`${product.title} ${featuresOf.get(product.asin) ?? ""}`)
    const met = wishes.filter((wish) => wish.words.every((word) => bestFit(word, words) > 0))
    return { product: toProduct(product), met: met.map(({ text }) => text) }
  })
  const liked = judged.filter(({ met }) => met.length > 0)
  return (liked.length > 0 ? liked : judged).sort((left, right) => right.met.length - left.met.length)
}

const replyFor = (
  picks: readonly [Candidate, ...Array<Candidate>],
  wish: { readonly words: ReadonlyArray<string>; readonly range: PriceRange; readonly whole: boolean },
  preferences: ReadonlyArray<string>
): string => {
  const [{ met, product }, ...others] = picks
  const asked = `“${wish.words.join(" ")}”${rangeText(wish.range)}`
  const opening = wish.whole
    ? `here ${picks.length === 1 ? "is one match" : `are ${picks.length} matches`} for ${asked}.`
    : `nothing fits all of ${asked}, but this comes close.`
  const liking =
    met.length > 0
      ? ` It is ${met.join(", ")}, as you prefer.`
      : preferences.length > 0
        ? ` I found none that is ${preferences.join(" or ")}.`
        : ""
  const rest = others.map((other) => `${other.product.title} (${priceText(other.product)})`).join("; ")
  return (
    `Sample assistant: ${opening} My first pick is ${product.title} (${priceText(product)}${opinionText(product)}).` +
    liking +
    (rest === "" ? "" : ` Also worth a look: ${rest}.`)
  )
}

/** The range of the request where it gives one; else what the message says. */
const rangeOf = (request: ShopRequest, said: PriceRange): PriceRange => {
  const given = request.context?.priceRange
  return given?.min === undefined && given?.max === undefined ? said : { min: given.min, max: given.max }
}

/**
 * A sample assistant: no language model, but rules over search. It looks for the words of the message
 * that may name goods, keeps to `priceRange` (or to a budget in the message, such as "under $50"), and
 * puts first what meets the `preferences` by title or features. Its replies begin with
 * "Sample assistant:".
 */
export const assistant = (listings: ReadonlyArray<Listing>): AssistantOptions => {
  const featuresOf = new Map(listings.map(({ features, product }) => [product.asin, features]))
  const categories = [...new Set(listings.map(({ category }) => category))].slice(0, 6).join(", ")
  return {
    ask: async (request, { search }) => {
      const { range: said, rest } = readBudget(request.message)
      const range = rangeOf(request, said)
      const words = [...new Set(wordsOf(rest))].filter((word) => !chatter.has(word)).slice(0, 12)
      const preferences = request.context?.preferences ?? []
      if (words.length === 0) {
        const reply = `Sample assistant: tell me what you are looking for. I know my way around ${categories} and more.`
        return { reply, products: [] }
      }
      const { products, whole } = await candidates(words, range, search)
      const [first, ...others] = preferred(products, preferences, featuresOf).slice(0, maxRecommended)
      if (first === undefined) {
        const reply =
          `Sample assistant: I found nothing for “${words.join(" ")}”${rangeText(range)}. ` +
          `Try other words or another price range; I know my way around ${categories} and more.`
        return { reply, products: [] }
      }
      const picks: readonly [Candidate, ...Array<Candidate>] = [first, ...others]
      return { reply: replyFor(picks, { words, range, whole }, preferences), products: picks.map(({ product }) => product) }
    }
  }
}
