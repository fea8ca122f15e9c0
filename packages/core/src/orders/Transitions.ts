import type { FulfilmentStatus, OrderStatus } from "../domain/Order.ts"
import type { Order, OrderMail } from "../ports/Orders.ts"
import * as Pace from "./Pace.ts"

/*
 * The life of an order, as pure transitions: order × event × time → order. What is due next is read off the
 * order (`stepOf`); a worker does it, and tells what came of it as the next event.
 *
 * awaiting_payment ─▶ processing ─▶ placing ─▶ placed ─▶ shipped ─▶ delivered
 *       └▶ abandoned      ▲  └────────┤           └─────────┤
 *                         │           ├▶ needs_operator ◀───┤ (status not to be had for long)
 *                         └───────────┘                     └▶ failed | cancelled ─▶ refund_due ─▶ refunded
 */

/** A mail of an order: the one of its kind, or, with `dueAtMillis`, that one alone and none that took its place. */
interface WhichMail {
  readonly kind: OrderMail["kind"]
  readonly dueAtMillis?: number
}

/** What happened to an order. */
export type OrderEvent =
  /** Its payment has settled. */
  | { readonly _tag: "PaymentSettled" }
  /** Its payment did not settle, is owed back as a whole, or was undone by a reorganization of the chain. */
  | { readonly _tag: "PaymentFailed" }
  /** Neither yet. */
  | { readonly _tag: "PaymentPending" }
  /** A worker is about to call upstream. */
  | { readonly _tag: "PlacingBegun" }
  | { readonly _tag: "Placed"; readonly reference: string }
  /** Not placed, and never to be. */
  | { readonly _tag: "PlacementRefused"; readonly reason: string }
  /** Certainly not placed; worth another attempt. */
  | { readonly _tag: "NotPlaced"; readonly retryAfterMillis: number | undefined }
  /** Whether it was placed is not known. */
  | { readonly _tag: "PlacementUnclear" }
  | { readonly _tag: "Progressed"; readonly progress: FulfilmentStatus }
  /** Nobody can tell how the order stands, nor ever will. */
  | { readonly _tag: "Untracked" }
  /** Upstream did not say how the order stands. */
  | { readonly _tag: "StatusUnknown" }
  /** The charge says that its amount is owed back. */
  | { readonly _tag: "RefundOwed" }
  /** There is no payment to pay back. */
  | { readonly _tag: "NothingOwed" }
  | { readonly _tag: "RefundPending" }
  | { readonly _tag: "Refunded" }
  | ({ readonly _tag: "MailSent" } & WhichMail)
  | ({ readonly _tag: "MailFailed"; readonly isFinal: boolean } & WhichMail)
  /** An operator says that it was not placed, and is to be placed again. */
  | { readonly _tag: "Retried" }
  /** An operator found it upstream. */
  | { readonly _tag: "Resolved"; readonly reference: string }
  /** An operator says that it comes to nothing. */
  | { readonly _tag: "Cancelled"; readonly reason: string }
  /** Somebody wants its next step taken now. */
  | { readonly _tag: "Hurried" }

/** What a worker can do for an order. */
export interface Capabilities {
  /** Upstream can be asked whether it has an order. */
  readonly canFind: boolean
  /** Upstream takes the same order once, however often it is placed. */
  readonly placesOnce: boolean
  /** Upstream can be asked how an order stands. */
  readonly canAskStatus: boolean
  readonly canMail: boolean
}

/** The step that an order is due for. */
export type OrderStep =
  | "CheckPayment"
  | "Place"
  | "LookUp"
  | "PlaceAgain"
  | "Park"
  | "AskStatus"
  | "OweRefund"
  | "Refund"

/** What a worker does next with an order whose `stepAtMillis` has come; `undefined`: nothing. */
export const stepOf = (
  { status }: Pick<Order, "status">,
  { canAskStatus, canFind, placesOnce }: Omit<Capabilities, "canMail">
): OrderStep | undefined => {
  switch (status) {
    case "awaiting_payment":
      return "CheckPayment"
    case "processing":
      return "Place"
    // Upstream was called, and what came of it was not written down.
    case "placing":
      return placesOnce ? "PlaceAgain" : canFind ? "LookUp" : "Park"
    case "placed":
    case "shipped":
      return canAskStatus ? "AskStatus" : undefined
    case "failed":
    case "cancelled":
      return "OweRefund"
    case "refund_due":
      return "Refund"
    default:
      return undefined
  }
}

/** The order with the time at which a worker looks at it: the first of its step and its mails. */
export const scheduled = (order: Order): Order => {
  const times = [order.stepAtMillis, ...order.mails.map(({ dueAtMillis }) => dueAtMillis)]
  const due = times.filter((time) => time !== undefined)
  return { ...order, dueAtMillis: due.length === 0 ? undefined : Math.min(...due) }
}

interface Move {
  readonly to: OrderStatus
  /** From now, in milliseconds; `undefined`: nothing is due by itself. */
  readonly stepIn: number | undefined
  readonly reason?: string
  readonly reference?: string
  readonly mail?: OrderMail["kind"]
}

const moved = (order: Order, move: Move, nowMillis: number): Order => ({
  ...order,
  status: move.to,
  attempts: 0,
  stepAtMillis: move.stepIn === undefined ? undefined : nowMillis + move.stepIn,
  reason: move.reason,
  upstreamReference: move.reference ?? order.upstreamReference,
  updatedAtMillis: order.status === move.to ? order.updatedAtMillis : nowMillis,
  mails:
    move.mail === undefined
      ? order.mails
      : [
          ...order.mails.filter(({ kind }) => kind !== move.mail),
          { kind: move.mail, attempts: 0, dueAtMillis: nowMillis }
        ]
})

/** The same step again later, after an attempt in vain. */
const again = (order: Order, inMillis: number, nowMillis: number): Order => ({
  ...order,
  attempts: order.attempts + 1,
  stepAtMillis: nowMillis + inMillis
})

const parked = (order: Order, reason: string, nowMillis: number): Order =>
  moved(order, { to: "needs_operator", stepIn: undefined, reason }, nowMillis)

/** Statuses in the order in which they follow each other: upstream may skip some, and never goes back. */
const progress: ReadonlyArray<OrderStatus> = ["placed", "shipped", "delivered"]

const progressed = (
  order: Order,
  { reason, shipments, status }: FulfilmentStatus,
  nowMillis: number
): Order => {
  if (status === "failed" || status === "cancelled") {
    return moved(order, { to: status, stepIn: 0, reason: reason ?? status }, nowMillis)
  }
  const isAhead = progress.indexOf(status) > progress.indexOf(order.status)
  const to = isAhead ? status : order.status
  // An answer without parcels takes none back.
  const known = shipments.length === 0 ? order.shipments : shipments
  const isNews = known.some(
    ({ trackingNumber }) => !order.shipments.some((parcel) => parcel.trackingNumber === trackingNumber)
  )
  // What has just moved on, `delivered` among it, has stood so for no time at all.
  const since = isAhead ? 0 : nowMillis - order.updatedAtMillis
  if (since > Pace.trackingPatience) {
    return parked({ ...order, shipments: known }, "not_delivered_in_time", nowMillis)
  }
  return {
    ...moved(
      order,
      {
        to,
        stepIn: to === "delivered" ? undefined : Pace.statusAgain(since),
        ...(to !== "placed" && (isNews || (isAhead && to === "shipped")) ? { mail: "shipped" } : {})
      },
      nowMillis
    ),
    shipments: known
  }
}

const unplaced = (order: Order, retryAfterMillis: number | undefined, nowMillis: number): Order => {
  if (nowMillis - order.createdAtMillis > Pace.placingPatience) {
    return moved(order, { to: "failed", stepIn: 0, reason: "not_placed_in_time" }, nowMillis)
  }
  const stepIn = Math.max(Pace.placingAgain(order.attempts), retryAfterMillis ?? 0)
  return {
    ...moved(order, { to: "processing", stepIn: Math.min(stepIn, Pace.placingPatience) }, nowMillis),
    attempts: order.attempts + 1
  }
}

const unclear = (order: Order, capabilities: Capabilities, nowMillis: number): Order =>
  stepOf(order, capabilities) === "Park" || nowMillis - order.createdAtMillis > Pace.placingPatience
    ? parked(order, "placement_unknown", nowMillis)
    : again(order, Pace.placingAgain(order.attempts), nowMillis)

const afterMail = (
  order: Order,
  event: Extract<OrderEvent, { _tag: "MailSent" | "MailFailed" }>,
  nowMillis: number
): Order | undefined => {
  const isMeant = ({ dueAtMillis, kind }: OrderMail) =>
    kind === event.kind && (event.dueAtMillis ?? dueAtMillis) === dueAtMillis
  if (!order.mails.some(isMeant)) return undefined
  const isOver = (mail: OrderMail) =>
    event._tag === "MailSent" || event.isFinal || mail.attempts + 1 >= Pace.mailAttempts
  return {
    ...order,
    mails: order.mails.flatMap((mail) => {
      if (!isMeant(mail)) return [mail]
      if (isOver(mail)) return []
      const dueAtMillis = nowMillis + Pace.mailAgain(mail.attempts)
      return [{ ...mail, attempts: mail.attempts + 1, dueAtMillis }]
    })
  }
}

const isIn = ({ status }: Order, ...statuses: ReadonlyArray<OrderStatus>): boolean =>
  statuses.includes(status)

const next = (
  order: Order,
  event: OrderEvent,
  capabilities: Capabilities,
  nowMillis: number
): Order | undefined => {
  const move = (to: Move) => moved(order, to, nowMillis)
  switch (event._tag) {
    case "PaymentSettled":
      return isIn(order, "awaiting_payment", "abandoned")
        ? move({ to: "processing", stepIn: 0, mail: "confirmed" })
        : undefined
    case "PaymentFailed":
      if (isIn(order, "awaiting_payment")) return move({ to: "abandoned", stepIn: undefined })
      // It had settled, and a reorganization of the chain undid that for good.
      return isIn(order, "processing", "placing", "placed", "shipped")
        ? parked(order, "payment_reversed", nowMillis)
        : undefined
    case "PaymentPending":
      return isIn(order, "awaiting_payment") ? again(order, Pace.paymentAgain, nowMillis) : undefined
    case "PlacingBegun":
      // Attempts are counted from one to the next.
      return isIn(order, "processing", "placing")
        ? { ...move({ to: "placing", stepIn: Pace.lease }), attempts: order.attempts }
        : undefined
    case "Placed":
      return isIn(order, "placing", "needs_operator")
        ? move({
            to: "placed",
            stepIn: capabilities.canAskStatus ? Pace.statusAgain(0) : undefined,
            reference: event.reference
          })
        : undefined
    case "PlacementRefused":
      return isIn(order, "placing") ? move({ to: "failed", stepIn: 0, reason: event.reason }) : undefined
    case "NotPlaced":
      return isIn(order, "placing") ? unplaced(order, event.retryAfterMillis, nowMillis) : undefined
    case "PlacementUnclear":
      return isIn(order, "placing") ? unclear(order, capabilities, nowMillis) : undefined
    case "Progressed":
      return isIn(order, "placed", "shipped") ? progressed(order, event.progress, nowMillis) : undefined
    case "Untracked":
      return isIn(order, "placed", "shipped") ? { ...order, attempts: 0, stepAtMillis: undefined } : undefined
    case "StatusUnknown":
      if (!isIn(order, "placed", "shipped")) return undefined
      return nowMillis - order.updatedAtMillis > Pace.trackingPatience
        ? parked(order, "status_unknown", nowMillis)
        : again(order, Pace.statusRetry(order.attempts), nowMillis)
    case "RefundOwed":
      return isIn(order, "failed", "cancelled")
        ? { ...move({ to: "refund_due", stepIn: 0 }), reason: order.reason }
        : undefined
    case "NothingOwed":
      return isIn(order, "failed", "cancelled")
        ? { ...move({ to: "abandoned", stepIn: undefined }), reason: order.reason }
        : undefined
    case "RefundPending":
      return isIn(order, "refund_due", "failed", "cancelled")
        ? again(order, Pace.refundAgain(order.attempts), nowMillis)
        : undefined
    case "Refunded":
      return isIn(order, "refund_due")
        ? { ...move({ to: "refunded", stepIn: undefined, mail: "refunded" }), reason: order.reason }
        : undefined
    case "MailSent":
    case "MailFailed":
      return afterMail(order, event, nowMillis)
    case "Retried":
      return isIn(order, "needs_operator") && order.upstreamReference === undefined
        ? move({ to: "processing", stepIn: 0 })
        : undefined
    case "Resolved":
      return isIn(order, "needs_operator")
        ? next(order, { _tag: "Placed", reference: event.reference }, capabilities, nowMillis)
        : undefined
    case "Cancelled":
      return isIn(order, "processing", "needs_operator", "placed", "shipped")
        ? move({ to: "cancelled", stepIn: 0, reason: event.reason })
        : undefined
    case "Hurried":
      // Not while it is being placed: who hurries that places it twice.
      return isIn(order, "processing", "placed", "shipped", "failed", "cancelled", "refund_due") &&
        stepOf(order, capabilities) !== undefined
        ? { ...order, stepAtMillis: nowMillis }
        : undefined
  }
}

/** The order after an event; `undefined` where the event means nothing to an order that stands as this one does. */
export const advance = (
  order: Order,
  event: OrderEvent,
  capabilities: Capabilities,
  nowMillis: number
): Order | undefined => {
  const after = next(order, event, capabilities, nowMillis)
  if (after === undefined) return undefined
  const told = capabilities.canMail ? after : { ...after, mails: [] }
  // While upstream is called the order is its worker's: a mail that is due waits, too.
  return event._tag === "PlacingBegun" ? { ...told, dueAtMillis: told.stepAtMillis } : scheduled(told)
}

/** A new order, which waits for its payment. */
export const begin = (
  order: Pick<Order, "id" | "chargeKey" | "product" | "shippingAddress" | "email" | "offer">,
  nowMillis: number
): Order =>
  scheduled({
    ...order,
    status: "awaiting_payment",
    upstreamReference: undefined,
    shipments: [],
    reason: undefined,
    attempts: 0,
    stepAtMillis: nowMillis + Pace.paymentPatience,
    mails: [],
    dueAtMillis: undefined,
    version: 1,
    createdAtMillis: nowMillis,
    updatedAtMillis: nowMillis
  })
