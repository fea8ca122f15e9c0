import type { SearchProduct } from "@till402/core"

/** A product with what the till should know of its stock. */
export interface FoundProduct extends SearchProduct {
  /** `false`: it is known that it can't be bought. */
  readonly isAvailable?: boolean
}
