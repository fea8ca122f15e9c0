import { HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { context } from "../fulfilment/orderRequest.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import type { OrderFixture } from "./fakeWooCommerce.ts"
import { orderId, request, startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

/** The order of the till that the shop's field says was written first. */
const firstOrder = (order: OrderFixture | undefined) =>
  order?.meta_data.find(({ key }) => key.startsWith("x402_order_"))?.value

describe("an order of a WooCommerce shop that is being placed", () => {
  it("is asked to be paid once: a second request could run beside the first", async () => {
    const { payments, place, quote, shop, upstream } = startShop(server, { retries: 1 })
    const { reference, total } = await quote()
    upstream.next(/^PUT/, (act) => {
      act()
      return HttpResponse.error()
    })
    assert.strictEqual((await rejectionOf(place(reference, total)))._tag, "TemporarilyUnavailable")
    assert.strictEqual(payments(), 1)
    assert.strictEqual(await shop.find(orderId, { ...context, reference }), reference)
  })

  it("is not asked to be paid again while the first request may still run, and is after that", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { payments, place, quote, upstream } = startShop(server)
    const { reference, total } = await quote()
    upstream.next(/^PUT/, () => HttpResponse.error())
    await rejectionOf(place(reference, total))
    vi.setSystemTime(Date.now() + 20_000)
    assert.deepInclude(await rejectionOf(place(reference, total)), {
      _tag: "TemporarilyUnavailable",
      retryAfterSeconds: 40
    })
    vi.setSystemTime(Date.now() + 40_000)
    assert.deepStrictEqual(await place(reference, total), { reference })
    assert.strictEqual(payments(), 2)
  })

  it("is one order's if two processes mark it as paid at once", async () => {
    const { open, place, quote, shop, upstream } = startShop(server)
    const other = open()
    const { reference, total } = await quote()
    // Both read the order before either pays, and both pay before either reads it back.
    for (const to of [/^GET \/orders/, /^PUT/]) {
      const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      for (const { resolve } of arrivals) {
        upstream.next(to, async (act) => {
          const response = act()
          resolve()
          await Promise.all(arrivals.map(({ promise }) => promise))
          return response
        })
      }
    }
    const [one, two] = ["order-one", "order-two"] as const
    const results = await Promise.allSettled([
      place(reference, total, { orderId: one }),
      other.place({ ...request, orderId: two, reference, total }, context)
    ])
    const kept = firstOrder(upstream.orders.get(500))
    for (const [index, orderId] of [one, two].entries()) {
      const result = results[index]!
      if (result.status === "fulfilled") assert.strictEqual(orderId, kept)
      else assert.deepInclude(result.reason, { _tag: "PlacementRefused", reason: "reference_taken" })
      const found = await shop.find(orderId, { ...context, reference })
      assert.strictEqual(found, orderId === kept ? reference : null)
    }
    assert.strictEqual(results.filter(({ status }) => status === "fulfilled").length, 1)
  })

  it.each(["the same process", "another process"])(
    "is one order's if another order's payment arrives late from %s",
    async (where) => {
      const { open, place, quote, shop, upstream } = startShop(server)
      const { reference, total } = await quote()
      let land: () => unknown = () => undefined
      upstream.next(/^PUT/, (act) => {
        land = act
        return HttpResponse.error()
      })
      const late = where === "the same process" ? shop : open()
      const order = { ...request, reference, total }
      await rejectionOf(late.place({ ...order, orderId: "order-late" }, context))
      assert.deepStrictEqual(await place(reference, total), { reference })
      land()
      const refused = open().place({ ...order, orderId: "order-late" }, context)
      assert.deepInclude(await rejectionOf(refused), { _tag: "PlacementRefused", reason: "reference_taken" })
      assert.deepStrictEqual(await place(reference, total), { reference })
      assert.strictEqual(await shop.find(orderId, { ...context, reference }), reference)
    }
  )

  it("is one order's if the second pays after the first has read it back", async () => {
    const { open, place, quote, upstream } = startShop(server)
    const { reference, total } = await quote()
    const read = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    upstream.next(/^PUT/, async (act) => {
      read.resolve()
      await held.promise
      return act()
    })
    const second = rejectionOf(place(reference, total, { orderId: "order-two" }))
    await read.promise
    const first = await open().place({ ...request, orderId, reference, total }, context)
    held.resolve()
    assert.deepInclude(await second, { _tag: "PlacementRefused", reason: "reference_taken" })
    assert.deepStrictEqual(first, { reference })
  })
})

it.each(["on-hold", "processing"])(
  "an unpaid order that a plugin makes %s is not sold: it would be refused and refunded",
  async (status) => {
    const { quote, upstream } = startShop(server)
    upstream.next(/^POST/, async (act) => HttpResponse.json({ ...(await act().json()), status }))
    assert.deepInclude(await rejectionOf(quote()), { _tag: "ResponseMalformed", detail: "status" })
  }
)
