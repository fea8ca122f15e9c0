export { sampleShop, type SampleShop, type SampleShopOptions } from "./SampleShop.ts"
export { type TrackingNumber, trackingNumbers } from "./Tracker.ts"
export type { PlacedOrder } from "./Fulfilment.ts"
export { vaultItems } from "./VaultShelf.ts"
