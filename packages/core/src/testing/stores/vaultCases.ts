import { Effect } from "effect"
import type { VaultItem, VaultQuery } from "../../domain/Vault.ts"
import { VaultItems } from "../../ports/VaultItems.ts"
import { purchaseCases } from "./purchaseCases.ts"
import { sampleVaultItem, uuidOf } from "./records.ts"
import { expectEqual, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"

const slugs = (items: ReadonlyArray<VaultItem> | undefined) => items?.map(({ slug }) => slug)

const shelf = Effect.fnUntraced(function* (items: ReadonlyArray<VaultItem>) {
  const vault = yield* VaultItems
  for (const item of items) yield* vault.put(item)
  return vault
})

/** The slugs found by a query, up to 100. */
const found = Effect.fnUntraced(function* (query: Omit<VaultQuery, "limit">) {
  const vault = yield* VaultItems
  return slugs((yield* vault.search({ limit: 100, ...query }))?.items)
})

const walk = Effect.fnUntraced(function* (query: VaultQuery) {
  const vault = yield* VaultItems
  const sizes: Array<number> = []
  const walked: Array<VaultItem> = []
  let cursor: string | undefined
  do {
    const page = yield* vault.search(cursor === undefined ? query : { ...query, cursor })
    if (page === undefined) return undefined
    sizes.push(page.items.length)
    walked.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && sizes.length < 1_000)
  return { slugs: slugs(walked), sizes }
})

const keeping: ReadonlyArray<StoreCase> = [
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
  })
]

const filtered: ReadonlyArray<VaultItem> = [
  sampleVaultItem(1, { price: 5, category: "ios", productType: "skill" }),
  sampleVaultItem(2, { price: 10, category: "ios", productType: "persona" }),
  sampleVaultItem(3, { price: 15, category: "career", productType: "skill" }),
  sampleVaultItem(4, { price: 20, category: "marketing", productType: "knowledge", title: "iOS launches" })
]

const worded: ReadonlyArray<VaultItem> = [
  sampleVaultItem(1, { slug: "plain", title: "Growth Playbook", cardDescription: "For launches" }),
  sampleVaultItem(2, { slug: "percent", title: "Save 100% of it", cardDescription: "with a_b" }),
  sampleVaultItem(3, { slug: "quotes", title: `Don't say "no"`, cardDescription: "C:\\temp\\x" }),
  sampleVaultItem(4, { slug: "umlauts", title: "ÜBER CAFÉ", cardDescription: "100x aXb, hey!" })
]

const searching: ReadonlyArray<StoreCase> = [
  storeCase("VaultItems: filters combine, and price limits are inclusive", function* () {
    yield* shelf(filtered)
    expectEqual(yield* found({ category: "ios" }), ["item-1", "item-2"], "by category")
    expectEqual(yield* found({ productType: "skill" }), ["item-1", "item-3"], "by product type")
    expectEqual(yield* found({ minPrice: 10, maxPrice: 15 }), ["item-2", "item-3"], "by price")
    expectEqual(yield* found({ minPrice: 0 }), ["item-1", "item-2", "item-3", "item-4"], "from nothing on")
    expectEqual(yield* found({ minPrice: 16, maxPrice: 19 }), [], "by a price that nothing has")
    expectEqual(yield* found({ category: "ios", productType: "skill", maxPrice: 5 }), ["item-1"], "by three")
    expectEqual(yield* found({ q: "ios", minPrice: 10 }), ["item-2", "item-4"], "by word and price")
  }),
  storeCase("VaultItems: search matches every word literally, ignoring case", function* () {
    yield* shelf(worded)
    const expected: ReadonlyArray<readonly [q: string, ReadonlyArray<string>]> = [
      ["growth", ["plain"]],
      ["GROWTH playBOOK", ["plain"]],
      ["playbook  for\tgrowth", ["plain"]],
      ["growth absent", []],
      ["launch", ["plain"]],
      ["development", ["plain", "percent", "quotes", "umlauts"]],
      ["percent", ["percent"]],
      ["100%", ["percent"]],
      ["%", ["percent"]],
      ["a_b", ["percent"]],
      ["_", ["percent"]],
      ["don't", ["quotes"]],
      [`"no"`, ["quotes"]],
      ["\\", ["quotes"]],
      ["c:\\TEMP\\x", ["quotes"]],
      ["!", ["umlauts"]],
      ["über café", ["umlauts"]],
      ["cafe\u0301", ["umlauts"]],
      ["'; DROP TABLE till_vault_items; --", []],
      ["", ["plain", "percent", "quotes", "umlauts"]],
      ["  ", ["plain", "percent", "quotes", "umlauts"]]
    ]
    for (const [q, due] of expected) expectEqual(yield* found({ q }), due, `q=${JSON.stringify(q)}`)
  }),
  storeCase("VaultItems: search uses the first sixteen words", function* () {
    yield* shelf([sampleVaultItem(1)])
    const words = (count: number) => Array.from({ length: count }, () => "writer").join(" ")
    expectEqual(yield* found({ q: `${words(15)} absent` }), [], "an absent sixteenth word")
    expectEqual(yield* found({ q: `${words(16)} absent` }), ["item-1"], "an absent seventeenth word")
  }),
  storeCase("VaultItems: cursors page through 250 items once each, in insertion order", function* () {
    const order = Array.from({ length: 250 }, (_, index) => (index * 101) % 250)
    const vault = yield* shelf(
      order.map((number) =>
        sampleVaultItem(number, { productType: number % 2 === 0 ? "skill" : "persona", price: number })
      )
    )
    const all = order.map((number) => `item-${number}`)
    for (const limit of [1, 7, 30, 100]) {
      const { sizes, slugs: walked } = (yield* walk({ limit }))!
      expectEqual(walked, all, `all pages of ${limit}`)
      expectEqual(sizes.length, Math.ceil(250 / limit), `how many pages of ${limit}`)
    }
    const even = order.filter((number) => number % 2 === 0 && number >= 100)
    const narrowed = yield* walk({ limit: 9, productType: "skill", minPrice: 100, q: "WRITER" })
    expectEqual(
      narrowed?.slugs,
      even.map((number) => `item-${number}`),
      "pages of a narrower search"
    )
    yield* vault.put(sampleVaultItem(order[3]!, { title: "Changed" }))
    expectEqual((yield* walk({ limit: 30 }))?.slugs, all, "all pages after a change")
  }),
  storeCase("VaultItems: the last page has no cursor, and an unknown cursor is an error", function* () {
    const vault = yield* shelf([1, 2, 3].map((number) => sampleVaultItem(number)))
    const first = yield* vault.search({ limit: 2 })
    expectEqual(first?.nextCursor, uuidOf(2), "the cursor of a page with more behind it")
    const exact = yield* vault.search({ limit: 3 })
    expectEqual([exact?.items.length, exact?.nextCursor], [3, null], "a page that holds all")
    const last = yield* vault.search({ limit: 2, cursor: uuidOf(2) })
    expectEqual([slugs(last?.items), last?.nextCursor], [["item-3"], null], "the last page")
    const behind = yield* vault.search({ limit: 2, cursor: uuidOf(3) })
    expectEqual(behind, { items: [], nextCursor: null }, "behind the last item")
    expectEqual(yield* vault.search({ limit: 2, cursor: uuidOf(99) }), undefined, "an unknown cursor")
  }),
  storeCase("VaultItems: cursors are UUIDs, ignoring case", function* () {
    const vault = yield* shelf([0xab, 0xcd].map((number) => sampleVaultItem(number)))
    for (const cursor of [uuidOf(0xab), uuidOf(0xab).toUpperCase()])
      expectEqual(slugs((yield* vault.search({ limit: 2, cursor }))?.items), ["item-205"], `behind ${cursor}`)
  })
]

/** Contract of `VaultItems` and `VaultPurchases`. */
export const vaultCases: ReadonlyArray<StoreCase> = [...keeping, ...searching, ...purchaseCases]
