import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { type IntentFixture, intentFixture } from "./fakeRye.ts"
import { apiKey, request, startShop } from "./shop.ts"

const server = interceptRequests()
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

const fail =
  (code: unknown, message: unknown = "the message") =>
  (intent: IntentFixture) => {
    intent.state = "failed"
    intent.failureReason = { code, message }
  }

describe("a quote", () => {
  it("is the documented offer, to the cent", async () => {
    const { quote, upstream } = start()
    const { expiresAt, ...offer } = await quote()
    assert.deepStrictEqual(offer, {
      product: {
        title: "Acme Trail Running Shoes",
        imageUrl: "https://images.example/front.jpg",
        price: "84.99"
      },
      subtotal: "84.99",
      tax: "6.37",
      shipping: "5.99",
      total: "97.35",
      currency: "USD",
      reference: "ci_1"
    })
    const made = Date.parse(upstream.intents.get("ci_1")!.createdAt)
    assert.strictEqual(expiresAt.getTime(), made + 40 * 60_000)
    assert.deepStrictEqual(
      upstream.received.filter(({ method }) => method === "POST"),
      [
        {
          method: "POST",
          path: "/checkout-intents",
          authorization: `Bearer ${apiKey}`,
          idempotencyKey: null,
          body: {
            buyer: {
              firstName: "Ada King",
              lastName: "Byron",
              email: "ada@example.com",
              phone: "555-555-0100",
              address1: "1 Test St",
              city: "Durham",
              province: "NC",
              postalCode: "27701",
              country: "US"
            },
            productUrl: "https://www.amazon.com/dp/B0TEST0001",
            quantity: 1
          }
        }
      ]
    )
    assert.strictEqual(upstream.goods.length, 0)
  })

  it.each(["https://www.amazon.de/dp/B0TEST0001", "https://www.ebay.com/itm/1", "https://amazon.co.uk/x"])(
    "isn't requested for %s, whatever variant is named",
    async (productUrl) => {
      const { quote, upstream } = start()
      const refusal = await rejectionOf(
        quote({ product: { source: "marketplace_b", productUrl, variantId: "41" } })
      )
      assert.deepInclude(refusal as object, { _tag: "ProductUnavailable", reason: "foreign_page" })
      assert.deepStrictEqual(upstream.received, [])
    }
  )

  it("names a storefront's variant, one-word buyers and the host's phone", async () => {
    const { quote, upstream } = start({ defaultPhone: "+1 555 555 0199", offerRetrievalEffort: "low" })
    const { phone: _phone, ...address } = request.shippingAddress
    await quote({
      product: {
        source: "marketplace_b",
        productUrl: "https://shop.example/products/shoe?ref=1&variant=7",
        variantId: "41"
      },
      shippingAddress: { ...address, name: "Sappho", line2: "Flat 2" }
    })
    const body = upstream.received.find(({ method }) => method === "POST")!.body as object
    assert.deepInclude(body, {
      productUrl: "https://shop.example/products/shoe?ref=1&variant=41",
      constraints: { offerRetrievalEffort: "low" }
    })
    assert.deepInclude((body as { buyer: object }).buyer, {
      firstName: "Sappho",
      lastName: "Sappho",
      address2: "Flat 2",
      phone: "555-555-0199"
    })
  })

  it.each<[string, Record<string, unknown>, object]>([
    [
      "a discount",
      {
        total: { amountSubunits: 9000, currencyCode: "usd" },
        discount: { amountSubunits: 1, currencyCode: "USD" }
      },
      { subtotal: "77.64", tax: "6.37", shipping: "5.99", total: "90.00" }
    ],
    [
      "a surcharge, which Rye doesn't deduct",
      { surcharge: { amountSubunits: 500, currencyCode: "USD" } },
      { subtotal: "79.99", tax: "6.37", shipping: "5.99", total: "92.35" }
    ],
    [
      "neither tax nor shipping",
      { tax: undefined, shipping: null },
      { subtotal: "97.35", tax: "0.00", shipping: "0.00", total: "97.35" }
    ],
    [
      "a great price",
      { total: { amountSubunits: 900719925474099, currencyCode: "USD" } },
      { subtotal: "9007199254728.63", total: "9007199254740.99" }
    ]
  ])("adds up with %s", async (_what, change, amounts) => {
    const { quote, upstream } = start()
    upstream.balanceCents = Number.MAX_SAFE_INTEGER
    upstream.arrange = (intent) => Object.assign(intent.offer!.cost, change)
    assert.deepInclude(await quote(), amounts)
  })

  it.each<[string, (intent: IntentFixture) => void, string]>([
    ["no total", (intent) => delete intent.offer!.cost["total"], "ResponseMalformed"],
    ["no offer", (intent) => delete intent.offer, "ResponseMalformed"],
    [
      "a total of nothing",
      (intent) => (intent.offer!.cost["total"]!.amountSubunits = 0),
      "ResponseMalformed"
    ],
    [
      "a total in floats",
      (intent) => (intent.offer!.cost["total"]!.amountSubunits = 97.35),
      "ResponseMalformed"
    ],
    [
      "a total in text",
      (intent) => (intent.offer!.cost["total"]!.amountSubunits = "9735"),
      "ResponseMalformed"
    ],
    [
      "a surcharge of all",
      (intent) => (intent.offer!.cost["surcharge"] = { amountSubunits: 9735, currencyCode: "USD" }),
      "ResponseMalformed"
    ],
    ["a negative tax", (intent) => (intent.offer!.cost["tax"]!.amountSubunits = -1), "ResponseMalformed"],
    ["a tax in euros", (intent) => (intent.offer!.cost["tax"]!.currencyCode = "EUR"), "ResponseMalformed"],
    [
      "a tax above the total",
      (intent) => (intent.offer!.cost["tax"]!.amountSubunits = 9736),
      "ResponseMalformed"
    ],
    [
      "a total in euros",
      (intent) => (intent.offer!.cost["total"]!.currencyCode = "EUR"),
      "ProductUnavailable"
    ],
    ["an intent that is bought already", (intent) => (intent.state = "completed"), "ResponseMalformed"]
  ])("is none with %s", async (_what, change, tag) => {
    const { quote, upstream } = start()
    upstream.arrange = change
    assert.strictEqual((await rejectionOf(quote()))._tag, tag)
  })

  it.each<[string, string, object?]>([
    ["unknown", "IntentFailed", { code: "unknown" }],
    ["checkout_intent_expired", "TemporarilyUnavailable", { retryAfterSeconds: 5 }],
    ["payment_failed", "IntentFailed", { code: "payment_failed" }],
    ["payment_cvc_expired", "IntentFailed"],
    ["insufficient_stock", "ProductUnavailable", { reason: "out_of_stock" }],
    ["product_out_of_stock", "ProductUnavailable", { reason: "out_of_stock" }],
    ["offer_retrieval_failed", "ProductUnavailable", { reason: "offer_retrieval_failed" }],
    ["order_placement_failed", "IntentFailed"],
    ["developer_not_found", "IntentFailed"],
    ["missing_shipping_method", "AddressNotServed"],
    ["unsupported_currency", "ProductUnavailable"],
    ["invalid_input", "IntentFailed"],
    ["incorrect_cost_breakdown", "IntentFailed"],
    ["unsupported_store_no_guest_checkout", "ProductUnavailable"],
    ["workflow_invocation_failed", "TemporarilyUnavailable"],
    ["variant_selections_invalid", "ProductUnavailable"],
    ["variant_selections_required", "ProductUnavailable", { reason: "variant_selections_required" }],
    ["form_validation_error", "AddressNotServed"],
    ["captcha_blocked", "ProductUnavailable"],
    ["bot_protection_blocked", "ProductUnavailable"],
    ["constraint_total_price_exceeded", "ProductUnavailable"],
    ["constraint_shipping_cost_exceeded", "ProductUnavailable"],
    ["promo_code_discovery_not_enabled", "IntentFailed"],
    ["product_not_found", "ProductNotFound"],
    ["a_code_of_tomorrow", "IntentFailed", { code: "a_code_of_tomorrow" }]
  ])("is refused for %s", async (code, tag, fields = {}) => {
    const { quote, upstream } = start()
    upstream.arrange = fail(code)
    assert.deepInclude(await rejectionOf(quote()), { _tag: tag, ...fields })
    upstream.arrange = () => {}
    // The intent that failed is not waited for again.
    assert.strictEqual((await quote()).reference, "ci_2")
  })

  it("is refused as in the fixture of a failure", async () => {
    const { quote, upstream } = start()
    upstream.arrange = (intent) => Object.assign(intent, { ...intentFixture("5-failed"), id: intent.id })
    assert.deepInclude(await rejectionOf(quote()), { _tag: "ProductUnavailable", reason: "out_of_stock" })
  })

  it.each<[string, unknown, string]>([
    ["a wrong code, in no words", 12, "IntentFailed"],
    ["words in the place of a code", "Out of luck\n", "IntentFailed"]
  ])("is refused with %s", async (_what, code, tag) => {
    const { quote, upstream } = start()
    upstream.arrange = fail(code)
    assert.deepInclude(await rejectionOf(quote()), { _tag: tag, code: "unknown" })
  })

  it.each<[string, number, unknown, string]>([
    [
      "an address that does not validate",
      400,
      { message: "buyer.postalCode is invalid" },
      "AddressNotServed"
    ],
    ["a page that is none", 422, { error: { message: "productUrl is not a product" } }, "ProductNotFound"],
    ["a code of its own", 404, { code: "product_not_found" }, "ProductNotFound"],
    ["a shop that is not served", 400, { message: "This store is not supported" }, "ProductUnavailable"],
    ["a product that is gone", 400, { error: "Sold out" }, "ProductUnavailable"],
    ["meaningless words", 400, { message: "Bad request" }, "Rejected"],
    ["no words", 400, undefined, "Rejected"],
    ["a wrong key", 401, { message: "Invalid product key" }, "Rejected"],
    ["a key without rights", 403, {}, "Rejected"],
    ["a day's quota that is spent", 429, {}, "TemporarilyUnavailable"],
    ["an account without money", 402, {}, "TemporarilyUnavailable"],
    ["a fault of its own", 500, {}, "Rejected"],
    ["a service that is down", 503, {}, "TemporarilyUnavailable"]
  ])("is refused for %s", async (_what, status, body, tag) => {
    const { quote, upstream } = start()
    upstream.next(/^POST/, () =>
      body === undefined ? new HttpResponse("<html>", { status }) : HttpResponse.json(body, { status })
    )
    const rejection = await rejectionOf(quote())
    assert.strictEqual(rejection._tag, tag)
    assert.notInclude(JSON.stringify(rejection) + String(rejection["message"]), "secret")
    assert.strictEqual(upstream.count(/^POST/), 1)
  })

  it("honours Retry-After, for all calls", async () => {
    const { quote, upstream } = start()
    upstream.next(/^POST/, () => HttpResponse.json({}, { status: 429, headers: { "retry-after": "60" } }))
    assert.deepInclude(await rejectionOf(quote()), { _tag: "TemporarilyUnavailable", retryAfterSeconds: 60 })
    const { length } = upstream.received
    assert.strictEqual((await rejectionOf(quote()))._tag, "TemporarilyUnavailable")
    assert.strictEqual(upstream.received.length, length)
  })

  it.each([
    ["abroad", { country: "DE" }],
    ["without a phone number", { phone: " " }]
  ])("is refused %s, without a call", async (_where, change) => {
    const { quote, upstream } = start()
    const refusal = await rejectionOf(quote({ shippingAddress: { ...request.shippingAddress, ...change } }))
    assert.strictEqual(refusal._tag, "AddressNotServed")
    assert.strictEqual(upstream.received.length, 0)
  })
})
