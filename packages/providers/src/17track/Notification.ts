import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { equalInConstantTime } from "@till402/core/effect"
import { Redacted } from "effect"
import { carrierCode, field, text } from "./Document.ts"

/*
 * The provider's webhooks: `{ event, data }`, and a header `sign` with the SHA-256 of the body, a slash
 * and the API key, in hex (not an HMAC).
 */

/** The header of the signature. */
export const signHeader = "sign"

/** A body contains one shipment with up to several hundred events. */
export const maxBodyBytes = 1024 * 1024

/** Whether `sign` is the signature of an unchanged body. */
export const isSigned = (
  body: Uint8Array,
  sign: string | null,
  apiKey: Redacted.Redacted<string>
): boolean => {
  const digest = sha256
    .create()
    .update(body)
    .update(utf8ToBytes(`/${Redacted.value(apiKey)}`))
    .digest()
  return equalInConstantTime((sign ?? "").toLowerCase(), bytesToHex(digest))
}

export type Notification =
  | { readonly _tag: "Updated"; readonly number: string; readonly item: unknown }
  | { readonly _tag: "Stopped"; readonly number: string; readonly carrier: number | null }
  /** An unknown event. */
  | { readonly _tag: "Other" }

/** Reads a webhook; `undefined` if its body is invalid. */
export const readNotification = (body: Uint8Array): Notification | undefined => {
  let document: unknown
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
  const event = text(field(document, "event"), 100)
  if (event === null) return undefined
  if (event !== "TRACKING_UPDATED" && event !== "TRACKING_STOPPED") return { _tag: "Other" }
  const item = field(document, "data")
  const number = text(field(item, "number"), 100)
  if (number === null) return undefined
  return event === "TRACKING_UPDATED"
    ? { _tag: "Updated", number, item }
    : { _tag: "Stopped", number, carrier: carrierCode(field(item, "carrier")) }
}
