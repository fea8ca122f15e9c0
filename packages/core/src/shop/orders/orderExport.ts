import type { Stream } from "effect"
import { format, type Money } from "../../domain/Money.ts"
import type { Order } from "../ports/Orders.ts"
import { type Columns, type ExportFormat, exportRecords, isoOf } from "../../operators/recordExport.ts"

/*
 * Orders as text for a host's bookkeeping. Amounts are exact decimal text; times are ISO 8601 in UTC.
 */

const exact = ({ atomic }: Money): string => format({ atomic, currency: "USD" })

const columns: Columns<Order> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  reason: ({ reason }) => reason ?? null,
  createdAt: ({ createdAtMillis }) => isoOf(createdAtMillis),
  updatedAt: ({ updatedAtMillis }) => isoOf(updatedAtMillis),
  source: ({ product }) => product.source,
  productId: ({ product }) => (product.source === "marketplace_a" ? product.asin : product.variantId),
  title: ({ offer }) => offer.product.title,
  subtotal: ({ offer }) => exact(offer.subtotal),
  tax: ({ offer }) => exact(offer.tax),
  shipping: ({ offer }) => exact(offer.shipping),
  fee: ({ offer }) => (offer.fee === undefined ? null : exact(offer.fee)),
  total: ({ offer }) => exact(offer.total),
  currency: ({ offer }) => offer.total.currency,
  chargeKey: ({ chargeKey }) => chargeKey,
  upstreamReference: ({ upstreamReference }) => upstreamReference ?? null,
  trackingNumbers: ({ shipments }) => shipments.map(({ trackingNumber }) => trackingNumber)
}

const personalColumns: Columns<Order> = {
  email: ({ email }) => email ?? null,
  shippingAddress: ({ shippingAddress }) => shippingAddress ?? null
}

/** Turns pages of orders into the text of one document, piece by piece. */
export const exportOrders = <E, R>(
  pages: Stream.Stream<ReadonlyArray<Order>, E, R>,
  { format, personal }: { readonly format: ExportFormat; readonly personal: boolean }
): Stream.Stream<string, E, R> =>
  exportRecords(pages, format, personal ? { ...columns, ...personalColumns } : columns)
