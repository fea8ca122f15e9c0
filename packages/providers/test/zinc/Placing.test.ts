import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { duplicateFixture } from "./fakeZinc.ts"
import { apiKey, orderId, request, startShop } from "./shop.ts"

const server = interceptRequests()
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

const sent = /^POST \/orders$/
const id = "0d3a0c9e-1"

describe("an order", () => {
  it("is placed for no more than was agreed, under the till's own id", async () => {
    const { place, upstream } = start()
    assert.deepStrictEqual(await place(), { reference: id })
    assert.deepStrictEqual(upstream.received, [
      {
        method: "POST",
        path: "/orders",
        authorization: `Bearer ${apiKey}`,
        body: {
          products: [{ url: "https://www.amazon.com/dp/B0TEST0001", quantity: 1 }],
          shipping_address: {
            first_name: "Ada",
            last_name: "Byron",
            address_line1: "1 Test St",
            city: "Durham",
            state: "NC",
            postal_code: "27701",
            phone_number: "5555550100",
            country: "US"
          },
          max_price: 12_000,
          idempotency_key: orderId,
          metadata: { orderId }
        }
      }
    ])
  })

  it("names a storefront's variant, the host's phone and its account at the retailer", async () => {
    const { place, upstream } = start({ defaultPhone: "555 555 0199", retailerCredentialsId: "zn_acct_1" })
    const { phone: _phone, ...address } = request.shippingAddress
    await place({
      product: {
        source: "marketplace_b",
        productUrl: "https://shop.example/products/shoe",
        variantId: "41"
      },
      shippingAddress: { ...address, line2: "Flat 2" }
    })
    const body = upstream.received[0]!.body as { shipping_address: object }
    assert.deepInclude(body as object, {
      products: [{ url: "https://shop.example/products/shoe?variant=41", quantity: 1 }],
      retailer_credentials_id: "zn_acct_1"
    })
    assert.deepInclude(body.shipping_address, { phone_number: "555 555 0199", address_line2: "Flat 2" })
  })

  it.each([
    ["97.35", 9_735],
    ["97.359999", 9_735],
    ["0.01", 1],
    ["1000000", 100_000_000]
  ])("agreed at %s dollars may cost %i cents", async (total, cents) => {
    const { place, upstream } = start()
    await place({ total })
    assert.propertyVal(upstream.received[0]!.body, "max_price", cents)
  })

  it.each([["0.009"], ["0"], ["a lot"], ["-1"], ["999999999999999"]])(
    "is not placed for %s dollars",
    async (total) => {
      const { place, upstream } = start()
      assert.deepInclude(await rejectionOf(place({ total })), {
        _tag: "PlacementRefused",
        reason: "total_unusable"
      })
      assert.strictEqual(upstream.received.length, 0)
    }
  )

  it.each([["without a phone number", { phone: "" }]])(
    "is refused %s, without a call",
    async (_where, change) => {
      const { place, upstream } = start()
      const shippingAddress = { ...request.shippingAddress, ...change }
      const rejection = await rejectionOf(place({ shippingAddress }))
      assert.deepInclude(rejection, { _tag: "PlacementRefused", reason: "address_not_served" })
      assert.strictEqual(upstream.received.length, 0)
    }
  )

  it("has a key of 36 characters at most", async () => {
    const { place, shop, upstream } = start()
    const long = `order-${"x".repeat(40)}`
    const { reference } = await place({ orderId: long })
    const [{ idempotency_key: key }] = upstream.received.map(
      ({ body }) => body as { idempotency_key: string }
    ) as [{ idempotency_key: string }]
    assert.match(key, /^[0-9a-f]{36}$/)
    assert.strictEqual(await shop.find(long), reference)
  })

  it("is placed once for repeated calls, even by other processes", async () => {
    const { open, place, upstream } = start()
    upstream.put()
    const references = await Promise.all([place(), place(), place({}, open()), place({}, open())])
    assert.strictEqual(new Set(references.map(({ reference }) => reference)).size, 1)
    assert.strictEqual(upstream.orders.size, 2)
  })
})

describe("an order that Zinc has already", () => {
  const duplicate = (details: unknown) => () =>
    HttpResponse.json({ ...duplicateFixture(), details }, { status: 409 })

  it.each([
    ["order_id", { order_id: "zo-9" }],
    ["id", { id: "zo-9" }]
  ])("is known by the %s of the refusal", async (_name, details) => {
    const { place, upstream } = start()
    upstream.next(sent, duplicate(details))
    assert.deepStrictEqual(await place(), { reference: "zo-9" })
    assert.strictEqual(upstream.received.length, 1)
  })

  it.each<[string, (orders: Array<unknown>) => unknown]>([
    ["a list", (orders) => orders],
    ["an envelope", (orders) => ({ orders, total: 3, news: true })]
  ])("is looked up in %s", async (_what, list) => {
    const { open, place, upstream } = start()
    upstream.put({ metadata: null })
    await place()
    upstream.put({ metadata: "odd" })
    upstream.list = list
    assert.deepStrictEqual(await place({}, open()), { reference: "0d3a0c9e-2" })
    assert.strictEqual(upstream.orders.size, 3)
  })

  it("and can't be found is not placed again", async () => {
    const { place, upstream } = start()
    upstream.next(sent, duplicate({ id: "../wallet" }))
    assert.strictEqual((await rejectionOf(place()))._tag, "ReferenceUnknown")
    assert.strictEqual(upstream.count(sent), 1)
  })

  it("and can't be looked up is in doubt", async () => {
    const { place, upstream } = start()
    upstream.next(sent, duplicate({}))
    upstream.next(/^GET/, () => HttpResponse.json({}, { status: 503 }))
    assert.strictEqual((await rejectionOf(place()))._tag, "TemporarilyUnavailable")
  })
})

describe("a lost response", () => {
  it("is sent again under the same key", async () => {
    const { open, place, upstream } = start()
    upstream.next(sent, (act) => {
      act()
      return HttpResponse.error()
    })
    assert.deepStrictEqual(await place({}, open({ retries: 1 })), { reference: id })
    assert.strictEqual(upstream.count(sent), 2)
    assert.strictEqual(upstream.orders.size, 1)
  })

  it.each<[string, () => Response]>([
    ["unreadable", () => new HttpResponse("<html>", { status: 201 })],
    ["of another kind", () => HttpResponse.json({ ok: true }, { status: 201 })],
    ["too large", () => new HttpResponse("x".repeat(70_000), { status: 201 })]
  ])("or %s is looked up", async (_what, reply) => {
    const { place, upstream } = start({ maxResponseBytes: 65_536 })
    upstream.next(sent, (act) => {
      act()
      return reply()
    })
    assert.deepStrictEqual(await place(), { reference: id })
    assert.strictEqual(upstream.count(sent), 1)
  })

  it("and whose order is missing keeps its error", async () => {
    const { place, upstream } = start()
    upstream.next(sent, () => new HttpResponse("<html>", { status: 201 }))
    assert.strictEqual((await rejectionOf(place()))._tag, "ResponseMalformed")
    upstream.next(sent, () => new HttpResponse("<html>", { status: 201 }))
    upstream.next(/^GET/, () => HttpResponse.error())
    assert.strictEqual((await rejectionOf(place()))._tag, "ResponseMalformed")
    assert.deepStrictEqual(await place(), { reference: id })
  })
})

describe("a refusal", () => {
  const soldOut = () =>
    HttpResponse.json({ code: "product_out_of_stock", message: "no", details: {} }, { status: 400 })

  it("of an order that an earlier request has placed is none", async () => {
    const { open, place, upstream } = start()
    upstream.next(sent, (act) => {
      act()
      return HttpResponse.error()
    })
    await rejectionOf(place())
    // The order itself took the last one. Another process doesn't know of the request.
    upstream.next(sent, soldOut)
    assert.deepStrictEqual(await place({}, open()), { reference: id })
    assert.strictEqual(upstream.orders.size, 1)
  })

  it("is in doubt while the list of orders can't be read", async () => {
    const { place, upstream } = start()
    upstream.next(sent, soldOut)
    upstream.next(/^GET/, () => HttpResponse.json({}, { status: 503 }))
    assert.strictEqual((await rejectionOf(place()))._tag, "TemporarilyUnavailable")
  })

  it.each<[number, string, object, object?]>([
    [400, "invalid_shipping_address", { _tag: "PlacementRefused", reason: "address_not_served" }],
    [400, "shipping_address_invalid", { _tag: "PlacementRefused", reason: "address_not_served" }],
    [400, "shipping_unavailable", { _tag: "PlacementRefused", reason: "address_not_served" }],
    [400, "url_unreachable", { _tag: "PlacementRefused", reason: "product_not_found" }],
    [400, "product_not_found", { _tag: "PlacementRefused", reason: "product_not_found" }],
    [400, "out_of_stock", { _tag: "PlacementRefused", reason: "out_of_stock" }],
    [400, "product_out_of_stock", { _tag: "PlacementRefused", reason: "out_of_stock" }],
    [400, "invalid_variant", { _tag: "PlacementRefused", reason: "invalid_variant" }],
    [400, "non_us_retailer", { _tag: "PlacementRefused", reason: "non_us_retailer" }],
    [400, "max_price_exceeded", { _tag: "PlacementRefused", reason: "max_price_exceeded" }],
    [402, "insufficient_funds", { _tag: "NotPlaced", code: "insufficient_funds" }],
    [400, "insufficient_funds", { _tag: "NotPlaced", code: "insufficient_funds" }],
    [402, "payment_method_required", { _tag: "NotPlaced" }],
    [
      422,
      "validation_error",
      { _tag: "PlacementRefused", reason: "address_not_served" },
      { "shipping_address.postal_code": "required" }
    ],
    [
      422,
      "validation_error",
      { _tag: "PlacementRefused", reason: "product_not_found" },
      { products: "not a product page" }
    ],
    [422, "validation_error", { _tag: "Rejected", status: 422 }, { max_price: "must be positive" }],
    [400, "bad_request", { _tag: "Rejected", status: 400 }],
    [401, "invalid_token", { _tag: "NotPlaced", code: "HTTP_401" }],
    [403, "forbidden", { _tag: "NotPlaced", code: "HTTP_403" }],
    [409, "order_not_cancellable", { _tag: "Rejected", status: 409 }],
    [500, "internal_error", { _tag: "Rejected", status: 500 }],
    // Zinc broke over the order: its response to that is not final.
    [500, "out_of_stock", { _tag: "TemporarilyUnavailable", code: "ProductUnavailable" }],
    [500, "insufficient_funds", { _tag: "TemporarilyUnavailable", code: "insufficient_funds" }],
    [502, "external_service_error", { _tag: "TemporarilyUnavailable", code: "HTTP_502" }],
    [400, "a_code_of_tomorrow", { _tag: "Rejected", status: 400 }]
  ])("%i %s is returned as ours", async (status, code, error, details = {}) => {
    const { place, upstream } = start()
    for (const body of [
      { code, message: "words of Zinc's", details },
      { error: { code, message: "words of Zinc's", details } }
    ]) {
      upstream.next(sent, () => HttpResponse.json(body, { status }))
      const rejection = await rejectionOf(place())
      assert.deepInclude(rejection, error)
      assert.notInclude(JSON.stringify(rejection) + String(rejection["message"]), "words of Zinc's")
      assert.notInclude(JSON.stringify(rejection), "secret")
    }
    assert.strictEqual(upstream.orders.size, 0)
  })

  it("without a document stays what it is", async () => {
    const { place, upstream } = start()
    upstream.next(sent, () => new HttpResponse("<html>", { status: 400 }))
    assert.deepInclude(await rejectionOf(place()), { _tag: "Rejected", status: 400 })
    upstream.next(sent, () => HttpResponse.json(["out_of_stock"], { status: 400 }))
    assert.deepInclude(await rejectionOf(place()), { _tag: "Rejected", status: 400 })
  })

  it("honours Retry-After", async () => {
    const { place, upstream } = start()
    upstream.next(sent, () => HttpResponse.json({}, { status: 429, headers: { "retry-after": "60" } }))
    assert.deepInclude(await rejectionOf(place()), { _tag: "NotPlaced", retryAfterSeconds: 60 })
    assert.deepInclude(await rejectionOf(place()), { _tag: "NotPlaced", code: "RateLimited" })
    assert.strictEqual(upstream.received.length, 1)
  })
})
