import type { Order, OrderStatus, Till } from "@till402/core"
import { sellsOutAsin, type Timetable } from "../shop/index.ts"
import { cut, dollars, type Paint, shorten } from "../Terminal.ts"
import { balanceHeading, balanceLines, type Ledger, movedBy } from "./Balances.ts"
import type { OrderWatch } from "./OrderWatch.ts"
import { buy, type MakeCall, track } from "./Tour.ts"

/* Shows two orders: one is delivered, the other is refused after payment and refunded. */

/** What showing an order needs. */
export interface OrderStage {
  readonly till: Till
  readonly watch: OrderWatch
  readonly go: MakeCall
  readonly print: (...lines: ReadonlyArray<string>) => void
  readonly paint: Paint
  /** Width of the output. */
  readonly columns: number
}

/** Formats a status change; `placing` is the till's own status before it calls the shop. */
const tale: Partial<Record<OrderStatus, (order: Order) => string>> = {
  processing: () => "paid",
  placed: ({ upstreamReference = "" }) => `shop order number ${upstreamReference}`,
  shipped: ({ shipments }) =>
    shipments.map(({ carrier = "", trackingNumber }) => `${carrier} ${trackingNumber}`.trim()).join(", "),
  delivered: () => "",
  failed: ({ reason = "" }) => reason,
  refund_due: () => "",
  refunded: () => ""
}

const stepLines = (steps: ReadonlyArray<Order>, paint: Paint): ReadonlyArray<string> =>
  steps.flatMap((order) => {
    const text = tale[order.status]?.(order)
    if (text === undefined) return []
    const time = new Date(order.updatedAtMillis).toISOString().slice(11, 23)
    return [`  ${paint.dim(time)}  ${paint.bold(order.status.padEnd(10))}  ${text}`.trimEnd()]
  })

/** The order's name and number, and its status changes. */
const orderLines = ({ columns, paint, watch }: OrderStage, { id, offer }: Order): ReadonlyArray<string> => [
  cut(`order ${id}: ${offer.product.title}`, columns),
  ...stepLines(watch.stepsOf(id), paint)
]

/**
 * Follows an order until it is delivered, advancing the shop's clock step by step, then pays to track its
 * parcel.
 *
 * @param pass advances the shop's clock
 */
export const showDelivery = async (
  stage: OrderStage,
  orderId: string,
  { deliveredAfterMillis, shippedAfterMillis }: Required<Timetable>,
  pass: (millis: number) => void
): Promise<void> => {
  const { go, print, till, watch } = stage
  await watch.reached(orderId, "placed")
  pass(shippedAfterMillis)
  await till.orders.processNow(orderId)
  const { shipments } = await watch.reached(orderId, "shipped")
  pass(deliveredAfterMillis - shippedAfterMillis)
  await till.orders.processNow(orderId)
  const order = await watch.reached(orderId, "delivered")
  print(...orderLines(stage, order))
  const [parcel] = shipments
  if (parcel === undefined) throw new Error("The order was shipped without a parcel.")
  await track(go, parcel.trackingNumber)
}

/**
 * Buys a product that sells out before the order, and follows its payment and refund.
 *
 * @returns the refund in atomic units, and whether both balances are as before
 */
export const showRefund = async (
  stage: OrderStage,
  ledger: Ledger
): Promise<{ readonly refundedAtomic: bigint; readonly agrees: boolean }> => {
  const { go, paint, print, till, watch } = stage
  const orderId = await buy(go, sellsOutAsin)
  const { chargeKey } = await watch.reached(orderId, "refund_due")
  const order = await watch.reached(orderId, "refunded")
  const entries = (await till.ledger.list({ limit: 100 })).filter((entry) => entry.chargeKey === chargeKey)
  const paid = entries.find(({ kind }) => kind === "settled")
  const refund = entries.find(({ kind }) => kind === "refunded")
  if (paid?.transaction === undefined || refund?.transaction === undefined) {
    throw new Error("The refund is missing in the ledger.")
  }
  const moments = [
    await ledger.at("before", paid.transaction),
    await ledger.at("after", paid.transaction),
    await ledger.at("after", refund.transaction)
  ] as const
  const [before, between, after] = moments
  print(
    ...orderLines(stage, order),
    `  refund ${paint.bold(dollars(refund.amountAtomic))} USDC  ${paint.cyan(shorten(refund.transaction))}`,
    `  ${balanceHeading(["before", "paid", "refunded"], paint)}`,
    ...balanceLines(moments, () => "").map((line) => `  ${line}`)
  )
  const { amountAtomic } = refund
  return {
    refundedAtomic: amountAtomic,
    agrees:
      amountAtomic === paid.amountAtomic &&
      movedBy(before, between, amountAtomic) &&
      movedBy(between, after, -amountAtomic)
  }
}
