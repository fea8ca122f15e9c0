import type { MarketplaceOptions, ProductPage, ProductQuery } from "@till402/core"
import type { Listing } from "./Listing.ts"
import { bestFit, foldText, searchWords, wordsOf } from "./Words.ts"

/** Products on a page of one marketplace. */
export const pageSize = 10

/** A listing with its words at hand. */
interface Indexed {
  readonly listing: Listing
  readonly title: ReadonlyArray<string>
  readonly brand: ReadonlyArray<string>
  readonly category: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
  readonly foldedTitle: string
  readonly foldedBrand: string
  readonly buyable: boolean
}

const indexed = (listing: Listing): Indexed => ({
  listing,
  title: wordsOf(listing.product.title),
  brand: wordsOf(listing.brand),
  category: wordsOf(listing.category),
  others: wordsOf(`${listing.keywords} ${listing.features}`),
  foldedTitle: foldText(listing.product.title),
  foldedBrand: foldText(listing.brand),
  buyable: listing.variants[0].priceCents !== undefined && listing.variants[0].inStock
})

/** How well one word fits a listing; 0 where it does not occur. The title tells most. */
const wordScore = (word: string, { brand, category, others, title }: Indexed): number =>
  Math.max(
    5 * bestFit(word, title),
    4 * bestFit(word, brand),
    3 * bestFit(word, category),
    bestFit(word, others)
  )

/** The listing's rank for a search; `undefined` where a word is missing. */
const score = (words: ReadonlyArray<string>, phrase: string, entry: Indexed): number | undefined => {
  let sum = words.length > 1 && entry.foldedTitle.includes(phrase) ? 10 : 0
  for (const word of words) {
    const points = wordScore(word, entry)
    if (points === 0) return undefined
    sum += points
  }
  return sum
}

const passes = ({ brand, priceMax, priceMin }: ProductQuery, { foldedBrand, listing }: Indexed): boolean => {
  if (brand !== undefined && foldText(brand.trim()) !== foldedBrand) return false
  if (priceMin === undefined && priceMax === undefined) return true
  const { price } = listing.product
  return price !== null && price >= (priceMin ?? 0) && price <= (priceMax ?? Infinity)
}

/** Best first; of equals the one that can be bought, then the most reviewed, then by identifier. */
const byRank = (
  left: { readonly score: number; readonly entry: Indexed },
  right: { readonly score: number; readonly entry: Indexed }
): number =>
  right.score - left.score ||
  Number(right.entry.buyable) - Number(left.entry.buyable) ||
  (right.entry.listing.product.reviewCount ?? 0) - (left.entry.listing.product.reviewCount ?? 0) ||
  (left.entry.listing.product.asin < right.entry.listing.product.asin ? -1 : 1)

/**
 * A marketplace over listings. Every word of the search has to occur in title, brand, category or
 * keywords (letter case, diacritics and plural aside; from three letters on the beginning of a word is
 * enough). A brand has to be that brand, and a product without a price passes no price filter.
 *
 * @example
 * const page = await marketplace(catalogue).search({ q: "noise cancelling headphones", priceMax: 150, page: 1 }, context)
 */
export const marketplace = (listings: ReadonlyArray<Listing>): MarketplaceOptions => {
  const entries = listings.map(indexed)
  return {
    search: async (query): Promise<ProductPage> => {
      const words = searchWords(query.q)
      const phrase = foldText(query.q).trim()
      const found = entries
        .flatMap((entry) => {
          const points = words.length > 0 && passes(query, entry) ? score(words, phrase, entry) : undefined
          return points === undefined ? [] : [{ entry, score: points }]
        })
        .sort(byRank)
      const end = query.page * pageSize
      return {
        products: found.slice(end - pageSize, end).map(({ entry }) => entry.listing.product),
        totalResults: found.length,
        hasMore: end < found.length
      }
    }
  }
}
