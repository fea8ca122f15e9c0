import { Effect } from "effect"
import type { VaultItem, VaultQuery } from "../../domain/Vault.ts"
import { VaultItems } from "../../ports/VaultItems.ts"
import { purchaseCases } from "./purchaseCases.ts"
import { sampleVaultItem, uuidOf } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"

const slugs = (items: ReadonlyArray<VaultItem> | undefined) => items?.map(({ slug }) => slug)

const shelf = Effect.fnUntraced(function* (items: ReadonlyArray<VaultItem>) {
  const vault = yield* VaultItems
  for (const item of items) yield* vault.put(item)
  return vault
})

/** The slugs that a query finds, up to 100. */
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
  storeCase("VaultItems: an item comes back as it was put", function* () {
    const vault = yield* VaultItems
    equal(yield* vault.findBySlug("item-1"), undefined, "an unknown slug")
    equal(yield* vault.search({ limit: 30 }), { items: [], nextCursor: null }, "an empty shelf")
    const item = sampleVaultItem(1, {
      title: `Zoë's "notes" \\ 📝`,
      productType: "persona",
      category: "ios",
      downloads: 41,
      price: 1
    })
    yield* vault.put(item)
    equal(yield* vault.findBySlug("item-1"), item, "the item")
    equal(yield* vault.search({ limit: 30 }), { items: [item], nextCursor: null }, "the shelf")
  }),
  storeCase("VaultItems: an item put again keeps its place and its downloads", function* () {
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
    equal(yield* vault.findBySlug("renamed"), { ...changed, downloads: 3 }, "the item")
    equal(yield* vault.findBySlug("item-2"), undefined, "its slug of before")
    equal(yield* found({}), ["item-1", "renamed", "item-3"], "the shelf")
    equal(yield* found({ q: "haiku" }), ["renamed"], "found by its new title")
    equal(yield* found({ category: "career" }), ["renamed"], "found by its new category")
  }),
  storeCase(`VaultItems: ${racers} downloads at once are all counted`, function* () {
    const vault = yield* shelf([sampleVaultItem(1)])
    yield* race(() => vault.countDownload("item-1"))
    equal((yield* vault.findBySlug("item-1"))?.downloads, racers, "downloads")
  }),
  storeCase("VaultItems: a slug belongs to one item", function* () {
    const vault = yield* shelf([sampleVaultItem(1), sampleVaultItem(2)])
    const refused = yield* Effect.flip(vault.put(sampleVaultItem(3, { slug: "item-1" })))
    equal(refused._tag, "StoreError", "a new item of a known slug")
    const renamed = yield* Effect.flip(vault.put(sampleVaultItem(2, { slug: "item-1" })))
    equal(renamed._tag, "StoreError", "a known item renamed to another's slug")
    equal(yield* found({}), ["item-1", "item-2"], "the shelf")
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
  storeCase("VaultItems: filters hold together, prices inclusive", function* () {
    yield* shelf(filtered)
    equal(yield* found({ category: "ios" }), ["item-1", "item-2"], "by category")
    equal(yield* found({ productType: "skill" }), ["item-1", "item-3"], "by product type")
    equal(yield* found({ minPrice: 10, maxPrice: 15 }), ["item-2", "item-3"], "by price")
    equal(yield* found({ minPrice: 0 }), ["item-1", "item-2", "item-3", "item-4"], "from nothing on")
    equal(yield* found({ minPrice: 16, maxPrice: 19 }), [], "by a price that nothing has")
    equal(yield* found({ category: "ios", productType: "skill", maxPrice: 5 }), ["item-1"], "by three")
    equal(yield* found({ q: "ios", minPrice: 10 }), ["item-2", "item-4"], "by word and price")
  }),
  storeCase("VaultItems: every word is looked for, in any letter case, and means itself", function* () {
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
    for (const [q, due] of expected) equal(yield* found({ q }), due, `q=${JSON.stringify(q)}`)
  }),
  storeCase("VaultItems: sixteen words are looked for, those behind them are not", function* () {
    yield* shelf([sampleVaultItem(1)])
    const words = (count: number) => Array.from({ length: count }, () => "writer").join(" ")
    equal(yield* found({ q: `${words(15)} absent` }), [], "an absent sixteenth word")
    equal(yield* found({ q: `${words(16)} absent` }), ["item-1"], "an absent seventeenth word")
  }),
  storeCase(
    "VaultItems: the cursor leads through 250 items once each, in the order they were added",
    function* () {
      const order = Array.from({ length: 250 }, (_, index) => (index * 101) % 250)
      const vault = yield* shelf(
        order.map((number) =>
          sampleVaultItem(number, { productType: number % 2 === 0 ? "skill" : "persona", price: number })
        )
      )
      const all = order.map((number) => `item-${number}`)
      for (const limit of [1, 7, 30, 100]) {
        const { sizes, slugs: walked } = (yield* walk({ limit }))!
        equal(walked, all, `all pages of ${limit}`)
        equal(sizes.length, Math.ceil(250 / limit), `how many pages of ${limit}`)
      }
      const even = order.filter((number) => number % 2 === 0 && number >= 100)
      const narrowed = yield* walk({ limit: 9, productType: "skill", minPrice: 100, q: "WRITER" })
      equal(
        narrowed?.slugs,
        even.map((number) => `item-${number}`),
        "pages of a narrower search"
      )
      yield* vault.put(sampleVaultItem(order[3]!, { title: "Changed" }))
      equal((yield* walk({ limit: 30 }))?.slugs, all, "all pages after a change")
    }
  ),
  storeCase("VaultItems: the last page says so, an unknown cursor is told from it", function* () {
    const vault = yield* shelf([1, 2, 3].map((number) => sampleVaultItem(number)))
    const first = yield* vault.search({ limit: 2 })
    equal(first?.nextCursor, uuidOf(2), "the cursor of a page with more behind it")
    const exact = yield* vault.search({ limit: 3 })
    equal([exact?.items.length, exact?.nextCursor], [3, null], "a page that holds all")
    const last = yield* vault.search({ limit: 2, cursor: uuidOf(2) })
    equal([slugs(last?.items), last?.nextCursor], [["item-3"], null], "the last page")
    const behind = yield* vault.search({ limit: 2, cursor: uuidOf(3) })
    equal(behind, { items: [], nextCursor: null }, "behind the last item")
    equal(yield* vault.search({ limit: 2, cursor: uuidOf(99) }), undefined, "an unknown cursor")
  }),
  storeCase("VaultItems: a cursor is a UUID, in either letter case", function* () {
    const vault = yield* shelf([0xab, 0xcd].map((number) => sampleVaultItem(number)))
    for (const cursor of [uuidOf(0xab), uuidOf(0xab).toUpperCase()])
      equal(slugs((yield* vault.search({ limit: 2, cursor }))?.items), ["item-205"], `behind ${cursor}`)
  })
]

/** What `VaultItems` and `VaultPurchases` promise. */
export const vaultCases: ReadonlyArray<StoreCase> = [...keeping, ...searching, ...purchaseCases]
