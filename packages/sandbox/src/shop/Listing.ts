import type { SearchProduct } from "@till402/core"

/** How a parcel may travel: oversize and hazardous goods only by road. */
export type Handling = "ordinary" | "oversize" | "hazmat"

/** One purchasable variant: a size or color of a product. */
export interface Variant {
  /** The ASIN on marketplace_a, the storefront's variant number on marketplace_b. */
  readonly id: string
  readonly title: string
  /** US cents; `undefined` if the seller shows no price. */
  readonly priceCents: bigint | undefined
  readonly weightGrams: number
  readonly inStock: boolean
  /** Whether it can be quoted and paid but sells out before the order. */
  readonly sellsOut: boolean
  readonly handling: Handling
}

/** A product of the sample catalogue, with the data for search and fulfilment. */
export interface Listing {
  readonly product: SearchProduct
  /** The same for all colors and sizes of a product. */
  readonly family: string
  readonly brand: string
  readonly category: string
  /** Features in words; preferences are matched against them and the title. */
  readonly features: string
  /** Additional search words. */
  readonly keywords: string
  /** Exactly one on marketplace_a; search shows the first. */
  readonly variants: readonly [Variant, ...Array<Variant>]
}
