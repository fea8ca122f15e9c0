import { VaultItems, VaultPurchases } from "@till402/core/effect"
import { samplePurchase, sampleVaultItem, uuidOf } from "./records.ts"
import { countTrue, expectEqual, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"
import { found } from "./vaultSearchCases.ts"

const archive = (letter: string, size = 100) => ({ digest: letter.repeat(64), size })
const versionOf = (version: number, letter: string, publishedAtMillis: number) => ({
  version,
  ...archive(letter),
  publishedAtMillis
})

/** Contract of publishing: items with versions of their archives. */
export const publishingCases: ReadonlyArray<StoreCase<VaultItems | VaultPurchases>> = [
  storeCase("VaultItems: an item is published with its archive, and keeps its versions", function* () {
    const vault = yield* VaultItems
    expectEqual(yield* vault.versions("item-1", 5), [], "versions of an unknown item")
    const item = sampleVaultItem(1)
    const added = { _tag: "Added", id: item.id, version: 1 }
    expectEqual(yield* vault.publish(item, archive("a"), 1_000), added, "the first time")
    expectEqual(yield* vault.findBySlug("item-1"), item, "the item")
    const again = sampleVaultItem(2, { ...item, id: uuidOf(2) })
    const unchanged = { _tag: "Unchanged", id: item.id, version: 1 }
    expectEqual(yield* vault.publish(again, archive("a"), 2_000), unchanged, "again, by its slug and digest")
    const second = { _tag: "Changed", id: item.id, version: 2 }
    expectEqual(yield* vault.publish(again, archive("b"), 3_000), second, "another archive")
    const third = { _tag: "Changed", id: item.id, version: 3 }
    expectEqual(yield* vault.publish(again, archive("a"), 4_000), third, "the first archive again")
    const all = [versionOf(3, "a", 4_000), versionOf(2, "b", 3_000), versionOf(1, "a", 1_000)]
    expectEqual(yield* vault.versions("item-1", 5), all, "versions")
    expectEqual(yield* vault.versions("item-1", 1), all.slice(0, 1), "the newest version")
  }),
  storeCase("VaultItems: publishing other facts changes the item and no archive", function* () {
    const vault = yield* VaultItems
    yield* vault.publish(sampleVaultItem(1), archive("a"), 1_000)
    yield* vault.countDownload("item-1")
    const dearer = sampleVaultItem(7, { slug: "item-1", title: "Haiku", price: 99, downloads: 50 })
    const changed = { _tag: "Changed", id: uuidOf(1), version: 1 }
    expectEqual(yield* vault.publish(dearer, archive("a"), 2_000), changed, "the outcome")
    const stored = { ...dearer, id: uuidOf(1), downloads: 1 }
    expectEqual(yield* vault.findBySlug("item-1"), stored, "the item")
    expectEqual(yield* found({ q: "haiku" }), ["item-1"], "found by its new title")
    expectEqual(yield* vault.versions("item-1", 5), [versionOf(1, "a", 1_000)], "versions")
  }),
  storeCase(
    "VaultItems: an unlisted item keeps its archives, and is listed again when published",
    function* () {
      const vault = yield* VaultItems
      yield* vault.publish(sampleVaultItem(1), archive("a"), 1_000)
      yield* vault.unlist("item-1")
      expectEqual(yield* vault.versions("item-1", 5), [versionOf(1, "a", 1_000)], "versions")
      const changed = { _tag: "Changed", id: uuidOf(1), version: 1 }
      expectEqual(yield* vault.publish(sampleVaultItem(1), archive("a"), 2_000), changed, "published again")
      expectEqual(yield* found({}), ["item-1"], "the shelf")
    }
  ),
  storeCase("VaultItems: an item that was put is published under its id", function* () {
    const vault = yield* VaultItems
    yield* vault.put(sampleVaultItem(1))
    const changed = { _tag: "Changed", id: uuidOf(1), version: 1 }
    expectEqual(
      yield* vault.publish(sampleVaultItem(2, { slug: "item-1" }), archive("a"), 1_000),
      changed,
      "the outcome"
    )
    yield* vault.put(sampleVaultItem(1, { slug: "renamed" }))
    expectEqual(
      yield* vault.versions("renamed", 5),
      [versionOf(1, "a", 1_000)],
      "versions under another slug"
    )
  }),
  storeCase(`VaultItems: of ${racers} publishers of one new archive exactly one adds it`, function* () {
    const vault = yield* VaultItems
    const outcomes = yield* race((racer) =>
      vault.publish(sampleVaultItem(1 + racer, { slug: "item", title: "Same" }), archive("a"), 1_000 + racer)
    )
    const tags = outcomes.map((outcome) => outcome?._tag)
    expectEqual(tags.filter((tag) => tag === "Added").length, 1, "publishers that added it")
    expectEqual((yield* vault.versions("item", racers)).length, 1, "versions")
    expectEqual((yield* found({}))?.length, 1, "items")
  }),
  storeCase(`VaultPurchases: of ${racers} concurrent downloads as many are counted as may be`, function* () {
    const purchases = yield* VaultPurchases
    const outcomes = yield* race((racer) => purchases.countDownload(uuidOf(1), `charge-${racer}`, 3))
    expectEqual(countTrue(outcomes), 3, "downloads that were counted")
    const counted = `charge-${outcomes.indexOf(true)}`
    const refused = `charge-${outcomes.indexOf(false)}`
    expectEqual(yield* purchases.countDownload(uuidOf(1), counted, 3), true, "a counted one again")
    expectEqual(yield* purchases.countDownload(uuidOf(1), refused, 3), false, "a refused one again")
    expectEqual(yield* purchases.countDownload(uuidOf(2), refused, 3), true, "one of another purchase")
    yield* purchases.releaseDownload(uuidOf(2), counted)
    yield* purchases.releaseDownload(uuidOf(1), counted)
    expectEqual(yield* purchases.countDownload(uuidOf(1), refused, 3), true, "in the place of a released one")
    expectEqual(yield* purchases.countDownload(uuidOf(1), counted, 3), false, "the released one")
  }),
  storeCase(
    `VaultPurchases: of ${racers} concurrent free downloads with one nonce, one is redeemed`,
    function* () {
      const purchases = yield* VaultPurchases
      const budget = { sinceMillis: 0, maxBytes: 1_000_000 }
      const download = { purchaseId: uuidOf(1), nonce: "nonce-1", bytes: 10, atMillis: 1_000 }
      const outcomes = yield* race(() => purchases.redeem(download, budget))
      expectEqual(outcomes.filter((outcome) => outcome === "Redeemed").length, 1, "those redeemed")
      expectEqual(outcomes.filter((outcome) => outcome === "Used").length, racers - 1, "those refused")
      const other = { ...download, purchaseId: uuidOf(2) }
      expectEqual(yield* purchases.redeem(other, budget), "Redeemed", "the nonce for another purchase")
    }
  ),
  storeCase(`VaultPurchases: ${racers} concurrent free downloads stay within the budget`, function* () {
    const purchases = yield* VaultPurchases
    const download = { purchaseId: uuidOf(1), nonce: "", bytes: 6_000_000_000, atMillis: 1_000 }
    const budget = { sinceMillis: 0, maxBytes: 18_000_000_000 }
    const redeem = (number: number, atMillis: number, sinceMillis = 0) =>
      purchases.redeem({ ...download, nonce: `nonce-${number}`, atMillis }, { ...budget, sinceMillis })
    const outcomes = yield* race((racer) => redeem(racer, 1_000))
    expectEqual(outcomes.filter((outcome) => outcome === "Redeemed").length, 3, "those redeemed")
    expectEqual(outcomes.filter((outcome) => outcome === "Spent").length, racers - 3, "those refused")
    const used = outcomes.indexOf("Redeemed")
    expectEqual(yield* redeem(900, 2_000, 999), "Spent", "before a day has passed")
    expectEqual(yield* redeem(used, 2_000, 999), "Used", "a used nonce within the day")
    expectEqual(yield* redeem(900, 2_000, 1_000), "Redeemed", "after it has passed")
  }),
  storeCase(`VaultPurchases: ${racers} concurrent sales are all counted`, function* () {
    const purchases = yield* VaultPurchases
    expectEqual(yield* purchases.countSales("item-1"), 0, "sales of an unknown item")
    yield* race((racer) => purchases.reserve(samplePurchase({ id: uuidOf(racer) })))
    yield* purchases.reserve(samplePurchase({ id: uuidOf(900), slug: "item-2" }))
    expectEqual(yield* purchases.countSales("item-1"), 0, "before they are paid")
    yield* race((racer) => purchases.grant(uuidOf(racer), undefined))
    yield* purchases.grant(uuidOf(900), undefined)
    yield* purchases.reserve(samplePurchase({ id: uuidOf(901) }))
    expectEqual(yield* purchases.countSales("item-1"), racers, "sales")
  })
]
