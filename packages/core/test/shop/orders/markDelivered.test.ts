import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { openShop } from "./orderShop.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

it("an order whose arrival upstream never reports is ended by the operator, and not refunded", async () => {
  const parcel = { carrier: "UPS", trackingNumber: "1Z999AA10123456784" }
  const status = async () => ({ status: "shipped" as const, shipments: [parcel] })
  const shop = await openShop({ status })
  const { id } = await shop.orderOf()
  const { orders } = shop.till
  await shop.until(id, "placed")
  expect(await orders.markDelivered(id)).toMatchObject({ outcome: "conflict" })
  await orders.processNow(id)
  await shop.until(id, "shipped")
  vi.setSystemTime(Date.now() + 61 * 86_400_000)
  await orders.processNow(id)
  expect(await shop.until(id, "needs_operator")).toMatchObject({ reason: "not_delivered_in_time" })
  expect(await orders.markDelivered(id)).toMatchObject({ outcome: "done" })
  expect(await shop.until(id, "delivered")).toMatchObject({ dueAtMillis: undefined })
  expect(await orders.cancel(id)).toMatchObject({ outcome: "conflict" })
  expect(await orders.markDelivered("00000000-0000-4000-8000-000000000000")).toEqual({ outcome: "not_found" })
})
