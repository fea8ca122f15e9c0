import { HttpResponse } from "msw"
import { assert, describe, it, vi } from "vitest"
import * as ryeShop from "../rye/shop.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { isQuickReply, itPlacesOnce } from "./placements.ts"
import * as zincShop from "../zinc/shop.ts"
import { marketplaces, serveWorlds } from "./worlds.ts"

/*
 * What a till relies on, whatever becomes of a request: an order that is said to be not placed is not, one that was
 * refused never comes, and one that is looked up before it is placed again comes once.
 */

const server = serveWorlds()

const { rye, ...others } = marketplaces(server)
itPlacesOnce({ rye: rye! }, [1, 2], isQuickReply)
itPlacesOnce(others, [1], isQuickReply)

describe("the certainty of an outcome", () => {
  const broken = () => HttpResponse.error()
  const unavailable = () => HttpResponse.json({}, { status: 503 })

  it("is that it was not placed while Zinc is left alone", async () => {
    const { place } = zincShop.startShop(server, { circuitFailures: 1 })
    const { place: placeThere, upstream } = zincShop.startShop(server, { circuitFailures: 1 })
    upstream.next(/^POST/, unavailable)
    assert.strictEqual((await rejectionOf(placeThere({ orderId: "order-1" })))._tag, "TemporarilyUnavailable")
    assert.deepInclude(await rejectionOf(placeThere({ orderId: "order-2" })), {
      _tag: "NotPlaced",
      code: "CircuitOpen"
    })
    // The first one may have arrived: the circuit shows nothing of it.
    assert.deepInclude(await rejectionOf(placeThere({ orderId: "order-1" })), {
      _tag: "TemporarilyUnavailable",
      code: "CircuitOpen"
    })
    assert.strictEqual(upstream.orders.size, 0)
    await place()
  })

  it("is unknown if Zinc refuses an order that it may accept from an earlier request", async () => {
    const { place, shop, upstream } = zincShop.startShop(server, { retries: 1 })
    const outOfStock = () => HttpResponse.json({ code: "out_of_stock" }, { status: 400 })
    const late: Array<() => Response> = []
    upstream.next(/^POST/, (act) => {
      late.push(act)
      return broken()
    })
    upstream.next(/^POST/, outOfStock)
    const inDoubt = { _tag: "TemporarilyUnavailable", code: "ProductUnavailable" }
    assert.deepInclude(await rejectionOf(place()), inDoubt)
    upstream.next(/^POST/, outOfStock)
    assert.deepInclude(await rejectionOf(place()), inDoubt)
    late[0]!()
    upstream.next(/^POST/, outOfStock)
    const [reference] = [...upstream.orders.values()].map(({ id }) => id)
    assert.strictEqual((await place()).reference, reference)
    assert.strictEqual(await shop.find(zincShop.orderId), reference)
  })

  it("is unknown if Zinc has the order and its list can't be read", async () => {
    const { open, place, upstream } = zincShop.startShop(server)
    await place()
    for (const status of [401, 429, 503]) {
      upstream.next(/^GET/, () => HttpResponse.json({}, { status }))
      assert.notInclude(["NotPlaced", "PlacementRefused"], (await rejectionOf(place({}, open())))._tag)
    }
  })

  it("is that it was not placed while Rye is left alone", async () => {
    const { place, quote, upstream } = ryeShop.startShop(server, { circuitFailures: 1 })
    const { reference } = await quote()
    upstream.next(/^GET .*intents/, unavailable)
    assert.deepInclude(await rejectionOf(place(reference)), { _tag: "NotPlaced", code: "HTTP_503" })
    assert.deepInclude(await rejectionOf(place(reference)), { _tag: "NotPlaced", code: "CircuitOpen" })
  })

  it("is nothing while a confirmation may still reach Rye, save that the intent failed", async () => {
    const { place, quote, upstream } = ryeShop.startShop(server)
    const { reference } = await quote()
    upstream.next(/confirm$/, broken)
    assert.strictEqual((await rejectionOf(place(reference)))._tag, "TemporarilyUnavailable")
    upstream.next(/^GET/, unavailable)
    assert.strictEqual((await rejectionOf(place(reference)))._tag, "TemporarilyUnavailable")
    assert.strictEqual((await rejectionOf(place(reference, { total: "1.00" })))._tag, "OfferChanged")
    const intent = upstream.intents.get(reference)!
    const { state } = intent
    Object.assign(intent, { state: "failed", failureReason: { code: "insufficient_stock" } })
    assert.deepInclude(await rejectionOf(place(reference)), {
      _tag: "PlacementRefused",
      reason: "out_of_stock"
    })
    Object.assign(intent, { state })
    vi.setSystemTime(Date.now() + 61_000)
    assert.deepInclude(await rejectionOf(place(reference, { total: "1.00" })), {
      _tag: "PlacementRefused",
      reason: "price_changed"
    })
  })
})
