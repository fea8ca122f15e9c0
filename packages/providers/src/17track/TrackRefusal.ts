import {
  AdditionalFieldRequired,
  CarrierNotDetected,
  InvalidCarrier,
  InvalidTrackingNumber,
  NoTrackingInfo
} from "@till402/core/effect"
import type { TrackQuery } from "@till402/core"
import { likelyCarriers } from "../carriers/LikelyCarriers.ts"
import { type ExtraField, type Meaning, ProviderRefusal, type Rejection } from "./Rejection.ts"

/*
 * Refusals of a lookup, with our own messages: the provider's messages use its own field names and quote the
 * number.
 */

export type TrackRefusal =
  | AdditionalFieldRequired
  | CarrierNotDetected
  | InvalidCarrier
  | InvalidTrackingNumber
  | NoTrackingInfo

const fieldNames: Readonly<Record<ExtraField, string>> = {
  destinationPostalCode: "the postal code of the destination",
  destinationCountry: "the country of the destination",
  shipDate: "the ship date",
  phone: "the recipient's phone number or its last four digits",
  cpfOrCnpj: "the recipient's CPF or CNPJ"
}

/** The error for a carrier that requires `fields`. Names the first one that the query lacks. */
export const fieldRequired = (
  fields: ReadonlyArray<ExtraField>,
  query: TrackQuery
): AdditionalFieldRequired => {
  const missing = fields.filter((name) => query[name] === undefined)
  const field = missing[0] ?? fields.at(-1)!
  return new AdditionalFieldRequired({
    field,
    message:
      missing.length === 0
        ? `The carrier does not accept the ${field} that was sent; send ${fieldNames[field]}.`
        : `The carrier needs ${missing.map((name) => fieldNames[name]).join(" and ")}: send ${missing.join(" and ")}.`
  })
}

const carrierNotDetected = ({ number }: TrackQuery): CarrierNotDetected => {
  const candidates = likelyCarriers(number).map(({ code, name }) => ({ code, name }))
  return new CarrierNotDetected({
    message:
      candidates.length === 0
        ? "The carrier can't be detected from the number: send carrier."
        : `The carrier can't be detected from the number: send carrier, e.g. ${candidates[0]!.code} for ${candidates[0]!.name}.`,
    candidates
  })
}

/** The error of a lookup whose number was rejected. */
export const refusalOf = (
  meaning: Meaning,
  { code }: Rejection,
  query: TrackQuery
): TrackRefusal | ProviderRefusal => {
  switch (meaning._tag) {
    case "NeedsFields":
      return fieldRequired(meaning.fields, query)
    case "CarrierNotDetected":
      return carrierNotDetected(query)
    case "InvalidCarrier":
      return new InvalidCarrier({
        message:
          query.carrier === undefined
            ? "The carrier of this number is not supported."
            : `There is no carrier ${query.carrier}, or it has no such numbers.`
      })
    case "InvalidInput":
      // Completes a message that begins with "number".
      return new InvalidTrackingNumber({ message: "is not a tracking number that the carrier knows" })
    case "NothingYet":
    case "NotRegistered":
      return new NoTrackingInfo({ message: "There is no information on this tracking number yet." })
    case "AlreadyRegistered":
    case "Unavailable":
    case "Failed":
      return new ProviderRefusal({ number: code })
  }
}
