import type { FulfilmentStatus } from "@till402/core"
import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

const start = () => startShop(server)

describe("the status of an order of a Shopify shop", () => {
  it.each<[string, object, FulfilmentStatus["status"], object]>([
    ["unfulfilled", {}, "placed", {}],
    ["sent", {}, "shipped", { shipments: [{ carrier: "UPS", trackingNumber: "1Z999AA10123456784" }] }],
    ["partly sent", { displayFulfillmentStatus: "PARTIALLY_FULFILLED" }, "shipped", {}],
    [
      "sent, and not required to arrive",
      { displayFulfillmentStatus: "FULFILLMENT_NOT_REQUIRED", fulfillments: [] },
      "delivered",
      {}
    ],
    [
      "said to be fulfilled, of which nothing was taken",
      { displayFulfillmentStatus: "FULFILLED", fulfillments: [] },
      "placed",
      { shipments: [] }
    ],
    ["refunded in the shop", { displayFinancialStatus: "REFUNDED" }, "cancelled", { reason: "refunded" }],
    [
      "canceled in the shop",
      { cancelledAt: "2026-11-20T10:00:00Z", cancelReason: "INVENTORY" },
      "cancelled",
      { reason: "inventory" }
    ]
  ])("that is %s has its status", async (what, change, status, more) => {
    const { placed, shop, upstream } = start()
    const reference = await placed()
    if (what.includes("sent")) upstream.ship(reference)
    Object.assign(upstream.orders.get(reference)!, change)
    assert.deepInclude(await shop.status(reference), { status, ...more })
  })

  it("is delivered once all its parcels are, and names them with their links", async () => {
    const { placed, shop, upstream } = start()
    const reference = await placed()
    upstream.ship(reference, { url: "https://ups.example/1Z999AA10123456784" }, "DELIVERED")
    assert.deepStrictEqual(await shop.status(reference), {
      status: "delivered",
      shipments: [
        {
          carrier: "UPS",
          trackingNumber: "1Z999AA10123456784",
          trackingUrl: "https://ups.example/1Z999AA10123456784"
        }
      ]
    })
  })

  it.each<[string, string, FulfilmentStatus["status"]]>([
    ["no carrier reports on", "FULFILLED", "delivered"],
    ["was marked as sent by hand", "MARKED_AS_FULFILLED", "delivered"],
    ["its carrier says is on its way", "IN_TRANSIT", "shipped"],
    ["its carrier couldn't deliver", "NOT_DELIVERED", "shipped"]
  ])("that %s is %s, and %s after 30 days", async (_what, displayStatus, status) => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { placed, shop, upstream } = start()
    const reference = await placed()
    upstream.ship(reference, {}, displayStatus)
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    assert.strictEqual((await shop.status(reference)).status, "shipped")
    vi.setSystemTime(Date.now() + 86_400_000)
    assert.strictEqual((await shop.status(reference)).status, status)
  })
})
