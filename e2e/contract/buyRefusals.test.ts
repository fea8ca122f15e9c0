import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { address, buyBody, calls } from "./calls.ts"
import { expectFault, expectPaidFault, expectRefusal } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { keepShop, openShop, type Shop } from "./till.ts"

const buyCall = (body: unknown) => ({ method: "POST", path: "/x402/buy", body })
const { asin: _, ...unnamed } = buyBody
const without = (name: string) => {
  const body: Record<string, unknown> = { ...buyBody }
  delete body[name]
  return body
}
const withAddress = (changes: object) => ({ ...buyBody, shippingAddress: { ...address, ...changes } })

const pageOfA = "https://marketplace.example/Walnut-Lamp/dp/B0CONTRACT?ref=x"
const pageOfB = "https://lights.example/products/linen-shade"

/** Each case is refused with and without payment. */
const refused: ReadonlyArray<readonly [string, unknown, string]> = [
  ["shippingAddress left out", without("shippingAddress"), "shippingAddress"],
  ["shippingAddress null", { ...buyBody, shippingAddress: null }, "shippingAddress"],
  ["shippingAddress a string", { ...buyBody, shippingAddress: "12 Analytical Row" }, "shippingAddress"],
  ...["name", "line1", "city", "state", "postalCode", "country"].flatMap((field) => {
    const path = `shippingAddress.${field}`
    return [
      [`${field} left out`, withAddress({ [field]: undefined }), path],
      [`${field} empty`, withAddress({ [field]: "" }), path],
      [`${field} a number`, withAddress({ [field]: 42 }), path],
      [`${field} null`, withAddress({ [field]: null }), path]
    ] as const
  }),
  ["country of three letters", withAddress({ country: "USA" }), "shippingAddress.country"],
  ["country of one letter", withAddress({ country: "U" }), "shippingAddress.country"],
  ["country of digits", withAddress({ country: "12" }), "shippingAddress.country"],
  ["country that does not exist", withAddress({ country: "XX" }), "shippingAddress.country"],
  ["country that is only reserved", withAddress({ country: "UK" }), "shippingAddress.country"],
  ["US state that does not exist", withAddress({ state: "ZZ" }), "shippingAddress.state"],
  ["US state of another country", withAddress({ state: "Ontario" }), "shippingAddress.state"],
  [
    "US postal code of another country",
    withAddress({ postalCode: "SW1A 1AA" }),
    "shippingAddress.postalCode"
  ],
  ["US postal code of four digits", withAddress({ postalCode: "9720" }), "shippingAddress.postalCode"],
  [
    "country us in small letters, no ZIP code",
    withAddress({ country: "us", postalCode: "9" }),
    "shippingAddress.postalCode"
  ],
  ["phone that is none", withAddress({ phone: "call me" }), "shippingAddress.phone"],
  ["line2 a number", withAddress({ line2: 2 }), "shippingAddress.line2"],
  ["phone a number", withAddress({ phone: 5035550100 }), "shippingAddress.phone"],
  ["name with a lone surrogate", JSON.stringify(withAddress({ name: "A\ud800" })), "shippingAddress.name"],
  ["name with a control character", withAddress({ name: "Ada\u0000" }), "shippingAddress.name"],
  ["line1 with a line feed", withAddress({ line1: "12\nRow" }), "shippingAddress.line1"],
  ["email left out", without("email"), "email"],
  ["email empty", { ...buyBody, email: "" }, "email"],
  ["email without @", { ...buyBody, email: "ada.example.com" }, "email"],
  ["email without name", { ...buyBody, email: "@example.com" }, "email"],
  ["email without domain", { ...buyBody, email: "ada@" }, "email"],
  ["email with a space", { ...buyBody, email: "ada lovelace@example.com" }, "email"],
  ["email with a line feed", { ...buyBody, email: "ada@example.com\nBcc: all@example.com" }, "email"],
  ["email a number", { ...buyBody, email: 5 }, "email"],
  ["email of 255 characters", { ...buyBody, email: `${"a".repeat(243)}@example.com` }, "email"],
  ["asin of 9 characters", { ...buyBody, asin: "B0CONTRAC" }, "asin"],
  ["asin of 11 characters", { ...buyBody, asin: "B0CONTRACTS" }, "asin"],
  ["asin a number", { ...buyBody, asin: 1234567890 }, "asin"],
  ["asin a storefront's id", { ...buyBody, asin: "gid://shop/p/7219004411" }, "asin"],
  [
    "asin a storefront's id, beside its page",
    { ...buyBody, asin: "gid://shop/p/7219004411", productUrl: `${pageOfB}?variant=41` },
    "asin"
  ],
  ["productUrl no URL", { ...unnamed, productUrl: "lamp" }, "productUrl"],
  ["productUrl of another scheme", { ...unnamed, productUrl: "javascript:alert(1)" }, "productUrl"],
  ["productUrl a number", { ...unnamed, productUrl: 5 }, "productUrl"],
  ["productUrl without TLS", { ...unnamed, productUrl: pageOfA.replace("https", "http") }, "productUrl"],
  ["productUrl with credentials", { ...unnamed, productUrl: pageOfA.replace("//", "//a:b@") }, "productUrl"],
  ...[
    "localhost",
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "169.254.169.254",
    "10.1.2.3",
    "192.168.0.1",
    "100.64.0.1",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[fd00::1]",
    "intranet",
    "metadata.google.internal",
    "shop.local."
  ].map(
    (host) =>
      [
        `productUrl of ${host}`,
        { ...unnamed, productUrl: `https://${host}/dp/B0CONTRACT` },
        "productUrl"
      ] as const
  ),
  ["asin and productUrl of a storefront", { ...buyBody, productUrl: `${pageOfB}?variant=41` }, "productUrl"],
  [
    "asin and productUrl of another product",
    { ...buyBody, asin: "B0ANOTHER1", productUrl: pageOfA },
    "productUrl"
  ],
  ["storefront productUrl without variantId", { ...unnamed, productUrl: pageOfB }, "variantId"],
  [
    "storefront productUrl with an empty variant",
    { ...unnamed, productUrl: `${pageOfB}?variant=` },
    "variantId"
  ],
  [
    "a variantId that differs from productUrl",
    { ...unnamed, productUrl: `${pageOfB}?variant=41`, variantId: "42" },
    "variantId"
  ],
  [
    "two variants in productUrl",
    { ...unnamed, productUrl: `${pageOfB}?variant=41&variant=42` },
    "productUrl"
  ],
  ["variantId a number", { ...unnamed, productUrl: pageOfB, variantId: 41 }, "variantId"],
  ["variantId empty", { ...unnamed, productUrl: pageOfB, variantId: "" }, "variantId"]
]

describe("POST /x402/buy: bodies that are refused", () => {
  /** For all of them, since nothing may happen there: one that is asked for quotes, and one that isn't. */
  let shop: Shop
  let unquoted: Shop
  beforeAll(async () => {
    ;[shop, unquoted] = await Promise.all([keepShop(), keepShop()])
  })
  afterAll(() => Promise.all([shop.till.dispose(), unquoted.till.dispose()]))

  describe.each(refused)("%s", (_name, body, path) => {
    it("without payment: 400", async () => {
      await expectFault(unquoted, await unquoted.send(buyCall(body)), path)
      expect(unquoted.calls.quote).toEqual([])
    })
    it("with payment: 400, nothing charged", async () => {
      await expectPaidFault(shop, buyCall(body), path, calls.buy)
      expect(shop.calls.place).toEqual([])
    })
  })

  it("neither asin nor productUrl: 400", async () => {
    const shop = await openShop()
    const response = await shop.send(buyCall(unnamed))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues).toHaveLength(1)
    expect(["asin", "productUrl", ""]).toContain(details?.issues?.[0]?.path)
  })

  it("names every fault in one response, the missing product among them", async () => {
    const shop = await openShop()
    const response = await shop.send(buyCall({ email: "x", shippingAddress: { country: "USA", line2: 2 } }))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    const paths = details?.issues?.map(({ path }) => path).sort()
    expect(paths).toEqual([
      "asin",
      "email",
      "shippingAddress.city",
      "shippingAddress.country",
      "shippingAddress.line1",
      "shippingAddress.line2",
      "shippingAddress.name",
      "shippingAddress.postalCode",
      "shippingAddress.state"
    ])
  })

  it("names faults of format, of the country's rules and between fields in one response", async () => {
    const shop = await openShop()
    const body = {
      email: "x",
      asin: "B0ANOTHER1",
      productUrl: pageOfA,
      shippingAddress: { ...address, state: "ZZ", postalCode: "x" }
    }
    const { details } = await expectRefusal(shop, await shop.send(buyCall(body)), 400, "VALIDATION_ERROR")
    expect(details?.issues?.map(({ path }) => path).sort()).toEqual([
      "email",
      "productUrl",
      "shippingAddress.postalCode",
      "shippingAddress.state"
    ])
  })

  it("explains how to name a storefront product when asin contains its id", async () => {
    const shop = await openShop()
    const response = await shop.send(buyCall({ ...buyBody, asin: "gid://shop/p/7219004411" }))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues).toHaveLength(1)
    expect(details?.issues?.[0]?.message).toMatch(/productUrl and variantId/)
  })

  it.each(["[]", "null", "5", '"lamp"'])("a body that is %s: 400", async (body) => {
    const shop = await openShop()
    await expectRefusal(shop, await shop.send(buyCall(body)), 400, "VALIDATION_ERROR")
  })
})

describe("POST /x402/buy: an empty request gets an indicative amount", () => {
  it.each<[string, unknown]>([
    ["no body", undefined],
    ["{}", {}]
  ])("%s: 402 that names the reason and cannot be paid", async (_, body) => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(buyCall(body)))
    expect(challenge.body.error).toMatch(/indicative/i)
    expect(challenge.header.error).toMatch(/indicative/i)
    expect(challenge.body.accepts[0]?.maxAmountRequired).toMatch(/^[1-9]\d*$/)
    const { response } = await pay(shop, buyCall(body))
    await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(shop.calls.quote).toEqual([])
  })
})
