import { Effect } from "effect"
import { VaultItems, type VaultPurchases } from "@till402/core/effect"
import { publishingCases } from "./publishingCases.ts"
import { purchaseCases } from "./purchaseCases.ts"
import { sampleVaultItem, uuidOf } from "./records.ts"
import { expectEqual, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"
import { found, shelf, vaultSearchCases } from "./vaultSearchCases.ts"

const keeping: ReadonlyArray<StoreCase<VaultItems>> = [
  storeCase("VaultItems: an item is stored unchanged", function* () {
    const vault = yield* VaultItems
    expectEqual(yield* vault.findBySlug("item-1"), undefined, "an unknown slug")
    expectEqual(yield* vault.search({ limit: 30 }), { items: [], nextCursor: null }, "an empty shelf")
    const item = sampleVaultItem(1, {
      title: `Zoë's "notes" \\ 📝`,
      productType: "persona",
      category: "ios",
      downloads: 41,
      price: 1
    })
    yield* vault.put(item)
    expectEqual(yield* vault.findBySlug("item-1"), item, "the item")
    expectEqual(yield* vault.search({ limit: 30 }), { items: [item], nextCursor: null }, "the shelf")
  }),
  storeCase("VaultItems: updating an item keeps its position and its downloads", function* () {
    const vault = yield* shelf([1, 2, 3].map((number) => sampleVaultItem(number, { downloads: number })))
    yield* vault.countDownload("item-2")
    yield* vault.countDownload("unknown")
    const changed = sampleVaultItem(2, {
      slug: "renamed",
      title: "Haiku",
      price: 99,
      category: "career",
      productType: "knowledge",
      downloads: 1_000
    })
    yield* vault.put(changed)
    expectEqual(yield* vault.findBySlug("renamed"), { ...changed, downloads: 3 }, "the item")
    expectEqual(yield* vault.findBySlug("item-2"), undefined, "its slug of before")
    expectEqual(yield* found({}), ["item-1", "renamed", "item-3"], "the shelf")
    expectEqual(yield* found({ q: "haiku" }), ["renamed"], "found by its new title")
    expectEqual(yield* found({ category: "career" }), ["renamed"], "found by its new category")
  }),
  storeCase(`VaultItems: ${racers} concurrent downloads are all counted`, function* () {
    const vault = yield* shelf([sampleVaultItem(1)])
    yield* race(() => vault.countDownload("item-1"))
    expectEqual((yield* vault.findBySlug("item-1"))?.downloads, racers, "downloads")
  }),
  storeCase("VaultItems: a slug belongs to one item", function* () {
    const vault = yield* shelf([sampleVaultItem(1), sampleVaultItem(2)])
    const refused = yield* Effect.flip(vault.put(sampleVaultItem(3, { slug: "item-1" })))
    expectEqual(refused._tag, "StoreError", "a new item of a known slug")
    const renamed = yield* Effect.flip(vault.put(sampleVaultItem(2, { slug: "item-1" })))
    expectEqual(renamed._tag, "StoreError", "a known item renamed to another's slug")
    expectEqual(yield* found({}), ["item-1", "item-2"], "the shelf")
  }),
  storeCase("VaultItems: slugs are compared byte by byte", function* () {
    const slugs = ["item-1", "Item-1", "item-1 ", "item_1"]
    const vault = yield* shelf(slugs.map((slug, index) => sampleVaultItem(index + 1, { slug })))
    for (const [index, slug] of slugs.entries())
      expectEqual((yield* vault.findBySlug(slug))?.id, uuidOf(index + 1), JSON.stringify(slug))
    for (const slug of ["ITEM-1", "item-1  ", "item%1"])
      expectEqual(yield* vault.findBySlug(slug), undefined, JSON.stringify(slug))
  }),
  storeCase(
    "VaultItems: an unlisted item is not found, keeps its slug, and is listed again when put",
    function* () {
      const vault = yield* shelf([1, 2, 3].map((number) => sampleVaultItem(number)))
      expectEqual(yield* vault.unlist("unknown"), false, "an unknown item")
      expectEqual(yield* vault.unlist("item-2"), true, "a listed item")
      expectEqual(yield* vault.unlist("item-2"), false, "an unlisted item")
      expectEqual(yield* vault.findBySlug("item-2"), undefined, "by its slug")
      for (const query of [{}, { q: "writer" }, { category: "development" as const }, { maxPrice: 10 }])
        expectEqual(yield* found(query), ["item-1", "item-3"], `the shelf by ${JSON.stringify(query)}`)
      const other = vault.put(sampleVaultItem(4, { slug: "item-2" }))
      const taken = yield* Effect.match(other, { onSuccess: () => "put", onFailure: ({ _tag }) => _tag })
      expectEqual(taken, "StoreError", "another item with its slug")
      yield* vault.countDownload("item-2")
      yield* vault.put(sampleVaultItem(2))
      expectEqual((yield* vault.findBySlug("item-2"))?.downloads, 1, "its downloads")
      expectEqual(
        yield* found({ q: "writer" }),
        ["item-1", "item-2", "item-3"],
        "the shelf, in its old place"
      )
    }
  )
]

/** Contract of `VaultItems` and `VaultPurchases`. */
export const vaultCases: ReadonlyArray<StoreCase<VaultItems | VaultPurchases>> = [
  ...keeping,
  ...publishingCases,
  ...vaultSearchCases,
  ...purchaseCases
]
