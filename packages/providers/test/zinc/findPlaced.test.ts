import { HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { type OrderFixture, pageOf } from "./fakeZinc.ts"
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
    assert.strictEqual(await shop.find(orderId), null)
  })

  it("asks for the orders with its id", async () => {
    const { place, shop, upstream } = start()
    await place()
    assert.strictEqual(await shop.find(orderId), id)
    assert.strictEqual(
      upstream.received.at(-1)!.path,
      `/orders?metadata_key=orderId&metadata_value=${orderId}`
    )
  })

  /** The same pages for any filter. */
  const unfiltered = (orders: Array<OrderFixture>, query: URLSearchParams, limit = 20) =>
    pageOf(orders, new URLSearchParams({ offset: query.get("offset") ?? "0" }), limit)

  it("reads pages to their end if the filter has no effect", async () => {
    const { open, place, shop, upstream } = start()
    await place()
    for (let other = 0; other < 50; other++) upstream.put()
    upstream.list = unfiltered
    assert.strictEqual(await shop.find(orderId), id)
    assert.deepStrictEqual(
      upstream.received.slice(1).map(({ path }) => new URLSearchParams(path).get("offset")),
      [null, "20", "40"]
    )
    assert.strictEqual(await open().find("another"), null)
  })

  it.each([[0], [5], [20], [100]])("takes a list of %i without a total as whole", async (count) => {
    const { shop, upstream } = start()
    for (let other = 0; other < count; other++) upstream.put()
    for (const list of [(orders: Array<unknown>) => orders, (orders: Array<unknown>) => ({ orders })]) {
      upstream.list = list
      assert.strictEqual(await shop.find(orderId), null)
    }
    assert.strictEqual(upstream.received.length, 2)
  })

  it.each<[string, (orders: Array<OrderFixture>, query: URLSearchParams) => unknown, number]>([
    ["the list is cut short", (orders) => ({ orders: orders.slice(0, 50), total: 300 }), 5],
    ["a page is empty", () => ({ orders: [], total: 3 }), 1],
    ["there are too many pages", (orders, query) => unfiltered(orders, query, 5), 5]
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
    assert.strictEqual(await shop.find(orderId), null)
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

it("an order whose first request may be under way is in doubt, even if the next one is refused", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const { place, upstream } = start()
  const refuse = () =>
    upstream.next(/^POST \/orders$/, () => HttpResponse.json({ code: "out_of_stock" }, { status: 422 }))
  upstream.next(/^POST \/orders$/, () => HttpResponse.error())
  await rejectionOf(place())
  refuse()
  // A till refunds an order for which a port throws `ProductUnavailable`.
  assert.deepInclude(await rejectionOf(place()), {
    _tag: "TemporarilyUnavailable",
    code: "ProductUnavailable"
  })
  vi.setSystemTime(Date.now() + 60_000)
  refuse()
  assert.deepInclude(await rejectionOf(place()), { _tag: "PlacementRefused", reason: "out_of_stock" })
})
