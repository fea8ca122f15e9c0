import { Context, Effect, Layer } from "effect"
import { StoreError } from "../domain/Errors.ts"
import type { VaultItem, VaultPage, VaultQuery } from "../domain/Vault.ts"

/** Stores the vault's items. Each method is one atomic step. */
export class VaultItems extends Context.Service<
  VaultItems,
  {
    /**
     * Adds an item, or replaces the one of the same id, which keeps its place in the listing and its downloads. Fails
     * if another item has its slug.
     */
    readonly put: (item: VaultItem) => Effect.Effect<void, StoreError>
    readonly findBySlug: (slug: string) => Effect.Effect<VaultItem | undefined, StoreError>
    /**
     * Lists items in the order in which they were added. Every word of `q` (up to sixteen) must occur in title,
     * description, category or slug, ignoring case. `cursor` is the id of the last item of the previous page; returns
     * `undefined` if no item has it.
     */
    readonly search: (query: VaultQuery) => Effect.Effect<VaultPage | undefined, StoreError>
    /** Increments the downloads of an item. */
    readonly countDownload: (slug: string) => Effect.Effect<void, StoreError>
  }
>()("@till402/core/VaultItems") {
  /** Items in memory. */
  static readonly layerMemory: Layer.Layer<VaultItems> = Layer.sync(VaultItems, () => {
    // A map keeps the order in which keys were added, also if one is set again.
    const items = new Map<string, VaultItem>()
    const bySlug = (slug: string): VaultItem | undefined =>
      Array.from(items.values()).find((item) => item.slug === slug)
    return VaultItems.of({
      put: (item) =>
        Effect.suspend(() => {
          const holder = bySlug(item.slug)
          if (holder !== undefined && holder.id !== item.id) {
            const cause = new Error(`the slug ${item.slug} belongs to item ${holder.id}`)
            return Effect.fail(new StoreError({ operation: "vaultItems.put", cause }))
          }
          items.set(item.id, { ...item, downloads: items.get(item.id)?.downloads ?? item.downloads })
          return Effect.void
        }),
      findBySlug: (slug) => Effect.sync(() => bySlug(slug)),
      countDownload: (slug) =>
        Effect.sync(() => {
          const item = bySlug(slug)
          if (item !== undefined) items.set(item.id, { ...item, downloads: item.downloads + 1 })
        }),
      search: (query) =>
        Effect.sync(() => {
          const all = Array.from(items.values())
          const cursor = query.cursor?.toLowerCase()
          const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id.toLowerCase() === cursor) + 1
          if (cursor !== undefined && start === 0) return undefined
          const found = all.slice(start).filter((item) => matches(item, query))
          const page = found.slice(0, query.limit)
          return { items: page, nextCursor: found.length > query.limit ? page.at(-1)!.id : null }
        })
    })
  })
}

const matches = (item: VaultItem, { category, maxPrice, minPrice, productType, q }: VaultQuery): boolean => {
  const text = searchTextOf(item)
  return (
    (category === undefined || item.category === category) &&
    (productType === undefined || item.productType === productType) &&
    (minPrice === undefined || item.price >= minPrice) &&
    (maxPrice === undefined || item.price <= maxPrice) &&
    wordsOf(q).every((word) => text.includes(word))
  )
}

/** Text without differences in case and Unicode form. */
const folded = (text: string): string => text.normalize("NFKC").toLowerCase()

/** The text of an item that a search matches. */
export const searchTextOf = ({ cardDescription, category, slug, title }: VaultItem): string =>
  folded([title, cardDescription, category, slug].join(" "))

/** The first sixteen words of a query, in lower case. */
export const wordsOf = (q: string | undefined): ReadonlyArray<string> =>
  folded(q ?? "")
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 16)
