import {
  AdditionalFieldRequired,
  AddressNotServed,
  CarrierNotDetected,
  InvalidCarrier,
  InvalidTrackingNumber,
  MailRejected,
  NoTrackingInfo,
  NotPlaced,
  PlacementRefused,
  type PortName,
  ProductNotFound,
  ProductUnavailable,
  type UpstreamError,
  UpstreamFailed,
  UpstreamUnavailable
} from "./PortErrors.ts"
import { toReasonCode } from "../../ports/ReasonCode.ts"
import { additionalFields } from "./AdditionalField.ts"

/*
 * Which error of a port stands for what the host's function threw, or its effect failed with. Pure.
 */

type Thrown = { readonly [key: string]: unknown }

const isThrown = (cause: unknown): cause is Thrown => typeof cause === "object" && cause !== null

const maxMessageLength = 500

const messageOf = (thrown: Thrown, otherwise: string): string =>
  typeof thrown["message"] === "string" && thrown["message"] !== ""
    ? thrown["message"].slice(0, maxMessageLength)
    : otherwise

const candidatesOf = (thrown: Thrown): ReadonlyArray<{ readonly code: number; readonly name: string }> =>
  (Array.isArray(thrown["candidates"]) ? thrown["candidates"] : []).flatMap((candidate: unknown) => {
    const { code, name } = isThrown(candidate) ? candidate : {}
    return typeof code === "number" && Number.isFinite(code) && typeof name === "string"
      ? [{ code, name }]
      : []
  })

const maxRetryAfterSeconds = 86_400

const retryAfterOf = (thrown: Thrown): { readonly retryAfterSeconds?: number } => {
  const seconds = thrown["retryAfterSeconds"]
  return typeof seconds === "number" && seconds >= 0
    ? { retryAfterSeconds: Math.min(Math.max(Math.ceil(seconds), 1), maxRetryAfterSeconds) }
    : {}
}

const maxCostUsd = 1_000

const costOf = ({ costUsd }: Thrown): { readonly costUsd?: number } =>
  typeof costUsd === "number" && costUsd >= 0 ? { costUsd: Math.min(costUsd, maxCostUsd) } : {}

/*
 * Rebuilds each error that a host may throw. The thrown one may be of another copy of this package, so it is
 * recognized by `_tag` and its fields are checked. `undefined`: it can't be used.
 */
const rebuild = {
  ProductNotFound: (thrown: Thrown) =>
    new ProductNotFound({ message: messageOf(thrown, "There is no such product.") }),
  ProductUnavailable: (thrown: Thrown) =>
    new ProductUnavailable({
      message: messageOf(thrown, "The product can't be bought now."),
      ...(typeof thrown["reason"] === "string" ? { reason: thrown["reason"].slice(0, maxMessageLength) } : {})
    }),
  AddressNotServed: (thrown: Thrown) =>
    new AddressNotServed({ message: messageOf(thrown, "The product is not delivered to this address.") }),
  PlacementRefused: (thrown: Thrown) =>
    new PlacementRefused({
      reason: typeof thrown["reason"] === "string" ? toReasonCode(thrown["reason"]) : "refused"
    }),
  NotPlaced: (thrown: Thrown) =>
    new NotPlaced({ message: messageOf(thrown, "The order was not placed."), ...retryAfterOf(thrown) }),
  MailRejected: (thrown: Thrown) =>
    new MailRejected({ message: messageOf(thrown, "The mail was rejected.") }),
  InvalidTrackingNumber: (thrown: Thrown) =>
    new InvalidTrackingNumber({ message: messageOf(thrown, "is not a valid tracking number") }),
  NoTrackingInfo: (thrown: Thrown) =>
    new NoTrackingInfo({
      message: messageOf(thrown, "There is no information on this tracking number yet."),
      ...costOf(thrown)
    }),
  CarrierNotDetected: (thrown: Thrown) =>
    new CarrierNotDetected({
      message: messageOf(thrown, "The carrier could not be detected; send carrier."),
      candidates: candidatesOf(thrown)
    }),
  InvalidCarrier: (thrown: Thrown) =>
    new InvalidCarrier({ message: messageOf(thrown, "The carrier does not fit this tracking number.") }),
  AdditionalFieldRequired: (thrown: Thrown) => {
    const field = additionalFields.find((name) => name === thrown["field"])
    return field === undefined
      ? undefined
      : new AdditionalFieldRequired({ message: messageOf(thrown, `The carrier needs ${field}.`), field })
  }
}

/** The name of an error that some port lets a host throw. */
export type AllowedTag = keyof typeof rebuild
/** The error of that name. */
export type Allowed<Tag extends AllowedTag> = NonNullable<ReturnType<(typeof rebuild)[Tag]>>

const rebuildAs = <Tag extends AllowedTag>(tag: Tag, thrown: Thrown): Allowed<Tag> | undefined =>
  // Each function of the table returns the error of its own key; TypeScript loses that in an indexed call.
  rebuild[tag](thrown) as Allowed<Tag> | undefined

/**
 * Maps what a host threw to an error of the port.
 *
 * Keeps an error named in `allowed` and those of upstreams, maps `TemporarilyUnavailable` to `UpstreamUnavailable`, and
 * anything else to `UpstreamFailed`.
 */
export const toPortError = <Tag extends AllowedTag>(
  port: PortName,
  allowed: ReadonlyArray<Tag>,
  cause: unknown
): Allowed<Tag> | UpstreamError => {
  if (!isThrown(cause) || !("_tag" in cause)) return new UpstreamFailed({ port, cause })
  if (cause["_tag"] === "TemporarilyUnavailable")
    return new UpstreamUnavailable({ port, cause, ...retryAfterOf(cause) })
  if (cause["_tag"] === "UpstreamUnavailable")
    return new UpstreamUnavailable({ port, cause: cause["cause"], ...retryAfterOf(cause) })
  if (cause["_tag"] === "UpstreamFailed") return new UpstreamFailed({ port, cause: cause["cause"] })
  const tag = allowed.find((name) => name === cause["_tag"])
  const error = tag === undefined ? undefined : rebuildAs(tag, cause)
  return error ?? new UpstreamFailed({ port, cause })
}
