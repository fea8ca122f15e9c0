import { Context } from "effect"
import { type GeneralMarketplace, isPageOf } from "../goods/ProductUrl.ts"
import type { SearchProduct } from "../goods/Product.ts"

/** A product as a marketplace returned it. */
export interface FoundProduct extends SearchProduct {
  /** `false`: it is known that it can't be bought now. */
  readonly isAvailable?: boolean | null | undefined
}

/** What the route `buy` of a till sells. */
export interface Sale {
  readonly generalMarketplace: GeneralMarketplace | undefined
}

/** Whether a till sells what its searches find. Its route `buy` says so, and searches leave out what can't be bought. */
export class ProductSale {
  private sale: Sale | undefined
  private foreignReported = false

  offer(sale: Sale): void {
    this.sale = sale
  }

  /**
   * Whether a product may be sold: it isn't known to be unavailable, and `buy` can name it. It names a storefront product by
   * its page alone.
   */
  isOnSale({ isAvailable, productUrl, source }: FoundProduct): boolean {
    if (this.sale === undefined) return true
    return isAvailable !== false && (source === "marketplace_a" || productUrl !== null)
  }

  /** Whether a product of the general marketplace is one of another shop than `buy` buys from. */
  isForeign({ productUrl, source }: SearchProduct): boolean {
    const marketplace = this.sale?.generalMarketplace
    return (
      marketplace !== undefined &&
      source === "marketplace_a" &&
      productUrl !== null &&
      !isPageOf(productUrl, marketplace)
    )
  }

  /** Whether foreign products are to be reported: once. */
  takeReport(): boolean {
    const isFirst = !this.foreignReported
    this.foreignReported = true
    return isFirst
  }
}

/** The sale of a till. Outside of a till, nothing is sold. */
export const CurrentSale = Context.Reference<ProductSale | undefined>("@till402/core/CurrentSale", {
  defaultValue: () => undefined
})
