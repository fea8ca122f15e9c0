import { HttpResponse } from "msw"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { context } from "../fulfilment/orderRequest.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { refusedWith, request, startShop } from "./shop.ts"

const server = interceptRequests()
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

const minuteMillis = 60_000
const hourMillis = 60 * minuteMillis
const pass = (millis: number) => vi.setSystemTime(Date.now() + millis)

/** A shop, and another process that requests quotes of it. */
const start = () => {
  const { open, sent, ...shop } = startShop(server)
  const other = open()
  /** Requests a quote, and waits until the shop was asked for its drafts this often. */
  const quoteLater = async (millis: number, listed: number) => {
    pass(millis)
    await other.quote(request, context)
    await vi.waitFor(() => assert.strictEqual(sent("FindDrafts").length, listed))
  }
  return { ...shop, quoteLater }
}

describe("a draft of a Shopify shop that no process tracks", () => {
  it.each([true, false])("is deleted after two days, even if Shopify's filters work: %s", async (filters) => {
    const { place, quote, quoteLater, upstream } = start()
    upstream.filters = filters
    const draft = (id: number) => upstream.drafts.get(`gid://shopify/DraftOrder/${id}`)!
    const ids = () => [...upstream.drafts.keys()].map((id) => Number(id.slice(-3)))
    // Created after the response was given up.
    upstream.next(/CreateDraft/, async (act) => {
      await act()
      return HttpResponse.error()
    })
    await rejectionOf(quote())
    const bought = await quote()
    await place(bought.reference, bought.total)
    // Paid, and never placed.
    const claimed = await quote()
    upstream.next(/CompleteDraft/, () => refusedWith("THROTTLED"))
    await rejectionOf(place(claimed.reference, claimed.total))
    // The merchant's own.
    await quote()
    draft(503).tags = ["wholesale"]
    // Two days, and twice the lifetime of quotes.
    pass(48 * hourMillis + 38 * minuteMillis)
    await quoteLater(0, 0)
    await quoteLater(minuteMillis, 1)
    assert.deepStrictEqual(ids(), [500, 501, 502, 503, 504, 505])
    await quoteLater(hourMillis, 2)
    await vi.waitFor(() => assert.deepStrictEqual(ids(), [501, 503, 506]))
  })

  it("is found behind others", async () => {
    const { quote, quoteLater, upstream } = start()
    for (let count = 0; count < 25; count++) await quote()
    pass(49 * hourMillis)
    await quoteLater(0, 0)
    await quoteLater(minuteMillis, 1)
    await vi.waitFor(() => assert.strictEqual(upstream.drafts.size, 7))
    await quoteLater(minuteMillis, 2)
    await vi.waitFor(() => assert.strictEqual(upstream.drafts.size, 3))
  })
})
