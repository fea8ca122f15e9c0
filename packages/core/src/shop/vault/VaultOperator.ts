import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { ListingRejected } from "../ports/PortErrors.ts"
import { VaultItem, type VaultPage, type VaultQuery } from "../goods/VaultItem.ts"
import {
  ArchiveFacts,
  type ArchiveVersion,
  type Publication,
  readListing,
  type VaultListing
} from "../goods/VaultListing.ts"
import { issuesOf } from "../../domain/issuesOf.ts"
import { responseReader } from "../../ports/HostResponse.ts"
import { optionalStore } from "../ports/optionalStore.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { type VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import { Charges } from "../../ports/Charges.ts"
import { defaultLimit, listInPages } from "../../operators/listInPages.ts"
import { listPaidFor } from "../../operators/listPaidFor.ts"
import { isSameEmail } from "../ports/Orders.ts"

/** The newest versions of an item that are listed. */
const maxVersions = 1_000

/** A query of `vault/search`; `limit` is 1 to 100, default 30. */
export type VaultListQuery = Omit<VaultQuery, "limit"> & { readonly limit?: number }

const decodeArchive = Schema.decodeUnknownEffect(ArchiveFacts, { errors: "all" })

const checkArchive = (given: unknown): Effect.Effect<ArchiveFacts, ListingRejected> =>
  Effect.mapError(decodeArchive(given), (error) => new ListingRejected({ issues: issuesOf(error) }))

const checkListing = (given: unknown): Effect.Effect<VaultListing, ListingRejected> => {
  const reading = readListing(given)
  return reading._tag === "Listing"
    ? Effect.succeed(reading.listing)
    : Effect.fail(new ListingRejected({ issues: reading.issues }))
}

const readItem = responseReader(VaultItem)

/** Selects a page of granted purchases. */
export interface PurchaseQuery {
  /** Purchases in the page, above 0; default 50. */
  readonly limit?: number
  /** Only those with this email, in any letter case; none once it is erased. */
  readonly email?: string
  /** Only those of this item. */
  readonly slug?: string
  /** Only those that this address has paid for. */
  readonly payer?: string
  /** Only those that this transaction has paid for. */
  readonly transaction?: string
  /** The last purchase of the previous page. */
  readonly before?: Pick<VaultPurchase, "createdAtMillis" | "id">
}

const matches = (purchase: VaultPurchase, { email, slug }: PurchaseQuery): boolean =>
  (email === undefined || isSameEmail(purchase.email, email)) && (slug ?? purchase.slug) === purchase.slug

interface PurchaseStores {
  readonly charges: Charges["Service"]
  readonly purchases: VaultPurchases["Service"]
}

/** A page of purchases. Who paid, and by which transaction, is found by their charges. */
const listPurchases = (
  { charges, purchases }: PurchaseStores,
  query: PurchaseQuery & { readonly limit: number }
): Effect.Effect<ReadonlyArray<VaultPurchase>, StoreError> => {
  const { payer, transaction, ...own } = query
  return payer === undefined && transaction === undefined
    ? purchases.list(own)
    : listPaidFor(
        charges,
        { kind: "purchase", store: purchases, matches: (purchase) => matches(purchase, query) },
        { ...query, before: query.before?.id }
      )
}

/** Stocks the vault. */
export class VaultOperator extends Context.Service<
  VaultOperator,
  {
    /** Adds an item, or replaces the one with the same id. Fails if another item has its slug. */
    readonly put: (item: VaultItem) => Effect.Effect<void, StoreError>
    /**
     * Lists an item with its archive, whose bytes must be stored before. An item of this slug is changed; an archive
     * with another digest becomes its next version. Publishing the same again changes nothing.
     *
     * Fails with `ListingRejected`, which has every fault.
     */
    readonly publish: (
      listing: VaultListing,
      archive: ArchiveFacts
    ) => Effect.Effect<Publication, ListingRejected | StoreError>
    /** Returns the archives of an item, the newest first; none if it was never published. */
    readonly versions: (slug: string) => Effect.Effect<ReadonlyArray<ArchiveVersion>, StoreError>
    /** Counts the purchases of an item whose payment has settled. */
    readonly sales: (slug: string) => Effect.Effect<number, StoreError>
    /** Finds a purchase by its id. */
    readonly findPurchase: (id: string) => Effect.Effect<VaultPurchase | undefined, StoreError>
    /** Lists purchases whose payment has settled, newest first. */
    readonly purchases: (query?: PurchaseQuery) => Effect.Effect<ReadonlyArray<VaultPurchase>, StoreError>
    /** Lists items as `vault/search` does, page by page; `undefined` if no item has the cursor as its id. */
    readonly list: (query: VaultListQuery) => Effect.Effect<VaultPage | undefined, StoreError>
    /**
     * Takes an item off the listing until it is put again: it is neither found nor sold. Purchases can still be
     * downloaded. Returns whether it was listed.
     */
    readonly unlist: (slug: string) => Effect.Effect<boolean, StoreError>
  }
>()("@till402/core/VaultOperator") {
  static readonly layer: Layer.Layer<VaultOperator> = Layer.effect(
    VaultOperator,
    Effect.gen(function* () {
      const items = yield* optionalStore(VaultItems, "vaultItems")
      const purchases = yield* optionalStore(VaultPurchases, "vaultPurchases")
      const stores = { charges: yield* optionalStore(Charges, "charges"), purchases }
      const publish = Effect.fn("VaultOperator.publish")(function* (
        given: VaultListing,
        archive: ArchiveFacts
      ) {
        const listing = yield* checkListing(given)
        const facts = yield* checkArchive(archive)
        const item = { ...listing, id: crypto.randomUUID(), downloads: 0 }
        return yield* items.publish(item, facts, yield* Clock.currentTimeMillis)
      })
      return VaultOperator.of({
        put: (item) =>
          readItem(item).pipe(
            Effect.catch(({ message }) => Effect.die(new TypeError(`the item is not valid: ${message}`))),
            Effect.flatMap(() => items.put(item))
          ),
        unlist: (slug) => items.unlist(slug),
        publish,
        versions: (slug) => items.versions(slug, maxVersions),
        sales: (slug) => purchases.countSales(slug),
        findPurchase: (id) => purchases.find(id.toLowerCase()),
        purchases: ({ limit = defaultLimit, ...query } = {}) =>
          listInPages(limit, (size, last: PurchaseQuery["before"] = query.before) =>
            listPurchases(stores, { ...query, limit: size, ...(last === undefined ? {} : { before: last }) })
          ),
        list: ({ limit = 30, ...query }) => items.search({ ...query, limit })
      })
    })
  )
}
