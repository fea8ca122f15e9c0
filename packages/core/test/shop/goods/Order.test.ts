import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Email, namingFaults, productOf } from "../../../src/shop/goods/Order.ts"
import { property } from "../../domain/seeded.ts"
import { dp, store, decodeBuy, address, request, faultsOf, pathsOf } from "../../domain/orderRequests.ts"

describe("namingFaults", () => {
  it.each([
    ["asin alone", { asin: "B0ABCDEFGH" }],
    ["a product page alone", { productUrl: dp }],
    ["both of the same product", { asin: "b0abcdefgh", productUrl: dp }],
    ["asin and a variant", { asin: "B0ABCDEFGH", variantId: "4001" }],
    ["a storefront product and its variant", { productUrl: store, variantId: "4001" }],
    ["a storefront product whose address names the variant", { productUrl: `${store}?variant=4001` }],
    ["a variant twice, the same", { productUrl: `${store}?variant=4001`, variantId: "4001" }],
    ["a page that its own field refuses", { productUrl: "http://store.example/products/tote" }]
  ])("are none for %s", (_, naming) => {
    expect(namingFaults(naming)).toEqual([])
  })

  it.each([
    ["nothing", {}, ["asin"]],
    ["a variant alone", { variantId: "4001" }, ["asin"]],
    ["a page of another product", { asin: "B0OTHEROTH", productUrl: dp }, ["productUrl"]],
    [
      "asin and a storefront product",
      { asin: "B0ABCDEFGH", productUrl: `${store}?variant=1` },
      ["productUrl"]
    ],
    ["a storefront product without variant", { productUrl: store }, ["variantId"]],
    ["a storefront product with an empty variant", { productUrl: `${store}?variant=` }, ["variantId"]],
    ["two variants", { productUrl: `${store}?variant=4001`, variantId: "4002" }, ["variantId"]],
    ["two variants in the address", { productUrl: `${store}?variant=1&variant=2` }, ["productUrl"]],
    ["a variant too long", { productUrl: `${store}?variant=${"4".repeat(101)}` }, ["productUrl"]],
    ["a variant with a null character", { productUrl: `${store}?variant=%00` }, ["productUrl"]],
    [
      "another product, and two variants",
      { asin: "B0OTHEROTH", productUrl: `${store}?variant=4001`, variantId: "4002" },
      ["productUrl", "variantId"]
    ],
    ["a storefront's id as asin, and no variant", { asin: "gid://1", productUrl: store }, ["variantId"]]
  ])("get a fault for %s", (_, naming, paths) => {
    expect(namingFaults(naming).map(({ path }) => path)).toEqual(paths)
  })
})

describe("where the general marketplace is named", () => {
  const shop = { hosts: ["amazon.com", "amazon.example"], country: "US" }
  const page = "https://www.amazon.com/dp/B0ABCDEFGH"
  const storePage = "https://store.example/dp/B0ABCDEFGH"
  const general = { source: "marketplace_a", asin: "B0ABCDEFGH", productUrl: page }

  it.each([
    ["its page", { productUrl: page }, general],
    ["asin and its page", { asin: "b0abcdefgh", productUrl: page }, general],
    [
      "a page of its host itself",
      { productUrl: page.replace("www.", "") },
      { ...general, productUrl: "https://amazon.com/dp/B0ABCDEFGH" }
    ],
    [
      "another of its hosts",
      { productUrl: page.replace("com", "example") },
      { ...general, productUrl: "https://www.amazon.example/dp/B0ABCDEFGH" }
    ],
    [
      "a storefront's page with a path like its own",
      { productUrl: storePage, variantId: "41" },
      { source: "marketplace_b", productUrl: storePage, variantId: "41" }
    ],
    [
      "such a page whose address names the variant",
      { productUrl: `${storePage}?variant=41` },
      { source: "marketplace_b", productUrl: `${storePage}?variant=41`, variantId: "41" }
    ]
  ])("takes %s", (_, naming, product) => {
    expect(namingFaults(naming, shop)).toEqual([])
    expect(productOf(naming, shop)).toEqual(product)
  })

  it.each([
    ["a page of another country's shop", { productUrl: page.replace(".com", ".de") }, ["productUrl"]],
    ["a page of another marketplace", { productUrl: "https://www.ebay.com/dp/B0ABCDEFGH" }, ["productUrl"]],
    ["a host that only ends like it", { productUrl: page.replace("www.", "not") }, ["productUrl"]],
    ["asin and a foreign page", { asin: "B0ABCDEFGH", productUrl: storePage }, ["productUrl"]],
    ["its page and a variant", { productUrl: page, variantId: "41" }, ["variantId"]],
    ["its page of no product", { productUrl: "https://www.amazon.com/s?k=lamp" }, ["productUrl"]],
    ["a storefront's page without variant", { productUrl: store }, ["variantId"]]
  ])("refuses %s", (_, naming, paths) => {
    expect(namingFaults(naming, shop).map(({ path }) => path)).toEqual(paths)
  })
})

describe("a page with a path of the general marketplace, whose hosts aren't named", () => {
  it("is a storefront's if a variant is named", () => {
    const shown = { source: "marketplace_b", productUrl: dp, variantId: "41" }
    expect(namingFaults({ productUrl: dp, variantId: "41" })).toEqual([])
    expect(productOf({ productUrl: dp, variantId: "41" })).toEqual(shown)
    expect(productOf({ productUrl: `${dp}?variant=41` })).toEqual({
      ...shown,
      productUrl: `${dp}?variant=41`
    })
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

describe("BuyRequest", () => {
  const { asin: _, ...unnamed } = request

  it.each([
    ["a page with a user in its address", "https://ada@shop.example/dp/B0ABCDEFGH"],
    ["a page with credentials in its address", "https://ada:word@shop.example/dp/B0ABCDEFGH"],
    ["a page without TLS", "http://shop.example/dp/B0ABCDEFGH"],
    ["a page of this machine", "https://localhost/dp/B0ABCDEFGH"],
    ["a page of a private network", "https://[::ffff:10.0.0.1]/dp/B0ABCDEFGH"],
    ["a script", "javascript:alert('/dp/B0ABCDEFGH')"],
    ["a file", "file:///dp/B0ABCDEFGH"],
    ["a path", "/dp/B0ABCDEFGH"]
  ])("refuses %s, at productUrl alone", (_name, productUrl) => {
    expect(pathsOf({ ...unnamed, productUrl })).toEqual(["productUrl"])
    expect(pathsOf({ ...request, productUrl })).toEqual(["productUrl"])
  })

  it("accepts asin and the same product's page", () => {
    expect(decodeBuy({ ...request, productUrl: dp })).toMatchObject({
      _tag: "Success",
      success: { asin: "B0ABCDEFGH", productUrl: dp }
    })
  })

  it.each(["gid://shop/p/7219004411", "7219004411001", "b_42", "41", "", "B0ABC DEFG", "Ｂ0ABCDEFGH"])(
    "explains how to name a product that has no product code: %j",
    (asin) => {
      const [fault, ...others] = faultsOf({ ...unnamed, asin })
      expect(fault?.path).toBe("asin")
      expect(fault?.message).toMatch(/storefront product by productUrl and variantId, without asin/)
      expect(others).toEqual([])
    }
  )

  it("a product as search gave it, id and all, gets that fault alone", () => {
    const productUrl = `${store}?variant=4001`
    expect(pathsOf({ ...request, asin: "gid://shop/p/7", productUrl })).toEqual(["asin"])
  })

  it("names every fault of the whole request in one response", () => {
    expect(
      pathsOf({
        email: "ada",
        asin: "B0OTHEROTH",
        productUrl: `${store}?variant=4001`,
        variantId: "4002",
        shippingAddress: { line1: 5, city: "", state: "ZZ", postalCode: "x", country: "us", phone: "no" }
      })
    ).toEqual([
      "email",
      "productUrl",
      "shippingAddress.city",
      "shippingAddress.line1",
      "shippingAddress.name",
      "shippingAddress.phone",
      "shippingAddress.postalCode",
      "shippingAddress.state",
      "variantId"
    ])
  })

  it("never repeats what was sent", () => {
    const secret = "s3cret"
    const faults = faultsOf({
      email: secret,
      asin: secret,
      productUrl: `http://${secret}:${secret}@localhost/`,
      variantId: secret.repeat(20),
      shippingAddress: { ...address, state: secret, postalCode: secret, country: secret, phone: `${secret}@` }
    })
    expect(faults).toHaveLength(6)
    expect(JSON.stringify(faults)).not.toContain(secret)
  })

  it.each([[null], [5], ["x"], [[]], [{ shippingAddress: [] }], [{ asin: 5 }], [{ productUrl: {} }]])(
    "is refused without a throw: %j",
    (input) => {
      expect(faultsOf(input).length).toBeGreaterThan(0)
    }
  )

  property("asin and page are together accepted if and only if they agree", 300, (rolled) => {
    const code = () => rolled.text("ABC012", 10)
    const [asin, other] = [code(), code()]
    const shown = rolled.below(2) === 0 ? asin : other
    const cased = rolled.below(2) === 0 ? shown.toLowerCase() : shown
    const productUrl = `https://shop.example/${rolled.pick(["dp/", "gp/product/", "Tote/dp/"])}${cased}`
    expect(pathsOf({ ...request, asin, productUrl })).toEqual(shown === asin ? [] : ["productUrl"])
  })
})
