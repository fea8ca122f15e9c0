import { HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../treasury/treasuries.ts"
import { orderId, startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

const sent = /^POST \/orders$/
const id = "0d3a0c9e-1"

describe("finding an order", () => {
  it("returns its reference, whatever its outcome", async () => {
    const { open, place, shop, upstream } = start()
    await place()
    for (let other = 0; other < 7; other++) upstream.put()
    assert.strictEqual(await shop.find(orderId), id)
    upstream.orders.get(orderId)!.status = "order_failed"
    assert.strictEqual(await open().find(orderId), id)
  })

  it.each([[0], [1], [7], [103]])("knows that there is none among all %i", async (count) => {
    const { shop, upstream } = start()
    for (let other = 0; other < count; other++) upstream.put()
    assert.strictEqual(await shop.find(orderId), undefined)
  })

  const pages = (orders: Array<unknown>, query: URLSearchParams, limit = 20) => {
    const offset = Number(query.get("offset") ?? 0)
    return { orders: orders.slice(offset, offset + Math.min(limit, Number(query.get("limit")))) }
  }

  it("reads pages to their end", async () => {
    const { open, place, shop, upstream } = start()
    await place()
    for (let other = 0; other < 50; other++) upstream.put()
    upstream.list = pages
    assert.strictEqual(await shop.find(orderId), id)
    assert.deepStrictEqual(
      upstream.received.slice(1).map(({ path }) => path),
      ["/orders?limit=100", "/orders?limit=100&offset=20", "/orders?limit=100&offset=40"]
    )
    assert.strictEqual(await open().find("another"), undefined)
  })

  it("reads to the end if the last page is full", async () => {
    const { shop, upstream } = start()
    for (let other = 0; other < 40; other++) upstream.put()
    upstream.list = pages
    assert.strictEqual(await shop.find(orderId), undefined)
    assert.strictEqual(upstream.received.length, 3)
  })

  it.each<[string, (orders: Array<unknown>, query: URLSearchParams) => unknown, number]>([
    ["the list is cut short", (orders) => orders.slice(0, 50), 2],
    ["there is more", (orders) => ({ orders: orders.slice(0, 3), has_more: true }), 2],
    ["there is a cursor", (orders) => ({ orders: orders.slice(0, 3), next_cursor: "c" }), 2],
    ["there are too many pages", (orders, query) => pages(orders, query, 5), 5]
  ])("rejects if %s", async (_what, list, requests) => {
    const { shop, upstream } = start()
    for (let other = 0; other < 60; other++) upstream.put()
    upstream.list = list
    assert.strictEqual((await rejectionOf(shop.find(orderId)))._tag, "PlacementUnknown")
    assert.strictEqual(upstream.received.length, requests)
  })

  it("waits a minute for an order that may be under way, then knows", async () => {
    const { place, shop, upstream } = start()
    upstream.next(sent, () => HttpResponse.error())
    await rejectionOf(place())
    const { _tag, code, retryAfterSeconds } = await rejectionOf(shop.find(orderId))
    assert.strictEqual(_tag, "TemporarilyUnavailable")
    assert.strictEqual(code, "OrderInFlight")
    assert.isAbove(retryAfterSeconds as number, 50)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
    assert.strictEqual(await shop.find(orderId), undefined)
  })

  it.each<[string, () => Response, string]>([
    ["Zinc is down", () => HttpResponse.json({}, { status: 503 }), "TemporarilyUnavailable"],
    ["the key is wrong", () => HttpResponse.json({}, { status: 401 }), "Rejected"],
    ["there is no list", () => HttpResponse.json({ orders: null }), "ResponseMalformed"],
    ["the response isn't JSON", () => new HttpResponse("<html>"), "ResponseMalformed"]
  ])("rejects if %s", async (_what, reply, tag) => {
    const { shop, upstream } = start()
    upstream.next(/^GET/, reply)
    assert.strictEqual((await rejectionOf(shop.find(orderId)))._tag, tag)
  })
})
