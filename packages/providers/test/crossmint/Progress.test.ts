import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../treasury/treasuries.ts"
import { createdFixture, orderFixture, type OrderFixture, trackingFixture } from "./fakeCrossmint.ts"
import { startShop } from "./shop.ts"

const server = interceptRequests()

const ups = { carrier: "UPS", trackingNumber: "1ZA1234E0205271688" }
const parcel = (status: unknown, number: unknown = "TBA1") => ({
  status,
  packageTracking: { carrierName: "Amazon", carrierTrackingNumber: number }
})
const amazon = { carrier: "Amazon", trackingNumber: "TBA1" }

const statusOf = (order: OrderFixture, tracking: unknown = undefined) => {
  const { shop, upstream } = startShop(server)
  upstream.orders.set(order.orderId, order)
  if (tracking !== undefined) upstream.tracking = () => HttpResponse.json(tracking as object)
  return shop.status(order.orderId)
}
const failed = (change: (order: OrderFixture) => void): OrderFixture => {
  const order = orderFixture("completed")
  change(order)
  return order
}

describe("the status of an order", () => {
  it.each<[string, OrderFixture, unknown, object]>([
    ["not paid yet", createdFixture(), undefined, { status: "placed", shipments: [] }],
    ["on its way into a shop", orderFixture("delivery"), undefined, { status: "placed", shipments: [] }],
    ["without packages", orderFixture("delivery"), [], { status: "placed", shipments: [] }],
    [
      "with the documented package",
      orderFixture("delivery"),
      trackingFixture(),
      { status: "shipped", shipments: [ups] }
    ],
    // A package that is still on its way knows better than the order.
    [
      "complete, but not arrived",
      orderFixture("completed"),
      trackingFixture(),
      { status: "shipped", shipments: [ups] }
    ],
    ["complete", orderFixture("completed"), undefined, { status: "delivered", shipments: [] }],
    [
      "delivered",
      orderFixture("completed"),
      [parcel("delivered")],
      { status: "delivered", shipments: [amazon] }
    ],
    [
      "delivered in part",
      orderFixture("delivery"),
      [parcel("delivered"), parcel("shipped", "TBA2")],
      { status: "shipped", shipments: [amazon, { ...amazon, trackingNumber: "TBA2" }] }
    ],
    [
      "cancelled",
      orderFixture("delivery"),
      [parcel("canceled", null)],
      { status: "cancelled", reason: "cancelled", shipments: [] }
    ],
    [
      "of a package that is new to us",
      orderFixture("delivery"),
      [parcel("teleported", "")],
      { status: "placed", shipments: [] }
    ],
    [
      "of packages without sense",
      orderFixture("delivery"),
      [null, 7, "x", {}, { packageTracking: 3 }],
      { status: "placed", shipments: [] }
    ],
    [
      "failed",
      failed(({ lineItems: [line] }) => void (line!.delivery.status = "failed")),
      undefined,
      { status: "failed", reason: "delivery_failed", shipments: [] }
    ],
    [
      "failed with a reason",
      failed(
        ({ lineItems: [line] }) =>
          void (line!.delivery = { status: "failed", failureReason: { code: "insufficient-stock" } })
      ),
      undefined,
      { status: "failed", reason: "insufficient_stock", shipments: [] }
    ],
    [
      "sent back",
      failed(({ payment }) => void (payment.refunded = { amount: "97.350", currency: "USDC" })),
      undefined,
      { status: "failed", reason: "refunded", shipments: [] }
    ],
    [
      "sent back, without an amount",
      failed(({ payment }) => void (payment.refunded = {})),
      undefined,
      { status: "failed", reason: "refunded", shipments: [] }
    ],
    [
      "sent back in another currency",
      failed(({ payment }) => void (payment.refunded = { amount: "90.00", currency: "eurc" })),
      undefined,
      { status: "failed", reason: "refunded", shipments: [] }
    ],
    [
      "refunded in part",
      failed(({ payment }) => void (payment.refunded = { amount: "97.34", currency: "usdc" })),
      undefined,
      { status: "delivered", shipments: [] }
    ],
    [
      "paid twice, and refunded once",
      failed(({ payment }) => {
        payment.received = { amount: "194.70", currency: "usdc", txId: "0x1" }
        payment.refunded = { amount: "97.35", currency: "usdc" }
      }),
      undefined,
      { status: "delivered", shipments: [] }
    ],
    [
      "failed as a whole",
      failed((order) => void (order.phase = "failed")),
      undefined,
      { status: "failed", reason: "order_failed", shipments: [] }
    ],
    [
      "in a phase that is new",
      failed((order) => {
        order.phase = "customs"
        order.lineItems[0]!.delivery.status = "held"
      }),
      undefined,
      { status: "placed", shipments: [] }
    ]
  ])("is read: %s", async (_what, order, tracking, expected) => {
    assert.deepStrictEqual(await statusOf(order, tracking), expected as Awaited<ReturnType<typeof statusOf>>)
  })

  it("has the address of a tracking page only if it is valid", async () => {
    const linked = (url: unknown) => [
      { status: "shipped", packageTracking: { carrierTrackingNumber: "1Z", carrierTrackingUrl: url } }
    ]
    const trackingUrl = "https://ups.example/1Z"
    const order = orderFixture("delivery")
    assert.deepStrictEqual((await statusOf(order, linked(trackingUrl))).shipments, [
      { trackingNumber: "1Z", trackingUrl }
    ])
    assert.deepStrictEqual((await statusOf(order, linked("javascript:alert(1)"))).shipments, [
      { trackingNumber: "1Z" }
    ])
  })

  it("requests no packages before there can be any", async () => {
    const { quote, shop, upstream } = startShop(server)
    const { reference } = await quote()
    await shop.status(reference)
    assert.strictEqual(upstream.count("GET", /tracking$/), 0)
  })

  it.each([
    [400, undefined],
    [404, undefined],
    [401, "Rejected"],
    [500, "Rejected"],
    [429, "TemporarilyUnavailable"],
    [503, "TemporarilyUnavailable"]
  ])("if tracking responds with %i", async (status, tag) => {
    const { shop, upstream } = startShop(server)
    const order = orderFixture("delivery")
    upstream.orders.set(order.orderId, order)
    upstream.tracking = () => new HttpResponse(null, { status })
    const pending = shop.status(order.orderId)
    if (tag === undefined) assert.strictEqual((await pending).status, "placed")
    else assert.strictEqual((await rejectionOf(pending))._tag, tag)
  })

  it("is unknown for a missing order", async () => {
    const { shop, upstream } = startShop(server)
    const { _tag, status } = await rejectionOf(shop.status("../keys?x="))
    assert.deepStrictEqual([_tag, status], ["Rejected", 404])
    assert.strictEqual(upstream.received[0]!.path, "/api/2022-06-09/orders/..%2Fkeys%3Fx%3D")
  })
})

it("the document of another order is not taken for this one's", async () => {
  const { shop, upstream } = startShop(server)
  const order = orderFixture("completed")
  upstream.orders.set("another-order", order)
  assert.strictEqual((await rejectionOf(shop.status("another-order")))._tag, "ResponseMalformed")
})
