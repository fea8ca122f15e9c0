import type { ProductReference, ShippingAddress } from "../goods/Order.ts"
import type { FulfilmentOptions } from "../ports/FulfilmentOptions.ts"

/** The request for which routes are chosen. */
export interface RoutedRequest {
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
}

/** One route, or several in the order they are tried: the first that quotes wins. */
export type RouteChoice<Name extends string> = Name | ReadonlyArray<Name>

/** Options of `routeFulfilment`. */
export interface FulfilmentRoutes<Name extends string> {
  /** Upstreams by name: up to 32 letters, digits, `-` and `_`, a letter or digit first. */
  readonly routes: Readonly<Record<Name, FulfilmentOptions>>
  /**
   * Which routes may quote a product to an address: a function, or a table by marketplace. If there are none (the
   * marketplace isn't in the table, or the list is empty), the response is a 400 `PRODUCT_UNAVAILABLE`. If the function
   * throws, the quote fails with that error.
   */
  readonly choose:
    | ((request: RoutedRequest) => RouteChoice<NoInfer<Name>>)
    | Readonly<Partial<Record<ProductReference["source"], RouteChoice<NoInfer<Name>>>>>
  /**
   * Maximum time for a route to quote if another one follows, in milliseconds; default 9000. The last one has the rest
   * of the till's `upstreamTimeoutMillis`.
   */
  readonly routeTimeoutMillis?: number
  /** The route of references without a name, i.e. orders from before `routeFulfilment` was used. */
  readonly unnamed?: NoInfer<Name>
  /** Receives each route that didn't quote, and its error. What it throws is ignored. */
  readonly onPassedOver?: (passed: { readonly route: Name; readonly error: unknown }) => void
}
