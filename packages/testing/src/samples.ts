import type { SearchProduct, Source, TrackResult } from "@till402/core/effect"

/*
 * Sample values of the API's types. Every field can be overridden.
 */

/**
 * A product, by default of `marketplace_a`.
 *
 * @example
 * const product = sampleProduct({ title: "Canvas tote bag", price: 24.5 })
 */
export const sampleProduct = (overrides: Partial<SearchProduct> = {}): SearchProduct => ({
  asin: "B000000001",
  title: "Canvas tote bag",
  price: 19.99,
  currency: "USD",
  rating: 4.5,
  reviewCount: 128,
  imageUrl: "https://images.example/B000000001.jpg",
  productUrl: "https://shop.example/dp/B000000001",
  source: "marketplace_a",
  isExpedited: true,
  ...overrides
})

/** Products of one marketplace, numbered from 1, with distinct codes, titles and URLs and rising prices. */
export const sampleProducts = (source: Source, count: number): ReadonlyArray<SearchProduct> =>
  Array.from({ length: count }, (_, index) => {
    const number = index + 1
    const digits = String(number).padStart(9, "0")
    const ofA = source === "marketplace_a"
    return sampleProduct({
      asin: ofA ? `B${digits}` : `7${digits}`,
      title: `Canvas tote bag ${ofA ? "A" : "B"}${number}`,
      price: 9.99 + number * 10,
      imageUrl: `https://images.example/${ofA ? "a" : "b"}/${number}.jpg`,
      productUrl: ofA
        ? `https://shop.example/dp/B${digits}`
        : `https://store.example/products/tote-${number}?variant=${4000 + number}`,
      source,
      isExpedited: number % 2 === 1
    })
  })

/** A shipment in transit, with one event. */
export const sampleTrackResult = (number: string, overrides: Partial<TrackResult> = {}): TrackResult => {
  const event = {
    time: "2026-03-02T09:30:00-05:00",
    description: "Departed facility",
    location: "Newark, NJ",
    stage: "Departure"
  }
  return {
    number,
    status: "InTransit",
    subStatus: "InTransit_Other",
    statusDescription: null,
    delivered: false,
    found: true,
    carrier: { code: 100002, name: "UPS", homepage: "https://www.ups.com", country: "US" },
    lastMileCarrier: null,
    origin: "US",
    destination: "US",
    latestEvent: event,
    events: [event],
    milestones: [
      { stage: "InfoReceived", time: "2026-03-01T12:00:00-05:00" },
      { stage: "PickedUp", time: "2026-03-01T18:00:00-05:00" },
      { stage: "Departure", time: event.time }
    ],
    pickedUpAt: "2026-03-01T18:00:00-05:00",
    deliveredAt: null,
    daysInTransit: 1,
    daysSinceLastUpdate: 0,
    estimatedDelivery: { from: null, to: "2026-03-05T20:00:00-05:00", source: "Official" },
    serviceType: "Ground",
    weightKg: "0.8",
    carrierNotice: null,
    trackingPageUrl: `https://tracking.example/${encodeURIComponent(number)}`,
    ...overrides
  }
}
