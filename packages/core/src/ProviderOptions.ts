import type { Product, SearchProduct } from "./domain/Product.ts"
import type { FulfilmentStatus, ProductReference, ShippingAddress } from "./domain/Order.ts"
import type { ShopRequest } from "./domain/Shop.ts"
import type { TrackQuery, TrackResult } from "./domain/Tracking.ts"
import type { Mail } from "./ports/Mailer.ts"
import type { ProductPage, ProductQuery } from "./ports/Marketplace.ts"
import type { VaultFile } from "./ports/VaultFiles.ts"

/*
 * The functions that a host supplies for each port, in plain TypeScript.
 */

/** Given to every port function; `signal` aborts when its time is over. */
export interface CallContext {
  readonly signal: AbortSignal
}

/** Searches one marketplace. Throw `TemporarilyUnavailable` for a 503; any other throw is a 502. */
export interface MarketplaceOptions {
  readonly search: (query: ProductQuery, context: CallContext) => Promise<ProductPage>
}

/** Answers `POST /x402/shop`. `search` asks the configured marketplaces, merged. */
export interface AssistantOptions {
  readonly ask: (
    request: ShopRequest,
    context: CallContext & { readonly search: (query: ProductQuery) => Promise<ReadonlyArray<SearchProduct>> }
  ) => Promise<{ readonly reply: string; readonly products: ReadonlyArray<Product> }>
}

/** An amount in decimal text, US dollars: `"19.99"`. */
export type DecimalText = string

/** What a host's fulfilment answers to a request for a quote. */
export interface QuotedOffer {
  readonly product: { readonly title: string; readonly imageUrl?: string; readonly price?: DecimalText }
  readonly subtotal: DecimalText
  readonly tax: DecimalText
  readonly shipping: DecimalText
  /** What the caller pays: the product total with tax and shipping. */
  readonly total: DecimalText
  /** ISO 4217; only `USD` can be paid in the stablecoin. */
  readonly currency: string
  /** The upstream's name of this quote. */
  readonly reference: string
  readonly expiresAt: Date
}

/**
 * Quotes and places orders. `quote` may throw `ProductNotFound`, `ProductUnavailable`,
 * `AddressNotServed` (400 each) or `TemporarilyUnavailable` (503); any other throw is a 502.
 *
 * `place` may throw `PlacementRefused` (or one of the 400s): not placed, for good, so the payment is owed
 * back; or `NotPlaced`: certainly not placed, tried again later. After any other throw, and past its deadline,
 * the order may have been placed: it is looked up with `find`, placed again only where `placesOnce` says that
 * this is harmless, and else left to an operator.
 */
export interface FulfilmentOptions {
  readonly quote: (
    request: {
      readonly product: ProductReference
      readonly shippingAddress: ShippingAddress
      readonly email: string
    },
    context: CallContext
  ) => Promise<QuotedOffer>
  readonly place: (
    order: {
      readonly orderId: string
      readonly reference: string
      readonly product: ProductReference
      readonly shippingAddress: ShippingAddress
      readonly email: string
      /** What the upstream may charge at most: the total of its own quote. */
      readonly total: DecimalText
    },
    context: CallContext
  ) => Promise<{ readonly reference: string }>
  /** Whether `place` honours `orderId` as an idempotency key: the same one again never places a second order. */
  readonly placesOnce?: boolean | ((quoteReference: string) => boolean)
  /**
   * The reference under which an order was placed; `undefined`: it was not, and nothing is on its way. Throws
   * where that can't be told now.
   */
  readonly find?: (
    orderId: string,
    context: CallContext & {
      /** Of the quote that the order was to be placed by. */
      readonly reference: string
    }
  ) => Promise<string | undefined>
  /**
   * How an order stands, by the reference that `place` gave. Without it an order stays `placed`, as does one for
   * which it answers `undefined`: nobody can tell.
   */
  readonly status?: (reference: string, context: CallContext) => Promise<FulfilmentStatus | undefined>
}

/**
 * Looks up shipments. May throw `InvalidTrackingNumber` (400), `NoTrackingInfo` (404),
 * `CarrierNotDetected`, `AdditionalFieldRequired`, `InvalidCarrier` (422) or
 * `TemporarilyUnavailable` (503); any other throw is a 502.
 */
export interface TrackerOptions {
  readonly track: (query: TrackQuery, context: CallContext) => Promise<TrackResult>
}

/** Opens the ZIP archive of a vault item. */
export interface VaultOptions {
  readonly open: (item: { readonly slug: string }, context: CallContext) => Promise<VaultFile>
}

/** Sends a mail. May throw `MailRejected`: it is not tried again. After any other throw it is, for two days. */
export interface MailerOptions {
  readonly send: (mail: Mail, context: CallContext) => Promise<void>
}
