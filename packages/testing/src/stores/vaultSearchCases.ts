import { Effect } from "effect"
import { type VaultItem, VaultItems, type VaultQuery } from "@till402/core/effect"
import { sampleVaultItem, uuidOf } from "./records.ts"
import { expectEqual, type StoreCase, storeCase } from "./StoreCase.ts"

const slugs = (items: ReadonlyArray<VaultItem> | undefined) => items?.map(({ slug }) => slug)

/** Puts items one after the other. */
export const shelf = Effect.fnUntraced(function* (items: ReadonlyArray<VaultItem>) {
  const vault = yield* VaultItems
  for (const item of items) yield* vault.put(item)
  return vault
})

/** The slugs found by a query, up to 100. */
export const found = Effect.fnUntraced(function* (query: Omit<VaultQuery, "limit">) {
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
  sampleVaultItem(4, { slug: "accents", title: "ÜBER CAFÉ Straße", cardDescription: "100x aXb, hey!" })
]

/** Contract of the search of `VaultItems`. */
export const vaultSearchCases: ReadonlyArray<StoreCase<VaultItems>> = [
  storeCase("VaultItems: filters combine, and price limits are inclusive", function* () {
    yield* shelf(filtered)
    expectEqual(yield* found({ category: "ios" }), ["item-1", "item-2"], "by category")
    expectEqual(yield* found({ productType: "skill" }), ["item-1", "item-3"], "by product type")
    expectEqual(yield* found({ minPrice: 10, maxPrice: 15 }), ["item-2", "item-3"], "by price")
    expectEqual(yield* found({ minPrice: 0 }), ["item-1", "item-2", "item-3", "item-4"], "from nothing on")
    expectEqual(yield* found({ minPrice: 16, maxPrice: 19 }), [], "by a price that nothing has")
    expectEqual(yield* found({ category: "ios", productType: "skill", maxPrice: 5 }), ["item-1"], "by three")
    expectEqual(yield* found({ q: "ios", minPrice: 10 }), ["item-4", "item-2"], "by word and price")
  }),
  storeCase("VaultItems: a range of prices finds the same as comparing each", function* () {
    const prices = [1, 2, 3, 4, 5, 7, 15, 16, 17, 63, 64, 255, 1_000, 262_142, 262_143, 262_144, 5_000_000]
    yield* shelf(prices.map((price, number) => sampleVaultItem(number, { price })))
    const limits = [0, 1, 2, 4, 15, 16, 64, 999, 262_143, 262_144, 262_145, 9_000_000]
    for (const minPrice of limits)
      for (const maxPrice of limits.filter((limit) => limit >= minPrice)) {
        const due = prices.flatMap((price, number) =>
          price >= minPrice && price <= maxPrice ? [`item-${number}`] : []
        )
        expectEqual(yield* found({ minPrice, maxPrice }), due, `${minPrice} to ${maxPrice}`)
        if (maxPrice === limits.at(-1)) expectEqual(yield* found({ minPrice }), due, `from ${minPrice}`)
        if (minPrice === 0) expectEqual(yield* found({ maxPrice, q: "writer" }), due, `to ${maxPrice}`)
      }
  }),
  storeCase(
    "VaultItems: search finds all words first, then most of them, titles above the rest",
    function* () {
      const item = (number: number, title: string, cardDescription: string) =>
        sampleVaultItem(number, { slug: `item-${number}`, title, cardDescription, category: "career" })
      const vault = yield* shelf([
        item(1, "Deploy nightly", "Reviews of builds"),
        item(2, "Merging", "Reviewing pull requests"),
        item(3, "Pull request reviewer", "For teams"),
        item(4, "Reviewing", "Reads a request"),
        item(5, "Pulling weight", "Gym"),
        item(6, "Reviewed pulls", "A request"),
        item(7, "Something else", "Entirely")
      ])
      const due = ["item-3", "item-2", "item-6", "item-4", "item-5", "item-1"]
      for (const q of [
        "review pull requests",
        "I need to review a pull request",
        "reviewing my pulls, requests"
      ])
        expectEqual(yield* found({ q }), due, `q=${q}`)
      expectEqual(yield* found({ q: "flurb wobble quax" }), [], "nonsense")
      expectEqual(yield* found({ q: "the of and" }), [], "words that say nothing")
      for (const limit of [1, 2, 3, 4, 5, 6]) {
        const pages = yield* walk({ limit, q: "review pull requests" })
        expectEqual(pages?.slugs, due, `pages of ${limit}`)
        expectEqual(pages?.sizes.length, Math.ceil(6 / limit), `how many pages of ${limit}`)
      }
      const second = yield* vault.search({ limit: 2, q: "review pull requests", cursor: uuidOf(2) })
      yield* vault.unlist("item-2")
      expectEqual(
        yield* vault.search({ limit: 2, q: "review pull requests", cursor: uuidOf(2) }),
        second,
        "behind an item that was taken off"
      )
    }
  ),
  storeCase("VaultItems: of four words, search finds those with most of them first", function* () {
    const words = ["watermelon", "blueberry", "cherries", "plum"]
    /** An item of each choice among the words, and one with words in its title. */
    const choices = Array.from({ length: 16 }, (_, choice) => words.filter((_, bit) => (choice >> bit) & 1))
    const texts = choices.map((chosen) => ["Basket", `of ${chosen.join(", ")}`] as const)
    yield* shelf(
      [...texts, ["Plum and blueberry", "with watermelon"] as const].map(([title, cardDescription], number) =>
        sampleVaultItem(number, { slug: `item-${number}`, title, cardDescription, category: "career" })
      )
    )
    const due = [15, 7, 11, 13, 14, 16, 3, 5, 6, 9, 10, 12].map((number) => `item-${number}`)
    for (const limit of [1, 3, 5, 8, 20]) {
      const pages = yield* walk({ limit, q: words.join(" ") })
      expectEqual(pages?.slugs, due, `pages of ${limit}`)
    }
  }),
  storeCase("VaultItems: keywords are kept, found below titles and above the rest", function* () {
    const named = sampleVaultItem(2, { title: "Maker", keywords: ["pictures", "Bild", "絵"] })
    const vault = yield* shelf([
      sampleVaultItem(1, { cardDescription: "A picture maker" }),
      named,
      sampleVaultItem(3, { title: "Picture maker" }),
      sampleVaultItem(4, { title: "Something else", keywords: ["maker of pictures"] })
    ])
    expectEqual(yield* vault.findBySlug("item-2"), named, "the item")
    const due = ["item-3", "item-2", "item-4", "item-1"]
    for (const q of ["picture maker", "maker pict"]) expectEqual(yield* found({ q }), due, `q=${q}`)
    for (const limit of [1, 2, 3])
      expectEqual((yield* walk({ limit, q: "picture maker" }))?.slugs, due, `pages of ${limit}`)
    expectEqual(yield* found({ q: "bild" }), ["item-2"], "a synonym")
    expectEqual(yield* found({ q: "絵" }), ["item-2"], "a keyword without spaces")
    expectEqual(yield* found({ q: "bild absent" }), ["item-2"], "one of two words")
    const { keywords: _keywords, ...plain } = named
    yield* vault.put(plain)
    expectEqual(yield* vault.findBySlug("item-2"), plain, "without keywords")
    expectEqual(yield* found({ q: "bild" }), [], "a synonym that was taken away")
    const archive = { digest: "a".repeat(64), size: 1 }
    yield* vault.publish(plain, archive, 1_000)
    const tags = [named, named, plain].map((item) => vault.publish(item, archive, 2_000))
    expectEqual(
      (yield* Effect.all(tags)).map(({ _tag }) => _tag),
      ["Changed", "Unchanged", "Changed"],
      "publishing other keywords"
    )
  }),
  storeCase("VaultItems: a search of too many words finds most of them whole", function* () {
    yield* shelf([
      sampleVaultItem(1, { slug: "whole", title: "Orchids", cardDescription: "Watering" }),
      sampleVaultItem(2, { slug: "longer", title: "Orchidarium", cardDescription: "Watering" })
    ])
    expectEqual(yield* found({ q: "watering orchid" }), ["whole", "longer"], "all words")
    expectEqual(yield* found({ q: "absent orchid" }), ["whole"], "one of two words")
  }),
  storeCase("VaultItems: search matches every word, and the last one as a prefix", function* () {
    yield* shelf(worded)
    const expected: ReadonlyArray<readonly [q: string, ReadonlyArray<string>]> = [
      ["growth", ["plain"]],
      ["GROWTH playBOOK", ["plain"]],
      ["playbook  for\tgrowth", ["plain"]],
      ["growth absent", ["plain"]],
      ["launch", ["plain"]],
      ["launch growth", ["plain"]],
      ["grow playbook", ["plain"]],
      ["playbook grow", ["plain"]],
      ["rowth", []],
      ["development", ["plain", "percent", "quotes", "accents"]],
      ["percent", ["percent"]],
      ["100%", ["percent", "accents"]],
      ["100% save", ["percent"]],
      ["a_b", ["percent"]],
      ["don't", ["quotes"]],
      [`"no"`, ["quotes"]],
      ["c:\\TEMP\\x", ["quotes"]],
      ["über café", ["accents"]],
      ["UBER cafe", ["accents"]],
      ["cafe\u0301", ["accents"]],
      ["strasse", ["accents"]],
      ["STRAẞE", ["accents"]],
      ["ａｘｂ", ["accents"]],
      ["'; DROP TABLE till_vault_items; --", []],
      ["", ["plain", "percent", "quotes", "accents"]],
      ["  ", ["plain", "percent", "quotes", "accents"]]
    ]
    for (const [q, due] of expected) expectEqual(yield* found({ q }), due, `q=${JSON.stringify(q)}`)
  }),
  storeCase("VaultItems: search finds text without spaces, and emoji", function* () {
    yield* shelf([
      sampleVaultItem(1, { slug: "japanese", title: "東京ガイド", cardDescription: "観光案内です" }),
      sampleVaultItem(2, { slug: "chinese", title: "北京旅游 iOS应用", cardDescription: "京" }),
      sampleVaultItem(3, { slug: "korean", title: "서울에서 일하기", cardDescription: "업무" }),
      sampleVaultItem(4, { slug: "emoji", title: "Launch 🚀", cardDescription: "👩‍💻" })
    ])
    const expected: ReadonlyArray<readonly [q: string, ReadonlyArray<string>]> = [
      ["東京", ["japanese"]],
      ["京", ["japanese", "chinese"]],
      ["京東", []],
      ["ｶﾞｲﾄﾞ", ["japanese"]],
      ["案内", ["japanese"]],
      ["旅游应用", ["chinese"]],
      ["旅游 应用", ["chinese"]],
      ["ios 应用", ["chinese"]],
      ["ios应用", ["chinese"]],
      ["서울", ["korean"]],
      ["일하", ["korean"]],
      ["🚀", ["emoji"]],
      ["launch🚀", ["emoji"]],
      ["👩", ["emoji"]],
      ["🎈", []]
    ]
    for (const [q, due] of expected) expectEqual(yield* found({ q }), due, `q=${JSON.stringify(q)}`)
  }),
  storeCase("VaultItems: no text of a query fails", function* () {
    const long = "development".repeat(100).slice(0, 1_000)
    yield* shelf([
      sampleVaultItem(1),
      sampleVaultItem(2, { slug: "long", title: `${long} 東${"京".repeat(500)}` })
    ])
    const nothing = [
      "%",
      "_",
      "!",
      "\\",
      "'",
      '"',
      "''",
      `""`,
      "*",
      ":*",
      "&",
      "|",
      "()",
      "<->",
      "-",
      "^",
      "#"
    ]
    for (const q of nothing) expectEqual(yield* found({ q }), [], `q=${q}`)
    const words = [
      "AND",
      "OR",
      "NOT",
      "NEAR(nowhere)",
      "terms:nowhere",
      `nowhere" OR "9`,
      "nowhere':*",
      "nowhere & !9",
      "{nowhere}"
    ]
    for (const q of words) expectEqual((yield* found({ q: `absent ${q}` }))?.length, 0, `q=absent ${q}`)
    expectEqual(yield* found({ q: "writer XOR" }), ["item-1"], "an operator is a word, which may be missing")
    for (const q of [`"item`, "item*", "-item", "item)", "^item", "item:"])
      expectEqual(yield* found({ q }), ["item-1"], `q=${q}`)
    for (const character of ["a", "é", "🚀", "京", "'", '"', "\\", "*", "(", "\ud800", "\u0301", "\u200d"])
      expectEqual(
        yield* found({ q: character.repeat(1_000 / character.length) }),
        character === "京" ? ["long"] : [],
        `1,000 of ${character}`
      )
    expectEqual(yield* found({ q: long }), ["long"], "a word of 1,000 letters")
  }),
  storeCase("VaultItems: search uses the first sixteen words", function* () {
    const words = Array.from({ length: 17 }, (_, index) => `word${String.fromCodePoint(97 + index)}`)
    const described = (count: number) => words.slice(0, count).join(" ")
    yield* shelf([15, 16].map((count) => sampleVaultItem(count, { cardDescription: described(count) })))
    expectEqual(yield* found({ q: words.join(" ") }), ["item-16", "item-15"], "with a seventeenth word")
    expectEqual(yield* found({ q: described(15) }), ["item-15", "item-16"], "fifteen")
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
  storeCase("VaultItems: cursors survive insertions and items that are taken off", function* () {
    const vault = yield* shelf(Array.from({ length: 12 }, (_, number) => sampleVaultItem(number)))
    const seen: Array<string> = []
    let cursor: string | undefined
    for (let page = 0; page < 40; page++) {
      const { items, nextCursor } = (yield* vault.search({
        limit: 2,
        q: "writ",
        ...(cursor === undefined ? {} : { cursor })
      }))!
      seen.push(...slugs(items)!)
      if (nextCursor === null) break
      cursor = nextCursor
      // The item of the cursor and one not seen yet are taken off, and another is added.
      yield* vault.unlist(items.at(-1)!.slug)
      if (page < 3) yield* vault.unlist(`item-${11 - page}`)
      if (page < 5) yield* vault.put(sampleVaultItem(100 + page))
    }
    const due = [0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 101, 102, 103, 104].map((number) => `item-${number}`)
    expectEqual(seen, due, "what was listed when its page was read")
  }),
  storeCase("VaultItems: pages read while items are added have every other item once", function* () {
    const vault = yield* shelf(Array.from({ length: 60 }, (_, number) => sampleVaultItem(number)))
    const publish = Effect.forEach(
      Array.from({ length: 60 }, (_, number) => sampleVaultItem(1_000 + number)),
      (item) => vault.put(item),
      { concurrency: 8, discard: true }
    )
    const [walked] = yield* Effect.all([walk({ limit: 4, q: "writer" }), publish], {
      concurrency: "unbounded"
    })
    const counts = new Map<string, number>()
    for (const slug of walked?.slugs ?? []) counts.set(slug, (counts.get(slug) ?? 0) + 1)
    for (let number = 0; number < 60; number++) expectEqual(counts.get(`item-${number}`), 1, `item-${number}`)
    expectEqual(Math.max(...counts.values()), 1, "the most often that an item was listed")
  }),
  storeCase("VaultItems: cursors are UUIDs, ignoring case", function* () {
    const vault = yield* shelf([0xab, 0xcd].map((number) => sampleVaultItem(number)))
    for (const cursor of [uuidOf(0xab), uuidOf(0xab).toUpperCase()])
      expectEqual(slugs((yield* vault.search({ limit: 2, cursor }))?.items), ["item-205"], `behind ${cursor}`)
  })
]
