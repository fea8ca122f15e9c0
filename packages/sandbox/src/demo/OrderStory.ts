import type { Order, OrderStatus, Till } from "@till402/core"
import { sellsOutAsin, type Timetable } from "../shop/index.ts"
import { cut, dollars, type Paint } from "../Terminal.ts"
import { balanceHeading, balanceLines, type Ledger, movedBy } from "./Balances.ts"
import type { OrderWatch } from "./OrderWatch.ts"
import { buy, type Go, track } from "./Tour.ts"

/*
 * What becomes of orders: one goes all its way, another is refused after it was paid, and refunded.
 */

/** What the stories are told with. */
export interface Stage {
  readonly till: Till
  readonly watch: OrderWatch
  readonly go: Go
  readonly print: (...lines: ReadonlyArray<string>) => void
  readonly paint: Paint
  /** Width of the terminal; `undefined` where output is piped. */
  readonly columns: number | undefined
}

/** What a step is told with; `placing` is the till's own note that it is about to call the shop. */
const tale: Partial<Record<OrderStatus, (order: Order) => string>> = {
  processing: () => "paid",
  placed: ({ upstreamReference = "" }) => `the shop's number is ${upstreamReference}`,
  shipped: ({ shipments }) =>
    shipments.map(({ carrier = "", trackingNumber }) => `${carrier} ${trackingNumber}`.trim()).join(", "),
  delivered: () => "",
  failed: ({ reason = "" }) => reason,
  refund_due: () => "",
  refunded: () => ""
}

const stepLines = (steps: ReadonlyArray<Order>, paint: Paint): ReadonlyArray<string> =>
  steps.flatMap((order) => {
    const told = tale[order.status]?.(order)
    if (told === undefined) return []
    const time = new Date(order.updatedAtMillis).toISOString().slice(11, 23)
    return [`  ${paint.dim(time)}  ${paint.bold(order.status.padEnd(10))}  ${told}`.trimEnd()]
  })

/** The order by name and number, and its steps. */
const orderLines = ({ columns, paint, watch }: Stage, { id, offer }: Order): ReadonlyArray<string> => [
  cut(`order ${id}: ${offer.product.title}`, columns ?? Number.POSITIVE_INFINITY),
  ...stepLines(watch.stepsOf(id), paint)
]

/**
 * Follows an order till it is delivered: as the shop's clock comes to each point of the timetable, the till asks
 * it how the order stands. Then pays for tracking its parcel.
 *
 * @param pass puts the shop's clock forward
 */
export const tellDelivery = async (
  stage: Stage,
  orderId: string,
  { deliveredAfterMillis, shippedAfterMillis }: Required<Timetable>,
  pass: (millis: number) => void
): Promise<void> => {
  const { go, print, till, watch } = stage
  await watch.reached(orderId, "placed")
  pass(shippedAfterMillis)
  await till.orders.hurry(orderId)
  const { shipments } = await watch.reached(orderId, "shipped")
  pass(deliveredAfterMillis - shippedAfterMillis)
  await till.orders.hurry(orderId)
  const order = await watch.reached(orderId, "delivered")
  print(...orderLines(stage, order))
  const [parcel] = shipments
  if (parcel === undefined) throw new Error("The order was shipped without a parcel.")
  await track(go, parcel.trackingNumber)
}

/**
 * Buys what sells out before the order comes in, and follows the money: there, and back again.
 *
 * @returns what was refunded in atomic units, and whether both sides hold again what they held before
 */
export const tellRefund = async (
  stage: Stage,
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
    throw new Error("The refund does not stand in the ledger.")
  }
  const moments = [
    await ledger.at("before", paid.transaction),
    await ledger.at("after", paid.transaction),
    await ledger.at("after", refund.transaction)
  ] as const
  const [before, between, after] = moments
  print(
    ...orderLines(stage, order),
    `  refund ${paint.bold(dollars(refund.amountAtomic))} USDC  ${paint.cyan(refund.transaction)}`,
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
