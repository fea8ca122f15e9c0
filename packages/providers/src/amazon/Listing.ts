import type { ProductPage, ProductQuery, SearchProduct } from "@till402/core"
import { type AmazonCountry, shopOf } from "./Country.ts"
import { isOfBrand } from "../listing/Brand.ts"

/*
 * From what an upstream lists to the page that the port answers. Pure.
 */

/** One result as an upstream lists it, already checked. `currency: null` is the shop's own. */
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
}

/** One page of an upstream, unfiltered. */
export interface ListingPage {
  readonly listings: ReadonlyArray<Listing>
  /** Of all pages, as far as the upstream says. */
  readonly totalResults: number
  readonly hasMore: boolean
}

/**
 * Each product once: a sponsored listing gives way to the product's own rank, and of several of a kind
 * the first stays.
 */
export const withoutDuplicates = (listings: ReadonlyArray<Listing>): ReadonlyArray<Listing> => {
  const kept = new Map<string, Listing>()
  for (const listing of listings) {
    const before = kept.get(listing.asin)
    if (before === undefined || (before.isSponsored && !listing.isSponsored)) kept.set(listing.asin, listing)
  }
  return listings.filter((listing) => kept.get(listing.asin) === listing)
}

/** Filters are in US dollars: a price in another currency can't be said to lie within them. */
const isPricedWithin = (
  { currency, price }: Pick<SearchProduct, "currency" | "price">,
  { priceMax, priceMin }: ProductQuery
): boolean =>
  (priceMin === undefined && priceMax === undefined) ||
  (price !== null &&
    currency === "USD" &&
    (priceMin === undefined || price >= priceMin) &&
    (priceMax === undefined || price <= priceMax))

const toProduct = (listing: Listing, country: AmazonCountry): SearchProduct => {
  const { currency, host } = shopOf(country)
  return {
    asin: listing.asin,
    title: listing.title,
    price: listing.price,
    currency: listing.currency ?? currency,
    rating: listing.rating,
    reviewCount: listing.reviewCount,
    imageUrl: listing.imageUrl,
    // Built, not taken over: the upstream's links go through advertising redirects.
    productUrl: `https://www.${host}/dp/${listing.asin}`,
    source: "marketplace_a",
    isExpedited: listing.isPrime
  }
}

/**
 * The port's page of an upstream's page: without duplicates, with every filter applied exactly. It may
 * be short, even empty, while there is more: page n is always the upstream's page n.
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
    // An upstream that promises more after an empty page would have its callers turn pages for ever.
    hasMore: hasMore && listings.length > 0
  }
}
