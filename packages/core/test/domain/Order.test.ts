import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { decoder } from "../../src/http/Input.ts"
import {
  buyFaults,
  BuyRequest,
  Email,
  namingFaults,
  productOf,
  ShippingAddress
} from "../../src/domain/Order.ts"
import { asinOfUrl, variantOfUrl } from "../../src/domain/ProductUrl.ts"
import { countryCodes } from "../../src/domain/Country.ts"
import { property } from "./seeded.ts"

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
    ["https://shop.example/products/tote?next=/dp/B0ABCDEFGH", undefined],
    ["https://shop.example/products/tote#/dp/B0ABCDEFGH", undefined],
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
    [`${store}?variant=4001&variant=4001`, "4001"],
    [`${store}?variant=&variant=4001`, "4001"],
    [`${store}?variant=`, undefined],
    [store, undefined],
    [`${store}#variant=4001`, undefined],
    ["not a url?variant=1", undefined]
  ])("finds in %s: %s", (url, variant) => {
    expect(variantOfUrl(url)).toBe(variant)
  })
})

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
  ])("are told of %s", (_, naming, paths) => {
    expect(namingFaults(naming).map(({ path }) => path)).toEqual(paths)
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

const decodeBuy = decoder(BuyRequest, buyFaults)

const address = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
const request = { email: "ada@shop.example", asin: "B0ABCDEFGH", shippingAddress: address }

interface Told {
  readonly path: string
  readonly message: string
}

/** The faults that a caller is told, by path. */
const faultsOf = (input: unknown): ReadonlyArray<Told> => {
  const decoded = decodeBuy(input)
  return decoded._tag === "Success" ? [] : decoded.failure
}
const pathsOf = (input: unknown) =>
  faultsOf(input)
    .map(({ path }) => path)
    .sort()
const withAddress = (changes: object) => ({ ...request, shippingAddress: { ...address, ...changes } })

describe("ShippingAddress", () => {
  const decode = Schema.decodeUnknownSync(ShippingAddress)

  it("of the United States is written as the post writes it, and the rest kept as it came", () => {
    const sent = {
      ...address,
      name: " Ada  Lovelace ",
      line2: "",
      phone: "",
      state: "new jersey",
      postalCode: " 071021234",
      country: "us"
    }
    expect(decode(sent)).toEqual({ ...sent, state: "NJ", postalCode: "07102-1234", country: "US" })
  })

  it.each([
    { city: "Zürich", state: "ZH", postalCode: "8001", country: "ch" },
    { city: "東京都千代田区", state: "東京都", postalCode: "〒100-0001", country: "JP" },
    { city: "Москва", state: "Москва", postalCode: "101000", country: "RU" },
    { city: "القاهرة", state: "القاهرة", postalCode: "١١٥١١", country: "EG" },
    { city: "Đà Nẵng", state: "Đà Nẵng", postalCode: "550000", country: "VN" },
    { city: "Toronto", state: "Ontario", postalCode: "M5V 2T6", country: "CA" },
    { city: "London", state: "-", postalCode: "SW1A 1AA", country: "GB" },
    { city: "Hong Kong", state: "Kowloon", postalCode: "none", country: "HK" },
    { city: "San Juan", state: "San Juan", postalCode: "00901", country: "PR" },
    {
      city: "大阪市",
      name: "ﾔﾏﾀﾞ 太郎",
      line1: "1丁目2−3",
      state: "27",
      postalCode: "5300001",
      country: "JP"
    },
    { city: "𠮷野", name: "👩‍🚀 O'Néill-Øst", line1: "№ 5/7 “Rue”", state: "x", postalCode: "x", country: "FR" }
  ])("of $country is kept as it came: $city", (changes) => {
    const sent = { ...address, ...changes }
    expect(decode(sent)).toEqual({ ...sent, country: sent.country.toUpperCase() })
    expect(faultsOf({ ...request, shippingAddress: sent })).toEqual([])
  })

  property("is taken whatever its text, outside the United States", 300, (rolled) => {
    const letters = [..."aZ09 -/.,'#éßøłЖدעव東京한👍"]
    const text = (longest: number) =>
      Array.from({ length: 1 + rolled.below(longest) }, () => rolled.pick(letters)).join("")
    const sent = {
      name: text(200),
      line1: text(200),
      line2: text(200),
      city: text(100),
      state: text(100),
      postalCode: text(20),
      country: rolled.pick(countryCodes.filter((code) => code !== "US"))
    }
    expect(decode(sent)).toEqual(sent)
  })

  property("once read it reads the same again", 100, (rolled) => {
    const sent = {
      ...address,
      state: rolled.pick(["or", "Oregon", "N.Y.", "us-ca", "Guam", "AE"]),
      postalCode: `${rolled.text("0123456789", 5)}${rolled.pick(["", " ", "-"])}${rolled.text("0123456789", 4)}`
    }
    const once = decode(sent)
    expect(decode(once)).toEqual(once)
  })

  it.each([
    ["an empty name", { name: "" }, "name"],
    ["a line break in a name", { name: "Ada\nLovelace" }, "name"],
    ["a null character", { city: "New\u0000ark" }, "city"],
    ["a lone surrogate", { line1: "\ud800" }, "line1"],
    ["a country of three letters", { country: "USA" }, "country"],
    ["a country that is no letters", { country: "U1" }, "country"],
    ["a country that does not exist", { country: "XX" }, "country"],
    ["a postal code that is too long", { postalCode: "0".repeat(21) }, "postalCode"],
    ["a number for a text", { state: 1 }, "state"],
    ["a US state that does not exist", { state: "ZZ" }, "state"],
    ["a US state of spaces", { state: "  " }, "state"],
    ["a province as a US state", { state: "Ontario", country: "us" }, "state"],
    ["a postcode as a ZIP code", { postalCode: "SW1A 1AA" }, "postalCode"],
    ["a ZIP code of four digits", { postalCode: "7102" }, "postalCode"],
    ["a phone of too few digits", { phone: "123" }, "phone"],
    ["words for a phone", { phone: "none" }, "phone"],
    ["an e-mail for a phone", { phone: "ada1234@shop.example" }, "phone"],
    ["markup for a phone", { phone: "<b>555 0100</b>" }, "phone"],
    ["a phone that is too long", { phone: "5".repeat(31) }, "phone"]
  ])("with %s is refused at its field", (_, changes, field) => {
    expect(pathsOf(withAddress(changes))).toEqual([`shippingAddress.${field}`])
    expect(() => decode({ ...address, ...changes })).toThrow()
  })

  it.each([
    "",
    " ",
    "5550",
    "+1 503 555 0100",
    "(503) 555-0100 ext. 12",
    "503.555.0100 x12",
    "1-800-FLOWERS",
    "+44 (0)20 7946 0958",
    "00 49 30/123456",
    "+1\u2011503\u2011555\u20110100",
    "\uff0b81 3\uff081234\uff095678",
    "٠١٠١٢٣٤٥٦٧٨",
    "tel:+15035550100",
    "*67,5035550100#"
  ])("takes %j for a phone as it is", (phone) => {
    expect(decode({ ...address, phone })).toEqual({ ...address, phone })
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
    "says how to name a product that has no product code: %j",
    (asin) => {
      const [fault, ...others] = faultsOf({ ...unnamed, asin })
      expect(fault?.path).toBe("asin")
      expect(fault?.message).toMatch(/storefront product by productUrl and variantId, without asin/)
      expect(others).toEqual([])
    }
  )

  it("a product as search gave it, id and all, is told that alone", () => {
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
    const told = faultsOf({
      email: secret,
      asin: secret,
      productUrl: `http://${secret}:${secret}@localhost/`,
      variantId: secret.repeat(20),
      shippingAddress: { ...address, state: secret, postalCode: secret, country: secret, phone: `${secret}@` }
    })
    expect(told).toHaveLength(6)
    expect(JSON.stringify(told)).not.toContain(secret)
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
