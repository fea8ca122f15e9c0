import { HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { context } from "../fulfilment/orderRequest.ts"
import type { FakeShopifyAdmin } from "./fakeShopifyAdmin.ts"
import { bag, refusedWith, request, startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

describe("a quote of a Shopify shop", () => {
  it("is refused to a client with too many unpaid ones, and not to another", async () => {
    const { quote, sent } = start({ maxOpenQuotes: 10 })
    await quote({ client: "attacker" })
    assert.deepInclude(await rejectionOf(quote({ client: "attacker" })), {
      _tag: "TemporarilyUnavailable",
      retryAfterSeconds: 2_400
    })
    await quote({ client: "buyer" })
    assert.strictEqual(sent("CreateDraft").length, 2)
  })

  it("is a draft order with the shop's tax and its cheapest shipping", async () => {
    const { quote, sent } = start()
    const { expiresAt, ...offer } = await quote()
    assert.deepStrictEqual(offer, {
      product: { title: "Tote bag 71", imageUrl: "https://cdn.example/tote-71.jpg", price: "20.00" },
      subtotal: "20.00",
      tax: "2.00",
      shipping: "5.99",
      total: "27.99",
      currency: "USD",
      reference: "gid://shopify/DraftOrder/500"
    })
    assert.isAtLeast(expiresAt.getTime(), Date.now() + 1_190_000)
    const address = {
      firstName: "Ada",
      lastName: "Byron",
      address1: "1 Test St",
      address2: "Flat 2",
      city: "Durham",
      provinceCode: "NC",
      zip: "27701",
      countryCode: "US",
      phone: "+15555550100"
    }
    const [created] = sent("CreateDraft")
    assert.deepInclude(created, { token: "shpat_secret", path: "/admin/api/2026-10/graphql.json" })
    assert.deepStrictEqual(created!.variables["input"], {
      email: "ada@example.com",
      lineItems: [{ variantId: "gid://shopify/ProductVariant/71", quantity: 1 }],
      shippingAddress: address,
      billingAddress: address,
      shippingLine: {
        shippingRateHandle: "shopify-standard-5.99",
        title: "Standard",
        priceWithCurrency: { amount: "5.99", currencyCode: "USD" }
      },
      tags: ["x402"]
    })
  })

  it("has a flat price of shipping if one is set, and none for goods that aren't shipped", async () => {
    const flat = start({ shipping: { cents: 250, title: "Post" } })
    assert.deepInclude(await flat.quote(), { shipping: "2.50", total: "24.50" })
    assert.strictEqual(flat.sent("GetShippingRates").length, 0)
    const digital = start()
    digital.upstream.put(71, { requiresShipping: false })
    assert.deepInclude(await digital.quote(), { shipping: "0.00", total: "22.00" })
    assert.notProperty(digital.sent("CreateDraft")[0]!.variables["input"], "shippingLine")
  })

  it("names the variant of a product with several", async () => {
    const { quote, upstream } = start()
    upstream.put(80, { variants: ["Red", "Blue"] })
    assert.strictEqual((await quote({ product: bag("81") })).product.title, "Tote bag 80 – Blue")
  })

  it.each<[string, (upstream: FakeShopifyAdmin) => object, object]>([
    ["the product is unknown", () => ({ product: bag("404") }), { _tag: "ProductNotFound" }],
    [
      "the page is another shop's",
      () => ({ product: { ...bag("71"), productUrl: "https://other.example/products/tote?variant=71" } }),
      { _tag: "ProductNotFound" }
    ],
    ["the variant is no number", () => ({ product: bag("tote") }), { _tag: "ProductNotFound" }],
    [
      "the product is Amazon's",
      () => ({ product: { source: "marketplace_a", asin: "B0TEST0001" } }),
      { _tag: "ProductNotFound" }
    ],
    [
      "the product is archived",
      (upstream) => (upstream.put(71, { status: "ARCHIVED" }), {}),
      { _tag: "ProductNotFound" }
    ],
    [
      "the product isn't in the online store",
      (upstream) => (upstream.put(71, { publishedAt: null }), {}),
      { _tag: "ProductNotFound" }
    ],
    [
      "the product is sold out",
      (upstream) => (upstream.put(71, { availableForSale: false }), {}),
      { _tag: "ProductUnavailable", reason: "out_of_stock" }
    ],
    [
      "the shop doesn't deliver there",
      () => ({ shippingAddress: { ...request.shippingAddress, country: "CA" } }),
      { _tag: "AddressNotServed" }
    ],
    [
      "the shop doesn't accept the address",
      () => ({ shippingAddress: { ...request.shippingAddress, postalCode: "00000" } }),
      { _tag: "AddressNotServed" }
    ],
    [
      "the shop's currency isn't the dollar",
      (upstream) => ((upstream.currency = "EUR"), {}),
      { _tag: "ShopRefused", code: "currency" }
    ]
  ])("is refused without a draft if %s", async (_what, change, error) => {
    const { quote, upstream } = start()
    assert.deepInclude(await rejectionOf(quote(change(upstream))), error)
    assert.strictEqual(upstream.drafts.size, 0)
  })

  it("is a 503 until Shopify has restored its points", async () => {
    const { quote, upstream } = start()
    const cost = { requestedQueryCost: 752, throttleStatus: { currentlyAvailable: 652, restoreRate: 50 } }
    upstream.next(/GetVariant/, () => refusedWith("THROTTLED", { cost }))
    assert.deepInclude(await rejectionOf(quote()), { _tag: "TemporarilyUnavailable", retryAfterSeconds: 2 })
  })

  it("is deleted from the shop once it has long expired, unless it was bought", async () => {
    const { place, quote, upstream } = start({ quoteLifetimeMillis: 60_000 })
    const { reference, total } = await quote()
    await place(reference, total)
    await quote()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 121_000 })
    await quote()
    await vi.waitFor(() =>
      assert.deepStrictEqual(
        [...upstream.drafts.keys()].map((id) => id.slice(-3)),
        ["500", "502"]
      )
    )
  })

  it("stays while an order is to be placed as it, however long that takes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { open, place, quote, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/CompleteDraft/, () => new HttpResponse("slow down", { status: 429 }))
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "NotPlaced")
    vi.setSystemTime(Date.now() + 41 * 60_000)
    await quote()
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.isTrue(upstream.drafts.has(reference))
    // Another process knows it by the order on the draft.
    const other = open()
    await other.quote(request, context)
    assert.match((await place(reference, total)).reference, /^gid:\/\/shopify\/Order\/\d+$/)
  })

  it("is deleted too if the shop didn't compute its prices in time", async () => {
    const { quote, upstream } = start({ quoteLifetimeMillis: 60_000 })
    upstream.pendingReads = 7
    assert.deepInclude(await rejectionOf(quote()), { _tag: "TemporarilyUnavailable", retryAfterSeconds: 2 })
    assert.strictEqual(upstream.drafts.size, 1)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 121_000 })
    await quote()
    await vi.waitFor(() =>
      assert.deepStrictEqual([...upstream.drafts.keys()], ["gid://shopify/DraftOrder/501"])
    )
  })
})
