import { TemporarilyUnavailable } from "@till402/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buyBody, calls } from "./calls.ts"
import { buyResponse, expectFault, expectPaidFault, expectRefusal } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import {
  array,
  boolean,
  expectShape,
  itHasFields,
  nullable,
  number,
  object,
  oneOf,
  string,
  url
} from "./shape.ts"
import { productA, productB } from "./samples.ts"
import { keepShop, openShop, type Shop } from "./till.ts"

const search = (query: string) => ({ path: `/x402/search?${query}` })

const productFields = {
  asin: string,
  title: string,
  price: nullable(number),
  currency: string,
  rating: nullable(number),
  reviewCount: nullable(number),
  imageUrl: nullable(url),
  productUrl: nullable(url),
  source: oneOf("marketplace_a", "marketplace_b"),
  isExpedited: boolean
}
const responseFields = {
  products: array(object(productFields)),
  totalResults: number,
  page: number,
  hasMore: boolean
}

describe("GET /x402/search: parameters that are refused", () => {
  it.each([
    ["q left out", "page=1", "q"],
    ["q empty", "q=", "q"],
    ["q twice", "q=lamp&q=desk", "q"],
    ["q with a control character", "q=la%00mp", "q"],
    ["q with a line feed", "q=la%0Amp", "q"],
    ["priceMin no number", "q=lamp&priceMin=abc", "priceMin"],
    ["priceMin empty", "q=lamp&priceMin=", "priceMin"],
    ["priceMin 0", "q=lamp&priceMin=0", "priceMin"],
    ["priceMin negative", "q=lamp&priceMin=-1", "priceMin"],
    ["priceMin NaN", "q=lamp&priceMin=NaN", "priceMin"],
    ["priceMin Infinity", "q=lamp&priceMin=Infinity", "priceMin"],
    ["priceMin twice", "q=lamp&priceMin=1&priceMin=2", "priceMin"],
    ["priceMax no number", "q=lamp&priceMax=abc", "priceMax"],
    ["priceMax 0", "q=lamp&priceMax=0", "priceMax"],
    ["priceMax negative", "q=lamp&priceMax=-0.01", "priceMax"],
    ["priceMax twice", "q=lamp&priceMax=1&priceMax=1", "priceMax"],
    ["brand twice", "q=lamp&brand=a&brand=b", "brand"],
    ["brand with a control character", "q=lamp&brand=a%1Fb", "brand"],
    ["page 0", "q=lamp&page=0", "page"],
    ["page negative", "q=lamp&page=-1", "page"],
    ["page a fraction", "q=lamp&page=1.5", "page"],
    ["page no number", "q=lamp&page=abc", "page"],
    ["page empty", "q=lamp&page=", "page"],
    ["page twice", "q=lamp&page=1&page=2", "page"]
  ])("%s: 400", async (_, query, path) => {
    const shop = await openShop()
    await expectPaidFault(shop, search(query), path)
    expect(shop.calls.searchA).toEqual([])
  })

  it("names every fault in one response", async () => {
    const shop = await openShop()
    const { response } = await pay(shop, search("priceMin=abc&priceMax=0&page=1.5"))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues?.map(({ path }) => path).sort()).toEqual(["page", "priceMax", "priceMin", "q"])
  })

  it("leaves the payment of a refused call unspent: it buys the corrected one", async () => {
    const shop = await openShop()
    const { again, response } = await pay(shop, search("q=lamp&page=0"))
    await expectFault(shop, response, "page")
    expect((await again(search("q=lamp&page=1"))).status).toBe(200)
    expect(shop.settlements).toHaveLength(1)
  })

  it.each(["", "q=", "q=lamp&page=0"])("without payment %j gets the price: 402", async (query) => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(search(query)))
    expect(challenge.body.accepts[0]?.maxAmountRequired).toBe("10000")
  })
})

describe("GET /x402/search: parameters that reach the marketplaces", () => {
  it.each([
    ["page 1 by default", "q=lamp", { q: "lamp", page: 1 }],
    ["q of one character", "q=a", { q: "a", page: 1 }],
    ["q beyond ASCII", "q=%E2%9C%93%20l%C3%A4mp", { q: "✓ lämp", page: 1 }],
    ["page", "q=lamp&page=3", { q: "lamp", page: 3 }],
    ["priceMin", "q=lamp&priceMin=0.01", { q: "lamp", page: 1, priceMin: 0.01 }],
    ["priceMax", "q=lamp&priceMax=99", { q: "lamp", page: 1, priceMax: 99 }],
    ["brand", "q=lamp&brand=Acme", { q: "lamp", page: 1, brand: "Acme" }],
    ["brand of no characters", "q=lamp&brand=", { q: "lamp", page: 1, brand: "" }],
    ["unknown parameters ignored", "q=lamp&utm_source=x&sort=price", { q: "lamp", page: 1 }],
    ["unknown parameters ignored, also twice", "q=lamp&utm_source=x&utm_source=y", { q: "lamp", page: 1 }]
  ])("%s", async (_, query, expected) => {
    const shop = await openShop()
    await buyResponse(shop, search(query))
    expect(shop.calls.searchA).toEqual([expected])
    expect(shop.calls.searchB).toEqual([expected])
  })
})

describe("GET /x402/search: what is offered can be bought", () => {
  const searchA = async () => ({
    products: [
      { ...productA, asin: "B0SOLDOUT1", isAvailable: false },
      { ...productA, price: null, isAvailable: null }
    ],
    totalResults: 40,
    hasMore: true
  })
  const searchB = async () => ({ products: [], totalResults: 0, hasMore: false })

  it("leaves out what is known to be sold out, where buy is offered", async () => {
    const shop = await openShop({ script: { searchA, searchB } })
    const body = (await buyResponse(shop, search("q=lamp"))) as Record<string, unknown>
    expect(body).toEqual({
      products: [{ ...productA, price: null }],
      totalResults: 40,
      page: 1,
      hasMore: true
    })
  })

  it("finds it where nothing can be bought", async () => {
    const shop = await openShop({ script: { searchA, searchB }, without: ["fulfilment"] })
    const { products } = (await buyResponse(shop, search("q=lamp"))) as { products: ReadonlyArray<unknown> }
    expect(products).toHaveLength(2)
  })

  it("is said of each hit: its code or its page is what buy takes", async () => {
    const pageless = { ...productB, asin: "7219004412", productUrl: null }
    const shop = await openShop({
      script: {
        searchB: async () => ({ products: [pageless, productB], totalResults: 2, hasMore: false })
      }
    })
    const { products } = (await buyResponse(shop, search("q=lamp"))) as {
      products: ReadonlyArray<{ asin: string; productUrl: string; source: string }>
    }
    const { asin: _, ...buyer } = buyBody
    for (const { asin, productUrl, source } of products) {
      const named = source === "marketplace_a" ? [{ asin }, { productUrl }] : [{ productUrl }]
      // Of one buyer, code and page would be the same order.
      for (const [index, naming] of named.entries()) {
        const body = { ...buyer, ...naming, email: `buyer-${index}@example.com` }
        await buyResponse(shop, { method: "POST", path: "/x402/buy", body })
      }
    }
    expect(shop.calls.quote.map(({ product }) => product.source)).toEqual([
      "marketplace_a",
      "marketplace_a",
      "marketplace_b"
    ])
  })
})

describe("GET /x402/search: the response", () => {
  let shop: Shop
  let body: { products: ReadonlyArray<Record<string, unknown>>; page: number; hasMore: boolean }
  beforeAll(async () => {
    shop = await keepShop()
    body = (await buyResponse(shop, search("q=lamp&page=2"))) as typeof body
  })
  afterAll(() => shop.till.dispose())

  describe("SearchResponse", () => itHasFields(responseFields, () => body))
  describe("a product with all known", () =>
    itHasFields(productFields, () => body.products.find(({ asin }) => asin === productA.asin)))
  describe("a product with nulls", () =>
    itHasFields(productFields, () => body.products.find(({ asin }) => asin === productB.asin)))

  it("returns the products as the marketplaces do", () => {
    expect(body.products).toHaveLength(2)
    expect(body.products).toEqual(expect.arrayContaining([productA, productB]))
  })
  it("a page that the general marketplace doesn't know is null", async () => {
    const pageless = { ...productA, productUrl: null }
    const bare = await openShop({
      script: { searchA: async () => ({ products: [pageless], totalResults: 1, hasMore: false }) }
    })
    const { products } = (await buyResponse(bare, calls.search)) as typeof body
    expect(products).toContainEqual(pageless)
  })
  it("page is the requested page", () => expect(body.page).toBe(2))
})

describe("GET /x402/search: totals and pages", () => {
  it.each([[true], [false]])("hasMore %s comes from the marketplace", async (hasMore) => {
    const shop = await openShop({
      script: {
        searchA: async () => ({ products: [productA], totalResults: 41, hasMore }),
        searchB: async () => ({ products: [], totalResults: 0, hasMore: false })
      }
    })
    expect(await buyResponse(shop, calls.search)).toMatchObject({ totalResults: 41, hasMore })
  })

  it("nothing found is a 200 with no products", async () => {
    const nothing = async () => ({ products: [], totalResults: 0, hasMore: false })
    const shop = await openShop({ script: { searchA: nothing, searchB: nothing } })
    expect(await buyResponse(shop, calls.search)).toEqual({
      products: [],
      totalResults: 0,
      page: 1,
      hasMore: false
    })
  })
})

describe("GET /x402/search: when a marketplace fails", () => {
  const broken = async () => {
    throw new Error("upstream says: key 0xdeadbeef is revoked")
  }
  const down = async () => {
    throw new TemporarilyUnavailable({ message: "closed for the night", retryAfterSeconds: 7 })
  }

  it("one broken: returns the other's products", async () => {
    const shop = await openShop({ script: { searchA: broken } })
    const body = (await buyResponse(shop, calls.search)) as { products: ReadonlyArray<unknown> }
    expectShape(body, object(responseFields))
    expect(body.products).toEqual([productB])
  })

  it("both broken: 502 without the cause", async () => {
    const shop = await openShop({ script: { searchA: broken, searchB: broken } })
    const { response } = await pay(shop, calls.search)
    const { message } = await expectRefusal(shop, response, 502, "MARKETPLACE_ERROR")
    expect(message).not.toContain("0xdeadbeef")
  })

  it("both down: 503 with Retry-After", async () => {
    const shop = await openShop({ script: { searchA: down, searchB: down } })
    const { response } = await pay(shop, calls.search)
    await expectRefusal(shop, response, 503, "MARKETPLACE_UNAVAILABLE")
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("the payment of a failed call buys the call once the marketplace is back", async () => {
    const shop = await openShop({ script: { searchA: broken, searchB: broken } })
    const { again, response } = await pay(shop, calls.search)
    expect(response.status).toBe(502)
    shop.script.searchA = async () => ({ products: [productA], totalResults: 1, hasMore: false })
    expect((await again()).status).toBe(200)
    expect(shop.settlements).toHaveLength(1)
  })
})
