import * as fc from "fast-check"
import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { estimate } from "../../src/zinc/Estimate.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { productDocument } from "./fakeZinc.ts"
import { orderId, request, startShop } from "./shop.ts"

const server = interceptRequests()
const allowance = { taxBasisPoints: 1_000, shippingCents: 999 }
const start = (change: Parameters<typeof startShop>[1] = { allowance }) => startShop(server, change)

describe("a quote", () => {
  it("is the listed price, the allowance and Zinc's fee, and an order may cost it without the fee", async () => {
    const { place, quote, upstream } = start()
    const before = Date.now()
    const { expiresAt, ...offer } = await quote()
    assert.deepStrictEqual(offer, {
      product: {
        title: "Acme Trail Running Shoes",
        imageUrl: "https://images.example/front.jpg",
        price: "84.99"
      },
      subtotal: "85.99",
      tax: "8.50",
      shipping: "9.99",
      total: "104.48",
      currency: "USD",
      reference: "estimate-10448-100"
    })
    assert.isAtLeast(expiresAt.getTime(), before + 600_000)
    assert.isAtMost(expiresAt.getTime(), Date.now() + 600_000)
    assert.deepStrictEqual(
      upstream.received.map(({ path }) => path),
      ["/wallet/me", "/products/B0TEST0001?retailer=amazon"]
    )
    await place({ orderId, reference: offer.reference, total: offer.total })
    assert.propertyVal(upstream.received[2]!.body, "max_price", 10_348)
  })

  it("is not given without an allowance", async () => {
    const { quote, upstream } = start({})
    assert.strictEqual((await rejectionOf(quote()))._tag, "QuotesNotOffered")
    assert.strictEqual(upstream.received.length, 0)
  })

  it("is not given for a storefront's product", async () => {
    const { quote, upstream } = start()
    const product = { source: "marketplace_b", productUrl: "https://shop.example/p", variantId: "1" }
    assert.deepInclude(await rejectionOf(quote({ product })), {
      _tag: "ProductUnavailable",
      reason: "not_listed"
    })
    assert.strictEqual(upstream.received.length, 0)
  })

  it("is given abroad, and the order is sent there", async () => {
    const { place, quote, upstream } = start()
    const shippingAddress = { ...request.shippingAddress, country: "SG", state: "", postalCode: "018956" }
    assert.strictEqual((await quote({ shippingAddress })).total, "104.48")
    await place({ shippingAddress })
    const { shipping_address } = upstream.received.at(-1)!.body as { shipping_address: object }
    assert.deepInclude(shipping_address, { country: "SG", postal_code: "018956" })
    assert.notProperty(shipping_address, "state")
  })

  it.each<[string, object, string | undefined]>([
    ["covers it to the cent", { balance: 10_448 }, "104.48"],
    ["is a cent short", { balance: 10_447 }, undefined],
    ["is in debt", { balance: -1 }, undefined],
    ["has part of it on hold", { balance: 20_000, spendable_balance: 10_447 }, undefined],
    ["is billed by invoice", { balance: 0, billed_by_invoice: true }, "104.48"],
    ["has another fee", { balance: 20_000, order_fee_cents: 250 }, "105.98"]
  ])("depends on the wallet: it %s", async (_what, wallet, total) => {
    const { quote, upstream } = start()
    upstream.wallet = wallet
    if (total !== undefined) return assert.strictEqual((await quote()).total, total)
    assert.deepInclude(await rejectionOf(quote()), { _tag: "TemporarilyUnavailable", code: "WalletTooLow" })
  })

  it("reads the wallet once for the quotes of half a minute", async () => {
    const { quote, upstream } = start()
    await Promise.all([quote(), quote(), quote()])
    assert.strictEqual(upstream.count(/^GET \/wallet\/me$/), 1)
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
    assert.strictEqual(total, "11.01")
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
          const { shipping, subtotal, tax, total } = estimate(price, { taxBasisPoints, shippingCents }, 100n)
          assert.strictEqual(subtotal, price + 100n)
          assert.strictEqual(subtotal + tax + shipping, total)
          assert.isTrue(tax * 10_000n >= price * BigInt(taxBasisPoints))
          assert.isTrue((tax - 1n) * 10_000n < price * BigInt(taxBasisPoints))
        }
      )
    )
  })
})
