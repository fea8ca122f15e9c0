import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { placedFixture } from "./fakeZinc.ts"
import { startShop } from "./shop.ts"

const server = interceptRequests()
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

describe("an order's status", () => {
  const statusOf = async (change: object) => {
    const { shop, upstream } = start()
    const { id: reference } = upstream.put(change)
    return shop.status(reference)
  }
  const parcel = { carrier: "ups", tracking_number: "1ZA1234E0205271688" }
  const shipment = { carrier: "ups", trackingNumber: "1ZA1234E0205271688" }

  it("is read from the documented order", async () => {
    assert.deepStrictEqual(await statusOf({}), { status: "shipped", shipments: [shipment] })
    assert.deepInclude(placedFixture(), { status: "order_placed" })
  })

  it.each<[string, unknown, object]>([
    ["pending", [], { status: "placed" }],
    ["in_progress", [], { status: "placed" }],
    ["order_placed", [], { status: "placed" }],
    ["order_placed", null, { status: "placed" }],
    ["ordered", [], { status: "placed" }],
    ["shipped", [], { status: "shipped" }],
    ["delivered", [], { status: "delivered" }],
    ["order_failed", [], { status: "failed", reason: "product_out_of_stock" }],
    ["failed", [], { status: "failed", reason: "product_out_of_stock" }],
    ["cancelled", [], { status: "cancelled", reason: "cancelled" }],
    ["cancelled_by_retailer", [], { status: "cancelled", reason: "cancelled_by_retailer" }],
    ["a_status_of_tomorrow", [], { status: "placed" }],
    ["order_placed", [null, 7, {}], { status: "placed" }]
  ])("%s with parcels %j is read", async (status, tracking_numbers, expected) => {
    const job_result = { success: false, error_type: "product_out_of_stock" }
    const progress = await statusOf({ status, tracking_numbers, job_result })
    assert.deepStrictEqual<object>(progress, { ...expected, shipments: [] })
  })

  it.each([
    [["delivered"], "delivered"],
    [["delivered", "in_transit"], "shipped"],
    [["pending"], "shipped"],
    [[null], "shipped"]
  ])("with parcels that are %j is %s", async (statuses, expected) => {
    const tracking_numbers = statuses.map((status) => ({ ...parcel, status }))
    assert.strictEqual((await statusOf({ tracking_numbers })).status, expected)
  })

  it("has a reason even without one, and no parcel without a number", async () => {
    const failed = await statusOf({
      status: "order_failed",
      job_result: null,
      tracking_numbers: [{ carrier: "ups" }]
    })
    assert.deepStrictEqual(failed, { status: "failed", reason: "unknown", shipments: [] })
    const bare = await statusOf({
      tracking_numbers: [{ tracking_number: " 1Z ", tracking_url: "https://t.example/" }]
    })
    assert.deepStrictEqual(bare.shipments, [{ trackingNumber: "1Z", trackingUrl: "https://t.example/" }])
  })

  it.each([["../wallet/me"], [""], ["estimate 1"]])("is not requested with %j", async (reference) => {
    const { shop, upstream } = start()
    assert.strictEqual((await rejectionOf(shop.status(reference)))._tag, "ReferenceMalformed")
    assert.strictEqual(upstream.received.length, 0)
  })
})

it("the document of another order is not taken for this one's", async () => {
  const { shop, upstream } = start()
  const { id: reference } = upstream.put({ status: "order_placed" })
  const other = upstream.put({ status: "cancelled" })
  upstream.next(/^GET \/orders\//, () => HttpResponse.json(other as object))
  assert.strictEqual((await rejectionOf(shop.status(reference)))._tag, "ResponseMalformed")
  assert.strictEqual((await shop.status(reference))?.status, "shipped")
})
