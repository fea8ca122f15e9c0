import { TemporarilyUnavailable, type VaultItem } from "@till402/core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { calls, noPurchase, solanaWallet, vaultBuyBody } from "./calls.ts"
import { buyAnswer, expectFault, expectPaidFault, expectRefusal } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { array, integer, itHasFields, nullable, object, oneOf, string, text, url, uuid } from "./shape.ts"
import { emptyZip, keepShop, openShop, type Shop, vaultItem } from "./till.ts"

const categories = ["marketing", "development", "automation", "career", "ios", "productivity"] as const
const productTypes = ["skill", "knowledge", "persona"] as const

/** 35 items: the whole of every category and type, prices 1 to 35. */
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

  it("names every fault in one answer", async () => {
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

  it("without payment an invalid query is told the price: 402", async () => {
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
  const find = async (query: string) => (await buyAnswer(shop, searchVault(query))) as Page

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

describe("GET /x402/vault/search: the answer", () => {
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
    body = (await buyAnswer(shop, calls.vaultSearch)) as Page
  })
  afterAll(() => shop.till.dispose())

  describe("the page", () =>
    itHasFields({ items: array(object(itemFields)), nextCursor: nullable(string) }, () => body))
  describe("an item", () => itHasFields(itemFields, () => body.items[0]))
  it("is the item that was put on the shelf", () =>
    expect(body).toEqual({ items: [vaultItem], nextCursor: null }))
})

const buyItem = (body: unknown) => ({ method: "POST", path: "/x402/vault/buy", body })
const withoutField = (name: string) => {
  const body: Record<string, unknown> = { ...vaultBuyBody }
  delete body[name]
  return body
}

describe("POST /x402/vault/buy: bodies that are refused", () => {
  describe.each<readonly [string, unknown, string]>([
    ["slug left out", withoutField("slug"), "slug"],
    ["slug empty", { ...vaultBuyBody, slug: "" }, "slug"],
    ["slug a number", { ...vaultBuyBody, slug: 7 }, "slug"],
    ["slug with a control character", { ...vaultBuyBody, slug: "a\u0007" }, "slug"],
    ["walletAddress left out", withoutField("walletAddress"), "walletAddress"],
    ["walletAddress empty", { ...vaultBuyBody, walletAddress: "" }, "walletAddress"],
    [
      "walletAddress of an EVM chain",
      { ...vaultBuyBody, walletAddress: `0x${"a".repeat(40)}` },
      "walletAddress"
    ],
    [
      "walletAddress with a letter that is not base58",
      { ...vaultBuyBody, walletAddress: `0${solanaWallet.slice(1)}` },
      "walletAddress"
    ],
    ["walletAddress of 31 bytes", { ...vaultBuyBody, walletAddress: "1".repeat(31) }, "walletAddress"],
    [
      "walletAddress of more than 32 bytes",
      { ...vaultBuyBody, walletAddress: `${solanaWallet}1` },
      "walletAddress"
    ],
    ["walletAddress a number", { ...vaultBuyBody, walletAddress: 5 }, "walletAddress"],
    ["email left out", withoutField("email"), "email"],
    ["email empty", { ...vaultBuyBody, email: "" }, "email"],
    ["email without @", { ...vaultBuyBody, email: "ada" }, "email"],
    ["email null", { ...vaultBuyBody, email: null }, "email"]
  ])("%s", (_name, body, path) => {
    it("without payment: 400", async () => {
      const shop = await openShop()
      await expectFault(shop, await shop.send(buyItem(body)), path)
    })
    it("with payment: 400, nothing charged", async () => {
      const shop = await openShop()
      await expectPaidFault(shop, buyItem(body), path, calls.vaultBuy)
    })
  })

  it("names every fault in one answer", async () => {
    const shop = await openShop()
    const response = await shop.send(buyItem({ slug: "", walletAddress: "x", email: "y" }))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues?.map(({ path }) => path).sort()).toEqual(["email", "slug", "walletAddress"])
  })

  it("an unknown slug: 404, paid or not", async () => {
    const shop = await openShop()
    const unknown = buyItem({ ...vaultBuyBody, slug: "no-such-item" })
    await expectRefusal(shop, await shop.send(unknown), 404, "ITEM_NOT_FOUND")
    const { response } = await pay(shop, unknown, { priced: calls.vaultBuy })
    await expectRefusal(shop, response, 404, "ITEM_NOT_FOUND")
  })
})

describe("POST /x402/vault/buy: an empty request is told an indicative amount", () => {
  it.each<[string, unknown]>([
    ["no body", undefined],
    ["{}", {}]
  ])("%s: 402 that says so and cannot be paid", async (_, body) => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(buyItem(body)))
    expect(challenge.body.error).toMatch(/indicative/i)
    expect(challenge.body.accepts[0]?.maxAmountRequired).toMatch(/^[1-9]\d*$/)
    const { response } = await pay(shop, buyItem(body))
    await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
  })
})

describe("POST /x402/vault/buy: the answer", () => {
  const itemFields = {
    slug: text,
    title: string,
    productType: oneOf(...productTypes),
    price: integer,
    coverImageUrl: url
  }
  let shop: Shop
  let body: { purchaseId: string; downloadToken: string; item: unknown }
  beforeAll(async () => {
    shop = await keepShop()
    body = (await buyAnswer(shop, calls.vaultBuy)) as typeof body
  })
  afterAll(() => shop.till.dispose())

  describe("the purchase", () =>
    itHasFields({ purchaseId: uuid, downloadToken: text, item: object(itemFields) }, () => body))
  describe("its item", () => itHasFields(itemFields, () => body.item))
  it("costs what the item costs", () => expect(shop.settlements).toMatchObject([{ amount: "7000000" }]))
  it("is of the item that was named", () =>
    expect(body.item).toMatchObject({ slug: vaultItem.slug, price: 7 }))
  it("is confirmed by mail", async () => {
    await vi.waitFor(() => expect(shop.calls.send).toHaveLength(1), { timeout: 5000 })
    expect(shop.calls.send[0]?.to).toBe("ada@example.com")
  })
})

describe("GET /x402/vault/download/{purchaseId}", () => {
  const purchase = async (shop: Shop) =>
    (await buyAnswer(shop, calls.vaultBuy)) as { purchaseId: string; downloadToken: string }
  const download = (id: string, token?: string) => ({
    path: `/x402/vault/download/${id}${token === undefined ? "" : `?downloadToken=${encodeURIComponent(token)}`}`
  })

  it("200: the ZIP archive, paid apart from the purchase", async () => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    const { challenge, response } = await pay(shop, download(purchaseId, downloadToken))
    expect(challenge.body.accepts[0]).toMatchObject({
      maxAmountRequired: "10000",
      mimeType: "application/zip"
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/zip")
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(emptyZip)
    expect(shop.calls.open).toMatchObject([{ slug: vaultItem.slug }])
    expect(shop.settlements.map(({ amount }) => amount)).toEqual(["7000000", "10000"])
  })

  it("streams an archive whose size is not known", async () => {
    const shop = await openShop({
      script: { open: async () => ({ body: new Blob([emptyZip]).stream() }) }
    })
    const { downloadToken, purchaseId } = await purchase(shop)
    const { response } = await pay(shop, download(purchaseId, downloadToken))
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(emptyZip)
  })

  it("each download is paid: a second one costs again", async () => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    await pay(shop, download(purchaseId, downloadToken))
    const { response } = await pay(shop, download(purchaseId, downloadToken))
    expect(response.status).toBe(200)
    expect(shop.settlements).toHaveLength(3)
  })

  /** Errors stand beside the settlement of the purchase: nothing more is charged. */
  const expectUncharged = async (shop: Shop, response: Response, status: number, code: string) => {
    const body = (await response.json()) as { code: string }
    expect({ status: response.status, code: body.code }).toEqual({ status, code })
    expect(shop.settlements).toHaveLength(1)
  }

  it("400: no downloadToken", async () => {
    const shop = await openShop()
    const { purchaseId } = await purchase(shop)
    const { response } = await pay(shop, download(purchaseId))
    await expectUncharged(shop, response, 400, "VALIDATION_ERROR")
  })

  it.each([
    ["another token", () => "wrong"],
    ["a token cut short", (token: string) => token.slice(0, -1)],
    [
      "a token in another case",
      (token: string) => (token === token.toUpperCase() ? token.toLowerCase() : token.toUpperCase())
    ]
  ])("403: %s", async (_, change) => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    const { response } = await pay(shop, download(purchaseId, change(downloadToken)))
    await expectUncharged(shop, response, 403, "DOWNLOAD_FORBIDDEN")
  })

  it("403: the token of another purchase", async () => {
    const shop = await openShop()
    const first = await purchase(shop)
    const second = await purchase(shop)
    const { response } = await pay(shop, download(first.purchaseId, second.downloadToken))
    expect(response.status).toBe(403)
    expect(shop.settlements).toHaveLength(2)
  })

  it("404: a purchase that does not exist", async () => {
    const shop = await openShop()
    const { downloadToken } = await purchase(shop)
    const { response } = await pay(shop, download(noPurchase, downloadToken))
    await expectUncharged(shop, response, 404, "PURCHASE_NOT_FOUND")
  })

  it("an id that is no UUID is of no purchase", async () => {
    const shop = await openShop()
    const { response } = await pay(shop, download("nothing", "secret"))
    expect([400, 404]).toContain(response.status)
    expect(shop.settlements).toEqual([])
  })

  it.each<[string, () => Error, number, string]>([
    ["502: the archive can't be opened", () => new Error("disk"), 502, "VAULT_ERROR"],
    [
      "503: the archive is away",
      () => new TemporarilyUnavailable({ message: "away" }),
      503,
      "VAULT_UNAVAILABLE"
    ]
  ])("%s", async (_, error, status, code) => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    shop.script.open = async () => {
      throw error()
    }
    const { response } = await pay(shop, download(purchaseId, downloadToken))
    await expectUncharged(shop, response, status, code)
  })
})
