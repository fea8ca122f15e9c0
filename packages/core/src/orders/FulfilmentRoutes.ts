import type { ProductReference, ShippingAddress } from "../domain/Order.ts"
import type { FulfilmentOptions } from "../ports/FulfilmentOptions.ts"

/** The request that a route is chosen for. */
export interface RoutedRequest {
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
}

/** One route, or several in the order in which they are tried: the first that quotes wins. */
export type RouteChoice<Name extends string> = Name | ReadonlyArray<Name>

/** Options of `routeFulfilment`. */
export interface FulfilmentRoutes<Name extends string> {
  /** Upstreams by name: up to 32 letters, digits, `-` and `_`, a letter or digit first. */
  readonly routes: Readonly<Record<Name, FulfilmentOptions>>
  /**
   * Which routes may quote a product to an address: a function, or a table by marketplace. None (a marketplace
   * that is not in the table, an empty list): the product is a 400 `PRODUCT_UNAVAILABLE`. What the function
   * throws is what the quote fails with.
   */
  readonly choose:
    | ((request: RoutedRequest) => RouteChoice<NoInfer<Name>>)
    | Readonly<Partial<Record<ProductReference["source"], RouteChoice<NoInfer<Name>>>>>
  /**
   * How long a route may take to quote where another one follows, in milliseconds; default 9000. The last has
   * what is left of the till's `upstreamTimeoutMillis`.
   */
  readonly routeTimeoutMillis?: number
  /** The route of references without a name: those of orders from before there were routes. */
  readonly unnamed?: NoInfer<Name>
  /** Receives each route that didn't quote, and its error. What it throws is ignored. */
  readonly onPassedOver?: (passed: { readonly route: Name; readonly error: unknown }) => void
}
