import type { FulfilmentStatus, OrderStatus } from "../goods/Order.ts"
import type { Order, OrderMail } from "../ports/Orders.ts"
import type { OrderEvent } from "./OrderEvent.ts"
import { isIn, type Move, moveTo, park, retryIn, withDueTime } from "./OrderMove.ts"
import { type Capabilities, nextStep } from "./OrderStep.ts"
import * as OrderTimings from "./OrderTimings.ts"

/*
 * The life of an order as pure transitions: order × event × time → order. A worker reads the next step off the order
 * (`nextStep`), performs it, and applies the result as the next event.
 *
 * awaiting_payment ─▶ processing ─▶ placing ─▶ placed ─▶ shipped ─▶ delivered
 *
 * awaiting_payment ─▶ abandoned ─▶ processing              its payment settled after all
 * placing ─▶ processing                                    not placed; retried
 * placed ─▶ delivered                                      the upstream skipped a status
 * processing, placing, placed, shipped ─▶ needs_operator ─▶ processing, placed, delivered, cancelled
 * placing, placed, shipped ─▶ failed
 * processing, placed, shipped ─▶ cancelled
 * failed, cancelled ─▶ refund_due ─▶ refunded
 * failed, cancelled ─▶ abandoned                           nothing was paid
 */

type EventOf<Tag extends OrderEvent["_tag"]> = Extract<OrderEvent, { readonly _tag: Tag }>

const afterPayment = (
  order: Order,
  event: EventOf<"PaymentSettled" | "PaymentFailed" | "PaymentPending">,
  nowMillis: number
): Order | undefined => {
  switch (event._tag) {
    case "PaymentSettled":
      return isIn(order, "awaiting_payment", "abandoned")
        ? moveTo(order, { to: "processing", stepIn: 0, mail: "confirmed" }, nowMillis)
        : undefined
    case "PaymentFailed":
      if (isIn(order, "awaiting_payment"))
        return moveTo(order, { to: "abandoned", stepIn: undefined }, nowMillis)
      // Its payment had settled, and a reorganization of the chain undid that for good.
      return isIn(order, "processing", "placing", "placed", "shipped")
        ? park(order, "payment_reversed", nowMillis)
        : undefined
    case "PaymentPending":
      return isIn(order, "awaiting_payment")
        ? retryIn(order, OrderTimings.paymentCheckMillis, nowMillis)
        : undefined
  }
}

const retryPlacement = (order: Order, retryAfterMillis: number | undefined, nowMillis: number): Order => {
  const { placingBackoff, placingTimeoutMillis } = OrderTimings
  if (nowMillis - order.createdAtMillis > placingTimeoutMillis) {
    return moveTo(order, { to: "failed", stepIn: 0, reason: "not_placed_in_time", mail: "failed" }, nowMillis)
  }
  const stepIn = Math.max(placingBackoff(order.attempts), retryAfterMillis ?? 0)
  return {
    ...moveTo(order, { to: "processing", stepIn: Math.min(stepIn, placingTimeoutMillis) }, nowMillis),
    attempts: order.attempts + 1
  }
}

const afterUnclearPlacement = (order: Order, capabilities: Capabilities, nowMillis: number): Order =>
  nextStep(order, capabilities) === "Park" ||
  nowMillis - order.createdAtMillis > OrderTimings.placingTimeoutMillis
    ? park(order, "placement_unknown", nowMillis)
    : retryIn(order, OrderTimings.placingBackoff(order.attempts), nowMillis)

const afterPlacement = (
  order: Order,
  event: EventOf<"PlacingBegun" | "Placed" | "PlacementRefused" | "NotPlaced" | "PlacementUnclear">,
  capabilities: Capabilities,
  nowMillis: number
): Order | undefined => {
  const move = (to: Move) => moveTo(order, to, nowMillis)
  switch (event._tag) {
    case "PlacingBegun":
      // Attempts count across placements.
      return isIn(order, "processing", "placing")
        ? { ...move({ to: "placing", stepIn: OrderTimings.workLeaseMillis }), attempts: order.attempts }
        : undefined
    case "Placed":
      return isIn(order, "placing", "needs_operator")
        ? move({
            to: "placed",
            stepIn: capabilities.canReadStatus ? OrderTimings.statusIntervalMillis(0) : undefined,
            reference: event.reference
          })
        : undefined
    case "PlacementRefused":
      return isIn(order, "placing")
        ? move({ to: "failed", stepIn: 0, reason: event.reason, mail: "failed" })
        : undefined
    case "NotPlaced":
      return isIn(order, "placing") ? retryPlacement(order, event.retryAfterMillis, nowMillis) : undefined
    case "PlacementUnclear":
      return isIn(order, "placing") ? afterUnclearPlacement(order, capabilities, nowMillis) : undefined
  }
}

/** Statuses in their usual order: upstream may skip some, and never goes back. */
const progress: ReadonlyArray<OrderStatus> = ["placed", "shipped", "delivered"]

const afterProgress = (
  order: Order,
  { reason, shipments, status }: FulfilmentStatus,
  nowMillis: number
): Order => {
  if (status === "failed" || status === "cancelled") {
    return moveTo(order, { to: status, stepIn: 0, reason: reason ?? status, mail: "failed" }, nowMillis)
  }
  const isAhead = progress.indexOf(status) > progress.indexOf(order.status)
  const to = isAhead ? status : order.status
  // A status without parcels removes none.
  const parcels = shipments.length === 0 ? order.shipments : shipments
  const hasNewParcel = parcels.some(
    ({ trackingNumber }) => !order.shipments.some((parcel) => parcel.trackingNumber === trackingNumber)
  )
  const unchangedMillis = isAhead ? 0 : nowMillis - order.updatedAtMillis
  if (unchangedMillis > OrderTimings.trackingTimeoutMillis) {
    const followed = { ...order, shipments: parcels }
    // Sent without a tracking number, it may have arrived long ago: nobody could find out.
    return to === "shipped" && parcels.length === 0
      ? moveTo(followed, { to, stepIn: undefined }, nowMillis)
      : park(followed, "not_delivered_in_time", nowMillis)
  }
  return {
    ...moveTo(
      order,
      {
        to,
        stepIn: to === "delivered" ? undefined : OrderTimings.statusIntervalMillis(unchangedMillis),
        ...(to !== "placed" && (hasNewParcel || (isAhead && to === "shipped")) ? { mail: "shipped" } : {})
      },
      nowMillis
    ),
    shipments: parcels
  }
}

const afterStatusRequest = (
  order: Order,
  event: EventOf<"Progressed" | "Untracked" | "StatusUnknown">,
  nowMillis: number
): Order | undefined => {
  if (!isIn(order, "placed", "shipped")) return undefined
  switch (event._tag) {
    case "Progressed":
      return afterProgress(order, event.progress, nowMillis)
    case "Untracked":
      return { ...order, attempts: 0, stepAtMillis: undefined }
    case "StatusUnknown":
      return nowMillis - order.updatedAtMillis > OrderTimings.trackingTimeoutMillis
        ? park(order, "status_unknown", nowMillis)
        : retryIn(order, OrderTimings.statusBackoff(order.attempts), nowMillis)
  }
}

/** A mail that another one makes needless. */
const withoutMail = (order: Order, kind: OrderMail["kind"]): Order => ({
  ...order,
  mails: order.mails.filter((mail) => mail.kind !== kind)
})

const afterRefund = (
  order: Order,
  event: EventOf<"RefundDue" | "NoRefundDue" | "RefundPending" | "Refunded">,
  nowMillis: number
): Order | undefined => {
  const move = (to: Move): Order => ({ ...moveTo(order, to, nowMillis), reason: order.reason })
  switch (event._tag) {
    case "RefundDue":
      return isIn(order, "failed", "cancelled") ? move({ to: "refund_due", stepIn: 0 }) : undefined
    case "NoRefundDue":
      return isIn(order, "failed", "cancelled") ? move({ to: "abandoned", stepIn: undefined }) : undefined
    case "RefundPending":
      return isIn(order, "refund_due", "failed", "cancelled")
        ? retryIn(order, OrderTimings.refundBackoff(order.attempts), nowMillis)
        : undefined
    case "Refunded":
      return isIn(order, "refund_due")
        ? withoutMail(move({ to: "refunded", stepIn: undefined, mail: "refunded" }), "failed")
        : undefined
  }
}

const afterMail = (
  order: Order,
  event: EventOf<"MailDeferred" | "MailSent" | "MailFailed">,
  nowMillis: number
): Order | undefined => {
  const isSelected = ({ dueAtMillis, kind }: OrderMail) =>
    kind === event.kind && (event.dueAtMillis ?? dueAtMillis) === dueAtMillis
  if (!order.mails.some(isSelected)) return undefined
  return {
    ...order,
    mails: order.mails.flatMap((mail) => {
      if (!isSelected(mail)) return [mail]
      if (event._tag === "MailSent") return []
      if (event._tag === "MailDeferred") return [{ ...mail, dueAtMillis: event.untilMillis }]
      if (event.isFinal || mail.attempts + 1 >= OrderTimings.maxMailAttempts) return []
      const dueAtMillis = nowMillis + OrderTimings.mailBackoff(mail.attempts)
      return [{ ...mail, attempts: mail.attempts + 1, dueAtMillis }]
    })
  }
}

const afterOperator = (
  order: Order,
  event: EventOf<"Retried" | "Resolved" | "Delivered" | "Cancelled" | "StepRequested">,
  capabilities: Capabilities,
  nowMillis: number
): Order | undefined => {
  switch (event._tag) {
    case "Retried":
      return isIn(order, "needs_operator") && order.upstreamReference === undefined
        ? moveTo(order, { to: "processing", stepIn: 0 }, nowMillis)
        : undefined
    case "Resolved":
      return isIn(order, "needs_operator")
        ? afterPlacement(order, { _tag: "Placed", reference: event.reference }, capabilities, nowMillis)
        : undefined
    case "Delivered":
      return isIn(order, "needs_operator") && order.upstreamReference !== undefined
        ? moveTo(order, { to: "delivered", stepIn: undefined }, nowMillis)
        : undefined
    case "Cancelled":
      return isIn(order, "processing", "needs_operator", "placed", "shipped")
        ? moveTo(order, { to: "cancelled", stepIn: 0, reason: event.reason, mail: "failed" }, nowMillis)
        : undefined
    case "StepRequested":
      // Not in `placing`: a second worker would place the order twice.
      return isIn(order, "processing", "placed", "shipped", "failed", "cancelled", "refund_due") &&
        nextStep(order, capabilities) !== undefined
        ? { ...order, stepAtMillis: nowMillis }
        : undefined
  }
}

const next = (
  order: Order,
  event: OrderEvent,
  capabilities: Capabilities,
  nowMillis: number
): Order | undefined => {
  switch (event._tag) {
    case "PaymentSettled":
    case "PaymentFailed":
    case "PaymentPending":
      return afterPayment(order, event, nowMillis)
    case "PlacingBegun":
    case "Placed":
    case "PlacementRefused":
    case "NotPlaced":
    case "PlacementUnclear":
      return afterPlacement(order, event, capabilities, nowMillis)
    case "Progressed":
    case "Untracked":
    case "StatusUnknown":
      return afterStatusRequest(order, event, nowMillis)
    case "RefundDue":
    case "NoRefundDue":
    case "RefundPending":
    case "Refunded":
      return afterRefund(order, event, nowMillis)
    case "MailDeferred":
    case "MailSent":
    case "MailFailed":
      return afterMail(order, event, nowMillis)
    case "Retried":
    case "Resolved":
    case "Delivered":
    case "Cancelled":
    case "StepRequested":
      return afterOperator(order, event, capabilities, nowMillis)
  }
}

/** The order after an event; `undefined` if the event does not apply to an order in this state. */
export const advance = (
  order: Order,
  event: OrderEvent,
  capabilities: Capabilities,
  nowMillis: number
): Order | undefined => {
  const after = next(order, event, capabilities, nowMillis)
  if (after === undefined) return undefined
  const mailed = capabilities.canMail ? after : { ...after, mails: [] }
  // During the call to upstream, one worker holds the order: due mails wait, too.
  return event._tag === "PlacingBegun" ? { ...mailed, dueAtMillis: mailed.stepAtMillis } : withDueTime(mailed)
}

/** A new order that awaits its payment. */
export const newOrder = (
  order: Pick<Order, "id" | "chargeKey" | "product" | "shippingAddress" | "email" | "offer">,
  nowMillis: number
): Order =>
  withDueTime({
    ...order,
    status: "awaiting_payment",
    upstreamReference: undefined,
    shipments: [],
    reason: undefined,
    attempts: 0,
    stepAtMillis: nowMillis + OrderTimings.paymentLifetimeMillis,
    mails: [],
    dueAtMillis: undefined,
    version: 1,
    createdAtMillis: nowMillis,
    updatedAtMillis: nowMillis,
    timeline: [{ status: "awaiting_payment", atMillis: nowMillis }]
  })
