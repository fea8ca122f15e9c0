import type { UpstreamFault } from "../upstream/index.ts"

/** Ids of the shop's orders and products, as text. */
export const referencePattern: RegExp = /^\d{1,15}$/

/** Statuses of an order that is only a quote. */
export const unpaid: ReadonlySet<string> = new Set(["pending"])

/** Statuses of an order that will not be delivered. */
export const ended: ReadonlySet<string> = new Set(["cancelled", "refunded", "failed", "trash"])

/** Whether the shop doesn't have what was requested. */
export const isMissing = (fault: UpstreamFault): boolean => fault._tag === "Rejected" && fault.status === 404
