import {
  type FulfilmentStatus,
  type GeneralMarketplace,
  type OrderToPlace,
  type QuotedOffer,
  TemporarilyUnavailable,
  UpstreamFailed,
  type UpstreamUnavailable
} from "@till402/core"
import type { Fulfilment } from "@till402/core/effect"
import { Effect } from "effect"
import { isUpstreamFault, toPortError, type UpstreamFault } from "../upstream/UpstreamFault.ts"
import type { OrderRequest } from "./Buyer.ts"
import { type FailedPlacement, toPlaceError } from "./PlacementOutcome.ts"

/*
 * The client of a provider as the `Fulfilment` port of an Effect host.
 */

type Port = Fulfilment["Service"]
type PortError = UpstreamFailed | UpstreamUnavailable | TemporarilyUnavailable
type QuoteError = Effect.Error<ReturnType<Port["quote"]>>

interface ClientError {
  readonly _tag: string
  readonly message: string
}

/** What a provider does with orders. */
export interface FulfilmentClient<E extends ClientError> {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, E | UpstreamFault>
  /** Places an order. A failure includes the outcome for the order. */
  readonly attempt: (
    order: OrderToPlace
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<E | UpstreamFault>>
  readonly find: (orderId: string, quoteReference: string) => Effect.Effect<string | null, E | UpstreamFault>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, E | UpstreamFault>
}

export interface FulfilmentPortSettings<E extends ClientError> {
  readonly placesOnce: boolean
  readonly generalMarketplace?: GeneralMarketplace
  readonly countries?: ReadonlyArray<string>
  /** The error as the plain functions throw it: `TemporarilyUnavailable` for a 503. */
  readonly toHostError: (error: E | UpstreamFault) => E | UpstreamFault | TemporarilyUnavailable
}

const quoteRefusals: ReadonlySet<string> = new Set([
  "ProductNotFound",
  "ProductUnavailable",
  "AddressNotServed"
] satisfies ReadonlyArray<QuoteError["_tag"]>)

const isQuoteRefusal = (error: { readonly _tag: string }): error is Exclude<QuoteError, PortError> =>
  quoteRefusals.has(error._tag)

export const fulfilmentPort = <E extends ClientError>(
  client: FulfilmentClient<E>,
  { countries, generalMarketplace, placesOnce, toHostError }: FulfilmentPortSettings<E>
): Port => {
  const portError = (error: E | UpstreamFault): PortError => {
    if (isUpstreamFault(error)) return toPortError("fulfilment", error)
    const thrown = toHostError(error)
    return thrown instanceof TemporarilyUnavailable
      ? thrown
      : new UpstreamFailed({ port: "fulfilment", cause: thrown })
  }
  return {
    generalMarketplace,
    countries,
    quote: (request) =>
      Effect.mapError(client.quote(request), (error): QuoteError =>
        isQuoteRefusal(error) ? error : portError(error)
      ),
    place: (order) =>
      Effect.mapError(client.attempt(order), ({ error, outcome }) =>
        outcome._tag === "Unknown" ? portError(error) : toPlaceError(error, outcome)
      ),
    placesOnce,
    find: (orderId, quoteReference) => Effect.mapError(client.find(orderId, quoteReference), portError),
    status: (reference) => Effect.mapError(client.status(reference), portError)
  }
}
