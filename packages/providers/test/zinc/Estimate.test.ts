import * as fc from "fast-check"
import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { estimate } from "../../src/zinc/Estimate.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../treasury/treasuries.ts"
import { productDocument } from "./fakeZinc.ts"
import { orderId, request, startShop } from "./shop.ts"

const server = interceptRequests()
const allowance = { taxBasisPoints: 1_000, shippingCents: 999 }
const start = (change: Parameters<typeof startShop>[1] = { allowance }) => startShop(server, change)

describe("a quote", () => {
  it("is the listed price and the allowance, and what Zinc may spend", async () => {
    const { place, quote, upstream } = start()
    const before = Date.now()
    const { expiresAt, ...offer } = await quote()
    assert.deepStrictEqual(offer, {
      product: {
        title: "Acme Trail Running Shoes",
        imageUrl: "https://images.example/front.jpg",
        price: "84.99"
      },
      subtotal: "84.99",
      tax: "8.50",
      shipping: "9.99",
      total: "103.48",
      currency: "USD",
      reference: "estimate-10348"
    })
    assert.isAtLeast(expiresAt.getTime(), before + 600_000)
    assert.isAtMost(expiresAt.getTime(), Date.now() + 600_000)
    assert.strictEqual(upstream.received[0]!.path, "/products/B0TEST0001?retailer=amazon")
    await place({ orderId, reference: offer.reference, total: offer.total })
    assert.propertyVal(upstream.received[1]!.body, "max_price", 10_348)
  })

  it("is not given without an allowance", async () => {
    const { quote, upstream } = start({})
    assert.strictEqual((await rejectionOf(quote()))._tag, "QuotesNotOffered")
    assert.strictEqual(upstream.received.length, 0)
  })

  it("is not given for a storefront's product, nor abroad", async () => {
    const { quote, upstream } = start()
    const product = { source: "marketplace_b", productUrl: "https://shop.example/p", variantId: "1" }
    assert.deepInclude(await rejectionOf(quote({ product })), {
      _tag: "ProductUnavailable",
      reason: "not_listed"
    })
    const shippingAddress = { ...request.shippingAddress, country: "GB" }
    assert.strictEqual((await rejectionOf(quote({ shippingAddress })))._tag, "AddressNotServed")
    assert.strictEqual(upstream.received.length, 0)
  })

  it.each<[string, object, object]>([
    ["out of stock", { status: "out_of_stock" }, { _tag: "ProductUnavailable", reason: "out_of_stock" }],
    ["without a price", { price: null }, { _tag: "ProductUnavailable", reason: "no_price" }],
    ["for nothing", { price: 0 }, { _tag: "ProductUnavailable", reason: "no_price" }],
    ["priced in floats", { price: 84.99 }, { _tag: "ProductUnavailable", reason: "no_price" }],
    ["still looked up", { status: "processing" }, { _tag: "TemporarilyUnavailable", code: "ListingNotReady" }]
  ])("is not given for a product that is %s", async (_what, change, error) => {
    const { quote, upstream } = start()
    upstream.product = () => HttpResponse.json({ ...productDocument, ...change })
    assert.deepInclude(await rejectionOf(quote()), error)
  })

  it.each([
    [404, "ProductNotFound"],
    [401, "Rejected"],
    [429, "TemporarilyUnavailable"],
    [503, "TemporarilyUnavailable"]
  ])("fails if Zinc responds with %i", async (status, tag) => {
    const { quote, upstream } = start()
    upstream.product = () => HttpResponse.json({}, { status })
    assert.strictEqual((await rejectionOf(quote()))._tag, tag)
  })

  it("needs no more than a price", async () => {
    const { quote, upstream } = start()
    upstream.product = () => HttpResponse.json({ price: 1, title: 7, main_image: "x", images: {} })
    const { product, total } = await quote()
    assert.deepStrictEqual(product, { title: "Amazon product B0TEST0001", price: "0.01" })
    assert.strictEqual(total, "10.01")
  })
})

describe("an estimate", () => {
  it("adds up, and its tax is never short by a cent", () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 12n),
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (price, taxBasisPoints, shippingCents) => {
          const { shipping, subtotal, tax, total } = estimate(price, { taxBasisPoints, shippingCents })
          assert.strictEqual(subtotal + tax + shipping, total)
          assert.isTrue(tax * 10_000n >= price * BigInt(taxBasisPoints))
          assert.isTrue((tax - 1n) * 10_000n < price * BigInt(taxBasisPoints))
        }
      )
    )
  })
})
