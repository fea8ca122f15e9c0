import { readFileSync } from "node:fs"
import type { FulfilmentOptions, ShippingAddress, TrackResult } from "@till402/core"
import { PlacementRefused } from "@till402/core"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { TrackResult as TrackResultSchema } from "../../../core/src/shop/goods/Tracking.ts"
import { sampleShop, sellsOutAsin, type SampleShopOptions } from "../../src/shop/index.ts"

const context = { signal: new AbortController().signal }
const shippingAddress: ShippingAddress = {
  name: "Ada Byron",
  line1: "1 Main Street",
  city: "Berlin",
  state: "Berlin",
  postalCode: "10115",
  country: "de"
}
const order: Parameters<FulfilmentOptions["place"]>[0] = {
  orderId: "7b7c6a0e-6a43-4b0e-9a52-0a5a6f3d7c11",
  reference: "Q-000001",
  product: { source: "marketplace_a", asin: "B000000000", productUrl: undefined },
  shippingAddress,
  email: "ada@example.com",
  total: "146.40"
}

/** A shop whose clock stands still until a test advances it. */
const open = (options: Omit<SampleShopOptions, "now"> = {}) => {
  let nowMillis = Date.parse("2026-03-01T12:34:56.789Z")
  const shop = sampleShop({ ...options, now: () => new Date(nowMillis) })
  const { find, place, status } = shop.fulfilment
  return {
    shop,
    pass: (millis: number) => {
      nowMillis += millis
    },
    place: (given: Partial<typeof order> = {}) => place({ ...order, ...given }, context),
    status: (reference: string) => status!(reference, context),
    find: (orderId: string) => find!(orderId, { ...context, reference: order.reference }),
    track: (number: string): Promise<TrackResult> => shop.tracker.track({ number }, context)
  }
}

describe("an order of the sample shop", () => {
  it("is shipped after five seconds and delivered after ten", async () => {
    const { pass, place, shop, status } = open()
    const { reference } = await place()
    const parcel = {
      carrier: "Northline Express",
      trackingNumber: shop.orders[0]!.trackingNumber,
      trackingUrl: `https://track.example/${shop.orders[0]!.trackingNumber}`
    }
    expect(await status(reference)).toEqual({ status: "placed", shipments: [] })
    pass(4_999)
    expect(await status(reference)).toEqual({ status: "placed", shipments: [] })
    pass(1)
    expect(await status(reference)).toEqual({ status: "shipped", shipments: [parcel] })
    pass(4_999)
    expect(await status(reference)).toEqual({ status: "shipped", shipments: [parcel] })
    pass(1)
    expect(await status(reference)).toEqual({ status: "delivered", shipments: [parcel] })
    pass(365 * 86_400_000)
    expect(await status(reference)).toEqual({ status: "delivered", shipments: [parcel] })
  })

  it("follows a given timetable, and refuses an impossible one", async () => {
    const { pass, place, status } = open({
      timetable: { shippedAfterMillis: 100, deliveredAfterMillis: 100 }
    })
    const { reference } = await place()
    pass(99)
    expect((await status(reference))?.status).toBe("placed")
    pass(1)
    expect((await status(reference))?.status).toBe("delivered")
    for (const timetable of [
      { shippedAfterMillis: 20_000 },
      { deliveredAfterMillis: 1 },
      { shippedAfterMillis: -1 },
      { shippedAfterMillis: Number.NaN }
    ]) {
      expect(() => sampleShop({ timetable })).toThrow(RangeError)
    }
  })

  it("is found by its id, and is unknown to a restarted shop", async () => {
    const { find, place } = open()
    expect(await find(order.orderId)).toBeNull()
    const { reference } = await place()
    expect(await find(order.orderId)).toBe(reference)
    const anew = open()
    expect(await anew.find(order.orderId)).toBeNull()
    expect(await anew.status(reference)).toBeUndefined()
    // Its number isn't reused either.
    expect((await anew.place({ orderId: "another" })).reference).not.toBe(reference)
  })

  it("keeps its timetable, however often it is placed", async () => {
    const { pass, place, shop, status } = open()
    const first = await place()
    pass(5_000)
    const second = await place({ orderId: "another" })
    expect(await place()).toEqual(first)
    expect((await status(first.reference))?.status).toBe("shipped")
    expect((await status(second.reference))?.status).toBe("placed")
    expect(shop.orders.map(({ placedAt }) => placedAt.toISOString())).toEqual([
      "2026-03-01T12:34:56.789Z",
      "2026-03-01T12:35:01.789Z"
    ])
    expect(new Set(shop.orders.map(({ trackingNumber }) => trackingNumber)).size).toBe(2)
  })
})

describe("the parcel of an order", () => {
  const decode = Schema.decodeUnknownSync(TrackResultSchema, { onExcessProperty: "error" })

  it("can be tracked once it is shipped, with the times of the order", async () => {
    const { pass, place, shop, track } = open()
    await place()
    const { trackingNumber } = shop.orders[0]!
    expect((await track(trackingNumber)).found).toBe(false)

    pass(5_000)
    const shipped = await track(trackingNumber.toLowerCase())
    expect(decode(shipped)).toEqual(shipped)
    expect(shipped).toMatchObject({
      number: trackingNumber.toLowerCase(),
      status: "InTransit",
      found: true,
      delivered: false,
      carrier: { name: "Northline Express" },
      destination: "DE",
      daysInTransit: 0,
      deliveredAt: null
    })

    pass(60_000)
    const delivered = await track(trackingNumber)
    expect(decode(delivered)).toEqual(delivered)
    expect(delivered).toMatchObject({ status: "Delivered", delivered: true, daysInTransit: 0 })
    expect(delivered.events.map(({ stage, time }) => [stage, time])).toEqual([
      ["Delivered", "2026-03-01T12:35:06+00:00"],
      ["PickedUp", "2026-03-01T12:35:01+00:00"],
      ["InfoReceived", "2026-03-01T12:34:56+00:00"]
    ])
  })

  it("doesn't reveal its recipient or address", async () => {
    const { pass, place, shop, track } = open()
    await place()
    pass(60_000)
    const tracked = JSON.stringify(await track(shop.orders[0]!.trackingNumber))
    for (const personal of [shippingAddress.name, shippingAddress.line1, shippingAddress.city, order.email]) {
      expect(tracked).not.toContain(personal)
    }
  })
})

describe("a product that sells out after payment", () => {
  const product = { source: "marketplace_a", asin: sellsOutAsin, productUrl: undefined } as const

  it("is the one that docs/sandbox.md names", () => {
    const guide = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8")
    const [, section = ""] = guide.split("### A product that sells out after payment")
    expect(/`(B0\w{8})`/.exec(section)?.[1]).toBe(sellsOutAsin)
  })

  it("is found and quoted like any other", async () => {
    const { shop } = open()
    const { products } = await shop.marketplaces.marketplace_a.search(
      { q: "maple cutting board", page: 1 },
      context
    )
    expect(products.map(({ asin }) => asin)).toContain(sellsOutAsin)
    const quote = await shop.fulfilment.quote({ product, shippingAddress, email: order.email }, context)
    expect(quote.subtotal).toBe("84.00")
  })

  it("is refused each time the order is placed", async () => {
    const { find, place, shop } = open()
    for (const _attempt of [1, 2]) {
      const refusal: unknown = await place({ product }).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(PlacementRefused)
      expect((refusal as PlacementRefused).reason).toBe("out_of_stock")
    }
    expect(shop.orders).toEqual([])
    expect(await find(order.orderId)).toBeNull()
  })
})
