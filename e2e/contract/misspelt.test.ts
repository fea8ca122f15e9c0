import { describe, expect, it } from "vitest"
import { address, buyBody, calls, vaultBuyBody } from "./calls.ts"
import { buyResponse, expectFault, expectPaidFault } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { productA, vaultItem } from "./samples.ts"
import { type Call, openShop } from "./till.ts"

/*
 * A misspelt request isn't sold: it would buy something else than was asked for. Names that nobody can mistake for a
 * field are ignored: clients send marks of their own.
 */

const get = (path: string): Call => ({ path: `/x402/${path}` })
const post = (path: string, body: unknown): Call => ({ method: "POST", path: `/x402/${path}`, body })

describe("a misspelt field of a fixed price", () => {
  it.each([
    ["maxPrice for priceMax", get("search?q=lamp&maxPrice=20"), "maxPrice", "priceMax"],
    ["min_price for priceMin", get("search?q=lamp&min_price=20"), "min_price", "priceMin"],
    ["pricemax for priceMax", get("search?q=lamp&pricemax=20"), "pricemax", "priceMax"],
    ["brnad for brand", get("search?q=lamp&brnad=acme"), "brnad", "brand"],
    ["query for q", get("search?query=lamp"), "query", "q"],
    ["cursor for page", get("search?q=lamp&cursor=2"), "cursor", "page"],
    ["priceMax for maxPrice", get("vault/search?priceMax=20"), "priceMax", "maxPrice"],
    ["query for q in the vault", get("vault/search?query=notes"), "query", "q"],
    ["page for cursor", get("vault/search?page=2"), "page", "cursor"],
    ["product_type for productType", get("vault/search?product_type=skill"), "product_type", "productType"],
    ["trackingNumber for number", get("track?trackingNumber=1Z999AA10123456784"), "trackingNumber", "number"],
    [
      "postalCode for destinationPostalCode",
      get("track?number=1Z999AA10123456784&postalCode=97201"),
      "postalCode",
      "destinationPostalCode"
    ],
    [
      "budget for a price range",
      post("shop", { message: "a lamp", context: { maxPrice: 20 } }),
      "context.maxPrice",
      "context.priceRange.max"
    ],
    [
      "prefrences for preferences",
      post("shop", { message: "a lamp", context: { prefrences: ["blue"] } }),
      "context.prefrences",
      "context.preferences"
    ]
  ])("%s: a 402 without payment, a 400 with one", async (_, call, path, field) => {
    const shop = await openShop()
    const { status } = await shop.send(call)
    expect(status).toBe(402)
    await expectPaidFault(shop, call, path)
    expect(Object.values(shop.calls).flat()).toEqual([])
    const { response } = await pay(shop, call)
    expect(await response.text()).toContain(`did you mean ${field}?`)
  })
})

describe("a field that changes the deal", () => {
  it.each([
    ["quantity", { ...buyBody, quantity: 2 }, "quantity"],
    ["qty", { ...buyBody, qty: "2" }, "qty"],
    ["count", { ...buyBody, count: 2 }, "count"],
    ["items", { ...buyBody, items: [{ asin: "B0CONTRACT" }] }, "items"],
    ["maxPrice", { ...buyBody, maxPrice: 20 }, "maxPrice"],
    ["size", { ...buyBody, size: "XL" }, "size"],
    ["coupon", { ...buyBody, coupon: "TENOFF" }, "coupon"],
    [
      "a second line by another name",
      { ...buyBody, shippingAddress: { ...address, apartment: "4B" } },
      "shippingAddress.apartment"
    ],
    [
      "zip",
      { ...buyBody, shippingAddress: { ...address, zip: "97201", postalCode: undefined } },
      "shippingAddress.zip"
    ]
  ])("%s isn't quoted: 400, also with a payment", async (_, body, path) => {
    const shop = await openShop()
    await expectFault(shop, await shop.send(post("buy", body)), path)
    await expectPaidFault(shop, post("buy", body), path, calls.buy)
    expect(shop.calls.quote).toHaveLength(1)
  })

  it("isn't sold by the vault", async () => {
    const shop = await openShop()
    const body = { ...vaultBuyBody, quantity: 2 }
    await expectFault(shop, await shop.send(post("vault/buy", body)), "quantity")
    await expectPaidFault(shop, post("vault/buy", body), "quantity", calls.vaultBuy)
  })
})

describe("an unknown field that resembles none", () => {
  it.each([
    get("search?q=lamp&utm_source=x&sort=price&t=1&_=2&lang=en&limit=5"),
    get("search?q=lamp&priceMax=20&maxPrice=20"),
    get("vault/search?sort=new&ref=abc&v=2"),
    get("track?number=1Z999AA10123456784&session=1&id=7"),
    post("shop", { message: "a lamp", contextId: "7", messageId: "8", metadata: { a: 1 }, locale: "en" })
  ])("is ignored: $path", async (call) => {
    const shop = await openShop()
    await buyResponse(shop, call)
  })

  it("is ignored by buy, as is all that search says of the product", async () => {
    const shop = await openShop()
    const body = { ...productA, ...buyBody, idempotencyKey: "a", metadata: {}, notes: "", requestId: "b" }
    const { productUrl: _, ...named } = body
    await buyResponse(shop, post("buy", named))
    await buyResponse(shop, post("vault/buy", { ...vaultItem, ...vaultBuyBody }))
  })

  it("is refused where the host wants it", async () => {
    const shop = await openShop({ options: { refuseUnknownFields: true } })
    await expectPaidFault(shop, get("search?q=lamp&sort=price"), "sort")
    await expectFault(shop, await shop.send(post("buy", { ...buyBody, notes: "a" })), "notes")
    await buyResponse(shop, calls.search)
  })
})

describe("a search for nothing", () => {
  it.each([
    ["malformed percent-encoding", get("search?q=%E0%A4%A"), "q"],
    ["a lone %", get("search?q=100%"), "q"],
    ["a malformed brand", get("search?q=lamp&brand=%FF"), "brand"],
    ["blanks", get("search?q=%20%20"), "q"],
    ["invisible characters", get("search?q=%E2%80%8B%C2%A0"), "q"],
    ["malformed percent-encoding in the vault", get("vault/search?q=%E0%A4%A"), "q"],
    ["blanks in the vault", get("vault/search?q=%20"), "q"],
    ["punctuation in the vault", get("vault/search?q=%3F%21"), "q"],
    ["a blank message", post("shop", { message: " \n " }), "message"]
  ])("%s: 400, not charged", async (_, call, path) => {
    const shop = await openShop()
    await readChallenge(await shop.send(call))
    await expectPaidFault(shop, call, path)
  })

  it.each(["search?q=100%25+cotton", "search?q=%F0%9F%92%A1", "vault/search?q=&category=development"])(
    "%s is a search",
    async (path) => {
      const shop = await openShop()
      await buyResponse(shop, get(path))
    }
  )
})
