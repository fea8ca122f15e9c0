import { Fulfilment } from "@till402/core/effect"
import { WooCommerce, wooCommerce, type WooCommerceOptions } from "@till402/providers/woocommerce"
import { ConfigProvider, Effect, Exit } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { context } from "../fulfilment/orderRequest.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { itRefusesOptions } from "../upstream/optionCases.ts"
import type { FakeWooCommerce } from "./fakeWooCommerce.ts"
import { bag, orderId, request, settings, startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

const payment = { network: "eip155:8453", transaction: `0x${"cd".repeat(32)}` }
const start = (change: Partial<WooCommerceOptions> = {}) => startShop(server, change)

describe("a quote of a WooCommerce shop", () => {
  it("is an unpaid order, with the tax that the shop computes", async () => {
    const { quote, upstream } = start()
    const { expiresAt, ...offer } = await quote()
    assert.deepStrictEqual(offer, {
      product: { title: "Tote bag 71", imageUrl: "https://shop.example/tote-71.jpg", price: "20.00" },
      subtotal: "20.00",
      tax: "2.00",
      shipping: "5.99",
      total: "27.99",
      currency: "USD",
      reference: "500"
    })
    assert.isAtLeast(expiresAt.getTime(), Date.now() + 1_190_000)
    const address = {
      first_name: "Ada",
      last_name: "Byron",
      address_1: "1 Test St",
      address_2: "Flat 2",
      city: "Durham",
      state: "NC",
      postcode: "27701",
      country: "US"
    }
    const created = upstream.received.find(({ method }) => method === "POST")!
    assert.strictEqual(created.authorization, `Basic ${btoa("ck_secret:cs_secret")}`)
    assert.deepStrictEqual(created.body, {
      status: "pending",
      set_paid: false,
      payment_method: "x402",
      payment_method_title: "USDC (x402)",
      shipping: address,
      billing: { ...address, email: "ada@example.com", phone: "+15555550100" },
      line_items: [{ product_id: 71, quantity: 1 }],
      shipping_lines: [{ method_id: "flat_rate", method_title: "Shipping", total: "5.99" }]
    })
  })

  it("names the product of a variation", async () => {
    const { quote, upstream } = start()
    upstream.put(90, {
      type: "variation",
      parent_id: 71,
      image: { src: "https://shop.example/red.jpg" },
      images: []
    })
    assert.strictEqual((await quote({ product: bag("90") })).product.imageUrl, "https://shop.example/red.jpg")
    assert.deepInclude(upstream.received.at(-1)!.body as object, {
      line_items: [{ product_id: 71, variation_id: 90, quantity: 1 }]
    })
  })

  it.each<[string, object, object]>([
    ["is unknown", { product: bag("404") }, { _tag: "ProductNotFound" }],
    [
      "is another shop's",
      { product: { ...bag("71"), productUrl: "https://other.example/products/tote?variant=71" } },
      { _tag: "ProductNotFound" }
    ],
    ["has no id", { product: bag("tote") }, { _tag: "ProductNotFound" }],
    [
      "is Amazon's",
      { product: { source: "marketplace_a", asin: "B0TEST0001" } },
      { _tag: "ProductNotFound" }
    ],
    ["is a draft", { product: bag("74") }, { _tag: "ProductNotFound" }],
    ["is a variation that is switched off", { product: bag("75") }, { _tag: "ProductNotFound" }],
    ["is a variation of a draft", { product: bag("76") }, { _tag: "ProductNotFound" }],
    ["is sold out", { product: bag("72") }, { _tag: "ProductUnavailable", reason: "out_of_stock" }],
    ["needs a variation", { product: bag("73") }, { _tag: "ProductUnavailable", reason: "not_purchasable" }],
    [
      "goes abroad",
      { shippingAddress: { ...request.shippingAddress, country: "CA" } },
      { _tag: "AddressNotServed" }
    ]
  ])("is refused without an order if the product %s", async (_what, change, error) => {
    const { quote, upstream } = start()
    upstream.put(72, { stock_status: "outofstock" })
    upstream.put(73, { type: "variable" })
    upstream.put(74, { status: "draft", price: "0.01" })
    upstream.put(75, { type: "variation", parent_id: 71, status: "private" })
    upstream.put(76, { type: "variation", parent_id: 74 })
    assert.deepInclude(await rejectionOf(quote(change)), error)
    assert.strictEqual(upstream.orders.size, 0)
  })

  it("is deleted from the shop once it has long expired, unless it was bought", async () => {
    const { place, quote, shop, upstream } = start({ quoteLifetimeMillis: 60_000 })
    const { reference, total } = await quote()
    await place(reference, total)
    await quote()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 121_000 })
    await quote()
    await vi.waitFor(() => assert.deepStrictEqual([...upstream.orders.keys()], [500, 502]))
    assert.strictEqual((await shop.status("500")).status, "placed")
  })
})

describe("unpaid orders of a WooCommerce shop", () => {
  /** One client requests quotes in vain; then another one wants to buy. */
  const flooded = async (attacker: object, buyer: object) => {
    const { place, quote, upstream } = start({ maxOpenQuotes: 40 })
    for (let round = 0; round < 60; round++) {
      await quote({ ...attacker, email: `ada+${round}@example.com` }).catch(() => undefined)
    }
    const pending = upstream.orders.size
    const bought = quote(buyer).then(({ reference, total }) => place(reference, total))
    return { pending, bought }
  }

  it("are all one client's if clients can't be told apart", async () => {
    const { bought, pending } = await flooded({}, {})
    assert.strictEqual(pending, 20)
    assert.strictEqual((await rejectionOf(bought))._tag, "TemporarilyUnavailable")
  })

  it("are a tenth of one client's, and another one buys", async () => {
    const { bought, pending } = await flooded({ client: "attacker" }, { client: "buyer" })
    assert.strictEqual(pending, 4)
    assert.deepStrictEqual(await bought, { reference: "504" })
  })
})

describe("an unpaid order of a WooCommerce shop", () => {
  it("stays for as long again after its quote has expired", async () => {
    const { place, quote, upstream } = start({ quoteLifetimeMillis: 60_000 })
    const { reference, total } = await quote()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 110_000 })
    await quote()
    await quote()
    assert.isEmpty(upstream.received.filter(({ path }) => path.startsWith("/orders/")))
    assert.deepStrictEqual(await place(reference, total), { reference })
  })

  it("stays while an order is to be placed as it, however long that takes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/^PUT/, () => HttpResponse.json({}, { status: 429 }))
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "NotPlaced")
    vi.setSystemTime(Date.now() + 41 * 60_000)
    await quote()
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.deepStrictEqual([...upstream.orders.keys()], [500, 501])
    assert.deepStrictEqual(await place(reference, total), { reference })
  })

  it("is removed before an order is placed as it, or not at all", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    vi.setSystemTime(Date.now() + 41 * 60_000)
    const read = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    upstream.next(/^GET \/orders\/500/, async (act) => {
      const text = await act().clone().text()
      read.resolve()
      await held.promise
      return new HttpResponse(text, { headers: { "content-type": "application/json" } })
    })
    await quote()
    await read.promise
    const placing = rejectionOf(place(reference, total))
    held.resolve()
    assert.deepInclude(await placing, { _tag: "PlacementRefused", reason: "quote_expired" })
    assert.isEmpty(upstream.received.filter(({ method }) => method === "PUT"))
  })
})

describe("an order of a WooCommerce shop", () => {
  it("is placed by marking it as paid by its transaction, for the till's order", async () => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    assert.deepStrictEqual(await place(reference, total, { payment }), { reference })
    const paid = upstream.received.find(({ method }) => method === "PUT")!
    assert.deepStrictEqual(paid.body, {
      set_paid: true,
      transaction_id: payment.transaction,
      meta_data: [
        { key: `x402_order_${orderId}`, value: orderId },
        { key: "x402_network", value: "eip155:8453" }
      ]
    })
    assert.deepInclude(upstream.orders.get(500), {
      status: "processing",
      transaction_id: payment.transaction
    })
  })

  it("is marked by the till's order id if no transaction is known", async () => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    await place(reference, total)
    const paid = upstream.received.find(({ method }) => method === "PUT")!
    assert.deepStrictEqual(paid.body, {
      set_paid: true,
      transaction_id: orderId,
      meta_data: [{ key: `x402_order_${orderId}`, value: orderId }]
    })
  })

  it("is known by the till's order, also after a reorganization replaced its transaction", async () => {
    const { place, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    await place(reference, total, { payment })
    const later = { ...payment, transaction: `0x${"ef".repeat(32)}` }
    assert.deepStrictEqual(await place(reference, total, { payment: later }), { reference })
    assert.strictEqual(await shop.find(orderId, { ...context, reference }), reference)
    assert.strictEqual(upstream.received.filter(({ method }) => method === "PUT").length, 1)
  })

  it.each<[string, (upstream: FakeWooCommerce) => void, object]>([
    ["became dearer", ({ orders }) => (orders.get(500)!.total = "28.00"), { reason: "price_changed" }],
    [
      "got another currency",
      ({ orders }) => (orders.get(500)!["currency"] = "KWD"),
      { reason: "price_changed" }
    ],
    ["was deleted", ({ orders }) => orders.delete(500), { reason: "quote_expired" }],
    ["was canceled", ({ orders }) => (orders.get(500)!.status = "cancelled"), { reason: "quote_expired" }],
    [
      "was paid by somebody else",
      ({ orders }) => Object.assign(orders.get(500)!, { status: "processing", transaction_id: orderId }),
      { reason: "reference_taken" }
    ]
  ])("that %s is refused", async (_what, change, error) => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    change(upstream)
    assert.deepInclude(await rejectionOf(place(reference, total)), { _tag: "PlacementRefused", ...error })
    assert.strictEqual(upstream.received.filter(({ method }) => method === "PUT").length, 0)
  })

  it("is not placed with a wrong key, and in doubt if the shop breaks", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/^PUT/, () => HttpResponse.json({}, { status: 401 }))
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "NotPlaced")
    upstream.next(/^PUT/, () => HttpResponse.json({}, { status: 500 }))
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "Rejected")
    vi.setSystemTime(Date.now() + 60_000)
    assert.deepStrictEqual(await place(reference, total), { reference })
  })

  it("is in doubt while WooCommerce is deactivated", async () => {
    const { place, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    const noRoute = () => HttpResponse.json({ code: "rest_no_route" }, { status: 404 })
    upstream.next(/^GET/, noRoute)
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "Rejected")
    upstream.next(/^GET/, noRoute)
    const found = shop.find(orderId, { ...context, reference })
    assert.strictEqual((await rejectionOf(found))._tag, "Rejected")
    upstream.next(/^GET/, noRoute)
    assert.strictEqual((await rejectionOf(quote()))._tag, "Rejected")
    assert.deepStrictEqual(await place(reference, total), { reference })
  })

  it("is in doubt while a lost payment may still arrive, and refused after that", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { place, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/^PUT/, () => HttpResponse.error())
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "TemporarilyUnavailable")
    upstream.orders.get(500)!.total = "28.00"
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "OrderNotPlaceable")
    const found = shop.find(orderId, { ...context, reference })
    assert.deepInclude(await rejectionOf(found), { _tag: "TemporarilyUnavailable", retryAfterSeconds: 60 })
    vi.setSystemTime(Date.now() + 60_000)
    assert.strictEqual(await shop.find(orderId, { ...context, reference }), null)
    assert.deepInclude(await rejectionOf(place(reference, total)), {
      _tag: "PlacementRefused",
      reason: "price_changed"
    })
  })

  it("is canceled once, with a note for the staff, and the till sees it", async () => {
    const { place, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    await place(reference, total)
    await shop.cancel(reference, "The buyer changed their mind")
    await shop.cancel(reference, "Again")
    assert.deepStrictEqual(
      upstream.received
        .filter(({ method }) => method === "PUT")
        .map(({ body }) => body)
        .slice(1),
      [{ status: "cancelled" }]
    )
    assert.deepStrictEqual(
      upstream.notes.get(500)?.map(({ customer_note, note }) => [note, customer_note]),
      [["The buyer changed their mind", false]]
    )
    assert.deepInclude(await shop.status(reference), { status: "cancelled", reason: "cancelled" })
  })

  it("that was sent can't be canceled", async () => {
    const { place, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    await place(reference, total)
    upstream.orders.get(500)!.status = "completed"
    assert.deepInclude(await rejectionOf(shop.cancel(reference)), {
      _tag: "OrderNotCancelable",
      message: "the order can't be canceled: its status is completed"
    })
    assert.strictEqual(upstream.orders.get(500)!.status, "completed")
  })

  it.each([401, 403, 404, 429, 500])("is in doubt if it can't be read back: status %d", async (status) => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/^PUT/, (act) => {
      upstream.next(/^GET \/orders/, () => HttpResponse.json({}, { status }))
      return act()
    })
    assert.notInclude(["NotPlaced", "PlacementRefused"], (await rejectionOf(place(reference, total)))._tag)
    assert.deepStrictEqual(await place(reference, total), { reference })
  })

  it.each([{ status: "pending" }, { meta_data: [] }])(
    "is in doubt if the shop shows it with %j after payment",
    async (change) => {
      const { place, quote, upstream } = start()
      const { reference, total } = await quote()
      upstream.next(/^PUT/, (act) => {
        const response = act()
        Object.assign(upstream.orders.get(500)!, change)
        return response
      })
      assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "ResponseMalformed")
    }
  )

  it("gets a note of its refund, once, that the buyer doesn't see", async () => {
    const { quote, shop, upstream } = start()
    const { reference } = await quote()
    const refund = { transaction: `0x${"ab".repeat(32)}` }
    await Promise.all([shop.noteRefund(reference, refund), shop.noteRefund(reference, refund)])
    assert.deepStrictEqual(upstream.notes.get(500), [
      {
        id: 1,
        author: "system",
        note: `Refunded in USDC (x402), transaction 0x${"ab".repeat(32)}`,
        customer_note: false
      }
    ])
  })

  it.each([
    ["processing", "placed"],
    ["on-hold", "placed"],
    ["completed", "shipped"],
    ["refunded", "cancelled"],
    ["failed", "cancelled"]
  ])("in the shop's status %s is %s", async (status, expected) => {
    const { quote, shop, upstream } = start()
    const { reference } = await quote()
    upstream.orders.get(500)!.status = status
    assert.strictEqual((await shop.status(reference)).status, expected)
  })
})

describe("a completed order of a WooCommerce shop", () => {
  it.each([
    ["2026-10-25T10:00:01", "shipped"],
    ["2026-10-25T10:00:00", "delivered"],
    [null, "shipped"]
  ])("that was completed at %s is %s", async (date_completed_gmt, expected) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 24, 10) })
    const { quote, shop, upstream } = start()
    const { reference } = await quote()
    Object.assign(upstream.orders.get(500)!, { status: "completed", date_completed_gmt })
    assert.strictEqual((await shop.status(reference)).status, expected)
  })
})

describe("the goods of a WooCommerce shop", () => {
  it("are found page by page, with the variant that buy takes", async () => {
    const { shop, upstream } = start()
    for (let id = 100; id < 125; id++) upstream.put(id, { rating_count: 0, average_rating: "0.00" })
    upstream.put(200, { type: "variable" })
    const first = await shop.marketplace.search({ q: "tote", page: 1 }, context)
    assert.deepStrictEqual([first.products.length, first.totalResults, first.hasMore], [20, 27, true])
    assert.deepStrictEqual(first.products[0], {
      asin: "71",
      title: "Tote bag 71",
      price: 20,
      currency: "USD",
      rating: 4.5,
      reviewCount: 3,
      imageUrl: "https://shop.example/tote-71.jpg",
      productUrl: "https://shop.example/product/tote-71/?variant=71",
      source: "marketplace_b",
      isExpedited: false
    })
    assert.deepInclude(first.products[5], { rating: null, reviewCount: 0 })
    const second = await shop.marketplace.search({ q: "tote", page: 2, priceMin: 1 }, context)
    assert.deepStrictEqual([second.products.length, second.hasMore], [7, false])
    const { searchParams } = new URL(`https://x${upstream.received.at(-1)!.path}`)
    assert.deepInclude(Object.fromEntries(searchParams), {
      search: "tote",
      min_price: "1",
      status: "publish"
    })
  })

  it("are taken from the next page if a filter leaves a page empty", async () => {
    const { shop, upstream } = start()
    for (let id = 100; id < 119; id++) upstream.put(id)
    upstream.put(119, { name: "Northwind tote" })
    const found = await shop.marketplace.search({ q: "tote", brand: "Northwind", page: 1 }, context)
    assert.deepStrictEqual([found.products.map(({ asin }) => asin), found.hasMore], [["119"], false])
    const pages = upstream.received.map(({ path }) => /[?&]page=(\d+)/.exec(path)?.[1])
    assert.deepStrictEqual(pages, ["1", "2"])
  })

  it("are sold from search to a canceled order", async () => {
    const { place, quote, shop, upstream } = start()
    const { products } = await shop.marketplace.search({ q: "tote", page: 1 }, context)
    const variantId = new URL(products[0]!.productUrl!).searchParams.get("variant")!
    const { reference, total } = await quote({ product: bag(variantId) })
    await place(reference, total)
    assert.strictEqual((await shop.status(reference)).status, "placed")
    upstream.orders.get(Number(reference))!.status = "refunded"
    assert.deepInclude(await shop.status(reference), { status: "cancelled", reason: "refunded" })
  })
})

describe("the layers of WooCommerce", () => {
  const env = {
    WOOCOMMERCE_CONSUMER_KEY: "ck_env",
    WOOCOMMERCE_CONSUMER_SECRET: "cs_env",
    WOOCOMMERCE_STORE_URL: "https://shop.example",
    WOOCOMMERCE_SHIPPING_CENTS: "0",
    WOOCOMMERCE_COUNTRIES: "US, CA"
  }
  const quoted = (variables: Record<string, string>) =>
    Effect.flatMap(Fulfilment, (shop) => shop.quote(request)).pipe(
      Effect.provide(WooCommerce.layerConfig()),
      Effect.provide(FetchHttpClient.layer),
      // Effect remembers the first `fetch` it sees, which may be one of before msw listened here.
      Effect.provideService(FetchHttpClient.Fetch, (input, init) => fetch(input, init)),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)),
      Effect.runPromiseExit
    )

  it("read their settings", async () => {
    const { upstream } = start()
    const exit = await quoted(env)
    assert(Exit.isSuccess(exit))
    assert.strictEqual(exit.value.total, "22.00")
    assert.strictEqual(upstream.received[0]!.authorization, `Basic ${btoa("ck_env:cs_env")}`)
    for (const missing of ["WOOCOMMERCE_STORE_URL", "WOOCOMMERCE_SHIPPING_CENTS"]) {
      const failed = await quoted(
        Object.fromEntries(Object.entries(env).filter(([name]) => name !== missing))
      )
      assert(Exit.isFailure(failed))
      assert.include(String(failed.cause), missing)
    }
  })
})

itRefusesOptions("woocommerce", (change: object) => wooCommerce({ ...settings, ...change }), [
  ["no key", { consumerKey: "" }],
  ["an address in the clear", { storeUrl: "http://shop.example" }],
  ["no shipping", { shipping: undefined as never }],
  ["delivery that pays", { shipping: { cents: -1 } }],
  ["a country that is none", { countries: ["USA"] }],
  ["no country", { countries: [] }],
  ["a currency that is none", { currency: "dollars" }],
  ["a quote for no time", { quoteLifetimeMillis: 1 }],
  ["hardly any quotes", { maxOpenQuotes: 9 }],
  ["more quotes than can be tracked", { maxOpenQuotes: 25_001 }]
])
