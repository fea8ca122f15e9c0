import type { FulfilmentStatus, OrderPayment, QuotedOffer, TemporarilyUnavailable } from "@till402/core"
import { type NotPlaced, type PlacementRefused, UpstreamFailed, UpstreamUnavailable } from "@till402/core"
import { type Fulfilment, Money, type Offer } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import {
  isUpstreamFault,
  ResponseMalformed,
  toPortError,
  type UpstreamFault
} from "../upstream/UpstreamFault.ts"
import type { OrderRequest } from "./Buyer.ts"
import { type FailedPlacement, toPlaceError } from "./PlacementOutcome.ts"

/*
 * The client of a provider as the `Fulfilment` port of an Effect host.
 */

type Port = Fulfilment["Service"]
type UpstreamError = UpstreamFailed | UpstreamUnavailable
type QuoteError = Effect.Error<ReturnType<Port["quote"]>>

/** An order to be placed, as the clients take it. */
export interface ClientPlacement extends OrderRequest {
  /** Idempotency key. */
  readonly orderId: string
  /** The reference of its quote. */
  readonly reference: string
  /** The agreed total: decimal text in dollars. */
  readonly total: string
  /** For the upstream's books; absent if no transaction is recorded. */
  readonly payment?: OrderPayment
}

interface ClientError {
  readonly _tag: string
  readonly message: string
}

/** What a provider does with orders. */
export interface FulfilmentClient<E extends ClientError> {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, E | UpstreamFault>
  /** Places an order. A failure includes the outcome for the order. */
  readonly attempt: (
    placement: ClientPlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<E | UpstreamFault>>
  readonly find: (
    orderId: string,
    quoteReference: string
  ) => Effect.Effect<string | undefined, E | UpstreamFault>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, E | UpstreamFault>
}

export interface FulfilmentPortSettings<E extends ClientError> {
  /** Name of the provider in errors. */
  readonly upstream: string
  readonly placesOnce: boolean
  /** The error as the plain functions throw it: `TemporarilyUnavailable` for a 503. */
  readonly toHostError: (error: E | UpstreamFault) => E | UpstreamFault | TemporarilyUnavailable
}

/** The time limit of a call, as in `Till.make`. After it the outcome of a placement is unknown. */
const callTimeoutMillis = 20_000

const amount = (text: string): Money.Money | undefined => {
  const atomic = Money.parseAtomic(text)
  return atomic === undefined ? undefined : { atomic, currency: "USD" }
}

/** The offer in exact money; `undefined` if it is not in dollars, an amount is unusable, or it has expired. */
const toOffer = (quoted: QuotedOffer, nowMillis: number): Offer | undefined => {
  const [subtotal, tax, shipping, total] = [
    amount(quoted.subtotal),
    amount(quoted.tax),
    amount(quoted.shipping),
    amount(quoted.total)
  ]
  const expiresAtMillis = quoted.expiresAt.getTime()
  if (subtotal === undefined || tax === undefined || shipping === undefined || total === undefined) {
    return undefined
  }
  if (quoted.currency.toUpperCase() !== "USD") return undefined
  if (total.atomic === 0n || expiresAtMillis <= nowMillis) return undefined
  const { imageUrl, price, title } = quoted.product
  const unitPrice = price === undefined || price === null ? undefined : amount(price)
  return {
    product: {
      title,
      ...(imageUrl === undefined || imageUrl === null ? {} : { imageUrl }),
      ...(unitPrice === undefined ? {} : { price: unitPrice })
    },
    subtotal,
    tax,
    shipping,
    total,
    reference: quoted.reference,
    expiresAtMillis
  }
}

const quoteRefusals: ReadonlySet<string> = new Set([
  "ProductNotFound",
  "ProductUnavailable",
  "AddressNotServed"
] satisfies ReadonlyArray<QuoteError["_tag"]>)

const isQuoteRefusal = (error: { readonly _tag: string }): error is Exclude<QuoteError, UpstreamError> =>
  quoteRefusals.has(error._tag)

const isUnavailableError = (error: { readonly _tag: string }): error is TemporarilyUnavailable =>
  error._tag === "TemporarilyUnavailable"

/** An email links to parcels, so only https addresses are kept. */
const withSafeLinks = (status: FulfilmentStatus): FulfilmentStatus => ({
  ...status,
  shipments: status.shipments.map(({ trackingUrl, ...parcel }) =>
    trackingUrl !== undefined && trackingUrl.startsWith("https://") ? { ...parcel, trackingUrl } : parcel
  )
})

export const fulfilmentPort = <E extends ClientError>(
  client: FulfilmentClient<E>,
  { placesOnce, toHostError, upstream }: FulfilmentPortSettings<E>
): Port => {
  const toUpstreamError = (error: ClientError): UpstreamError => {
    if (isUpstreamFault(error)) return toPortError("fulfilment", error)
    if (!isUnavailableError(error)) return new UpstreamFailed({ port: "fulfilment", cause: error })
    const { retryAfterSeconds } = error
    return new UpstreamUnavailable({
      port: "fulfilment",
      cause: error,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
    })
  }
  const portError = (error: E | UpstreamFault): UpstreamError =>
    toUpstreamError(isUpstreamFault(error) ? error : toHostError(error))

  const timely = <A, Error>(call: Effect.Effect<A, Error>): Effect.Effect<A, Error | UpstreamUnavailable> =>
    Effect.timeoutOrElse(call, {
      duration: callTimeoutMillis,
      orElse: () => Effect.fail(new UpstreamUnavailable({ port: "fulfilment" }))
    })

  return {
    quote: Effect.fn("Fulfilment.quote")(function* ({ email, product, shippingAddress }: OrderRequest) {
      const quoted = yield* Effect.mapError(
        client.quote({ product, shippingAddress, email }),
        (error): QuoteError => (isQuoteRefusal(error) ? error : portError(error))
      )
      const offer = toOffer(quoted, yield* Clock.currentTimeMillis)
      if (offer !== undefined) return offer
      const cause = new ResponseMalformed({ upstream, detail: "the offer" })
      return yield* new UpstreamFailed({ port: "fulfilment", cause })
    }),
    place: Effect.fn("Fulfilment.place")(function* (placement: Parameters<Port["place"]>[0]) {
      const { email, offer, orderId, payment, product, shippingAddress } = placement
      const { fee, reference, total } = offer
      const order = {
        orderId,
        reference,
        product,
        shippingAddress,
        email,
        total: Money.formatAtomic(total.atomic - (fee?.atomic ?? 0n)),
        ...(payment === undefined ? {} : { payment })
      }
      return yield* timely(
        Effect.mapError(client.attempt(order), (failed): PlacementRefused | NotPlaced | UpstreamError => {
          if (failed.outcome._tag === "Unknown") return portError(failed.error)
          return toPlaceError(failed.error, failed.outcome)
        })
      )
    }),
    placesOnce: () => placesOnce,
    find: Effect.fn("Fulfilment.find")((orderId: string, quoteReference: string) =>
      timely(Effect.mapError(client.find(orderId, quoteReference), portError))
    ),
    status: Effect.fn("Fulfilment.status")((reference: string) =>
      timely(Effect.map(Effect.mapError(client.status(reference), portError), withSafeLinks))
    )
  }
}
