import type { OrderStatus } from "../goods/Order.ts"
import type { Order, OrderMail } from "../ports/Orders.ts"

/*
 * The changes that an order's transitions consist of. Pure.
 */

/** The order with its `dueAtMillis`: the earliest time of its step and its mails. */
export const withDueTime = (order: Order): Order => {
  const times = [order.stepAtMillis, ...order.mails.map(({ dueAtMillis }) => dueAtMillis)]
  const due = times.filter((time) => time !== undefined)
  return { ...order, dueAtMillis: due.length === 0 ? undefined : Math.min(...due) }
}

/** A change of an order's status, with its next step and mail. */
export interface Move {
  readonly to: OrderStatus
  /** From now, in milliseconds; `undefined`: no step is due. */
  readonly stepIn: number | undefined
  readonly reason?: string
  readonly reference?: string
  readonly mail?: OrderMail["kind"]
}

/** The order in another status (or the same one again), its attempts reset. */
export const moveTo = (order: Order, move: Move, nowMillis: number): Order => ({
  ...order,
  status: move.to,
  attempts: 0,
  stepAtMillis: move.stepIn === undefined ? undefined : nowMillis + move.stepIn,
  reason: move.reason,
  upstreamReference: move.reference ?? order.upstreamReference,
  ...(order.status === move.to
    ? {}
    : {
        updatedAtMillis: nowMillis,
        // One entry for each status, however often a placement is retried.
        timeline: [
          ...order.timeline.filter(({ status }) => status !== move.to),
          { status: move.to, atMillis: nowMillis }
        ]
      }),
  mails:
    move.mail === undefined
      ? order.mails
      : [
          ...order.mails.filter(({ kind }) => kind !== move.mail),
          { kind: move.mail, attempts: 0, dueAtMillis: nowMillis }
        ]
})

/** Schedules the same step again after a failed attempt. */
export const retryIn = (order: Order, inMillis: number, nowMillis: number): Order => ({
  ...order,
  attempts: order.attempts + 1,
  stepAtMillis: nowMillis + inMillis
})

/** The order waiting for an operator, without a step. */
export const park = (order: Order, reason: string, nowMillis: number): Order =>
  moveTo(order, { to: "needs_operator", stepIn: undefined, reason }, nowMillis)

/** Whether an order is in one of some statuses. */
export const isIn = ({ status }: Order, ...statuses: ReadonlyArray<OrderStatus>): boolean =>
  statuses.includes(status)
