import { Context, Effect, Layer } from "effect"
import { StoreError } from "../../domain/Errors.ts"
import { searchTermsOf } from "../goods/SearchTerms.ts"
import type { VaultItem, VaultPage, VaultQuery } from "../goods/VaultItem.ts"
import {
  isMatch,
  rankedPage,
  type VaultFound,
  type VaultRead,
  type VaultStep
} from "../goods/VaultRanking.ts"
import {
  type ArchiveFacts,
  type ArchiveVersion,
  type Publication,
  sameListing
} from "../goods/VaultListing.ts"

/** Stores the vault's items. Each method is one atomic step. */
export class VaultItems extends Context.Service<
  VaultItems,
  {
    /**
     * Adds an item, or replaces the one of the same id, which keeps its place in the listing and its downloads, and is
     * listed again. Fails if another item has its slug, listed or not.
     */
    readonly put: (item: VaultItem) => Effect.Effect<void, StoreError>
    /**
     * Puts an item with its archive, both or neither. An item of this slug keeps its id, listed or not; otherwise it gets
     * the one of `item`. An archive whose digest is not that of the newest version becomes the next version. Writes
     * nothing if the item is listed with the same facts and archive.
     */
    readonly publish: (
      item: VaultItem,
      archive: ArchiveFacts,
      nowMillis: number
    ) => Effect.Effect<Publication, StoreError>
    /** Returns up to `limit` archives of an item, listed or not, the newest first; none if it was never published. */
    readonly versions: (
      slug: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ArchiveVersion>, StoreError>
    /**
     * Takes an item off the listing: neither `search` nor `findBySlug` finds it, until it is put again. Its id stays
     * valid as a cursor. Returns whether it was listed.
     */
    readonly unlist: (slug: string) => Effect.Effect<boolean, StoreError>
    /** Finds a listed item. */
    readonly findBySlug: (slug: string) => Effect.Effect<VaultItem | undefined, StoreError>
    /**
     * Lists items in the order in which they were added, or by `q` in the order of `rankedPage`: a store of your own calls
     * `searchVault`. `cursor` is the id of the last item of the previous page, in any case; returns `undefined` if no item
     * has it.
     */
    readonly search: (query: VaultQuery) => Effect.Effect<VaultPage | undefined, StoreError>
    /** Increments the downloads of an item, listed or not. */
    readonly countDownload: (slug: string) => Effect.Effect<void, StoreError>
  }
>()("@till402/core/VaultItems") {
  /** Items in memory. */
  static readonly layerMemory: Layer.Layer<VaultItems> = Layer.sync(VaultItems, () => {
    const rows = new ItemRows()
    return VaultItems.of({
      put: (item) =>
        Effect.suspend(() => {
          const holder = rows.bySlug(item.slug)?.item
          if (holder !== undefined && holder.id !== item.id) {
            const cause = new Error(`the slug ${item.slug} belongs to item ${holder.id}`)
            return Effect.fail(new StoreError({ operation: "vaultItems.put", cause }))
          }
          rows.put(item)
          return Effect.void
        }),
      publish: (item, archive, nowMillis) => Effect.sync(() => rows.publish(item, archive, nowMillis)),
      versions: (slug, limit) => Effect.sync(() => rows.bySlug(slug)?.archives.slice(0, limit) ?? []),
      unlist: (slug) =>
        Effect.sync(() => {
          const row = rows.bySlug(slug)
          if (row?.isListed !== true) return false
          rows.set({ ...row, isListed: false })
          return true
        }),
      findBySlug: (slug) =>
        Effect.sync(() => {
          const row = rows.bySlug(slug)
          return row?.isListed === true ? row.item : undefined
        }),
      countDownload: (slug) =>
        Effect.sync(() => {
          const row = rows.bySlug(slug)
          if (row === undefined) return
          const { item } = row
          rows.set({ ...row, item: { ...item, downloads: item.downloads + 1 } })
        }),
      search: (query) => searchInSteps(query, (read) => Effect.sync(() => rows.read(read)))
    })
  })
}

/** Reads one page of a search, by what the store reads. */
export const searchInSteps = Effect.fnUntraced(function* <E>(
  query: VaultQuery,
  read: (read: VaultRead) => Effect.Effect<VaultFound, E>
): Effect.fn.Return<VaultPage | undefined, E> {
  const run = rankedPage(query)
  let next = run.next()
  while (next.done !== true) next = run.next(yield* read(next.value))
  return next.value
})

interface Row {
  readonly item: VaultItem
  readonly terms: ReadonlyArray<string>
  readonly isListed: boolean
  /** The newest first. */
  readonly archives: ReadonlyArray<ArchiveVersion>
}

/** Items with their archives, in memory. */
class ItemRows {
  // A map keeps the order in which keys were added, also if one is set again.
  private readonly rows = new Map<string, Row>()

  bySlug(slug: string): Row | undefined {
    return Array.from(this.rows.values()).find(({ item }) => item.slug === slug)
  }

  set(row: Row): void {
    this.rows.set(row.item.id, row)
  }

  put(item: VaultItem): void {
    const { archives = [], item: before = item } = this.rows.get(item.id) ?? {}
    const { downloads } = before
    this.set({ item: { ...item, downloads }, terms: searchTermsOf(item), isListed: true, archives })
  }

  publish(item: VaultItem, archive: ArchiveFacts, nowMillis: number): Publication {
    const before = this.bySlug(item.slug)
    const id = before?.item.id ?? item.id
    const newest = before?.archives[0]
    const isNewest = newest?.digest === archive.digest
    if (isNewest && before?.isListed === true && sameListing(before.item, item))
      return { _tag: "Unchanged", id, version: newest.version }
    this.put({ ...item, id })
    const version = isNewest ? newest.version : (newest?.version ?? 0) + 1
    if (!isNewest) {
      const { digest, size } = archive
      const row = this.rows.get(id)!
      const published = { version, digest, size, publishedAtMillis: nowMillis }
      this.set({ ...row, archives: [published, ...row.archives] })
    }
    return { _tag: before === undefined ? "Added" : "Changed", id, version }
  }

  read(read: VaultRead): VaultFound {
    const all = Array.from(this.rows.values())
    const indexOf = (id: string) => all.findIndex(({ item }) => item.id.toLowerCase() === id.toLowerCase())
    if (read._tag === "Item") {
      const row = all[indexOf(read.id)]
      return row === undefined ? [] : [row.item]
    }
    const { after, limit } = read.step
    const found = all.slice(after === undefined ? 0 : indexOf(after) + 1).filter(matcherOf(read.step))
    return found.slice(0, limit).map(({ item }) => item)
  }
}

const matcherOf =
  ({ category, match, maxPrice, minPrice, productType }: VaultStep): ((row: Row) => boolean) =>
  ({ isListed, item, terms }) =>
    isListed &&
    (category === undefined || item.category === category) &&
    (productType === undefined || item.productType === productType) &&
    (minPrice === undefined || item.price >= minPrice) &&
    (maxPrice === undefined || item.price <= maxPrice) &&
    (match === undefined || isMatch(terms, match))
