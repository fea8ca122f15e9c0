import { TemporarilyUnavailable } from "@till402/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { calls } from "./calls.ts"
import { buyResponse, expectPaidFault, expectRefusal } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { array, itHasFields, nullable, number, object, oneOf, string, url } from "./shape.ts"
import { productA, productB, withoutExpedited } from "./samples.ts"
import { keepShop, openShop, type Shop } from "./till.ts"

const shopCall = (body: unknown) => ({ method: "POST", path: "/x402/shop", body })

const productFields = {
  asin: string,
  title: string,
  price: nullable(number),
  currency: string,
  rating: nullable(number),
  reviewCount: nullable(number),
  imageUrl: nullable(url),
  productUrl: nullable(url),
  source: oneOf("marketplace_a", "marketplace_b")
}

const message = "a lamp"

describe("POST /x402/shop: bodies that are refused", () => {
  it.each<[string, unknown, string]>([
    ["message left out", { context: {} }, "message"],
    ["message of no characters", { message: "" }, "message"],
    ["message of 1001 characters", { message: "m".repeat(1001) }, "message"],
    ["message of 1001 characters beyond the BMP", { message: "🪔".repeat(1001) }, "message"],
    ["message a number", { message: 5 }, "message"],
    ["message null", { message: null }, "message"],
    ["message an array", { message: [message] }, "message"],
    ["message with a lone surrogate", '{"message":"la\\ud800mp"}', "message"],
    ["message with a control character", '{"message":"la\\u0000mp"}', "message"],
    ["context a string", { message, context: "cheap" }, "context"],
    ["context an array", { message, context: [] }, "context"],
    ["priceRange a number", { message, context: { priceRange: 5 } }, "context.priceRange"],
    ["priceRange.min text", { message, context: { priceRange: { min: "5" } } }, "context.priceRange.min"],
    ["priceRange.max text", { message, context: { priceRange: { max: "5" } } }, "context.priceRange.max"],
    ["preferences a string", { message, context: { preferences: "oak" } }, "context.preferences"],
    ["preferences with a number", { message, context: { preferences: ["oak", 5] } }, "context.preferences.1"],
    [
      "preferences with a lone surrogate",
      `{"message":"a","context":{"preferences":["\\udc00"]}}`,
      "context.preferences.0"
    ]
  ])("%s: 400", async (_, body, path) => {
    const shop = await openShop()
    await expectPaidFault(shop, shopCall(body), path)
    expect(shop.calls.reply).toEqual([])
  })

  it.each<[string, unknown]>([
    ["an array", [message]],
    ["a string", '"a lamp"'],
    ["a number", "5"],
    ["null", "null"]
  ])("a body that is %s: 400", async (_, body) => {
    const shop = await openShop()
    const { response } = await pay(shop, shopCall(body))
    await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
  })

  it.each<[string, unknown]>([
    ["no body", undefined],
    ["{}", {}]
  ])("%s, paid: 400", async (_, body) => {
    const shop = await openShop()
    await expectPaidFault(shop, shopCall(body), "message")
  })

  it("names every fault in one response", async () => {
    const shop = await openShop()
    const body = { message: "", context: { priceRange: { min: "a", max: "b" }, preferences: 7 } }
    const { response } = await pay(shop, shopCall(body))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues?.map(({ path }) => path).sort()).toEqual([
      "context.preferences",
      "context.priceRange.max",
      "context.priceRange.min",
      "message"
    ])
  })

  it.each<[string, unknown]>([
    ["no body", undefined],
    ["{}", {}],
    ["an invalid body", { message: "" }],
    ["malformed JSON", "{"]
  ])("without payment, %s gets the price: 402", async (_, body) => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(shopCall(body)))
    expect(challenge.body.accepts[0]?.maxAmountRequired).toBe("100000")
  })
})

describe("POST /x402/shop: bodies that reach the assistant", () => {
  it.each<[string, object]>([
    ["message of one character", { message: "a" }],
    ["message of 1000 characters", { message: "m".repeat(1000) }],
    ["message of 1000 characters beyond the BMP", { message: "🪔".repeat(1000) }],
    ["message of several lines", { message: "a lamp\nfor my desk\r\n\tplease" }],
    ["empty context", { message, context: {} }],
    ["empty priceRange", { message, context: { priceRange: {} } }],
    ["priceRange.min alone", { message, context: { priceRange: { min: 10.5 } } }],
    ["priceRange.max alone", { message, context: { priceRange: { max: 100 } } }],
    ["priceRange, both", { message, context: { priceRange: { min: 0, max: 100 } } }],
    ["no preferences", { message, context: { preferences: [] } }],
    ["preferences", { message, context: { preferences: ["oak", "mid-century"] } }]
  ])("%s", async (_, body) => {
    const shop = await openShop()
    await buyResponse(shop, shopCall(body))
    expect(shop.calls.reply).toEqual([body])
  })

  it("fields the contract does not know are ignored", async () => {
    const shop = await openShop()
    await buyResponse(shop, shopCall({ message, mood: "hopeful" }))
    expect(shop.calls.reply).toEqual([{ message }])
  })
})

describe("POST /x402/shop: the response", () => {
  let shop: Shop
  let body: { reply: string; products: ReadonlyArray<Record<string, unknown>> }
  beforeAll(async () => {
    shop = await keepShop({
      script: {
        // What an assistant does when it recommends the products that its search found.
        reply: async (_, { search }) => ({
          reply: "Two lamps.",
          products: await search({ q: "lamp", page: 1 })
        })
      }
    })
    body = (await buyResponse(shop, calls.shop)) as typeof body
  })
  afterAll(() => shop.till.dispose())

  describe("ShopResponse", () =>
    itHasFields({ reply: string, products: array(object(productFields)) }, () => body))
  describe("a product with all known", () =>
    itHasFields(productFields, () => body.products.find(({ asin }) => asin === productA.asin)))
  describe("a product with nulls", () =>
    itHasFields(productFields, () => body.products.find(({ asin }) => asin === productB.asin)))

  it("isExpedited occurs only in search", () =>
    expect(body.products.some((product) => "isExpedited" in product)).toBe(false))
  it("returns the assistant's reply", () => {
    expect(body.reply).toBe("Two lamps.")
    expect(body.products).toEqual(
      expect.arrayContaining([withoutExpedited(productA), withoutExpedited(productB)])
    )
  })
})

describe("POST /x402/shop: when the assistant fails", () => {
  it("broken: 502 without the cause", async () => {
    const shop = await openShop({
      script: {
        reply: async () => {
          throw new Error("quota of key sk-1234 is spent")
        }
      }
    })
    const { response } = await pay(shop, calls.shop)
    const { message } = await expectRefusal(shop, response, 502, "ASSISTANT_ERROR")
    expect(message).not.toContain("sk-1234")
  })

  it("down: 503 with Retry-After", async () => {
    const shop = await openShop({
      script: {
        reply: async () => {
          throw new TemporarilyUnavailable({ message: "resting" })
        }
      }
    })
    const { response } = await pay(shop, calls.shop)
    await expectRefusal(shop, response, 503, "ASSISTANT_UNAVAILABLE")
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  })
})
