import { Effect, Option, Schema } from "effect"
import { fromBase64, toText } from "../../domain/Base64.ts"
import { BoundedMap } from "../../runtime/BoundedMap.ts"
import { report } from "../../runtime/events.ts"

/*
 * The header EXTENSION-RESPONSES of a facilitator: whether it lists a resource in its public catalogue. It is for the
 * seller: no buyer gets it. Many facilitators send none.
 */

/** Longest header that is read. */
const maxHeaderLength = 4_096
const maxReasonLength = 200
/** Resources whose status is remembered: a till has a few. */
const maxResources = 256

const ExtensionResponses = Schema.Struct({
  bazaar: Schema.optionalKey(
    Schema.Struct({
      status: Schema.String,
      rejectedReason: Schema.optionalKey(Schema.NullishOr(Schema.String))
    })
  )
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ExtensionResponses))

/** Words for a log: in one line, and without addresses and hashes. */
const reasonOf = (text: string | null | undefined): string | undefined =>
  text
    ?.slice(0, maxReasonLength)
    .replace(/\p{C}+/gu, " ")
    .replace(/\b(?:0x)?[0-9A-Za-z]{30,}/g, "…")

const read = (header: string) => {
  const bytes = header.length > maxHeaderLength ? undefined : fromBase64(header)
  return bytes === undefined ? undefined : Option.getOrUndefined(decode(toText(bytes)))?.bazaar
}

/** Reports what a facilitator says about the listing of each resource, when it changes. */
export class ListingReports {
  private readonly facilitator: string
  private readonly last = new BoundedMap<string, { readonly header: string; readonly outcome: string }>(
    maxResources
  )

  constructor(facilitator: string) {
    this.facilitator = facilitator
  }

  /** `url`: the resource that the payment was for. */
  note(url: string, header: string | undefined): Effect.Effect<void> {
    const last = this.last.get(url)
    // Most calls repeat the one before.
    if (header === undefined || last?.header === header) return Effect.void
    const { rejectedReason, status } = read(header) ?? {}
    if (status !== "success" && status !== "rejected") return Effect.void
    const reason = status === "success" ? undefined : reasonOf(rejectedReason)
    const outcome = `${status} ${reason}`
    this.last.set(url, { header, outcome })
    if (last?.outcome === outcome) return Effect.void
    const { facilitator } = this
    return status === "success"
      ? report("Info", "listing_accepted", `The facilitator lists ${url}`, { facilitator })
      : report("Warn", "listing_rejected", `The facilitator doesn't list ${url}`, { facilitator, reason })
  }
}
