import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { prepare, thief } from "../treasury/fakeNode.ts"
import { account, rejectionOf } from "../treasury/treasuries.ts"
import { askFor, type OrderFixture, reprice, unavailableFixture } from "./fakeCrossmint.ts"
import { apiKey, request, startShop } from "./shop.ts"

const server = interceptRequests()
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

describe("a quote", () => {
  it("is the documented order, to the cent", async () => {
    const { node, quote, upstream } = start()
    const { expiresAt, ...offer } = await quote()
    assert.deepStrictEqual(offer, {
      product: {
        title: "Acme Trail Running Shoes",
        imageUrl: "https://m.media-amazon.com/images/I/test1.jpg",
        price: "84.99"
      },
      subtotal: "84.99",
      tax: "6.37",
      shipping: "5.99",
      total: "97.35",
      currency: "USD",
      reference: [...upstream.orders.keys()][0]!
    })
    assert.strictEqual(expiresAt.toISOString(), [...upstream.orders.values()][0]!.quote.expiresAt)
    assert.deepStrictEqual(upstream.received, [
      {
        method: "POST",
        path: "/api/2022-06-09/orders",
        key: apiKey,
        body: {
          recipient: {
            email: "ada@example.com",
            physicalAddress: {
              name: "Ada Lovelace",
              line1: "1 Main St",
              city: "Springfield",
              state: "IL",
              postalCode: "62701",
              country: "US"
            }
          },
          locale: "en-US",
          payment: { method: "base-sepolia", currency: "usdc", payerAddress: account.address },
          lineItems: [{ productLocator: "amazon:B0TEST0001" }]
        }
      }
    ])
    assert.strictEqual(node.sent.length, 0)
  })

  it("names a storefront's product by its page and variant, and sends the host's additions", async () => {
    const { quote, upstream } = start({ receiptEmail: "books@shop.example", locale: "de-DE" })
    const productUrl = "https://shop.example/products/shoe"
    await quote({ product: { source: "marketplace_b", productUrl, variantId: "41" } })
    assert.deepInclude(upstream.received[0]!.body as object, {
      lineItems: [{ productLocator: `shopify:${productUrl}:41` }],
      locale: "de-DE"
    })
    assert.propertyVal(
      (upstream.received[0]!.body as { payment: object }).payment,
      "receiptEmail",
      "books@shop.example"
    )
  })

  it.each<[string, (order: OrderFixture) => void, object]>([
    [
      "fees among the goods",
      (order) => reprice(order, "99.00", 99_000_000n),
      { subtotal: "86.64", total: "99.00" }
    ],
    [
      "no tax and no shipping",
      ({ lineItems: [line] }) => void (line!.quote.charges = {}),
      { subtotal: "97.35", tax: "0.00", shipping: "0.00" }
    ],
    [
      "fields and statuses that are new",
      (order) => {
        order["insurance"] = { status: "offered" }
        order.phase = "payment-v2"
        order.payment.status = "awaiting-payment-or-permit"
      },
      { total: "97.35" }
    ],
    ["nothing of the product", ({ lineItems: [line] }) => void (line!.metadata = {}), { total: "97.35" }]
  ])("is read with %s", async (_what, arrange, expected) => {
    const { quote, upstream } = start()
    upstream.arrange = arrange
    assert.deepInclude(await quote(), expected)
  })

  it("is polled until it is ready", async () => {
    const { quote, upstream } = start()
    let preparation: OrderFixture["payment"]["preparation"]
    upstream.arrange = ({ payment }) => {
      preparation = payment.preparation
      payment.preparation = undefined
      payment.status = "requires-quote"
    }
    upstream.replies.push(undefined, (act) => {
      const [order] = upstream.orders.values()
      order!.payment = { status: "awaiting-payment", preparation }
      return act()
    })
    assert.strictEqual((await quote()).total, "97.35")
    assert.strictEqual(upstream.count("GET", /orders/), 1)
  })

  it("fails if it does not become ready", async () => {
    const { quote, upstream } = start()
    upstream.arrange = ({ payment }) => void (payment.preparation = undefined)
    const { _tag, code } = await rejectionOf(quote())
    assert.deepStrictEqual([_tag, code], ["TemporarilyUnavailable", "QuoteNotReady"])
  })
})

const unavailable = (code: unknown) => (order: OrderFixture) => {
  const { lineItems, payment, quote } = unavailableFixture()
  lineItems[0]!.quote.unavailabilityReason = code === undefined ? undefined : { code, message: "for ada" }
  Object.assign(order, { phase: "quote", lineItems, payment, quote })
}

describe("no quote", () => {
  it.each<[string, (order: OrderFixture) => void, object]>([
    ["out of stock", unavailable("out-of-stock"), { _tag: "ProductUnavailable", reason: "out_of_stock" }],
    ["a reason that is new", unavailable("moon-phase"), { _tag: "ProductUnavailable", reason: "moon_phase" }],
    ["no reason", unavailable(undefined), { _tag: "ProductUnavailable" }],
    ["an odd reason", unavailable({ nested: true }), { _tag: "ProductUnavailable" }],
    ["no such product", unavailable("product-not-found"), { _tag: "ProductNotFound" }],
    ["no delivery there", unavailable("shipping-not-available"), { _tag: "AddressNotServed" }],
    [
      "an address it can't use",
      ({ quote }) => void (quote.status = "requires-physical-address"),
      { _tag: "AddressNotServed" }
    ],
    [
      "an empty treasury",
      ({ payment }) => void (payment.status = "crypto-payer-insufficient-funds"),
      { _tag: "TemporarilyUnavailable", code: "TreasuryUnderfunded" }
    ],
    [
      "a treasury without coin for fees",
      ({ payment }) => void (payment.status = "crypto-payer-insufficient-funds-for-gas"),
      { _tag: "TemporarilyUnavailable", code: "TreasuryUnderfunded" }
    ],
    [
      "a quote that has expired already",
      ({ quote }) => void (quote.status = "expired"),
      { _tag: "TemporarilyUnavailable", code: "QuoteNotReady" }
    ],
    ...[
      "requires-kyc",
      "manual-kyc",
      "failed-kyc",
      "requires-email",
      "requires-crypto-payer-address",
      "draft"
    ].map((status): [string, (order: OrderFixture) => void, object] => [
      `payment status ${status}`,
      ({ payment }) => void (payment.status = status),
      { _tag: "ResponseMalformed", detail: "payment.status" }
    ]),
    [
      "a missing recipient",
      ({ quote }) => void (quote.status = "requires-recipient"),
      { _tag: "ResponseMalformed" }
    ],
    [
      "another currency",
      ({ quote }) => void (quote.totalPrice!.currency = "usdxm"),
      { _tag: "ResponseMalformed", detail: "quote.totalPrice" }
    ],
    [
      "a total of nothing",
      ({ quote }) => void (quote.totalPrice!.amount = "0"),
      { _tag: "ResponseMalformed" }
    ],
    [
      "a total that is no amount",
      ({ quote }) => void (quote.totalPrice!.amount = "1e3"),
      { _tag: "ResponseMalformed" }
    ],
    [
      "charges above the total",
      (order) => reprice(order, "10.00", 10_000_000n),
      { _tag: "ResponseMalformed" }
    ],
    ["no date of expiry", ({ quote }) => void (quote.expiresAt = "soon"), { _tag: "ResponseMalformed" }],
    ["two of it", ({ lineItems: [line] }) => void (line!.quantity = 2), { _tag: "ResponseMalformed" }],
    [
      "another product beside it",
      ({ lineItems }) => void lineItems.push(lineItems[0]!),
      { _tag: "ResponseMalformed" }
    ],
    [
      "another payer",
      ({ payment }) => void (payment.preparation!.payerAddress = thief),
      { _tag: "ResponseMalformed" }
    ],
    [
      "another chain",
      ({ payment }) => void (payment.preparation!.chain = "base"),
      { _tag: "ResponseMalformed" }
    ],
    [
      "an id that leads elsewhere",
      (order) => void (order.orderId = "../admin"),
      { _tag: "ResponseMalformed" }
    ],
    [
      "a payment to a thief",
      (order) => askFor(order, { payee: thief }),
      { _tag: "PaymentRefused", reason: "other_payee" }
    ],
    [
      "a payment of more than its total",
      (order) => askFor(order, { amount: 97_350_001n }),
      { _tag: "PaymentRefused", reason: "other_amount" }
    ],
    [
      "no transaction but words",
      ({ payment }) => void (payment.preparation!.serializedTransaction = "0x02f8..."),
      { _tag: "PaymentRefused", reason: "unreadable" }
    ],
    [
      "a payment in native coin",
      (order) => askFor(order, { value: 1n }),
      { _tag: "PaymentRefused", reason: "native_value" }
    ]
  ])("with %s", async (_what, arrange, expected) => {
    const { node, quote, upstream } = start()
    upstream.arrange = arrange
    const rejection = await rejectionOf(quote())
    for (const [field, value] of Object.entries(expected)) assert.strictEqual(rejection[field], value, field)
    assert.notInclude(String(rejection["message"]), "for ada")
    assert.strictEqual(node.sent.length, 0)
  })

  it("outside the United States, without a call", async () => {
    const { quote, upstream } = start()
    const shippingAddress = { ...request.shippingAddress, country: "DE" }
    assert.strictEqual((await rejectionOf(quote({ shippingAddress })))._tag, "AddressNotServed")
    assert.strictEqual(upstream.received.length, 0)
  })

  it.each([
    [400, { error: true, message: "recipient.physicalAddress.postalCode is invalid" }, "AddressNotServed"],
    [422, { error: { message: "Only US addresses: country not allowed" } }, "AddressNotServed"],
    [404, { error: true, message: "Product not found" }, "ProductNotFound"],
    [400, { error: true, message: "Invalid productLocator" }, "ProductNotFound"],
    [400, { error: true, message: "Item is out of stock" }, "ProductUnavailable"],
    [400, { error: true, message: "Digital goods are not supported" }, "ProductUnavailable"],
    [400, { error: true, message: "something else" }, "Rejected"],
    [400, { surprise: [] }, "Rejected"],
    [401, { error: true, message: "Invalid API key; product not found" }, "Rejected"],
    [403, { error: true, message: "Missing scope orders.create" }, "Rejected"],
    [500, { error: true, message: "address service broke" }, "Rejected"],
    [429, {}, "TemporarilyUnavailable"],
    [503, {}, "TemporarilyUnavailable"]
  ])("with status %i %j", async (status, body, tag) => {
    const { quote, upstream } = start()
    upstream.replies.push(() => HttpResponse.json(body, { status }))
    const rejection = await rejectionOf(quote())
    assert.strictEqual(rejection._tag, tag)
    assert.notInclude(JSON.stringify(rejection) + String(rejection["message"]), apiKey)
  })

  it("before the time that it requests, for any caller", async () => {
    const { quote, upstream } = start()
    upstream.replies.push(() => new HttpResponse(null, { status: 429, headers: { "retry-after": "30" } }))
    for (let call = 0; call < 2; call++) {
      const { _tag, retryAfterSeconds } = await rejectionOf(quote())
      assert.deepStrictEqual([_tag, retryAfterSeconds], ["TemporarilyUnavailable", 30])
    }
    assert.strictEqual(upstream.received.length, 1)
  })

  it("of a prepared transaction that was swapped on its way, whoever swapped it", async () => {
    const { quote, upstream } = start()
    const stolen = prepare({ payee: thief })
    upstream.replies.push((act) => {
      act()
      const [order] = upstream.orders.values()
      order!.payment.preparation!.serializedTransaction = stolen
      return HttpResponse.json({ order } as object)
    })
    assert.strictEqual((await rejectionOf(quote()))["reason"], "other_payee")
  })
})
