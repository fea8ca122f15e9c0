import type { Parcel } from "@till402/core"
import { textOf, urlOf } from "../listing/Fields.ts"

/*
 * Parcels and their statuses, as all providers of fulfilment report them.
 */

/** Parcels that are read: an order contains one product. */
export const maxParcels = 50

/** Goods that were sent this long ago, and that no carrier reports on, count as delivered. */
export const untrackedDeliveryMillis = 30 * 86_400_000

const maxTrackingNumberLength = 100
const maxCarrierLength = 100

/** Fields of an upstream's document, unchecked. */
export interface ParcelFields {
  readonly carrier: unknown
  readonly trackingNumber: unknown
  /** Candidates, the best first. */
  readonly trackingUrls: ReadonlyArray<unknown>
}

/** A parcel; `undefined` without a usable tracking number. */
export const parcelOf = (fields: ParcelFields): Parcel | undefined => {
  const trackingNumber = textOf(fields.trackingNumber)
  if (trackingNumber === null || trackingNumber.length > maxTrackingNumberLength) return undefined
  const carrier = textOf(fields.carrier)
  const [trackingUrl] = fields.trackingUrls.flatMap((url) => urlOf(url) ?? [])
  return {
    ...(carrier === null ? {} : { carrier: carrier.slice(0, maxCarrierLength) }),
    trackingNumber,
    ...(trackingUrl === undefined ? {} : { trackingUrl })
  }
}

/** In both spellings. */
export const isCancelled = (status: string): boolean => /^cancell?ed$/.test(status)
