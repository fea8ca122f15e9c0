import { Data } from "effect"
import type { additionalFields } from "./AdditionalField.ts"

/*
 * The errors of ports. A host's function throws these, or its effect fails with them; anything else is that port's 502.
 * Messages reach the caller: put no addresses, tokens or keys in them.
 */

/** The port of an upstream failure; part of the response's code. */
export type PortName = "marketplace" | "assistant" | "fulfilment" | "tracking" | "vault" | "mail"

/** buy: no such product (400 `PRODUCT_NOT_FOUND`). */
export class ProductNotFound extends Data.TaggedError("ProductNotFound")<{ readonly message: string }> {}

/** buy: the product can't be bought now, e.g. out of stock (400 `PRODUCT_UNAVAILABLE`). */
export class ProductUnavailable extends Data.TaggedError("ProductUnavailable")<{
  readonly message: string
  /** A word for programs, e.g. `out_of_stock`. */
  readonly reason?: string
}> {}

/** buy: no delivery to that address (400 `ADDRESS_NOT_SERVED`). */
export class AddressNotServed extends Data.TaggedError("AddressNotServed")<{ readonly message: string }> {}

/**
 * Placing a paid order: it was not placed and can't be, e.g. because it sold out. The order fails and its payment is
 * refunded.
 */
export class PlacementRefused extends Data.TaggedError("PlacementRefused")<{
  /** A word for the operator and the buyer's mail, e.g. `out_of_stock`. */
  readonly reason: string
}> {
  override get message(): string {
    return `the order was refused: ${this.reason}`
  }
}

/** Placing a paid order: certainly not placed, and worth a retry. */
export class NotPlaced extends Data.TaggedError("NotPlaced")<{
  readonly message: string
  readonly retryAfterSeconds?: number
}> {}

/** track: the number is malformed for its carrier (400 `VALIDATION_ERROR`). */
export class InvalidTrackingNumber extends Data.TaggedError("InvalidTrackingNumber")<{
  readonly message: string
}> {}

/** track: every carrier that was asked says that it doesn't know the number (404 `NO_TRACKING_INFO`). */
export class NoTrackingInfo extends Data.TaggedError("NoTrackingInfo")<{
  readonly message: string
  /** What this look-up cost you, in US dollars. Counts as a loss, as it isn't charged. Default: the price of `track`. */
  readonly costUsd?: number
}> {}

/** track: the carrier can't be detected; the caller must name it (422 `CARRIER_NOT_DETECTED`). */
export class CarrierNotDetected extends Data.TaggedError("CarrierNotDetected")<{
  readonly message: string
  /** Likely carriers, likeliest first. */
  readonly candidates?: ReadonlyArray<{ readonly code: number; readonly name: string }>
}> {}

/** track: the carrier code does not exist or does not fit (422 `INVALID_CARRIER`). */
export class InvalidCarrier extends Data.TaggedError("InvalidCarrier")<{ readonly message: string }> {}

/** track: the carrier needs one more field (422 `ADDITIONAL_FIELD_REQUIRED`). */
export class AdditionalFieldRequired extends Data.TaggedError("AdditionalFieldRequired")<{
  readonly message: string
  /** The query parameter to send. */
  readonly field: (typeof additionalFields)[number]
}> {}

/** Sending a mail: rejected for good, e.g. because its recipient doesn't exist. */
export class MailRejected extends Data.TaggedError("MailRejected")<{ readonly message: string }> {}

/** The upstream failed, or returned something unusable (502). */
export class UpstreamFailed extends Data.TaggedError("UpstreamFailed")<{
  readonly port: PortName
  /** For the log, never for the caller. */
  readonly cause?: unknown
}> {}

/** The upstream is down, over quota or too slow (503). */
export class UpstreamUnavailable extends Data.TaggedError("UpstreamUnavailable")<{
  readonly port: PortName
  readonly retryAfterSeconds?: number
  /** For the log, never for the caller. */
  readonly cause?: unknown
}> {}

/** Thrown by a port whose upstream is down for now (503). */
export class TemporarilyUnavailable extends Data.TaggedError("TemporarilyUnavailable")<{
  readonly message: string
  readonly retryAfterSeconds?: number
}> {}

export type UpstreamError = UpstreamFailed | UpstreamUnavailable

export type TrackRefusal =
  | AdditionalFieldRequired
  | CarrierNotDetected
  | InvalidCarrier
  | InvalidTrackingNumber
  | NoTrackingInfo

/** Publishing a vault item: what was given can't be listed. Nothing was published. */
export class ListingRejected extends Data.TaggedError("ListingRejected")<{
  /** Every fault, with the path of its field: `creator.name`. */
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>
}> {
  override get message(): string {
    const faults = this.issues.map(({ message, path }) => (path === "" ? message : `${path} ${message}`))
    return `the item can't be published: ${faults.join("; ")}`
  }
}
