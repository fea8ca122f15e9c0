import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import { Redacted } from "effect"
import type { ExtraField } from "./Rejection.ts"

/*
 * The tag that a number is registered with. The provider returns it with the number, but doesn't promise to return the
 * phone number or the postal code. The tag contains a keyed digest of each, so that every caller can be checked.
 */

/** Fields that a carrier checks. */
export const checkedFields = [
  "destinationPostalCode",
  "phone",
  "shipDate",
  "cpfOrCnpj"
] as const satisfies ReadonlyArray<ExtraField>

export type CheckedField = (typeof checkedFields)[number]

const letters: Readonly<Record<CheckedField, string>> = {
  destinationPostalCode: "P",
  phone: "T",
  shipDate: "D",
  cpfOrCnpj: "C"
}

const prefix = "t402:"
const digestLength = 16

const digits = (text: string): string => text.replaceAll(/\D/g, "")

/** The part of a value that different spellings share: of a phone number, its last four digits. */
const plain = (field: CheckedField, value: string): string => {
  if (field === "destinationPostalCode") return value.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")
  return field === "phone" ? digits(value).slice(-4) : digits(value)
}

export interface RegistrationTags {
  /** The tag for fields with their values; `undefined` without any. */
  readonly write: (values: { readonly [field in CheckedField]?: string | undefined }) => string | undefined
  /** Whether a value is the one in the tag; `undefined` if the tag has none for the field. */
  readonly check: (tag: string | null, field: CheckedField, value: string | undefined) => boolean | undefined
}

export const registrationTags = (apiKey: Redacted.Redacted<string>): RegistrationTags => {
  const digestOf = (field: CheckedField, value: string): string =>
    bytesToHex(
      hmac(sha256, Redacted.value(apiKey), JSON.stringify(["tag", field, plain(field, value)]))
    ).slice(0, digestLength)
  return {
    write: (values) => {
      const parts = checkedFields.flatMap((field) => {
        const value = values[field]
        return value === undefined ? [] : [`${letters[field]}${digestOf(field, value)}`]
      })
      return parts.length === 0 ? undefined : `${prefix}${parts.join("")}`
    },
    check: (tag, field, value) => {
      if (tag === null || !tag.startsWith(prefix)) return undefined
      const [, registered] = new RegExp(`${letters[field]}([0-9a-f]{${digestLength}})`).exec(tag) ?? []
      if (registered === undefined) return undefined
      return value !== undefined && digestOf(field, value) === registered
    }
  }
}
