import type { ProductQuery } from "@till402/core"
import { Effect, type Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  asinOf,
  countOf,
  currencyOf,
  type Fields,
  fieldsOf,
  priceOf,
  ratingOf,
  textOf,
  urlOf
} from "../listing/Fields.ts"
import {
  readJson,
  ResponseMalformed,
  type UpstreamResponse,
  type UpstreamSettings
} from "../upstream/index.ts"
import type { AmazonCountry } from "./Country.ts"
import type { Listing, ListingPage } from "./Listing.ts"

/*
 * A service that searches Amazon, made of its entry in `services.ts`.
 */

/** A search, with the term that includes the brand. */
export type AmazonSearch = ProductQuery & { readonly term: string }

interface Access {
  readonly apiKey: string
  readonly country: AmazonCountry
}

/** One page of a service's document. */
interface FoundPage {
  readonly results: ReadonlyArray<unknown>
  readonly hasMore: boolean
  readonly totalResults: number
  readonly quotaSpent: number
  readonly quotaRemaining?: number
  /** What the shop proposes for a misspelt term. */
  readonly correction?: string | undefined
}

/** Where a service differs from the others. */
interface ServiceEntry<A> {
  readonly name: string
  readonly baseUrl: string
  /** Defaults that differ from those of `makeUpstream`. */
  readonly settings?: UpstreamSettings
  readonly path: string
  readonly headers?: (access: Access) => Readonly<Record<string, string>>
  readonly parameters: (search: AmazonSearch, access: Access) => Readonly<Record<string, string | number>>
  readonly document: Schema.Decoder<A>
  /** The page in a document, or what is wrong with it. */
  readonly found: (document: A, page: number) => FoundPage | string
  /** Fields of a result whose names differ. */
  readonly listing: (fields: Fields) => Readonly<
    Record<"price" | "currency" | "reviewCount" | "imageUrl" | "isPrime", unknown>
  > & {
    /** What the shop says of its stock: `Only 3 left in stock`. */
    readonly stock?: unknown
  }
}

/** A service that searches Amazon: its requests, and how its responses are read. */
export interface AmazonService extends Pick<ServiceEntry<never>, "name" | "baseUrl" | "settings"> {
  readonly request: (
    search: AmazonSearch,
    access: Access & { readonly baseUrl: string }
  ) => HttpClientRequest.HttpClientRequest
  readonly read: (
    response: UpstreamResponse,
    page: number
  ) => Effect.Effect<
    ListingPage & Pick<FoundPage, "quotaSpent" | "quotaRemaining" | "correction">,
    ResponseMalformed
  >
}

/** Amazon's words for a product that nobody sells now. */
const saysUnavailable =
  /\b(?:currently unavailable|temporarily out of stock|out of stock|no longer available)\b/i

export const amazonService = <A>(entry: ServiceEntry<A>): AmazonService => {
  const { document, found, headers, listing, name, parameters, path } = entry
  const readDocument = readJson(document)

  const listingOf = (result: unknown): Listing | undefined => {
    const fields = fieldsOf(result)
    const asin = asinOf(fields["asin"])
    const title = textOf(fields["title"])
    if (asin === null || title === null) return undefined
    const { currency, imageUrl, isPrime, price, reviewCount, stock } = listing(fields)
    return {
      asin,
      title,
      brand: textOf(fields["brand"]),
      price: priceOf(price),
      currency: currencyOf(currency),
      rating: ratingOf(fields["rating"]),
      reviewCount: countOf(reviewCount),
      imageUrl: urlOf(imageUrl),
      isPrime: isPrime === true,
      isSponsored: fields["sponsored"] === true,
      isAvailable: !saysUnavailable.test(textOf(stock) ?? "")
    }
  }

  return {
    name,
    baseUrl: entry.baseUrl,
    settings: entry.settings ?? {},
    request: (search, { baseUrl, ...access }) =>
      HttpClientRequest.get(`${baseUrl}${path}`).pipe(
        HttpClientRequest.setUrlParams(parameters(search, access)),
        // No Content-Type: Canopy has responded with a 500 to requests that have one.
        HttpClientRequest.setHeaders({ accept: "application/json", ...headers?.(access) })
      ),
    read: Effect.fnUntraced(function* (response, page) {
      const malformed = (detail: string) => new ResponseMalformed({ upstream: response.upstream, detail })
      const read = found(yield* readDocument(response), page)
      if (typeof read === "string") return yield* malformed(read)
      const { results, ...paging } = read
      const listings = results.flatMap((result) => listingOf(result) ?? [])
      return listings.length === 0 && results.length > 0
        ? yield* malformed("no result has both asin and title")
        : { listings, ...paging }
    })
  }
}
