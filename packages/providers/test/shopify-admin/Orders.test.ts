import { HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { context } from "../fulfilment/orderRequest.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import type { FakeShopifyAdmin } from "./fakeShopifyAdmin.ts"
import { orderId, refusedWith, request, startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

describe("an order of a Shopify shop", () => {
  it("is a completed draft, paid, with the till's order id", async () => {
    const { placed, upstream } = start()
    assert.strictEqual(await placed(), "gid://shopify/Order/900")
    assert.deepInclude(upstream.orders.get("gid://shopify/Order/900"), {
      displayFinancialStatus: "PAID",
      customAttributes: [{ key: "x402 order", value: orderId }],
      tags: ["x402"]
    })
  })

  it("carries its payment's transaction and network, for the shop's books", async () => {
    const { place, quote, sent, upstream } = start()
    const { reference, total } = await quote()
    const payment = { network: "eip155:8453", transaction: `0x${"cd".repeat(32)}` }
    await place(reference, total, { payment })
    const later = { ...payment, transaction: `0x${"ef".repeat(32)}` }
    assert.strictEqual(
      (await place(reference, total, { payment: later })).reference,
      "gid://shopify/Order/900"
    )
    assert.deepStrictEqual(upstream.orders.get("gid://shopify/Order/900")?.customAttributes, [
      { key: "x402 order", value: orderId },
      { key: "x402 transaction", value: payment.transaction },
      { key: "x402 network", value: "eip155:8453" }
    ])
    assert.strictEqual(sent("UpdateDraft").length, 1)
  })

  it("is in doubt while a lost completion may still arrive, and refused after that", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { place, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/CompleteDraft/, () => HttpResponse.error())
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "TemporarilyUnavailable")
    upstream.drafts.get(reference)!.totalCents = 2_800
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

  it("is in doubt if the shop has completed its draft, and it can't be read", async () => {
    const { open, place, quote, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/CompleteDraft/, async (act) => {
      await act()
      upstream.next(/GetDraft/, () => HttpResponse.json({}, { status: 429 }))
      return act()
    })
    const failure = await rejectionOf(place(reference, total, {}))
    assert.notInclude(["NotPlaced", "PlacementRefused"], failure._tag)
    assert.strictEqual(
      (await open().place({ ...request, orderId, reference, total }, context)).reference,
      "gid://shopify/Order/900"
    )
  })

  it.each<[string, (upstream: FakeShopifyAdmin) => unknown, string]>([
    [
      "became dearer",
      ({ drafts }) => (drafts.get("gid://shopify/DraftOrder/500")!.totalCents = 2_800),
      "price_changed"
    ],
    ["got another currency", (upstream) => (upstream.currency = "KWD"), "price_changed"],
    ["was deleted", ({ drafts }) => drafts.clear(), "quote_expired"]
  ])("that %s is refused", async (_what, change, reason) => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    change(upstream)
    assert.deepInclude(await rejectionOf(place(reference, total)), { _tag: "PlacementRefused", reason })
    assert.strictEqual(upstream.orders.size, 0)
  })

  it("that is refused leaves no draft that somebody could complete", async () => {
    const { place, quote, sent, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/CompleteDraft/, () => refusedWith("THROTTLED"))
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "NotPlaced")
    assert.isTrue(upstream.drafts.has(reference))
    upstream.drafts.get(reference)!.totalCents = 2_800
    const refused = { _tag: "PlacementRefused", reason: "price_changed" }
    assert.deepInclude(await rejectionOf(place(reference, total)), refused)
    assert.isFalse(upstream.drafts.has(reference))
    const later = await quote()
    upstream.drafts.get(later.reference)!.totalCents = 2_800
    assert.deepInclude(await rejectionOf(place(later.reference, later.total)), refused)
    assert.isFalse(upstream.drafts.has(later.reference))
    assert.strictEqual(sent("UpdateDraft").length, 1)
  })

  it("is refused if it becomes dearer while the till's order is written on it", async () => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(/UpdateDraft/, (act) => {
      upstream.drafts.get(reference)!.totalCents = 2_800
      return act()
    })
    assert.deepInclude(await rejectionOf(place(reference, total)), {
      _tag: "PlacementRefused",
      reason: "price_changed"
    })
    assert.strictEqual(upstream.orders.size, 0)
    assert.isFalse(upstream.drafts.has(reference))
  })

  it("that is refused for another order's quote leaves that order's draft", async () => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    const other = { orderId: "0b6f1f0e-3c8a-4b6e-9a55-000000000002" }
    upstream.next(/CompleteDraft/, () => refusedWith("THROTTLED"))
    await rejectionOf(place(reference, total, other))
    upstream.drafts.get(reference)!.totalCents = 2_800
    assert.deepInclude(await rejectionOf(place(reference, total)), { _tag: "PlacementRefused" })
    assert.isTrue(upstream.drafts.has(reference))
  })

  const refusing = () =>
    HttpResponse.json({ data: { draftOrderComplete: { draftOrder: null, userErrors: [{ field: null }] } } })

  it("that the shop refuses is refused after a minute: another process may be completing its draft", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    for (const pastMillis of [0, 59_000]) {
      vi.setSystemTime(Date.now() + pastMillis)
      upstream.next(/CompleteDraft/, refusing)
      assert.notInclude(["NotPlaced", "PlacementRefused"], (await rejectionOf(place(reference, total)))._tag)
    }
    vi.setSystemTime(Date.now() + 61_000)
    upstream.next(/CompleteDraft/, refusing)
    assert.deepInclude(await rejectionOf(place(reference, total)), {
      _tag: "PlacementRefused",
      reason: "order_refused"
    })
    assert.strictEqual(upstream.orders.size, 0)
  })

  it("is placed by the process whose completion lands after another one was refused", async () => {
    const { open, place, quote, upstream } = start()
    const { reference, total } = await quote()
    let land: () => Promise<unknown> = async () => undefined
    upstream.next(/CompleteDraft/, async (act) => {
      land = async () => act()
      return HttpResponse.error()
    })
    await rejectionOf(place(reference, total))
    const other = open()
    const order = { ...request, orderId, reference, total }
    upstream.next(/CompleteDraft/, refusing)
    assert.notInclude(
      ["NotPlaced", "PlacementRefused"],
      (await rejectionOf(other.place(order, context)))._tag
    )
    await land()
    assert.strictEqual((await other.place(order, context)).reference, "gid://shopify/Order/900")
    assert.strictEqual(upstream.orders.size, 1)
  })

  it("is placed once by processes that work on it at the same time", async () => {
    const { open, quote, upstream } = start()
    const { reference, total } = await quote()
    const order = { ...request, orderId, reference, total }
    const placed = await Promise.all([open(), open(), open()].map((shop) => shop.place(order, context)))
    assert.deepStrictEqual(
      placed.map((each) => each.reference),
      Array.from({ length: 3 }, () => "gid://shopify/Order/900")
    )
    assert.strictEqual(upstream.orders.size, 1)
  })

  it("is placed once if another process completes it before it is claimed", async () => {
    const { open, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    const order = { ...request, orderId, reference, total }
    upstream.next(/UpdateDraft/, async (act) => {
      assert.strictEqual((await open().place(order, context)).reference, "gid://shopify/Order/900")
      return act()
    })
    assert.strictEqual((await shop.place(order, context)).reference, "gid://shopify/Order/900")
    assert.strictEqual(upstream.orders.size, 1)
  })

  it("gets the quote alone, if another order claims it at the same time", async () => {
    const { open, quote, shop, upstream } = start()
    const { reference, total } = await quote()
    const order = { ...request, reference, total }
    const other = { ...order, orderId: "0b6f1f0e-3c8a-4b6e-9a55-000000000002" }
    // The other order is placed between this one's claim and its completion.
    upstream.next(/CompleteDraft/, async (act) => {
      assert.strictEqual((await open().place(other, context)).reference, "gid://shopify/Order/900")
      return act()
    })
    assert.deepInclude(await rejectionOf(shop.place({ ...order, orderId }, context)), {
      _tag: "PlacementRefused",
      reason: "reference_taken"
    })
    assert.strictEqual(upstream.orders.size, 1)
  })

  it("is not placed for a quote that another order has paid", async () => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    await place(reference, total)
    const other = { orderId: "0b6f1f0e-3c8a-4b6e-9a55-000000000002" }
    assert.deepInclude(await rejectionOf(place(reference, total, other)), {
      _tag: "PlacementRefused",
      reason: "reference_taken"
    })
    assert.strictEqual(upstream.orders.size, 1)
  })

  it.each<[string, RegExp, () => Response, string]>([
    ["not placed if the shop is throttled", /CompleteDraft/, () => refusedWith("THROTTLED"), "NotPlaced"],
    [
      "not placed if the draft can't be changed",
      /UpdateDraft/,
      () => refusedWith("ACCESS_DENIED"),
      "NotPlaced"
    ],
    [
      "in doubt if the shop breaks while completing",
      /CompleteDraft/,
      () => refusedWith("INTERNAL_SERVER_ERROR"),
      "ShopRefused"
    ],
    [
      "in doubt if the draft can't be read",
      /GetDraft/,
      () => HttpResponse.json({}, { status: 500 }),
      "Rejected"
    ]
  ])("is %s", async (_what, operation, reply, tag) => {
    const { place, quote, upstream } = start()
    const { reference, total } = await quote()
    upstream.next(operation, reply)
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, tag)
    assert.strictEqual(upstream.orders.size, 0)
    assert.strictEqual((await place(reference, total)).reference, "gid://shopify/Order/900")
  })

  it("is canceled once, with a note for the staff", async () => {
    const { placed, sent, shop } = start()
    const reference = await placed()
    await shop.cancel(reference, "The buyer changed their mind")
    await shop.cancel(reference)
    assert.deepStrictEqual(
      sent("CancelOrder").map(({ variables }) => variables),
      [{ id: reference, staffNote: "The buyer changed their mind" }]
    )
    assert.deepInclude(await shop.status(reference), { status: "cancelled", reason: "other" })
  })

  it("that was sent can't be canceled", async () => {
    const { placed, shop, upstream } = start()
    const reference = await placed()
    upstream.ship(reference)
    assert.deepInclude(await rejectionOf(shop.cancel(reference)), { _tag: "ShopRefused", code: "INVALID" })
  })

  it("gets a note of its refund, once, after what the merchant wrote", async () => {
    const { placed, shop, upstream } = start()
    const reference = await placed()
    const order = upstream.orders.get(reference)!
    order.note = "Gift wrap"
    const refund = { transaction: `0x${"ab".repeat(32)}`, amount: "27.99" }
    await Promise.all([shop.noteRefund(reference, refund), shop.noteRefund(reference, refund)])
    assert.strictEqual(
      order.note,
      `Gift wrap\nRefunded 27.99 USD in USDC (x402), transaction 0x${"ab".repeat(32)}`
    )
  })

  it("that the shop doesn't have is an error", async () => {
    const { shop } = start()
    for (const [reference, code] of [
      ["gid://shopify/Order/1", "order_missing"],
      ["gid://shopify/DraftOrder/1", "reference"]
    ] as const) {
      assert.deepInclude(await rejectionOf(shop.status(reference)), { _tag: "OrderNotPlaceable", code })
    }
  })
})
