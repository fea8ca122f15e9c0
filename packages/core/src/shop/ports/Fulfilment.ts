import { Context, Effect, Layer } from "effect"
import {
  type NotPlaced,
  PlacementRefused,
  type TemporarilyUnavailable,
  type UpstreamError
} from "./PortErrors.ts"
import { formatAtomic } from "../../domain/Money.ts"
import type { FulfilmentStatus, Offer } from "../goods/Order.ts"
import type { GeneralMarketplace } from "../goods/ProductUrl.ts"
import type {
  FulfilmentOptions,
  OrderToPlace,
  Placement,
  QuotedOffer,
  QuoteRefusal,
  QuoteRequest,
  ReportedStatus
} from "./FulfilmentOptions.ts"
import { readFound, readOffer, readPlaced, readPlacesOnce, readStatus } from "./FulfilmentResponses.ts"
import { fromOptions, fromPromise, guarded, PortSettings } from "./PortGuard.ts"
import { toReasonCode } from "../../ports/ReasonCode.ts"

/** Quotes products with tax and shipping, and places paid orders. See `FulfilmentOptions` for what each must do. */
export class Fulfilment extends Context.Service<
  Fulfilment,
  {
    readonly quote: (
      request: QuoteRequest
    ) => Effect.Effect<QuotedOffer, QuoteRefusal | TemporarilyUnavailable | UpstreamError>
    /** Returns upstream's reference of the order. After any other error than a refusal it may have been placed as well. */
    readonly place: (
      order: OrderToPlace
    ) => Effect.Effect<
      { readonly reference: string },
      PlacementRefused | NotPlaced | QuoteRefusal | TemporarilyUnavailable | UpstreamError
    >
    /** See `FulfilmentOptions.generalMarketplace`. */
    readonly generalMarketplace?: GeneralMarketplace | undefined
    /** See `FulfilmentOptions.countries`. */
    readonly countries?: ReadonlyArray<string> | undefined
    /** Whether an order by this quote can be placed again without a second order upstream. Default: no. */
    readonly placesOnce?: boolean | ((quoteReference: string) => boolean) | undefined
    /** Returns the reference of a placed order; `null`: it wasn't placed. Left out: upstream can't report it. */
    readonly find?:
      | ((
          orderId: string,
          quoteReference: string
        ) => Effect.Effect<string | null, TemporarilyUnavailable | UpstreamError>)
      | undefined
    /** Returns the status of a placed order. Left out, or `undefined`: upstream has none. */
    readonly status?:
      | ((
          reference: string
        ) => Effect.Effect<ReportedStatus | undefined, TemporarilyUnavailable | UpstreamError>)
      | undefined
  }
>()("@till402/core/Fulfilment") {
  /** Fulfilment from a host's async functions. */
  static readonly layerPromise = (options: FulfilmentOptions): Layer.Layer<Fulfilment> => {
    const { countries, find, generalMarketplace, placesOnce, status } = options
    const service: Fulfilment["Service"] = {
      generalMarketplace,
      countries,
      quote: (request) => fromPromise((context) => options.quote(request, context)),
      place: (order) => fromPromise((context) => options.place(order, context)),
      placesOnce: typeof placesOnce === "function" ? placesOnce.bind(options) : placesOnce,
      find:
        find &&
        ((orderId, reference) =>
          fromPromise((context) => find.call(options, orderId, { ...context, reference }))),
      status: status && ((reference) => fromPromise((context) => status.call(options, reference, context)))
    }
    return Layer.succeed(Fulfilment, fromOptions(options, service))
  }
}

/**
 * Fulfilment whose calls are guarded. An offer must be in US dollars, above zero and unexpired, and its total must be
 * subtotal, tax and shipping to the atomic unit; any other is the upstream's fault.
 */
export interface GuardedFulfilment {
  readonly quote: (request: QuoteRequest) => Effect.Effect<Offer, QuoteRefusal | UpstreamError>
  readonly place: (
    placement: Placement
  ) => Effect.Effect<{ readonly reference: string }, PlacementRefused | NotPlaced | UpstreamError>
  /** Fails never: a function that throws promises nothing. */
  readonly placesOnce: (quoteReference: string) => Effect.Effect<boolean>
  readonly generalMarketplace: GeneralMarketplace | undefined
  readonly countries: ReadonlyArray<string> | undefined
  /** Absent: upstream can't report it. */
  readonly find:
    | ((orderId: string, quoteReference: string) => Effect.Effect<string | null, UpstreamError>)
    | undefined
  /** Absent: upstream has none. */
  readonly status:
    | ((reference: string) => Effect.Effect<FulfilmentStatus | undefined, UpstreamError>)
    | undefined
}

const port = "fulfilment"
const quoteRefusals = ["ProductNotFound", "ProductUnavailable", "AddressNotServed"] as const

/** Fulfilment as the till calls it. */
export const guardedFulfilment = Effect.gen(function* () {
  const settings = yield* PortSettings
  const fulfilment = yield* Fulfilment
  const { find, placesOnce, status } = fulfilment
  return {
    generalMarketplace: fulfilment.generalMarketplace,
    countries: fulfilment.countries,
    quote: ({ client, email, product, shippingAddress }) =>
      guarded(settings, { port, span: "Fulfilment.quote", refusals: quoteRefusals, read: readOffer }, () =>
        fulfilment.quote({ product, shippingAddress, email, ...(client === undefined ? {} : { client }) })
      ),
    place: (placement) =>
      guarded(
        settings,
        {
          port,
          span: "Fulfilment.place",
          refusals: ["PlacementRefused", "NotPlaced", ...quoteRefusals],
          read: readPlaced
        },
        () => fulfilment.place(toOrder(placement))
      ).pipe(
        Effect.catchTag(quoteRefusals, (error) =>
          Effect.fail(new PlacementRefused({ reason: reasonOf(error) }))
        )
      ),
    placesOnce: (quoteReference) =>
      typeof placesOnce !== "function"
        ? Effect.succeed(placesOnce === true)
        : guarded(settings, { port, span: "Fulfilment.placesOnce", read: readPlacesOnce }, () =>
            Effect.sync(() => placesOnce.call(fulfilment, quoteReference))
          ).pipe(Effect.orElseSucceed(() => false)),
    find:
      find &&
      ((orderId, quoteReference) =>
        guarded(settings, { port, span: "Fulfilment.find", read: readFound }, () =>
          find.call(fulfilment, orderId, quoteReference)
        )),
    status:
      status &&
      ((reference) =>
        guarded(settings, { port, span: "Fulfilment.status", read: readStatus }, () =>
          status.call(fulfilment, reference)
        ))
  } satisfies GuardedFulfilment
})

const toOrder = ({ email, offer, orderId, payment, product, shippingAddress }: Placement): OrderToPlace => ({
  orderId,
  reference: offer.reference,
  product,
  shippingAddress,
  email,
  total: formatAtomic(offer.total.atomic - (offer.fee?.atomic ?? 0n)),
  ...(payment === undefined ? {} : { payment })
})

const reasons = {
  ProductNotFound: "product_not_found",
  ProductUnavailable: "product_unavailable",
  AddressNotServed: "address_not_served"
}

const reasonOf = (error: QuoteRefusal): string =>
  error._tag === "ProductUnavailable" && error.reason !== undefined
    ? toReasonCode(error.reason)
    : reasons[error._tag]
