import type { ProductPage, ProductQuery, SearchProduct } from "@till402/core"
import { type AmazonCountry, shopOf } from "./Country.ts"
import { isOfBrand } from "../listing/Brand.ts"
import type { FoundProduct } from "../listing/FoundProduct.ts"

/*
 * From an upstream's listings to a page of the port. Pure functions.
 */

/** One checked result of an upstream. `currency: null` means the shop's own. */
export interface Listing {
  readonly asin: string
  readonly title: string
  readonly brand: string | null
  readonly price: number | null
  readonly currency: string | null
  readonly rating: number | null
  readonly reviewCount: number | null
  readonly imageUrl: string | null
  readonly isPrime: boolean
  readonly isSponsored: boolean
  /** Whether the shop doesn't say that it can't be bought. */
  readonly isAvailable: boolean
}

/** One page of an upstream, unfiltered. */
export interface ListingPage {
  readonly listings: ReadonlyArray<Listing>
  /** Of all pages, as reported by the upstream. */
  readonly totalResults: number
  readonly hasMore: boolean
}

/**
 * Keeps each product once: the first organic listing, or the first sponsored one if there is no other.
 */
export const withoutDuplicates = (listings: ReadonlyArray<Listing>): ReadonlyArray<Listing> => {
  const kept = new Map<string, Listing>()
  for (const listing of listings) {
    const before = kept.get(listing.asin)
    if (before === undefined || (before.isSponsored && !listing.isSponsored)) kept.set(listing.asin, listing)
  }
  return listings.filter((listing) => kept.get(listing.asin) === listing)
}

/** Price filters are in US dollars, so a price in another currency never passes one. */
const isPricedWithin = (
  { currency, price }: Pick<SearchProduct, "currency" | "price">,
  { priceMax, priceMin }: ProductQuery
): boolean =>
  (priceMin === undefined && priceMax === undefined) ||
  (price !== null &&
    currency === "USD" &&
    (priceMin === undefined || price >= priceMin) &&
    (priceMax === undefined || price <= priceMax))

const toProduct = (listing: Listing, country: AmazonCountry): FoundProduct => {
  const { currency, host } = shopOf(country)
  return {
    asin: listing.asin,
    title: listing.title,
    price: listing.price,
    currency: listing.currency ?? currency,
    rating: listing.rating,
    reviewCount: listing.reviewCount,
    imageUrl: listing.imageUrl,
    // Built from the asin: the upstream's links go through advertising redirects.
    productUrl: `https://www.${host}/dp/${listing.asin}`,
    source: "marketplace_a",
    isExpedited: listing.isPrime,
    ...(listing.isAvailable ? {} : { isAvailable: false })
  }
}

/**
 * Converts an upstream's page: drops duplicates and applies every filter exactly. The page may be short or empty
 * although there is a further one.
 */
export const toProductPage = (
  { hasMore, listings, totalResults }: ListingPage,
  query: ProductQuery,
  country: AmazonCountry
): ProductPage => {
  const brand = query.brand?.trim() ?? ""
  return {
    products: withoutDuplicates(listings)
      .filter((listing) => brand === "" || isOfBrand(listing, brand))
      .map((listing) => toProduct(listing, country))
      .filter((product) => isPricedWithin(product, query)),
    totalResults: Math.max(totalResults, listings.length),
    // Ignores `hasMore` on an empty page: callers would request further pages forever.
    hasMore: hasMore && listings.length > 0
  }
}
