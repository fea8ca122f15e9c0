import { Context, Effect, Layer } from "effect"
import { type NotPlaced, PlacementRefused, type UpstreamError } from "./Errors.ts"
import { formatAtomic } from "../../domain/Money.ts"
import type { FulfilmentStatus, Offer } from "../goods/Order.ts"
import type { FulfilmentOptions, Placement, QuoteRefusal, QuoteRequest } from "./FulfilmentOptions.ts"
import { readFound, readOffer, readPlaced, readStatus } from "./FulfilmentResponses.ts"
import { hostCall } from "./HostCall.ts"
import type { CallSettings } from "../../ports/ProviderFailure.ts"
import { makeMemoryFulfilment, type StockedProduct } from "./MemoryFulfilment.ts"
import { toReasonCode } from "../../ports/ReasonCode.ts"

/** Quotes products with tax and shipping, and places paid orders. */
export class Fulfilment extends Context.Service<
  Fulfilment,
  {
    readonly quote: (request: QuoteRequest) => Effect.Effect<Offer, QuoteRefusal | UpstreamError>
    /** Returns upstream's reference of the order. After an `UpstreamError` it may have been placed as well. */
    readonly place: (
      placement: Placement
    ) => Effect.Effect<{ readonly reference: string }, PlacementRefused | NotPlaced | UpstreamError>
    /** Whether an order by this quote can be placed again without a second order upstream. */
    readonly placesOnce: (quoteReference: string) => boolean
    /** Returns the reference of a placed order; `undefined`: it wasn't placed. Absent: upstream can't report it. */
    readonly find:
      | ((orderId: string, quoteReference: string) => Effect.Effect<string | undefined, UpstreamError>)
      | undefined
    /** Returns the status of a placed order. Absent, or `undefined`: upstream has none. */
    readonly status:
      | ((reference: string) => Effect.Effect<FulfilmentStatus | undefined, UpstreamError>)
      | undefined
  }
>()("@till402/core/Fulfilment") {
  /**
   * Fulfilment from a host's async functions. An offer must be in US dollars, above zero and unexpired, and its total
   * must be subtotal, tax and shipping to the atomic unit; any other is the upstream's fault.
   */
  static readonly fromPromise = (
    options: FulfilmentOptions,
    settings: CallSettings
  ): Layer.Layer<Fulfilment> =>
    Layer.succeed(Fulfilment, {
      quote: quoteOf(options, settings),
      place: placeOf(options, settings),
      placesOnce: (quoteReference) =>
        typeof options.placesOnce === "function"
          ? options.placesOnce(quoteReference)
          : options.placesOnce === true,
      find: options.find === undefined ? undefined : findOf(options.find, settings),
      status: options.status === undefined ? undefined : statusOf(options.status, settings)
    })

  /** A shop over given products, without tax and shipping. Offers expire after ten minutes; placement is idempotent. */
  static readonly layerMemory = (stock: ReadonlyMap<string, StockedProduct>): Layer.Layer<Fulfilment> =>
    Layer.sync(Fulfilment, () => makeMemoryFulfilment(stock))
}

const port = "fulfilment"

const quoteOf = (options: FulfilmentOptions, settings: CallSettings): Fulfilment["Service"]["quote"] =>
  Effect.fn("Fulfilment.quote")(({ email, product, shippingAddress }: QuoteRequest) =>
    hostCall({
      port,
      operation: "quote",
      settings,
      mayThrow: ["ProductNotFound", "ProductUnavailable", "AddressNotServed"],
      call: (context) => options.quote({ product, shippingAddress, email }, context),
      read: readOffer
    })
  )

const placeOf = (options: FulfilmentOptions, settings: CallSettings): Fulfilment["Service"]["place"] =>
  Effect.fn("Fulfilment.place")(({ email, offer, orderId, payment, product, shippingAddress }: Placement) => {
    const total = formatAtomic(offer.total.atomic - (offer.fee?.atomic ?? 0n))
    const order = {
      orderId,
      reference: offer.reference,
      product,
      shippingAddress,
      email,
      total,
      ...(payment === undefined ? {} : { payment })
    }
    return hostCall({
      port,
      operation: "place",
      settings,
      mayThrow: [
        "PlacementRefused",
        "NotPlaced",
        "ProductNotFound",
        "ProductUnavailable",
        "AddressNotServed"
      ],
      call: (context) => options.place(order, context),
      read: readPlaced
    }).pipe(
      Effect.catchTag(["ProductNotFound", "ProductUnavailable", "AddressNotServed"], (error) =>
        Effect.fail(new PlacementRefused({ reason: reasonOf(error) }))
      )
    )
  })

const findOf = (find: NonNullable<FulfilmentOptions["find"]>, settings: CallSettings) =>
  Effect.fn("Fulfilment.find")((orderId: string, reference: string) =>
    hostCall({
      port,
      operation: "find",
      settings,
      // The getter creates the signal only if the host reads it.
      call: (context) =>
        find(orderId, {
          reference,
          get signal() {
            return context.signal
          }
        }),
      read: readFound
    })
  )

const statusOf = (status: NonNullable<FulfilmentOptions["status"]>, settings: CallSettings) =>
  Effect.fn("Fulfilment.status")((reference: string) =>
    hostCall({
      port,
      operation: "status",
      settings,
      call: (context) => status(reference, context),
      read: readStatus
    })
  )

const reasons = {
  ProductNotFound: "product_not_found",
  ProductUnavailable: "product_unavailable",
  AddressNotServed: "address_not_served"
}

const reasonOf = (error: QuoteRefusal): string =>
  error._tag === "ProductUnavailable" && error.reason !== undefined
    ? toReasonCode(error.reason)
    : reasons[error._tag]
