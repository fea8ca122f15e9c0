import { Redacted } from "effect"
import type { UpstreamFault } from "../upstream/index.ts"

/** Ids of the shop's orders and products, as text. */
export const referencePattern: RegExp = /^\d{1,15}$/

/** Statuses of an order that is only a quote. */
export const unpaid: ReadonlySet<string> = new Set(["pending"])

/** Statuses of an order that will not be delivered. */
export const ended: ReadonlySet<string> = new Set(["cancelled", "refunded", "failed", "trash"])

const missingCode = /"code"\s*:\s*"woocommerce_rest_\w{1,40}_invalid_id"/

/**
 * Whether the shop doesn't have what was requested. Another 404 says nothing about it: WordPress responds with one to all
 * requests while WooCommerce is deactivated.
 */
export const isMissing = (fault: UpstreamFault): boolean =>
  fault._tag === "Rejected" && fault.status === 404 && missingCode.test(Redacted.value(fault.response).text)
