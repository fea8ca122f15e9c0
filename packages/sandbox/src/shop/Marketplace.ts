import type { MarketplaceOptions, ProductPage, ProductQuery, SearchProduct } from "@till402/core"
import type { Listing } from "./Listing.ts"
import { bestFit, foldText, searchWords, wordsOf } from "./Words.ts"

/** Products per page of one marketplace. */
export const pageSize = 10

/** A product with its stock. */
interface Found extends SearchProduct {
  readonly isAvailable?: boolean
}

/** A page of a search. */
interface FoundPage extends ProductPage {
  readonly products: ReadonlyArray<Found>
}

/** A listing with its searchable words. */
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
  others: wordsOf(`${listing.keywords} ${listing.features} ${listing.product.asin}`),
  foldedTitle: foldText(listing.product.title),
  foldedBrand: foldText(listing.brand),
  buyable: listing.variants[0].priceCents !== undefined && listing.variants[0].inStock
})

/** How well a word matches a listing; 0 if not at all. The title counts most. */
const wordScore = (word: string, { brand, category, others, title }: Indexed): number =>
  Math.max(
    5 * bestFit(word, title),
    4 * bestFit(word, brand),
    3 * bestFit(word, category),
    bestFit(word, others)
  )

/** The listing's rank for a search; `undefined` if a word is missing. */
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

/** Sorts by rank, then available products first, then by reviews, then by identifier. */
const byRank = (
  left: { readonly score: number; readonly entry: Indexed },
  right: { readonly score: number; readonly entry: Indexed }
): number =>
  right.score - left.score ||
  Number(right.entry.buyable) - Number(left.entry.buyable) ||
  (right.entry.listing.product.reviewCount ?? 0) - (left.entry.listing.product.reviewCount ?? 0) ||
  (left.entry.listing.product.asin < right.entry.listing.product.asin ? -1 : 1)

/** A product as a search finds it. One that is out of stock is left out where it is sold. */
const foundOf = ({ product, variants: [variant] }: Listing): Found =>
  variant.inStock ? product : { ...product, isAvailable: false }

/**
 * Creates a marketplace from listings.
 *
 * Every search word must occur in title, brand, category, keywords or product code, ignoring case, diacritics and plural;
 * prefixes of three letters match. Products without a price pass no price filter.
 *
 * @example
 * const page = await marketplace(catalogue).search({ q: "noise cancelling headphones", priceMax: 150, page: 1
 * }, context)
 */
export const marketplace = (listings: ReadonlyArray<Listing>): MarketplaceOptions<FoundPage> => {
  const entries = listings.map(indexed)
  return {
    search: async (query): Promise<FoundPage> => {
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
        products: found.slice(end - pageSize, end).map(({ entry }) => foundOf(entry.listing)),
        totalResults: found.length,
        hasMore: end < found.length
      }
    }
  }
}
