import { describe, expectTypeOf, it } from "vitest"
import type { Product } from "../../src/shop/goods/Product.ts"
import type { TrackResult } from "../../src/shop/goods/Tracking.ts"
import type { AssistantOptions } from "../../src/shop/ports/Assistant.ts"
import type { FulfilmentOptions } from "../../src/shop/ports/FulfilmentOptions.ts"
import type { MarketplaceOptions } from "../../src/shop/ports/Marketplaces.ts"
import type { Sparse } from "../../src/ports/Sparse.ts"
import type { TrackerOptions } from "../../src/shop/ports/Tracker.ts"
import type { VaultOptions } from "../../src/shop/ports/VaultFiles.ts"

/*
 * Types alone: a provider may leave out each field that the runtime reads as null. The tests of the ports have the runtime.
 */

describe("what a provider may return", () => {
  it("a tracker: only what can't be null, at every depth", () => {
    const sparse = {
      number: "1Z",
      status: "InTransit",
      delivered: false,
      found: true,
      carrier: {},
      latestEvent: { time: "2026-11-22T10:00:00Z" },
      events: [{}],
      milestones: [{ stage: "PickedUp" }],
      estimatedDelivery: { from: undefined },
      trackingPageUrl: "https://tracker.example/1Z"
    } as const
    expectTypeOf(sparse).toExtend<Sparse<TrackResult>>()
    expectTypeOf(async () => sparse).toExtend<TrackerOptions["track"]>()
    expectTypeOf<TrackResult>().toExtend<Sparse<TrackResult>>()
    // The status can't be null, so it can't be left out.
    expectTypeOf<{ number: string; trackingPageUrl: string }>().not.toExtend<Sparse<TrackResult>>()
    expectTypeOf<Omit<typeof sparse, "carrier"> & { carrier: { code: "1" } }>().not.toExtend<
      Sparse<TrackResult>
    >()
  })

  it("a marketplace: products without source and unknown fields", () => {
    const product = { asin: "7000000001", title: "Tote", currency: "USD", isExpedited: false }
    const search = async () => ({ products: [product], totalResults: 1, hasMore: false })
    expectTypeOf(search).toExtend<MarketplaceOptions["search"]>()
    // The title is required.
    expectTypeOf(async () => ({ ...(await search()), products: [{ asin: "7000000001" }] })).not.toExtend<
      MarketplaceOptions["search"]
    >()
  })

  it("an assistant: products with a source", () => {
    const product = { asin: "7000000001", title: "Tote", currency: "USD", source: "marketplace_b" } as const
    expectTypeOf(product).toExtend<Sparse<Product>>()
    expectTypeOf(async () => ({ reply: "Here", products: [product] })).toExtend<AssistantOptions["reply"]>()
  })

  it("fulfilment: null for what it doesn't know", () => {
    const parcel = { trackingNumber: "1", carrier: null, trackingUrl: undefined }
    const status = async () => ({ status: "shipped" as const, reason: null, shipments: [parcel] })
    expectTypeOf(status).toExtend<NonNullable<FulfilmentOptions["status"]>>()
    expectTypeOf(async () => null).toExtend<NonNullable<FulfilmentOptions["find"]>>()
    const offer = {
      product: { title: "Tote", imageUrl: null },
      subtotal: "1.00",
      tax: "0.00",
      shipping: "0.00",
      total: "1.00",
      currency: "USD",
      reference: "q-1",
      expiresAt: new Date()
    }
    expectTypeOf(async () => offer).toExtend<FulfilmentOptions["quote"]>()
  })

  it("the vault: no size", () => {
    expectTypeOf(async () => ({ body: new Uint8Array(1), size: null })).toExtend<VaultOptions["open"]>()
  })
})
