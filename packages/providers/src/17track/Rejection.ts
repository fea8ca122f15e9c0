import { Data } from "effect"
import type { AdditionalFieldRequired } from "@till402/core/effect"
import type { UpstreamFault } from "../upstream/UpstreamFault.ts"

/*
 * Meanings of the provider's error codes. A code in the envelope refuses the whole call; a code in an item
 * refuses one number.
 */

/** A query parameter that a carrier may require. */
export type ExtraField = AdditionalFieldRequired["field"]

/** An error code with the provider's message. */
export interface Rejection {
  readonly code: number
  readonly message: string
}

export type Meaning =
  | { readonly _tag: "AlreadyRegistered" }
  | { readonly _tag: "NotRegistered" }
  | { readonly _tag: "NothingYet" }
  | { readonly _tag: "CarrierNotDetected" }
  | { readonly _tag: "InvalidCarrier" }
  | { readonly _tag: "InvalidInput" }
  | { readonly _tag: "NeedsFields"; readonly fields: ReadonlyArray<ExtraField> }
  /** Temporary, or for the host to fix: key, account, quota, rate. */
  | { readonly _tag: "Unavailable" }
  | { readonly _tag: "Failed" }

const meanings: ReadonlyMap<number, Exclude<Meaning["_tag"], "NeedsFields">> = new Map([
  [401, "Unavailable"],
  [403, "Unavailable"],
  [429, "Unavailable"],
  [-18_010_001, "Unavailable"], // IP not whitelisted
  [-18_010_002, "Unavailable"], // invalid key
  [-18_010_004, "Unavailable"], // account disabled
  [-18_010_005, "Unavailable"], // unauthorized
  [-18_010_011, "InvalidInput"],
  [-18_010_012, "InvalidInput"],
  [-18_010_013, "InvalidInput"],
  [-18_019_901, "AlreadyRegistered"],
  [-18_019_902, "NotRegistered"],
  [-18_019_903, "CarrierNotDetected"],
  [-18_019_907, "Unavailable"], // daily limit
  [-18_019_908, "Unavailable"], // quota used up
  [-18_019_909, "NothingYet"],
  [-18_019_910, "InvalidCarrier"],
  [-18_019_911, "Unavailable"] // the carrier can't be registered now
])

const badValues: ReadonlySet<number> = new Set([-18_010_011, -18_010_012, -18_010_013, -18_010_015])

/** Whether a registration with a ship date may have been refused for the date's format. Refusals cost no quota. */
export const mayBlameDate = (rejection: Rejection): boolean => {
  const meaning = meaningOf(rejection)
  return (
    badValues.has(rejection.code) || (meaning._tag === "NeedsFields" && meaning.fields.includes("shipDate"))
  )
}

/** No quota is left. */
export const quotaUsedUp = -18_019_908

const fieldsByCode: ReadonlyMap<number, ReadonlyArray<ExtraField>> = new Map<
  number,
  ReadonlyArray<ExtraField>
>([
  [-18_010_018, ["destinationCountry", "destinationPostalCode"]],
  [-18_010_019, ["destinationPostalCode"]],
  [-18_010_020, ["phone"]],
  [-18_010_022, ["shipDate"]]
])

/** The provider's field names, as quoted in its messages. */
const fieldsByName: Readonly<Record<string, ExtraField>> = {
  destination_postal_code: "destinationPostalCode",
  destination_country: "destinationCountry",
  phone_number: "phone",
  phone_number_last_4: "phone",
  ship_date: "shipDate",
  cpf_or_cnpj: "cpfOrCnpj"
}

const quotedField = (message: string): ExtraField | undefined => {
  for (const [, name = ""] of message.matchAll(/'([a-z_0-9]{1,40})'/g)) {
    const field = Object.hasOwn(fieldsByName, name) ? fieldsByName[name] : undefined
    if (field !== undefined) return field
  }
  return undefined
}

/** The meaning of a rejection. A field named in the message takes precedence over the code's. */
export const meaningOf = ({ code, message }: Rejection): Meaning => {
  const fields = fieldsByCode.get(code)
  if (fields !== undefined) {
    const quoted = quotedField(message)
    return {
      _tag: "NeedsFields",
      fields: quoted === undefined || fields.includes(quoted) ? fields : [quoted]
    }
  }
  return { _tag: meanings.get(code) ?? "Failed" }
}

/** Whether a code concerns a number, so that one number of a refused call is the cause. */
export const blamesNumber = (code: number): boolean => {
  const { _tag } = meaningOf({ code, message: "" })
  return (code <= -18_010_010 && code >= -18_010_022) || (_tag !== "Unavailable" && _tag !== "Failed")
}

/** The provider refused a whole call, or a number for a reason that the caller didn't cause. */
export class ProviderRefusal extends Data.TaggedError("ProviderRefusal")<{
  /** The provider's error code. */
  readonly number: number
}> {
  override get message(): string {
    return `17track refused a call with code ${this.number}`
  }
  /** The code for logs. */
  get code(): string {
    return `CODE_${Math.abs(this.number)}`
  }
  /** Whether it is the port's 503 rather than its 502. */
  get isUnavailable(): boolean {
    return meaningOf({ code: this.number, message: "" })._tag === "Unavailable"
  }
}

/** The errors of a call to the provider. */
export type CallFault = UpstreamFault | ProviderRefusal
