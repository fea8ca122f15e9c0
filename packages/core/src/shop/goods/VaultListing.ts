import { Result, Schema } from "effect"
import type { Issue } from "../../domain/ApiError.ts"
import { issuesOf } from "../../domain/issuesOf.ts"
import { isWebAddress, Text } from "../../domain/Text.ts"
import { Category, Keywords, ProductType, type VaultItem } from "./VaultItem.ts"

/** The name of an item that is published: it is part of addresses and file names. */
const Slug = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u, {
      message: "must be lower-case letters and digits, in words joined by hyphens: my-first-item"
    }),
    Schema.isMaxLength(100, { message: "must have at most 100 characters" })
  )
)

const WebAddress = Text({ min: 1, max: 2_000 }).check(isWebAddress)

/** What a publisher says about an item. The till adds its id and counts its downloads. */
export const VaultListing = Schema.Struct({
  slug: Slug,
  title: Text({ min: 1, max: 200 }),
  productType: ProductType,
  cardDescription: Text({ min: 1, max: 2_000, multiline: true }),
  price: Schema.Int.check(
    Schema.isBetween(
      { minimum: 1, maximum: 100_000 },
      { message: "must be whole dollars between 1 and 100000" }
    )
  ),
  category: Category,
  creator: Schema.Struct({ name: Text({ min: 1, max: 200 }), type: Text({ min: 1, max: 50 }) }),
  coverImageUrl: WebAddress,
  keywords: Schema.optionalKey(Keywords)
}).annotate({ identifier: "VaultListing" })
export type VaultListing = typeof VaultListing.Type

/** A listing that can be published, or every fault of it. */
export type ListingReading =
  | { readonly _tag: "Listing"; readonly listing: VaultListing }
  | { readonly _tag: "Faulty"; readonly issues: ReadonlyArray<Issue> }

const decodeListing = Schema.decodeUnknownResult(VaultListing, { errors: "all", onExcessProperty: "error" })

/**
 * Reads a listing, e.g. from a JSON file. Returns every fault at once, each with the path of its field; fields that
 * listings don't have are faults too.
 *
 * @example
 * readListing({ slug: "A b" }) // { _tag: "Faulty", issues: [{ path: "slug", message: "must be lower-case letters …" }, …] }
 */
export const readListing = (given: unknown): ListingReading => {
  const decoded = decodeListing(given)
  return Result.isSuccess(decoded)
    ? { _tag: "Listing", listing: decoded.success }
    : { _tag: "Faulty", issues: issuesOf(decoded.failure) }
}

/** The facts of an archive: SHA-256 of its bytes in hexadecimal, and their number. */
export const ArchiveFacts = Schema.Struct({
  digest: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{64}$/u, { message: "must be a SHA-256 digest in lower-case hexadecimal" })
  ),
  size: Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a number of bytes above 0" }))
})
export type ArchiveFacts = typeof ArchiveFacts.Type

/** A published archive of an item. Versions are counted from 1, and never change. */
export interface ArchiveVersion extends ArchiveFacts {
  readonly version: number
  readonly publishedAtMillis: number
}

/** The result of publishing an item. `Unchanged`: nothing was written, since all of it was there. */
export interface Publication {
  readonly _tag: "Added" | "Changed" | "Unchanged"
  /** UUID of the item. */
  readonly id: string
  /** The version of its archive. */
  readonly version: number
}

/** Whether two items are listed with the same words, at the same price. Pure. */
export const sameListing = (left: VaultListing | VaultItem, right: VaultListing | VaultItem): boolean =>
  factsOf(left) === factsOf(right)

const factsOf = (item: VaultListing | VaultItem): string => {
  const { cardDescription, category, coverImageUrl, creator, keywords, price, productType, slug, title } =
    item
  return JSON.stringify([
    slug,
    title,
    productType,
    cardDescription,
    price,
    category,
    creator.name,
    creator.type,
    coverImageUrl,
    keywords ?? []
  ])
}
