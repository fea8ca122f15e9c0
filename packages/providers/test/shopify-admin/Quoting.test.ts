import { shopifyAdmin } from "@till402/providers/shopify-admin"
import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../treasury/treasuries.ts"
import { context } from "../fulfilment/orderRequest.ts"
import { FakeShopifyAdmin } from "./fakeShopifyAdmin.ts"
import { bag, refusedWith, request, settings, startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

/** A shop that repeats the first response to each operation, with new ids of drafts: a fast one, for many quotes. */
const repeatingShop = () => {
  const first = new FakeShopifyAdmin()
  const responses = new Map<string, Promise<string>>()
  const drafts = new Set<string>()
  const idOf = (text: string): string => /gid:\/\/shopify\/DraftOrder\/\d+/.exec(text)?.[0] ?? ""
  let made = 0
  const respond = async (sent: Request): Promise<Response> => {
    const content = await sent.clone().text()
    const operation = /(?:query|mutation) (\w+)/.exec(content)?.[1] ?? ""
    const known = responses.get(operation) ?? first.respond(sent).then((response) => response.text())
    responses.set(operation, known)
    if (operation === "DeleteDraft") drafts.delete(idOf(content))
    const text = await known
    if (operation !== "CreateDraft") return new Response(text)
    const id = `gid://shopify/DraftOrder/${500 + made++}`
    drafts.add(id)
    return new Response(text.replaceAll(idOf(text), id))
  }
  return { drafts, respond }
}

describe("a quote of a Shopify shop", () => {
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

  it("is not made beyond the drafts that the process can delete later", async () => {
    const upstream = repeatingShop()
    const { drafts } = upstream
    const shop = shopifyAdmin({
      ...settings,
      shipping: { cents: 599 },
      quoteLifetimeMillis: 60_000,
      fetch: (input, init) => upstream.respond(new Request(input, init))
    })
    const quote = () => shop.quote(request, context)
    vi.useFakeTimers({ toFake: ["Date"] })
    for (let quotes = 0; quotes < 4_990; quotes += 10) {
      await Promise.all(Array.from({ length: 10 }, quote))
    }
    // Twenty at once compete for the last ten places.
    const last = await Promise.allSettled(Array.from({ length: 20 }, quote))
    assert.strictEqual(last.filter(({ status }) => status === "fulfilled").length, 10)
    assert.strictEqual(drafts.size, 5_000)
    assert.deepInclude(await rejectionOf(quote()), {
      _tag: "TemporarilyUnavailable",
      message: "The shop has too many unpaid quotes. Nothing was ordered. Request the quote again later.",
      retryAfterSeconds: 120
    })
    assert.strictEqual(drafts.size, 5_000)
    vi.setSystemTime(Date.now() + 120_000)
    await quote()
    await vi.waitFor(() => assert.strictEqual(drafts.size, 4_998))
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
