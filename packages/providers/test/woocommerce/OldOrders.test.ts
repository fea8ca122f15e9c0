import { HttpResponse } from "msw"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { context } from "../fulfilment/orderRequest.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { request, startShop } from "./shop.ts"

const server = interceptRequests()
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

const minuteMillis = 60_000
const pass = (millis: number) => vi.setSystemTime(Date.now() + millis)

/** A shop, and another process that requests quotes of it. */
const start = () => {
  const { open, upstream, ...shop } = startShop(server)
  const other = open()
  const lists = () => upstream.received.filter(({ path }) => path.startsWith("/orders?")).length
  /** Requests a quote, and waits until the shop was asked for its unpaid orders this often. */
  const quoteLater = async (millis: number, listed: number) => {
    pass(millis)
    await other.quote(request, context)
    await vi.waitFor(() => assert.strictEqual(lists(), listed))
  }
  const ids = () => [...upstream.orders.keys()]
  const until = (expected: ReadonlyArray<number>) => vi.waitFor(() => assert.deepStrictEqual(ids(), expected))
  return { ...shop, upstream, quoteLater, ids, until }
}

describe("an unpaid order of a WooCommerce shop that no process tracks", () => {
  it("is removed after two days, if it is a quote that nobody bought", async () => {
    const { ids, place, quote, quoteLater, until, upstream } = start()
    // Created after the response was given up.
    upstream.next(/^POST/, (act) => {
      act()
      return HttpResponse.error()
    })
    await rejectionOf(quote())
    const { reference, total } = await quote()
    await place(reference, total)
    await quote()
    await quote()
    upstream.orders.get(503)!["payment_method"] = "cod"
    // Two days, and twice the lifetime of quotes.
    pass(48 * 60 * minuteMillis + 38 * minuteMillis)
    await quoteLater(0, 0)
    await quoteLater(minuteMillis, 1)
    assert.deepStrictEqual(ids(), [500, 501, 502, 503, 504, 505])
    await quoteLater(60 * minuteMillis, 2)
    await until([501, 503, 506])
  })

  it("is found behind orders that aren't quotes, and again an hour later if it couldn't be removed", async () => {
    const { quote, quoteLater, until, upstream } = start()
    for (let count = 0; count < 25; count++) {
      await quote()
      upstream.orders.get(500 + count)!["payment_method"] = "cod"
    }
    const others = Array.from({ length: 25 }, (_, index) => 500 + index)
    await quote()
    pass(50 * 60 * minuteMillis)
    await quoteLater(0, 0)
    await quoteLater(minuteMillis, 1)
    upstream.next(/^DELETE \/orders\/525/, () => HttpResponse.json({}, { status: 503 }))
    await quoteLater(minuteMillis, 2)
    await vi.waitFor(() => assert.isOk(upstream.received.some(({ method }) => method === "DELETE")))
    assert.isTrue(upstream.orders.has(525))
    await quoteLater(60 * minuteMillis, 3)
    await quoteLater(minuteMillis, 4)
    await until([...others, 529, 530])
  })
})
