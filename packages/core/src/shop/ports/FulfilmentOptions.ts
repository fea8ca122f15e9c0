import type { AddressNotServed, ProductNotFound, ProductUnavailable } from "./PortErrors.ts"
import type { DecimalText } from "../../domain/Money.ts"
import type { FulfilmentStatus, Offer, Parcel, ProductReference, ShippingAddress } from "../goods/Order.ts"
import type { GeneralMarketplace } from "../goods/ProductUrl.ts"
import type { CallContext } from "../../runtime/Deadline.ts"

/** A request to quote one product, delivered to one address. */
export interface QuoteRequest {
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  /** The buyer's address. */
  readonly email: string
  /**
   * Opaque name of the client that requests a quote, to share fairly what unpaid quotes use up: one for an IPv4 address
   * or a /48 of IPv6, the same in all processes. Absent if its address is unknown, and for orders.
   */
  readonly client?: string | undefined
}

/** The payment of an order, as a shop's books name it. */
export interface OrderPayment {
  /** CAIP-2: `eip155:8453`. */
  readonly network: string
  /** Hash of the transaction; on Solana its signature. */
  readonly transaction: string
}

/** A paid order to be placed upstream. */
export interface Placement extends QuoteRequest {
  /** UUID; the idempotency key: placing the same order again must not place a second one. */
  readonly orderId: string
  /** The offer that was paid. */
  readonly offer: Offer
  /** Absent if no transaction is recorded. It may differ in a repeated call: a reorganization can replace it. */
  readonly payment?: OrderPayment
}

/** Why a product can't be quoted. */
export type QuoteRefusal = ProductNotFound | ProductUnavailable | AddressNotServed

/** What a host's fulfilment returns for a quote request. Amounts are in US dollars. */
export interface QuotedOffer {
  readonly product: {
    /** Shown in the price and in mails. */
    readonly title: string
    /** Address of a picture. */
    readonly imageUrl?: string | null | undefined
    /** The product's own price, before tax and shipping. */
    readonly price?: DecimalText | null | undefined
  }
  readonly subtotal: DecimalText
  readonly tax: DecimalText
  readonly shipping: DecimalText
  /** What the caller pays: subtotal, tax and shipping, to the atomic unit. */
  readonly total: DecimalText
  /** ISO 4217; only `USD` can be paid in the stablecoin. */
  readonly currency: string
  /** Upstream's name of this quote; `place` receives it. */
  readonly reference: string
  /** Until when upstream accepts an order by this quote. */
  readonly expiresAt: Date
}

/** A paid order, as a host's `place` receives it. */
export interface OrderToPlace {
  /** UUID; the idempotency key: placing the same order again must not place a second one. */
  readonly orderId: string
  /** The `reference` of the quote. */
  readonly reference: string
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  /** The buyer's address. */
  readonly email: string
  /** The most that upstream may charge: the total of its own quote, without the host's margin. */
  readonly total: DecimalText
  /**
   * The payment, for the upstream's books; absent if no transaction is recorded. It may differ in a repeated call, as a
   * reorganization of the chain can replace the transaction: recognize an order by `orderId`.
   */
  readonly payment?: OrderPayment
}

/** A parcel, as a host's `status` returns it. */
export interface ReportedParcel {
  /** Name of the carrier. */
  readonly carrier?: Parcel["carrier"] | null | undefined
  /** 1 to 200 characters. */
  readonly trackingNumber: Parcel["trackingNumber"]
  /** Https URL where the buyer can track it; any other is dropped. */
  readonly trackingUrl?: Parcel["trackingUrl"] | null | undefined
  /** When it is expected, as ISO 8601; other text is dropped. Buyers see it on the status page. */
  readonly expectedDelivery?:
    | { readonly from?: string | null | undefined; readonly to?: string | null | undefined }
    | null
    | undefined
}

/** The status of an order, as a host's `status` returns it. */
export interface ReportedStatus {
  readonly status: FulfilmentStatus["status"]
  /** Upstream's reason if the order failed or was canceled: `insufficient_stock`. */
  readonly reason?: string | null | undefined
  /** Parcels so far; the first 50 count. */
  readonly shipments: ReadonlyArray<ReportedParcel>
}

/**
 * Quotes and places orders.
 *
 * `quote` may throw `ProductNotFound`, `ProductUnavailable`, `AddressNotServed` (400 each) or
 * `TemporarilyUnavailable` (503); any other throw is a 502.
 *
 * `place` may throw `PlacementRefused` (or one of the 400s): not placed, for good, so the payment is refunded; or
 * `NotPlaced`: certainly not placed, so it is retried. After any other throw, and after its deadline, the order may
 * have been placed: it is looked up with `find`, placed again only if `placesOnce` allows it, and otherwise left to an
 * operator.
 */
export interface FulfilmentOptions {
  readonly quote: (request: QuoteRequest, context: CallContext) => Promise<QuotedOffer>
  /**
   * The general marketplace that you buy from: `{ hosts: ["amazon.com"], country: "US" }`. A `productUrl` of another host
   * is a storefront's, or a 400. Without it, any page with `/dp/` and a product code counts as one of its pages.
   */
  readonly generalMarketplace?: GeneralMarketplace | undefined
  /**
   * The countries that it delivers to, as ISO 3166-1 alpha-2 codes: `["US"]`. The documents say so; an address elsewhere is
   * still for `quote` to refuse.
   */
  readonly countries?: ReadonlyArray<string> | undefined
  /** Returns upstream's reference of the order. */
  readonly place: (order: OrderToPlace, context: CallContext) => Promise<{ readonly reference: string }>
  /**
   * Whether `place` treats `orderId` as an idempotency key: a repeated call never places a second order. A function that
   * throws, or returns a promise, promises nothing.
   */
  readonly placesOnce?: boolean | ((quoteReference: string) => boolean)
  /**
   * Returns the reference under which an order was placed; `null` if it was not and never will be. Throws if that can't
   * be determined now; so does the till for `undefined`, which a failed look-up gives by mistake.
   */
  readonly find?: (
    orderId: string,
    context: CallContext & {
      /** The reference of the quote by which the order was to be placed. */
      readonly reference: string
    }
  ) => Promise<string | null>
  /**
   * Returns the status of an order, by the reference that `place` returned. Without this function, or if it returns
   * `undefined` because upstream has no status, an order stays `placed`.
   */
  readonly status?: (reference: string, context: CallContext) => Promise<ReportedStatus | undefined>
}
