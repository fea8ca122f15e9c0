import type { VaultItem } from "@till402/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { calls, noPurchase } from "./calls.ts"
import { buyResponse, expectPaidFault, expectRefusal } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { array, integer, itHasFields, nullable, object, oneOf, string, text, url, uuid } from "./shape.ts"
import { vaultItem } from "./samples.ts"
import { keepShop, openShop, type Shop } from "./till.ts"

const categories = ["marketing", "development", "automation", "career", "ios", "productivity"] as const
const productTypes = ["skill", "knowledge", "persona"] as const

/** 35 items: every combination of category and type, with prices 1 to 35. */
const shelf: ReadonlyArray<VaultItem> = Array.from({ length: 35 }, (_, index) => ({
  ...vaultItem,
  id: `0b9c2f4e-52f1-4c0e-9d53-${String(index + 1).padStart(12, "0")}`,
  slug: `item-${index + 1}`,
  title: index === 6 ? "Zettelkasten for beginners" : `Item ${index + 1}`,
  productType: productTypes[index % 3]!,
  category: categories[index % 6]!,
  price: index + 1
}))

interface Page {
  readonly items: ReadonlyArray<VaultItem>
  readonly nextCursor: string | null
}

const searchVault = (query: string) => ({ path: `/x402/vault/search?${query}` })

describe("GET /x402/vault/search: parameters that are refused", () => {
  it.each([
    ["category unknown", "category=cooking", "category"],
    ["category in another case", "category=Marketing", "category"],
    ["category twice", "category=ios&category=career", "category"],
    ["productType unknown", "productType=plugin", "productType"],
    ["productType empty", "productType=", "productType"],
    ["minPrice a fraction", "minPrice=1.5", "minPrice"],
    ["minPrice no number", "minPrice=abc", "minPrice"],
    ["maxPrice a fraction", "maxPrice=9.99", "maxPrice"],
    ["maxPrice no number", "maxPrice=abc", "maxPrice"],
    ["maxPrice twice", "maxPrice=1&maxPrice=2", "maxPrice"],
    ["cursor no UUID", "cursor=next", "cursor"],
    ["cursor empty", "cursor=", "cursor"],
    ["cursor of no item", `cursor=${noPurchase}`, "cursor"],
    ["limit 0", "limit=0", "limit"],
    ["limit negative", "limit=-1", "limit"],
    ["limit 101", "limit=101", "limit"],
    ["limit a fraction", "limit=1.5", "limit"],
    ["limit no number", "limit=all", "limit"],
    ["limit twice", "limit=1&limit=2", "limit"],
    ["q with a control character", "q=a%00", "q"],
    ["q twice", "q=a&q=b", "q"]
  ])("%s: 400", async (_, query, path) => {
    const shop = await openShop()
    await expectPaidFault(shop, searchVault(query), path)
  })

  it("names every fault in one response", async () => {
    const shop = await openShop()
    const { response } = await pay(
      shop,
      searchVault("category=x&productType=y&minPrice=1.5&limit=0&cursor=z")
    )
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues?.map(({ path }) => path).sort()).toEqual([
      "category",
      "cursor",
      "limit",
      "minPrice",
      "productType"
    ])
  })

  it("without payment an invalid query gets the price: 402", async () => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(searchVault("limit=0")))
    expect(challenge.body.accepts[0]?.maxAmountRequired).toBe("10000")
  })
})

describe("GET /x402/vault/search: what is found", () => {
  const slugs = (items: ReadonlyArray<VaultItem>) => items.map(({ slug }) => slug).sort()
  const those = (predicate: (item: VaultItem) => boolean) => slugs(shelf.filter(predicate))
  let shop: Shop
  beforeAll(async () => {
    shop = await keepShop({ items: shelf })
  })
  afterAll(() => shop.till.dispose())
  const find = async (query: string) => (await buyResponse(shop, searchVault(query))) as Page

  it.each(categories)("category %s", async (category) => {
    expect(slugs((await find(`category=${category}`)).items)).toEqual(
      those((item) => item.category === category)
    )
  })
  it.each(productTypes)("productType %s", async (productType) => {
    const { items } = await find(`productType=${productType}`)
    expect(slugs(items)).toEqual(those((item) => item.productType === productType))
  })
  it.each<[string, (item: VaultItem) => boolean]>([
    ["q=&limit=100", () => true],
    ["minPrice=30", ({ price }) => price >= 30],
    ["maxPrice=5", ({ price }) => price <= 5],
    ["minPrice=7&maxPrice=7", ({ price }) => price === 7],
    ["q=zettelkasten", ({ title }) => title.startsWith("Zettelkasten")],
    [
      "category=ios&productType=knowledge&sort=price",
      ({ category, productType }) => category === "ios" && productType === "knowledge"
    ],
    ["q=nothing-of-the-kind", () => false]
  ])("%s", async (query, predicate) => {
    expect(slugs((await find(query)).items)).toEqual(those(predicate))
  })

  it.each([
    ["", 30],
    ["limit=1", 1],
    ["limit=30", 30],
    ["limit=100", 35]
  ])("%j gives %d of 35 items", async (query, count) => {
    const { items, nextCursor } = await find(query)
    expect(items).toHaveLength(count)
    if (count === 35) expect(nextCursor).toBeNull()
    else expect(uuid(nextCursor, "nextCursor")).toEqual([])
  })

  it("finds by keywords, which callers don't see", async () => {
    const words = await keepShop({ items: [{ ...vaultItem, keywords: ["unguessable"] }] })
    const page = (await buyResponse(words, searchVault("q=unguessable"))) as Page
    expect(page.items.map(({ slug }) => slug)).toEqual([vaultItem.slug])
    expect(JSON.stringify(page)).not.toContain("unguessable")
    expect((await words.till.vault.list({ q: "unguessable" }))?.items[0]?.keywords).toEqual(["unguessable"])
    await words.till.dispose()
  })

  it("the cursor leads through every item once, and ends with null", async () => {
    const seen: Array<VaultItem> = []
    let cursor: string | null = ""
    for (let page = 0; cursor !== null && page < 10; page++) {
      const next: Page = await find(`limit=10${cursor === "" ? "" : `&cursor=${cursor}`}`)
      seen.push(...next.items)
      cursor = next.nextCursor
    }
    expect(cursor).toBeNull()
    expect(slugs(seen)).toEqual(slugs(shelf))
  })
})

describe("GET /x402/vault/search: the response", () => {
  const itemFields = {
    id: uuid,
    slug: text,
    title: string,
    productType: oneOf(...productTypes),
    cardDescription: string,
    price: integer,
    category: oneOf(...categories),
    creator: object({ name: string, type: string }),
    downloads: integer,
    coverImageUrl: url
  }
  let shop: Shop
  let body: Page
  beforeAll(async () => {
    shop = await keepShop()
    body = (await buyResponse(shop, calls.vaultSearch)) as Page
  })
  afterAll(() => shop.till.dispose())

  describe("the page", () =>
    itHasFields({ items: array(object(itemFields)), nextCursor: nullable(string) }, () => body))
  describe("an item", () => itHasFields(itemFields, () => body.items[0]))
  it("is the stored item", () => expect(body).toEqual({ items: [vaultItem], nextCursor: null }))
})
