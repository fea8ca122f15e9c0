import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { type IntentFixture, intentFixture, shipmentsFixture } from "./fakeRye.ts"
import { startShop } from "./shop.ts"

const server = interceptRequests()
const start = () => startShop(server)

const { id } = intentFixture("4-completed")
const parcel = (change: object = {}) => ({ ...shipmentsFixture().data[0], ...change })
const progress = {
  carrier: "UPS",
  trackingNumber: "1ZA1234E0205271688",
  trackingUrl: "https://www.ups.com/track?tracknum=1ZA1234E0205271688"
}
const list = (...data: Array<unknown>) => ({ data, pageInfo: { hasNextPage: false } })

/** The status of a completed order with these parcels. */
const statusOf = async (shipments: unknown, order?: () => Response) => {
  const { shop, upstream } = start()
  upstream.put(intentFixture("4-completed"))
  upstream.shipments = () => shipments
  if (order !== undefined) upstream.order = order
  return shop.status(id)
}

describe("an order's status", () => {
  it("is read from the documented shipments", async () => {
    assert.deepStrictEqual(await statusOf(shipmentsFixture()), { status: "shipped", shipments: [progress] })
  })

  it.each<[string, IntentFixture, object]>([
    ["being placed", intentFixture("3-placing"), { status: "placed", shipments: [] }],
    [
      "failed",
      intentFixture("5-failed"),
      { status: "failed", reason: "product_out_of_stock", shipments: [] }
    ],
    [
      "failed without a word",
      { ...intentFixture("5-failed"), failureReason: { code: null } },
      { status: "failed", reason: "unknown", shipments: [] }
    ],
    [
      "in a new state",
      { ...intentFixture("3-placing"), state: "packing" },
      { status: "placed", shipments: [] }
    ],
    [
      "completed without an id",
      { ...intentFixture("4-completed"), orderId: null },
      { status: "placed", shipments: [] }
    ]
  ])("is known while it is %s", async (_what, intent, status) => {
    const { shop, upstream } = start()
    upstream.put(intent)
    assert.deepStrictEqual(await shop.status(id), status as Awaited<ReturnType<typeof shop.status>>)
  })

  it.each<[string, Array<unknown>, string]>([
    ["no parcel yet", [], "placed"],
    ["one that is ordered", [parcel({ status: "ordered", tracking: null })], "placed"],
    ["one on the van", [parcel({ status: "out_for_delivery", tracking: null })], "shipped"],
    ["one that is late", [parcel({ status: "delayed" })], "shipped"],
    ["one that arrived", [parcel({ status: "delivered" })], "delivered"],
    ["one of two that arrived", [parcel({ status: "delivered" }), parcel({ status: "shipped" })], "shipped"],
    [
      "one that was called back and one that arrived",
      [parcel({ status: "canceled" }), parcel({ status: "delivered" })],
      "delivered"
    ],
    [
      "one that was called back and one to come",
      [parcel({ status: "canceled" }), parcel({ status: "ordered", tracking: null })],
      "placed"
    ],
    [
      "one that was called back a day ago",
      [parcel({ status: "canceled", updatedAt: "2026-11-20T15:00:00.000Z" })],
      "cancelled"
    ],
    ["one that was called back some time", [parcel({ status: "canceled", updatedAt: null })], "cancelled"],
    ["one in a new status", [parcel({ status: "teleported", tracking: null })], "placed"],
    ["one with a number and no status", [parcel({ status: null })], "shipped"],
    ["things that are none", [null, 7, "parcel"], "placed"]
  ])("with %s is read", async (_what, parcels, status) => {
    assert.strictEqual((await statusOf(list(...parcels))).status, status)
  })

  it("is not canceled by a parcel that was called back today: another one may replace it", async () => {
    const { shop, upstream } = start()
    upstream.put(intentFixture("4-completed"))
    const recalled = parcel({ status: "canceled", updatedAt: new Date().toISOString(), tracking: null })
    upstream.shipments = () => list(recalled)
    assert.strictEqual((await shop.status(id)).status, "placed")
    upstream.shipments = () => list(recalled, parcel())
    assert.strictEqual((await shop.status(id)).status, "shipped")
    upstream.shipments = () => list(recalled)
    upstream.order = () =>
      HttpResponse.json({
        id: "ord_7ab1",
        cancellation: { state: "completed", reason: { code: "inventory" } }
      })
    assert.deepInclude(await shop.status(id), { status: "cancelled", reason: "inventory" })
  })

  it.each<[string, unknown, object]>([
    ["without a carrier", { number: "1Z", carrierName: null, url: null }, { trackingNumber: "1Z" }],
    [
      "with a link that is none",
      { number: "1Z", carrierName: "UPS", url: "javascript:x" },
      { carrier: "UPS", trackingNumber: "1Z" }
    ]
  ])("reads a parcel %s", async (_what, tracking, shipment) => {
    assert.deepStrictEqual((await statusOf(list(parcel({ tracking })))).shipments, [
      shipment as { trackingNumber: string }
    ])
  })

  it.each([[null], [{ number: "" }], [{ number: 12 }], [{ number: "1".repeat(101) }]])(
    "has no parcel by %j",
    async (tracking) => {
      assert.deepStrictEqual((await statusOf(list(parcel({ tracking })))).shipments, [])
    }
  )

  it("has the parcels of all pages, three at most", async () => {
    const { shop, upstream } = start()
    upstream.put(intentFixture("4-completed"))
    upstream.shipments = (_id, query) => {
      const page = Number(query.get("after") ?? 0)
      const tracking = { number: `N${page}` }
      return { data: [parcel({ tracking })], pageInfo: { hasNextPage: true, endCursor: String(page + 1) } }
    }
    const { shipments } = await shop.status(id)
    assert.deepStrictEqual(
      shipments.map(({ trackingNumber }) => trackingNumber),
      ["N0", "N1", "N2"]
    )
  })

  it.each<[string, unknown, object]>([
    [
      "completed",
      { state: "completed", reason: { code: "inventory" } },
      { status: "cancelled", reason: "inventory", shipments: [] }
    ],
    [
      "completed without reason",
      { state: "completed" },
      { status: "cancelled", reason: "cancelled", shipments: [] }
    ],
    ["requested", { state: "requested", reason: { code: "fraud" } }, { status: "placed", shipments: [] }],
    ["denied", { state: "denied" }, { status: "placed", shipments: [] }],
    ["in a new state", { state: "appealed" }, { status: "placed", shipments: [] }]
  ])("takes a cancellation that is %s", async (_what, cancellation, status) => {
    const progress = await statusOf(list(), () => HttpResponse.json({ id: "ord_7ab1", cancellation }))
    assert.deepStrictEqual(progress, status as typeof progress)
  })

  it("does not need the order, which may be written later", async () => {
    const progress = await statusOf(list(), () => HttpResponse.json({}, { status: 404 }))
    assert.deepStrictEqual(progress, { status: "placed", shipments: [] })
  })

  it.each<[string, unknown]>([
    ["that are no list", { data: "none" }],
    ["without a document", []]
  ])("is not read from shipments %s", async (_what, shipments) => {
    assert.strictEqual((await rejectionOf(statusOf(shipments)))._tag, "ResponseMalformed")
  })

  it.each([["retrieving_offer"], ["awaiting_confirmation"], ["awaiting_payment"], ["requires_action"]])(
    "is none while nothing was placed: %s",
    async (state) => {
      const { shop, upstream } = start()
      upstream.looksToOffer = 100
      upstream.put({ ...intentFixture("2-awaiting"), state })
      assert.deepInclude(await rejectionOf(shop.status(id)), { _tag: "IntentNotPlaceable", code: state })
    }
  )

  it("is not requested with an invalid id", async () => {
    const { shop, upstream } = start()
    assert.strictEqual((await rejectionOf(shop.status("../billing/balance")))._tag, "IntentNotPlaceable")
    assert.strictEqual(upstream.received.length, 0)
  })
})

describe("what is about another order is not taken for this one's", () => {
  it("an intent", async () => {
    const { shop, upstream } = start()
    upstream.put(intentFixture("4-completed"))
    const other = { ...intentFixture("5-failed"), id: "ci_other" }
    upstream.next(/^GET /, () => HttpResponse.json(other as object))
    assert.strictEqual((await rejectionOf(shop.status(id)))._tag, "ResponseMalformed")
    assert.strictEqual((await shop.status(id))?.status, "placed")
  })

  it("a shipment", async () => {
    const other = parcel({ checkoutIntentId: "ci_other" })
    assert.strictEqual((await rejectionOf(statusOf(list(other))))._tag, "ResponseMalformed")
  })
})
