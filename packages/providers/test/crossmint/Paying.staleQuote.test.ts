import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { thief } from "../treasury/fakeNode.ts"
import { rejectionOf } from "../treasury/treasuries.ts"
import { askFor, type OrderFixture, reprice } from "./fakeCrossmint.ts"
import { server, amount, start } from "./payments.ts"

interceptRequests(server)

describe("a quote that is not as it was", () => {
  const expire = (order: OrderFixture) => {
    order.quote.status = "expired"
    order.phase = "quote"
    order.payment.status = "requires-quote"
    order.payment.preparation = undefined
  }

  it.each<[string, (order: OrderFixture) => void]>([
    ["expired", expire],
    [
      "in its last moments",
      ({ quote }) => void (quote.expiresAt = new Date(Date.now() + 5_000).toISOString())
    ]
  ])("is replaced when it has %s, and the new order is paid and returned", async (_what, age) => {
    const { first, paid, place, quote, shop, upstream } = start()
    await quote()
    age(first())
    const { reference } = await place()
    assert.notStrictEqual(reference, first().orderId)
    assert.deepStrictEqual([paid(), upstream.goods], [amount, [reference]])
    assert.deepStrictEqual(await place(), { reference })
    assert.strictEqual(await shop.find("order-1"), reference)
    assert.strictEqual(upstream.orders.size, 2)
  })

  it("is replaced at a lower price, and never at more than agreed", async () => {
    for (const [total, price, isPaid] of [
      ["97.34", 97_340_000n, true],
      ["97.36", 97_360_000n, false]
    ] as const) {
      const { first, paid, place, quote, upstream } = start()
      await quote()
      expire(first())
      upstream.arrange = (order) => {
        order.lineItems[0]!.quote.charges = {}
        reprice(order, total, price)
      }
      if (isPaid) await place()
      else
        assert.deepInclude(await rejectionOf(place()), { _tag: "PlacementRefused", reason: "price_changed" })
      assert.strictEqual(paid(), isPaid ? price : 0n)
    }
  })

  const unavailable =
    (code?: string) =>
    ({ lineItems }: OrderFixture): void => {
      const [{ quote }] = lineItems as [OrderFixture["lineItems"][0]]
      quote.status = "item-unavailable"
      if (code !== undefined) quote.unavailabilityReason = { code }
    }

  it.each<[string, (order: OrderFixture) => void, object]>([
    [
      "a higher total",
      (order) => reprice(order, "98.00", 98_000_000n),
      { _tag: "PlacementRefused", reason: "price_changed", code: "QuoteChanged" }
    ],
    [
      "another payee",
      (order) => askFor(order, { payee: thief }),
      { _tag: "NotPlaced", code: "PaymentRefused" }
    ],
    [
      "another amount in its transaction",
      (order) => askFor(order, { amount: 973_500_000n }),
      { _tag: "NotPlaced", code: "PaymentRefused" }
    ],
    ["another token", (order) => askFor(order, { to: thief }), { _tag: "NotPlaced", code: "PaymentRefused" }],
    ["no stock left", unavailable("out-of-stock"), { _tag: "PlacementRefused", reason: "out_of_stock" }],
    ["no word of why", unavailable(), { _tag: "PlacementRefused" }],
    [
      "no such product any more",
      unavailable("product-not-found"),
      { _tag: "PlacementRefused", reason: "product_not_found" }
    ],
    [
      "no way to the address",
      unavailable("cannot-ship"),
      { _tag: "PlacementRefused", reason: "address_not_served" }
    ],
    [
      "a treasury that is short",
      ({ payment }) => void (payment.status = "crypto-payer-insufficient-funds"),
      { _tag: "NotPlaced", code: "TreasuryUnderfunded" }
    ]
  ])("is not paid with %s", async (_what, change, error) => {
    const { first, node, place, quote, shop } = start()
    await quote()
    change(first())
    assert.deepInclude(await rejectionOf(place()), error)
    assert.strictEqual(node.sent.length, 0)
    assert.isUndefined(await shop.find("order-1"))
  })

  it("is paid if it became cheaper", async () => {
    const { first, paid, place, quote, upstream } = start()
    const { reference } = await quote()
    first().lineItems[0]!.quote.charges = {}
    reprice(first(), "90.00", 90_000_000n)
    assert.deepStrictEqual(await place(), { reference })
    assert.deepStrictEqual([paid(), upstream.goods], [90_000_000n, [reference]])
  })

  it("is not paid for more than the buyer agreed to", async () => {
    const { node, place } = start()
    for (const total of ["97.34", "a lot"]) {
      const rejection = await rejectionOf(place("order-1", { total }))
      assert.deepInclude(rejection, { _tag: "PlacementRefused", reason: "price_changed" })
    }
    assert.strictEqual(node.sent.length, 0)
  })
})
