import {
  AddressNotServed,
  ProductNotFound,
  type ProductReference,
  ProductUnavailable,
  type ShippingAddress
} from "@till402/core"
import { describe, expect, it } from "vitest"
import { generalCatalogue, storefrontCatalogue } from "../../src/shop/Catalogue.ts"
import { sampleShop } from "../../src/shop/index.ts"
import type { Listing } from "../../src/shop/Listing.ts"
import { regionOf, servedCountries, taxCents } from "../../src/shop/Tax.ts"

const now = new Date("2026-03-01T12:00:00Z")
const context = { signal: new AbortController().signal }

const address = (state: string, country = "US"): ShippingAddress => ({
  name: "Ada Byron",
  line1: "1 Main Street",
  city: "Springfield",
  state,
  postalCode: "12345",
  country
})

const general = (words: string): Listing =>
  generalCatalogue.find(({ product }) => product.title.includes(words))!
const store = (words: string): Listing =>
  storefrontCatalogue.find(({ product }) => product.title.includes(words))!

const byAsin = ({ product }: Listing): ProductReference => ({
  source: "marketplace_a",
  asin: product.asin,
  productUrl: undefined
})
const byVariant = ({ product, variants }: Listing, index = 0): ProductReference => ({
  source: "marketplace_b",
  productUrl: product.productUrl!,
  variantId: variants[index]!.id
})

const shop = () => sampleShop({ now: () => now })
const quote = (product: ProductReference, shippingAddress: ShippingAddress) =>
  shop().fulfilment.quote({ product, shippingAddress, email: "ada@example.com" }, context)

const cents = (text: string): bigint => {
  if (!/^\d+\.\d{2}$/.test(text)) throw new Error(`not an amount in cents: ${text}`)
  return BigInt(text.replace(".", ""))
}

describe("quote", () => {
  const headphones = byAsin(general("Q45"))

  it("adds tax of the state and shipping by weight and zone", async () => {
    expect(await quote(headphones, address("CA"))).toEqual({
      product: {
        title: "Auralis Q45 Wireless Noise Cancelling Headphones, 40-Hour Battery, Black",
        price: "129.99",
        imageUrl: general("Q45").product.imageUrl
      },
      subtotal: "129.99",
      tax: "9.42",
      shipping: "6.99",
      total: "146.40",
      currency: "USD",
      reference: "Q-000001",
      expiresAt: new Date("2026-03-01T12:15:00Z")
    })
  })

  it("differs by address", async () => {
    const addresses = [
      address("CA"),
      address("NY"),
      address("Oregon"),
      address("AK"),
      address("Quebec", "CA"),
      address("Bayern", "DE"),
      address("London", "gb")
    ]
    const totals = await Promise.all(addresses.map(async (to) => (await quote(headphones, to)).total))
    expect(new Set(totals).size).toBe(addresses.length)
    expect((await quote(headphones, address("OR"))).tax).toBe("0.00")
    expect(await quote(headphones, address("new york"))).toEqual(await quote(headphones, address("NY")))
  })

  it("adds up exactly for every product and destination", async () => {
    const addresses = [
      address("NJ"),
      address("HI"),
      address("QC", "CA"),
      ...servedCountries.slice(2).map((country) => address("x", country))
    ]
    const { fulfilment } = shop()
    const wrong: Array<unknown> = []
    let quoted = 0
    for (const listing of [...generalCatalogue, ...storefrontCatalogue]) {
      const [variant] = listing.variants
      if (!variant.inStock || variant.priceCents === undefined || listing.product.productUrl === null)
        continue
      const product = listing.product.source === "marketplace_a" ? byAsin(listing) : byVariant(listing)
      for (const to of variant.handling === "ordinary" ? addresses : addresses.slice(0, 1)) {
        const offer = await fulfilment.quote(
          { product, shippingAddress: to, email: "ada@example.com" },
          context
        )
        const shipping = cents(offer.shipping)
        const isExact = cents(offer.subtotal) + cents(offer.tax) + shipping === cents(offer.total)
        if (!isExact || shipping <= 0n) wrong.push(offer)
        quoted++
      }
    }
    expect(wrong).toEqual([])
    expect(quoted).toBeGreaterThan(1500)
  })

  it("prices the variant of a storefront product, by number or in the URL", async () => {
    const beans = store("Ethiopia Guji")
    const [small, large] = await Promise.all(
      [0, 1].map((index) => quote(byVariant(beans, index), address("WA")))
    )
    expect(small).toMatchObject({
      product: { title: "Ethiopia Guji Natural, Whole Bean Coffee - 12 oz" },
      subtotal: "19.50"
    })
    expect(large).toMatchObject({
      product: { title: "Ethiopia Guji Natural, Whole Bean Coffee - 2 lb" },
      subtotal: "47.50"
    })
    const bare = {
      ...byVariant(beans),
      productUrl: beans.product.productUrl!.replace(/\?.*$/, "/")
    } as ProductReference
    expect((await quote(bare, address("WA"))).subtotal).toBe("19.50")
  })

  it("omits an unknown image", async () => {
    const listing = generalCatalogue.find(
      ({ product, variants }) => product.imageUrl === null && variants[0].inStock
    )!
    expect(Object.keys((await quote(byAsin(listing), address("OH"))).product)).not.toContain("imageUrl")
  })

  it("refuses unknown products", async () => {
    const beans = store("Ethiopia Guji")
    const unknown: ReadonlyArray<ProductReference> = [
      { source: "marketplace_a", asin: "B000000000", productUrl: undefined },
      { ...byVariant(beans), variantId: "1" } as ProductReference,
      { ...byVariant(beans), productUrl: "https://elsewhere.example/products/ethiopia" } as ProductReference,
      { source: "marketplace_b", productUrl: "not an address", variantId: "1" }
    ]
    for (const product of unknown)
      await expect(quote(product, address("CA"))).rejects.toBeInstanceOf(ProductNotFound)
  })

  it("refuses products that are out of stock or have no price", async () => {
    const refusal = async (product: ProductReference) => {
      const error: unknown = await quote(product, address("CA")).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(ProductUnavailable)
      return (error as ProductUnavailable).reason
    }
    expect(await refusal(byAsin(general("Scratching Post")))).toBe("out_of_stock")
    expect(await refusal(byVariant(store("Summit Shell"), 3))).toBe("out_of_stock")
    expect(await refusal(byAsin(general("Beard Care")))).toBe("no_price")
  })

  it("does not deliver everywhere", async () => {
    const dumbbell = byAsin(general("Dumbbell"))
    const fuel = byAsin(general("Isobutane"))
    await quote(dumbbell, address("TX"))
    await quote(fuel, address("ON", "CA"))
    const refused: ReadonlyArray<readonly [ProductReference, ShippingAddress]> = [
      [headphones, address("Zürich", "CH")],
      [headphones, address("Atlantis")],
      [dumbbell, address("HI")],
      [dumbbell, address("ON", "CA")],
      [fuel, address("AK")],
      [fuel, address("Bayern", "DE")]
    ]
    for (const [product, to] of refused)
      await expect(quote(product, to)).rejects.toBeInstanceOf(AddressNotServed)
  })
})

describe("tax", () => {
  it("rounds half up to the cent", () => {
    expect(taxCents(1000n, 6625n)).toBe(66n)
    expect(taxCents(100n, 500n)).toBe(1n)
    expect(taxCents(100n, 499n)).toBe(0n)
  })

  it("knows all states and provinces by code and name", () => {
    const codes =
      "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY"
    for (const code of codes.split(" ")) expect(regionOf("US", code)?.code).toBe(code)
    expect(regionOf("US", "District of Columbia")?.code).toBe("DC")
    expect(regionOf("US", "West Virginia")?.code).toBe("WV")
    for (const code of "AB BC MB NB NL NS NT NU ON PE QC SK YT".split(" "))
      expect(regionOf("CA", code)?.code).toBe(code)
    expect(regionOf("CA", "Québec")?.code).toBe("QC")
    expect(regionOf("US", "QC")).toBeUndefined()
  })
})

describe("place", () => {
  const order = {
    orderId: "7b7c6a0e-6a43-4b0e-9a52-0a5a6f3d7c11",
    reference: "Q-000001",
    product: byAsin(general("Q45")),
    shippingAddress: address("CA"),
    email: "ada@example.com",
    total: "146.40"
  }

  it("accepts an order once, however often it is sent", async () => {
    const { fulfilment, orders } = shop()
    const responses = await Promise.all([1, 2, 3].map(() => fulfilment.place(order, context)))
    expect(responses).toEqual([1, 2, 3].map(() => ({ reference: "SO-17D1D83EA059" })))
    expect(orders).toEqual([
      {
        orderId: order.orderId,
        reference: "SO-17D1D83EA059",
        quote: "Q-000001",
        product: order.product,
        shippingAddress: order.shippingAddress,
        email: order.email,
        total: "146.40",
        placedAt: now,
        trackingNumber: expect.stringMatching(/^NLX[0-9A-F]{12}$/)
      }
    ])
    const other = await fulfilment.place(
      { ...order, orderId: "0f9f9a5c-58a1-4f2e-8a34-8a5f5a0a9c22" },
      context
    )
    expect(other.reference).not.toBe("SO-17D1D83EA059")
    expect(orders).toHaveLength(2)
    expect(fulfilment.placesOnce).toBe(true)
  })
})
