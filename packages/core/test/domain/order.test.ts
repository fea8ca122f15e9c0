import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  asinOfUrl,
  BuyRequest,
  Email,
  namingFault,
  productOf,
  ShippingAddress,
  variantOfUrl
} from "../../src/domain/Order.ts"

const dp = "https://shop.example/dp/B0ABCDEFGH"
const store = "https://store.example/products/tote"

describe("asinOfUrl", () => {
  it.each([
    [dp, "B0ABCDEFGH"],
    ["https://shop.example/dp/b0abcdefgh", "B0ABCDEFGH"],
    ["https://shop.example/Canvas-Tote/dp/B0ABCDEFGH/ref=sr_1_1?q=tote", "B0ABCDEFGH"],
    ["https://shop.example/dp/B0ABCDEFGH?th=1", "B0ABCDEFGH"],
    ["https://shop.example/dp/B0ABCDEFGH#reviews", "B0ABCDEFGH"],
    ["https://shop.example/gp/product/B0ABCDEFGH", "B0ABCDEFGH"],
    ["https://shop.example/gp/aw/d/B0ABCDEFGH/", "B0ABCDEFGH"],
    ["https://shop.example/dp/B0ABCDEFG", undefined],
    ["https://shop.example/dp/B0ABCDEFGHI", undefined],
    ["https://shop.example/dp/B0ABCDEF-H", undefined],
    ["https://shop.example/product/B0ABCDEFGH", undefined],
    [store, undefined],
    ["", undefined]
  ])("finds in %s: %s", (url, asin) => {
    expect(asinOfUrl(url)).toBe(asin)
  })
})

describe("variantOfUrl", () => {
  it.each([
    [`${store}?variant=4001`, "4001"],
    [`${store}?colour=red&variant=4001#top`, "4001"],
    [`${store}?variant=4001&variant=4002`, "4001"],
    [store, undefined],
    [`${store}#variant=4001`, undefined],
    ["not a url?variant=1", undefined]
  ])("finds in %s: %s", (url, variant) => {
    expect(variantOfUrl(url)).toBe(variant)
  })
})

describe("namingFault", () => {
  it.each([
    ["asin alone", { asin: "B0ABCDEFGH" }],
    ["a product page alone", { productUrl: dp }],
    ["both of the same product", { asin: "b0abcdefgh", productUrl: dp }],
    ["asin and a variant", { asin: "B0ABCDEFGH", variantId: "4001" }],
    ["a storefront product and its variant", { productUrl: store, variantId: "4001" }],
    ["a storefront product whose address names the variant", { productUrl: `${store}?variant=4001` }],
    ["a variant twice, the same", { productUrl: `${store}?variant=4001`, variantId: "4001" }]
  ])("finds none in %s", (_, naming) => {
    expect(namingFault(naming)).toBeUndefined()
  })

  it.each([
    ["nothing", {}, "asin"],
    ["a variant alone", { variantId: "4001" }, "asin"],
    ["a page of another product", { asin: "B0OTHEROTH", productUrl: dp }, "productUrl"],
    ["asin and a storefront product", { asin: "B0ABCDEFGH", productUrl: `${store}?variant=1` }, "productUrl"],
    ["a storefront product without variant", { productUrl: store }, "variantId"],
    ["two variants", { productUrl: `${store}?variant=4001`, variantId: "4002" }, "variantId"]
  ])("finds one in %s", (_, naming, path) => {
    expect(namingFault(naming)?.path).toBe(path)
  })
})

describe("productOf", () => {
  const request = {
    email: "ada@shop.example",
    shippingAddress: {
      name: "Ada",
      line1: "1 Analytical Way",
      city: "Newark",
      state: "NJ",
      postalCode: "07102",
      country: "US"
    }
  }
  it.each([
    [{ asin: "b0abcdefgh" }, { source: "marketplace_a", asin: "B0ABCDEFGH", productUrl: undefined }],
    [{ productUrl: dp }, { source: "marketplace_a", asin: "B0ABCDEFGH", productUrl: dp }],
    [
      { productUrl: `${store}?variant=4001` },
      { source: "marketplace_b", productUrl: `${store}?variant=4001`, variantId: "4001" }
    ],
    [
      { productUrl: store, variantId: "4002" },
      { source: "marketplace_b", productUrl: store, variantId: "4002" }
    ]
  ])("of %j is %j", (naming, product) => {
    expect(productOf({ ...request, ...naming })).toEqual(product)
  })
})

describe("Email", () => {
  const isEmail = Schema.is(Email)
  const label = "a".repeat(63)

  it.each([
    "ada@shop.example",
    "ADA@SHOP.EXAMPLE",
    "a.b+tag@shop.example",
    "!#$%&'*+/=?^_`{|}~-@shop.example",
    "ada@localhost",
    "ada@a-b.example",
    "1@2.example",
    `ada@${label}.example`
  ])("accepts %s", (text) => {
    expect(isEmail(text)).toBe(true)
  })

  it.each([
    "",
    "ada",
    "@shop.example",
    "ada@",
    "ada@@shop.example",
    "ada@shop@example",
    "ada@.example",
    "ada@shop..example",
    "ada@shop.example.",
    "ada@-shop.example",
    "ada@shop-.example",
    "ada@shop_x.example",
    `ada@${label}a.example`,
    "ada lovelace@shop.example",
    '"ada"@shop.example',
    "ada@[127.0.0.1]",
    "ada@shop.example\n",
    "ada@shop.example\r\nbcc: eve@shop.example",
    " ada@shop.example",
    "ada@shop.example ",
    "ädä@shop.example",
    `${"a".repeat(242)}@shop.example`,
    `ada@${"a".repeat(60)}${".aaaaaaaa".repeat(20_000)}`
  ])("refuses %.40j", (text) => {
    expect(isEmail(text)).toBe(false)
  })

  it("accepts the longest, 254 characters", () => {
    expect(isEmail(`${"a".repeat(241)}@shop.example`)).toBe(true)
  })
})

describe("ShippingAddress", () => {
  const decode = Schema.decodeUnknownSync(ShippingAddress)
  const address = {
    name: "Ada Lovelace",
    line1: "1 Analytical Way",
    city: "Zürich 東京",
    state: "NJ",
    postalCode: "07102",
    country: "us"
  }

  it("writes the country in upper case, and keeps the rest as it came", () => {
    expect(decode(address)).toEqual({ ...address, country: "US" })
  })

  it.each([
    ["an empty name", { name: "" }],
    ["a line break in a name", { name: "Ada\nLovelace" }],
    ["a null character", { city: "New\u0000ark" }],
    ["a lone surrogate", { line1: "\ud800" }],
    ["a country of three letters", { country: "USA" }],
    ["a country that is no letters", { country: "U1" }],
    ["a postal code that is too long", { postalCode: "0".repeat(21) }],
    ["a number for a text", { state: 1 }]
  ])("refuses %s", (_, change) => {
    expect(() => decode({ ...address, ...change })).toThrow()
  })
})

describe("BuyRequest", () => {
  const isRequest = Schema.is(BuyRequest)
  const request = {
    email: "ada@shop.example",
    shippingAddress: {
      name: "Ada",
      line1: "1 Analytical Way",
      city: "Newark",
      state: "NJ",
      postalCode: "07102",
      country: "US"
    }
  }

  it.each([
    ["a page with a user in its address", "https://ada@shop.example/dp/B0ABCDEFGH"],
    ["a page with credentials in its address", "https://ada:word@shop.example/dp/B0ABCDEFGH"],
    ["a script", "javascript:alert('/dp/B0ABCDEFGH')"],
    ["a file", "file:///dp/B0ABCDEFGH"],
    ["a path", "/dp/B0ABCDEFGH"]
  ])("refuses %s", (_, productUrl) => {
    expect(isRequest({ ...request, productUrl })).toBe(false)
  })

  it("accepts asin and the same product's page", () => {
    expect(isRequest({ ...request, asin: "B0ABCDEFGH", productUrl: dp })).toBe(true)
  })
})
