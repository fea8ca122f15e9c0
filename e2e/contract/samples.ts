import type { SearchProduct, TrackResult, VaultItem } from "@till402/core"

/*
 * Responses of the scripted providers: one with every field, one with every optional field unknown.
 */

export const productA: SearchProduct = {
  asin: "B0CONTRACT",
  title: "Walnut desk lamp",
  price: 39.5,
  currency: "USD",
  rating: 4.6,
  reviewCount: 812,
  imageUrl: "https://images.example/lamp.jpg",
  productUrl: "https://marketplace.example/dp/B0CONTRACT",
  source: "marketplace_a",
  isExpedited: true
}

/** Every optional field is unknown but the page, without which `buy` can't name a storefront's product. */
export const productB: SearchProduct = {
  asin: "7219004411",
  title: "Linen lamp shade",
  price: null,
  currency: "USD",
  rating: null,
  reviewCount: null,
  imageUrl: null,
  productUrl: "https://shades.example/products/linen?variant=7219004411",
  source: "marketplace_b",
  isExpedited: false
}

export const delivered: TrackResult = {
  number: "1Z999AA10123456784",
  status: "Delivered",
  subStatus: "Delivered_Signed",
  statusDescription: "Signed for by the receiver",
  delivered: true,
  found: true,
  carrier: { code: 100002, name: "UPS", homepage: "https://www.ups.com", country: "US" },
  lastMileCarrier: { code: 21051, name: "USPS" },
  origin: "CN",
  destination: "US",
  latestEvent: {
    time: "2026-03-04T14:05:00-08:00",
    description: "Delivered",
    location: "Portland, OR",
    stage: "Delivered"
  },
  events: [
    {
      time: "2026-03-04T14:05:00-08:00",
      description: "Delivered",
      location: "Portland, OR",
      stage: "Delivered"
    },
    { time: null, description: null, location: null, stage: null }
  ],
  milestones: [
    { stage: "InfoReceived", time: "2026-02-27T09:00:00+08:00" },
    { stage: "Delivered", time: null }
  ],
  pickedUpAt: "2026-02-27T18:30:00+08:00",
  deliveredAt: "2026-03-04T14:05:00-08:00",
  daysInTransit: 5,
  daysSinceLastUpdate: 1,
  estimatedDelivery: { from: "2026-03-03T00:00:00-08:00", to: null, source: "Official" },
  serviceType: "Ground",
  weightKg: "1.36",
  carrierNotice: "Left with the concierge",
  trackingPageUrl: "https://t.example/1Z999AA10123456784"
}

export const unknownShipment: TrackResult = {
  number: "NEW-00001",
  status: "NotFound",
  subStatus: null,
  statusDescription: null,
  delivered: false,
  found: false,
  carrier: { code: null, name: null, homepage: null, country: null },
  lastMileCarrier: null,
  origin: null,
  destination: null,
  latestEvent: null,
  events: [],
  milestones: [],
  pickedUpAt: null,
  deliveredAt: null,
  daysInTransit: null,
  daysSinceLastUpdate: null,
  estimatedDelivery: null,
  serviceType: null,
  weightKg: null,
  carrierNotice: null,
  trackingPageUrl: "https://t.example/NEW-00001"
}

export const vaultItem: VaultItem = {
  id: "0b9c2f4e-52f1-4c0e-9d53-6a1f1f0a7c01",
  slug: "launch-checklist",
  title: "Launch checklist",
  productType: "skill",
  cardDescription: "Everything to do before a product goes live",
  price: 7,
  category: "marketing",
  creator: { name: "Ada", type: "human" },
  downloads: 12,
  coverImageUrl: "https://images.example/launch.png"
}

/** An archive with no entries: the shortest valid ZIP. */
export const emptyZip = new Uint8Array([0x50, 0x4b, 0x05, 0x06, ...Array.from({ length: 18 }, () => 0)])

/** Whole US dollars and cents quoted by the scripted fulfilment. */
export const quotedTotal = "84.37"

/** A product recommended by `shop`. */
export const withoutExpedited = (product: SearchProduct) => {
  const { isExpedited: _isExpedited, ...rest } = product
  return rest
}
