import { describe, expect, it } from "vitest"
import type { BuyRequest } from "../../../src/shop/goods/Order.ts"
import { orderOf, purchaseOf } from "../../../src/shop/goods/OrderIdentity.ts"
import type { GeneralMarketplace } from "../../../src/shop/goods/ProductUrl.ts"
import type { VaultBuyRequest } from "../../../src/shop/goods/VaultItem.ts"
import { type Dice, dice, property } from "../../domain/seeded.ts"

type Address = BuyRequest["shippingAddress"]

const marketplace: GeneralMarketplace = { hosts: ["amazon.com"], country: "US" }
const letters = "abcdefghijklmnopqrstuvwxyzäßéñœΣσ漢字"
const digits = "0123456789"

const word = (world: Dice): string => world.text(letters, 1 + world.below(8))
const words = (world: Dice): string => Array.from({ length: 1 + world.below(3) }, () => word(world)).join(" ")

const randomAddress = (world: Dice): Address => ({
  name: words(world),
  line1: `${1 + world.below(900)} ${words(world)}`,
  ...(world.below(2) === 0 ? {} : { line2: words(world) }),
  city: words(world),
  state: words(world),
  postalCode: `${world.text(digits, 3)} ${world.text(digits, 3)}`,
  country: world.pick(["SE", "DE", "JP"]),
  ...(world.below(2) === 0 ? {} : { phone: `+${world.text(digits, 9)}` })
})

const randomProduct = (world: Dice): Pick<BuyRequest, "asin" | "productUrl" | "variantId"> => {
  if (world.below(2) === 0) return { asin: world.text("ABCDEFGH0123456789", 10) }
  const productUrl = `https://${word(world).normalize()}.example/products/${world.text(letters.slice(0, 26), 6)}`
  return { productUrl: new URL(productUrl).href, variantId: world.text(digits, 8) }
}

const randomOrder = (world: Dice): BuyRequest => ({
  shippingAddress: randomAddress(world),
  email: `${world.text("abc", 6)}@mail.example`,
  ...randomProduct(world)
})

/** The same text as another client, model or person would write it. */
const reworded = (world: Dice, text: string): string =>
  world.pick([
    text,
    text.toUpperCase(),
    ` ${text.replaceAll(" ", "  ")} `,
    text.replaceAll(" ", "\u00a0"),
    text.normalize("NFD"),
    text.normalize("NFKD")
  ])

const rewordedAddress = (world: Dice, { country, phone, ...address }: Address): Address => {
  const fields = Object.entries(address).map(([name, text]) => [name, reworded(world, text)] as const)
  const { line2, postalCode, ...others } = { ...address, ...Object.fromEntries(fields) }
  return {
    ...others,
    postalCode: world.pick([
      postalCode,
      postalCode.replaceAll(/\s/g, ""),
      postalCode.trim().replaceAll(/\s+/g, "-"),
      `${country}-${postalCode.trim()}`
    ]),
    ...(line2 === undefined ? (world.below(2) === 0 ? {} : { line2: world.pick(["", "  "]) }) : { line2 }),
    country,
    ...(world.below(2) === 0 ? {} : { phone: world.pick(["", "+1 555 0100", phone ?? "+49 30 1234"]) })
  }
}

const shuffled = (world: Dice, pairs: ReadonlyArray<string>): string =>
  pairs.toSorted(() => world.below(3) - 1).join("&")

const rewordedProduct = (world: Dice, { asin, productUrl, variantId }: BuyRequest) => {
  if (asin !== undefined) {
    const page = `https://www.amazon.com/Some-Name/dp/${asin}/ref=x?th=1`
    return world.pick([
      { asin },
      { asin: asin.toLowerCase() },
      { productUrl: page },
      { asin, productUrl: page }
    ])
  }
  const tracked = ["utm_source=mail", "utm_medium=x", `variant=${variantId}`]
  return world.pick([
    { productUrl: productUrl!, variantId: variantId! },
    { productUrl: `${productUrl}/?${shuffled(world, tracked)}#details` },
    { productUrl: `${productUrl}?variant=${variantId}`, variantId: variantId! }
  ])
}

property("a reworded order is the same order", 300, (world) => {
  const order = randomOrder(world)
  const { email, shippingAddress } = order
  const retry: BuyRequest = {
    ...rewordedProduct(world, order),
    email: world.pick([email, email.toUpperCase()]),
    shippingAddress: rewordedAddress(world, shippingAddress)
  }
  expect(orderOf(retry, marketplace)).toBe(orderOf(order, marketplace))
})

const addressFields = ["name", "line1", "line2", "city", "state", "postalCode"] as const

/** Another order, by one of its parts. */
const others: Readonly<Record<string, (world: Dice, order: BuyRequest) => BuyRequest>> = {
  ...Object.fromEntries(
    addressFields.map((field) => [
      field,
      (world: Dice, order: BuyRequest): BuyRequest => ({
        ...order,
        shippingAddress: {
          ...order.shippingAddress,
          [field]: `${order.shippingAddress[field] ?? ""}${world.pick(["1", "x", " b"])}`
        }
      })
    ])
  ),
  country: (_, order) => ({ ...order, shippingAddress: { ...order.shippingAddress, country: "FR" } }),
  email: (_, order) => ({ ...order, email: `x${order.email}` }),
  product: (world, { email, shippingAddress }) => ({
    email,
    shippingAddress,
    ...(world.below(2) === 0
      ? { asin: "ZZZZZZZZZZ" }
      : { productUrl: "https://another.example/products/zzz", variantId: "1" })
  }),
  variant: (_, { email, shippingAddress }) => ({
    email,
    shippingAddress,
    productUrl: "https://a.example/x",
    variantId: "2"
  })
}

it.each([
  ["US", "97201", "97201-1234", true],
  ["US", "97201-1234", "97201-9999", true],
  ["US", "97201", "97202", false],
  ["US", "97201-1234", "97202-1234", false],
  ["DE", "10115", "D-10115", true],
  ["DE", "10115", "D 10115", true],
  ["DE", "10115", "DE10115", true],
  ["DE", "10115", "A-10115", false],
  ["AT", "1010", "A-1010", true],
  ["CH", "8001", "CH-8001", true],
  ["BE", "1000", "B-1000", true],
  ["ES", "28001", "E-28001", true],
  ["FI", "00100", "FIN-00100", true],
  ["FR", "75001", "F-75001", true],
  ["HU", "1051", "H-1051", true],
  ["IT", "00184", "I-00184", true],
  ["LI", "9490", "FL-9490", true],
  ["LU", "1111", "L – 1111", true],
  ["NO", "0150", "N-0150", true],
  ["PT", "1000", "P-1000", true],
  ["SE", "11122", "S-111 22", true],
  ["SI", "1000", "SLO-1000", true],
  ["FR", "75001", "75001F", false],
  ["LV", "LV1050", "1050", true],
  ["LV", "LV-1050", "lv 1050", true],
  ["US", "97201-1234", "US-97201", true],
  ["AR", "A-1010", "B-1010", false],
  ["SZ", "H-100", "M-100", false],
  ["GB", "SW-1A 1AA", "SE-1A 1AA", false],
  ["GB", "GB-1A 1AA", "1A 1AA", false],
  ["JP", "100-0001", "1000001", true],
  ["JP", "100-0001", "100-0002", false],
  ["CA", "K1A 0B1", "k1a-0b1", true],
  ["GB", "SW1A 1AA", "W1A 1AA", false]
])("in %s, the codes %s and %s are of one order: %s", (country, first, second, isSame) => {
  const orderTo = (postalCode: string): string =>
    orderOf({
      asin: "B000000001",
      email: "ada@mail.example",
      shippingAddress: { name: "Ada", line1: "1 Main St", city: "Town", state: "OR", postalCode, country }
    })
  expect(orderTo(first) === orderTo(second)).toBe(isSame)
})

describe("another", () => {
  for (const [what, change] of Object.entries(others))
    property(`${what} is another order`, 60, (world) => {
      const order = randomOrder(world)
      expect(orderOf(change(world, order), marketplace)).not.toBe(orderOf(order, marketplace))
    })

  it.each([
    ["variant of a page", "https://a.example/x?variant=1", "https://a.example/x?variant=2"],
    [
      "query that names a product",
      "https://a.example/item?id=1&variant=1",
      "https://a.example/item?id=2&variant=1"
    ],
    ["page behind #", "https://a.example/?variant=1#/p/1", "https://a.example/?variant=1#/p/2"],
    ["page behind #!", "https://a.example/?variant=1#!/p/1", "https://a.example/?variant=1#!/p/2"],
    ["path within a path", "https://a.example/a/b?variant=1", "https://a.example/ab?variant=1"],
    ["path", "https://a.example/x?variant=1", "https://a.example/y?variant=1"],
    [
      "value of what isn't utm_",
      "https://a.example/x?my_utm_a=1&variant=1",
      "https://a.example/x?my_utm_a=2&variant=1"
    ],
    ["shop", "https://a.example/x?variant=1", "https://b.example/x?variant=1"],
    [
      "value in another pair",
      "https://a.example/x?a=1&b=2&variant=1",
      "https://a.example/x?a=2&b=1&variant=1"
    ]
  ])("%s is another order", (_, one, other) => {
    const base = randomOrder(dice(1))
    const of = (productUrl: string) =>
      orderOf({ shippingAddress: base.shippingAddress, email: base.email, productUrl }, marketplace)
    expect(of(one)).not.toBe(of(other))
  })

  it("flat by a raised number is another order", () => {
    const base = randomOrder(dice(3))
    const of = (line1: string) =>
      orderOf({ ...base, shippingAddress: { ...base.shippingAddress, line1 } }, marketplace)
    expect(of("Apt 1²")).not.toBe(of("Apt 12"))
    expect(of("Apt 1²")).toBe(of("apt  1²"))
  })

  it("split of the same words between two fields is another order", () => {
    const base = randomOrder(dice(2))
    const of = (name: string, line1: string) =>
      orderOf({ ...base, shippingAddress: { ...base.shippingAddress, name, line1 } }, marketplace)
    expect(of("ada", "b 1")).not.toBe(of("ada b", "1"))
  })
})

it.each([
  [
    "pairs in another order",
    "https://a.example/x?b=2&a=1&variant=7",
    "https://a.example/x?a=1&variant=7&b=2"
  ],
  ["a host in capitals", "https://A.example/x?variant=7", "https://a.example/x?variant=7"],
  ["a fragment", "https://a.example/x?variant=7#top", "https://a.example/x?variant=7"],
  ["a fragment with a slash", "https://a.example/x?variant=7#top/1", "https://a.example/x?variant=7"],
  ["a campaign in capitals", "https://a.example/x?UTM_Source=1&variant=7", "https://a.example/x?variant=7"],
  ["a path that ends in /", "https://a.example/x/?variant=7", "https://a.example/x?variant=7"],
  ["a path that ends in //", "https://a.example/x//?variant=7", "https://a.example/x?variant=7"]
])("a page with %s is the same product", (_, one, other) => {
  const base = randomOrder(dice(1))
  const of = (productUrl: string) =>
    orderOf({ shippingAddress: base.shippingAddress, email: base.email, productUrl })
  expect(of(one)).toBe(of(other))
})

describe("a purchase", () => {
  const purchase: VaultBuyRequest = {
    slug: "launch-plan",
    walletAddress: "So11111111111111111111111111111111111111112",
    email: "ada@mail.example"
  }
  it("with the email in other letters is the same", () => {
    expect(purchaseOf({ ...purchase, email: "Ada@Mail.Example" })).toBe(purchaseOf(purchase))
  })
  it.each([
    { slug: "launch-plan-2" },
    { walletAddress: "So11111111111111111111111111111111111111113" },
    // Letter case counts in base58.
    { walletAddress: "so11111111111111111111111111111111111111112" },
    { email: "grace@mail.example" }
  ])("with %j is another", (change) => {
    expect(purchaseOf({ ...purchase, ...change })).not.toBe(purchaseOf(purchase))
  })
})
