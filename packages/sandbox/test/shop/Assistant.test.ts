import type { Mail, ProductQuery, ShopRequest } from "@till402/core"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ShopResponse } from "../../../core/src/shop/goods/ShopRequest.ts"
import { sampleShop } from "../../src/shop/index.ts"

const shop = sampleShop()
const { signal } = new AbortController()

const request = async (message: string, context?: ShopRequest["context"]) => {
  const queries: Array<ProductQuery> = []
  const search = async (query: ProductQuery) => {
    queries.push(query)
    const pages = await Promise.all(
      Object.values(shop.marketplaces).map((market) => market.search(query, { signal }))
    )
    return pages.flatMap(({ products }) => products)
  }
  const response = await shop.assistant.reply(context === undefined ? { message } : { message, context }, {
    signal,
    search
  })
  const decode = Schema.decodeUnknownSync(ShopResponse, { onExcessProperty: "error" })
  expect(decode(response)).toEqual(response)
  expect(response.reply).toMatch(/^Sample assistant: /)
  expect(queries.length).toBeLessThanOrEqual(6)
  return { ...response, queries }
}

describe("the sample assistant", () => {
  it("recommends products of the catalogue and names them", async () => {
    const { products, queries, reply } = await request("I'm looking for a coffee grinder, please")
    expect(queries[0]).toEqual({ q: "coffee grinder", page: 1 })
    expect(products[0]?.title).toContain("Burr Coffee Grinder")
    for (const { title } of products) expect(reply).toContain(title)
  })

  it.each([
    [{ max: 60 }, 0, 60],
    [{ min: 100 }, 100, Infinity],
    [{ min: 40, max: 120 }, 40, 120]
  ])("respects priceRange %o", async (priceRange, min, max) => {
    const { products } = await request("wireless headphones", { priceRange })
    expect(products.length).toBeGreaterThan(0)
    for (const { price } of products) {
      expect(price).toBeGreaterThanOrEqual(min)
      expect(price).toBeLessThanOrEqual(max)
    }
  })

  it("finds nothing in an empty range", async () => {
    expect((await request("headphones", { priceRange: { max: 0 } })).products).toEqual([])
    expect((await request("headphones", { priceRange: { min: 90, max: 10 } })).products).toEqual([])
  })

  it.each([
    ["wireless headphones under $60", { priceMax: 60 }],
    ["wireless headphones, no more than 60 dollars", { priceMax: 60 }],
    ["headphones between 40 and 120", { priceMin: 40, priceMax: 120 }],
    ["headphones over $100", { priceMin: 100 }],
    ["headphones over $1,000", { priceMin: 1_000 }]
  ])("reads a budget from the message: %s", async (message, bounds) => {
    expect((await request(message)).queries[0]).toMatchObject(bounds)
  })

  it.each(["headphones, at least 40 hours", "kettlebell under 30 lb", "tent below 2.5 kg"])(
    "doesn't mistake a measure for a budget: %s",
    async (message) => {
      const { priceMax, priceMin } = (await request(message)).queries[0]!
      expect([priceMin, priceMax]).toEqual([undefined, undefined])
    }
  )

  it("prefers the range of the request to a budget in the message", async () => {
    const { queries } = await request("headphones under $500", { priceRange: { max: 60 } })
    expect(queries[0]).toEqual({ q: "headphones", page: 1, priceMax: 60 })
  })

  it("ranks products first whose title or features meet the preferences", async () => {
    expect((await request("headphones")).products[0]?.title).not.toContain("Kids")
    const { products, reply } = await request("headphones", { preferences: ["kids", "foldable"] })
    expect(products[0]?.title).toContain("Kids")
    expect(reply).toContain("“kids”, “foldable”")
    const none = await request("headphones", { preferences: ["edible"] })
    expect(none.products.length).toBeGreaterThan(0)
    expect(none.reply).toContain("edible")
  })

  it("recommends a product once, not in each color", async () => {
    const { products } = await request("noise cancelling headphones")
    expect(products.filter(({ title }) => title.includes("Q45"))).toHaveLength(1)
  })

  it("recommends the closest matches if nothing fits, and states that", async () => {
    const { products, reply } = await request("purple trail shoes")
    expect(products[0]?.title).toContain("Trail Running Shoes")
    for (const { title } of products) expect(title).toContain("Trail")
    expect(reply).toContain("this comes closest, without “purple”")
  })

  it("ranks by the words of title and wish, compounds as one", async () => {
    const { products, queries, reply } = await request("over-ear headphones under $150, not in-ear")
    expect(queries[0]).toEqual({ q: "over-ear headphones", page: 1, priceMax: 150 })
    expect(products[0]?.title).toContain("Q45")
    expect(reply).toContain("can't judge anything else")
  })

  it.each(["quiet headphones", "quiet headphones for my office under $150"])(
    "prefers a title to words that a buyer doesn't see: %s",
    async (message) => {
      const { products } = await request(message)
      expect(products[0]?.title).toContain("Headphones")
    }
  )

  it("finds a product by its code", async () => {
    const [grinder] = (await request("coffee grinder")).products
    expect((await request(`Tell me about ${grinder?.asin}`)).products[0]?.asin).toBe(grinder?.asin)
  })

  it("finds the product of a long wish that ends in a question", async () => {
    const message =
      "Wireless over-ear headphones under $150 for a noisy open-plan office. Are wired ones better for calls?"
    const { products } = await request(message)
    expect(products[0]?.title).toContain("Q45")
  })

  it("takes an amount in words as one in digits", async () => {
    const { products, reply } = await request("headphones for no more than forty euros")
    expect(products[0]?.title).toContain("Headphones")
    expect(reply).toContain("limit in another currency wasn't applied")
  })

  it("takes a limit in another currency as a wish", async () => {
    const { products, queries, reply } = await request("headphones under 40 euros")
    expect(queries[0]).toEqual({ q: "headphones", page: 1 })
    expect(products.length).toBeGreaterThan(0)
    expect(reply).toContain("Prices are in USD")
  })

  it("says where to look for an order", async () => {
    const { products, reply } = await request("where is my order?")
    expect(products).toEqual([])
    expect(reply).toContain("parcel tracking follows a parcel by its tracking number")
  })

  it("asks for a wish if there is none, and explains that nothing matches", async () => {
    expect(await request("Hi, can you help me?")).toMatchObject({ products: [], queries: [] })
    expect((await request("a submarine")).products).toEqual([])
  })

  it("fails if the search fails", async () => {
    const search = () => Promise.reject(new Error("down"))
    await expect(shop.assistant.reply({ message: "headphones" }, { signal, search })).rejects.toThrow("down")
  })
})

describe("the outbox", () => {
  const mail = (key: number): Mail => ({
    to: "ada@example.com",
    subject: `Order ${key}`,
    text: "Thank you.",
    html: "<p>Thank you.</p>",
    idempotencyKey: String(key)
  })

  it("keeps the newest 100 mails and reports each once", async () => {
    const mails: Array<Mail> = []
    const { mailer, outbox } = sampleShop({ onMail: (mail) => void mails.push(mail) })
    for (let key = 0; key < 105; key++) await mailer.send(mail(key), { signal })
    await mailer.send(mail(104), { signal })
    expect(outbox).toHaveLength(100)
    expect([outbox[0], outbox.at(-1)]).toEqual([mail(5), mail(104)])
    expect(mails).toHaveLength(105)
  })
})
