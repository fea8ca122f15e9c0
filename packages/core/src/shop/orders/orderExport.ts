import { Stream } from "effect"
import { format, type Money } from "../../domain/Money.ts"
import type { Order } from "../ports/Orders.ts"
import { type ExportFormat, exportLines, isoOf } from "../../operators/recordExport.ts"

/*
 * Orders as text for a host's bookkeeping. Amounts are exact decimal text; times are ISO 8601 in UTC.
 */

const lineOf = (order: Order, personal: boolean) => {
  const { offer, product } = order
  const exact = ({ atomic }: Money) => format({ atomic, currency: "USD" })
  return {
    id: order.id,
    status: order.status,
    reason: order.reason ?? null,
    createdAt: isoOf(order.createdAtMillis),
    updatedAt: isoOf(order.updatedAtMillis),
    source: product.source,
    productId: product.source === "marketplace_a" ? product.asin : product.variantId,
    title: offer.product.title,
    subtotal: exact(offer.subtotal),
    tax: exact(offer.tax),
    shipping: exact(offer.shipping),
    fee: offer.fee === undefined ? null : exact(offer.fee),
    total: exact(offer.total),
    currency: offer.total.currency,
    chargeKey: order.chargeKey,
    upstreamReference: order.upstreamReference ?? null,
    trackingNumbers: order.shipments.map(({ trackingNumber }) => trackingNumber),
    ...(personal ? { email: order.email ?? null, shippingAddress: order.shippingAddress ?? null } : {})
  }
}

type Line = ReturnType<typeof lineOf>

const columns = [
  "id",
  "status",
  "reason",
  "createdAt",
  "updatedAt",
  "source",
  "productId",
  "title",
  "subtotal",
  "tax",
  "shipping",
  "fee",
  "total",
  "currency",
  "chargeKey",
  "upstreamReference",
  "trackingNumbers"
] as const satisfies ReadonlyArray<keyof Line>
const personalColumns = ["email", "shippingAddress"] as const satisfies ReadonlyArray<keyof Line>

/** Turns pages of orders into the text of one document, piece by piece. */
export const exportOrders = <E, R>(
  pages: Stream.Stream<ReadonlyArray<Order>, E, R>,
  { format, personal }: { readonly format: ExportFormat; readonly personal: boolean }
): Stream.Stream<string, E, R> =>
  exportLines(
    Stream.map(pages, (orders) => orders.map((order) => lineOf(order, personal))),
    format,
    personal ? [...columns, ...personalColumns] : columns
  )
