import type { ProductPage } from "@till402/core"
import { canopy } from "../../src/canopy/index.ts"
import { rainforest } from "../../src/rainforest/index.ts"
import { serpApi } from "../../src/serpapi/index.ts"

/*
 * Both providers of the search of Amazon, and how each of them writes the same listing.
 */

export interface Sample {
  readonly asin: string
  readonly title: string
  readonly brand?: string
  readonly price?: { readonly value: number; readonly currency: string }
  readonly rating?: number
  readonly reviewCount?: number
  readonly imageUrl?: string
  readonly isPrime?: boolean
  readonly isSponsored?: boolean
}

export interface Paging {
  readonly page: number
  readonly totalPages: number
}

const canopyDocument = (results: ReadonlyArray<unknown>, { page, totalPages }: Paging) => ({
  data: {
    amazonProductSearchResults: {
      productResults: {
        results,
        pageInfo: { currentPage: page, totalPages, hasNextPage: page < totalPages }
      }
    }
  }
})

const rainforestDocument = (results: ReadonlyArray<unknown>, { page, totalPages }: Paging) => ({
  request_info: { success: true, credits_used: 7, credits_remaining: 93, credits_used_this_request: 1 },
  search_results: results,
  pagination: { current_page: page, total_pages: totalPages, total_results: 20 * totalPages }
})

const serpApiDocument = (results: ReadonlyArray<unknown>, { page, totalPages }: Paging) => ({
  search_metadata: { id: "s1", status: "Success", total_time_taken: 3.2 },
  search_parameters: { engine: "amazon", amazon_domain: "amazon.com", device: "desktop" },
  search_information: {
    organic_results_state: "Results for exact spelling",
    total_results: 20 * totalPages,
    page
  },
  organic_results: results,
  serpapi_pagination: {
    current: page,
    ...(page < totalPages ? { next: "https://serpapi.com/search.json?engine=amazon&page=2" } : {})
  }
})

/** The products of the response that each provider documents, as the contract has them. */
export const documentedProducts: ProductPage["products"] = [
  {
    asin: "B0TEST0001",
    title: "Acme Trail Running Shoes",
    price: 84.99,
    currency: "USD",
    rating: 4.5,
    reviewCount: 1287,
    imageUrl: "https://m.media-amazon.com/images/I/test1.jpg",
    productUrl: "https://www.amazon.com/dp/B0TEST0001",
    source: "marketplace_a",
    isExpedited: true
  },
  {
    asin: "B0TEST0002",
    title: "Zephyr Road Shoes",
    price: null,
    currency: "USD",
    rating: null,
    reviewCount: null,
    imageUrl: null,
    productUrl: "https://www.amazon.com/dp/B0TEST0002",
    source: "marketplace_a",
    isExpedited: false
  }
]

export const providers = [
  {
    name: "canopy",
    provide: canopy,
    endpoint: "https://rest.canopyapi.co/api/amazon/search",
    write: (sample: Sample): Record<string, unknown> => ({
      asin: sample.asin,
      title: sample.title,
      url: `https://www.amazon.com/sspa/click?url=%2Fdp%2F${sample.asin}`,
      ...(sample.brand === undefined ? {} : { brand: sample.brand }),
      price:
        sample.price === undefined
          ? null
          : { ...sample.price, display: `$${sample.price.value}`, symbol: "$" },
      rating: sample.rating ?? null,
      ratingsTotal: sample.reviewCount ?? null,
      mainImageUrl: sample.imageUrl ?? null,
      isPrime: sample.isPrime ?? false,
      sponsored: sample.isSponsored ?? false
    }),
    document: canopyDocument
  },
  {
    name: "rainforest",
    provide: rainforest,
    endpoint: "https://api.rainforestapi.com/request",
    write: (sample: Sample): Record<string, unknown> => ({
      position: 1,
      asin: sample.asin,
      title: sample.title,
      link: `https://www.amazon.com/sspa/click?url=%2Fdp%2F${sample.asin}`,
      ...(sample.brand === undefined ? {} : { brand: sample.brand }),
      ...(sample.price === undefined
        ? {}
        : { price: { ...sample.price, symbol: "$", raw: `$${sample.price.value}` } }),
      ...(sample.rating === undefined ? {} : { rating: sample.rating }),
      ...(sample.reviewCount === undefined ? {} : { ratings_total: sample.reviewCount }),
      ...(sample.imageUrl === undefined ? {} : { image: sample.imageUrl }),
      ...(sample.isPrime === true ? { is_prime: true } : {}),
      ...(sample.isSponsored === true ? { sponsored: true } : {})
    }),
    document: rainforestDocument
  },
  {
    name: "serpapi",
    provide: serpApi,
    endpoint: "https://serpapi.com/search.json",
    write: (sample: Sample): Record<string, unknown> => ({
      position: 1,
      asin: sample.asin,
      title: sample.title,
      link: `https://www.amazon.com/sspa/click?url=%2Fdp%2F${sample.asin}`,
      link_clean: `https://www.amazon.com/dp/${sample.asin}`,
      ...(sample.brand === undefined ? {} : { brand: sample.brand }),
      // Prices are in the shop's own currency, without its name.
      ...(sample.price?.currency === "USD"
        ? { price: `$${sample.price.value}`, extracted_price: sample.price.value }
        : {}),
      ...(sample.rating === undefined ? {} : { rating: sample.rating }),
      ...(sample.reviewCount === undefined ? {} : { reviews: sample.reviewCount }),
      ...(sample.imageUrl === undefined ? {} : { thumbnail: sample.imageUrl }),
      ...(sample.isPrime === true ? { prime: true } : {}),
      ...(sample.isSponsored === true ? { sponsored: true } : {})
    }),
    document: serpApiDocument
  }
] as const
