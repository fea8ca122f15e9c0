import { Stream } from "effect"
import { format, type Money } from "../domain/Money.ts"
import type { Order } from "../ports/Orders.ts"

/*
 * Orders as text for a host's bookkeeping. Amounts are exact decimal text; times are ISO 8601 in UTC.
 */

const isoOf = (millis: number): string => new Date(millis).toISOString()

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

/**
 * The places where a spreadsheet would read a formula (https://owasp.org/www-community/attacks/CSV_Injection): before a
 * character of a formula, at the start and after a character by which some spreadsheets separate cells or rows even
 * within quotes; and before such a character at the start. Full-width and small forms count, and characters that don't
 * show.
 */
const formulaStarts = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=["'\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/gu

/** A spreadsheet reads it as a number, and can calculate with it. */
const negativeNumber = /^-\d+(?:\.\d+)?$/

const withoutFormulas = (text: string): string =>
  negativeNumber.test(text) ? text : text.replace(formulaStarts, "'")

/** Quoted, since not every spreadsheet separates by commas. */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = Array.isArray(value)
    ? value.join(" ")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value)
  return `"${withoutFormulas(text).replaceAll('"', '""')}"`
}

const row = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

const csvText = (lines: ReadonlyArray<Line>, shown: ReadonlyArray<keyof Line>): string =>
  lines.map((line) => row(shown.map((name) => cellOf(line[name])))).join("")

const jsonText = (lines: ReadonlyArray<Line>, isFirst: boolean): string =>
  `${isFirst ? "" : ","}\n${lines.map((line) => JSON.stringify(line)).join(",\n")}`

/** Turns pages of orders into the text of one document, piece by piece. */
export const exportOrders = <E, R>(
  pages: Stream.Stream<ReadonlyArray<Order>, E, R>,
  { format, personal }: { readonly format: "csv" | "json"; readonly personal: boolean }
): Stream.Stream<string, E, R> => {
  const lines = pages.pipe(
    Stream.filter((orders) => orders.length > 0),
    Stream.map((orders) => orders.map((order) => lineOf(order, personal)))
  )
  if (format === "csv") {
    const shown = personal ? [...columns, ...personalColumns] : columns
    return Stream.concat(
      Stream.succeed(row(shown)),
      Stream.map(lines, (page) => csvText(page, shown))
    )
  }
  return Stream.concat(
    Stream.succeed("["),
    Stream.mapAccum(
      lines,
      () => true,
      (isFirst, page): readonly [boolean, ReadonlyArray<string>] => [false, [jsonText(page, isFirst)]],
      { onHalt: (isEmpty) => [isEmpty ? "]\n" : "\n]\n"] }
    )
  )
}
