import type { SearchProduct } from "@till402/core"

/** How a parcel may travel: oversize and hazardous goods go by road alone. */
export type Handling = "ordinary" | "oversize" | "hazmat"

/** One thing that can be bought: a size or colour of a product. */
export interface Variant {
  /** The ASIN on marketplace_a, the storefront's variant number on marketplace_b. */
  readonly id: string
  readonly title: string
  /** US cents; `undefined` where the seller names no price. */
  readonly priceCents: bigint | undefined
  readonly weightGrams: number
  readonly inStock: boolean
  /** It can be quoted and paid, and is gone when the order comes in. */
  readonly sellsOut: boolean
  readonly handling: Handling
}

/** A product of the sample catalogue: what search shows, and what fulfilment knows beyond it. */
export interface Listing {
  readonly product: SearchProduct
  /** The same for all colours and sizes of a product, whether they are listed apart or not. */
  readonly family: string
  readonly brand: string
  readonly category: string
  /** What the product is good at, in words: shoppers' preferences are looked for here and in the title. */
  readonly features: string
  /** Further words under which it is found. */
  readonly keywords: string
  /** Exactly one on marketplace_a; the first is the one that search shows. */
  readonly variants: readonly [Variant, ...Array<Variant>]
}
