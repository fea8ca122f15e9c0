import type { Order } from "../ports/Orders.ts"

/*
 * Which step an order needs next. Pure.
 */

/** What the host's fulfilment and mailer can do for an order. */
export interface Capabilities {
  /** Upstream can report whether it has an order. */
  readonly canFind: boolean
  /** Upstream treats the order's id as an idempotency key: a repeated placement places nothing twice. */
  readonly placesOnce: boolean
  /** Upstream reports the status of an order. */
  readonly canReadStatus: boolean
  readonly canMail: boolean
}

/** A step that a worker performs for an order. */
export type OrderStep =
  | "CheckPayment"
  | "Place"
  | "LookUp"
  | "PlaceAgain"
  | "Park"
  | "ReadStatus"
  | "MarkRefundDue"
  | "Refund"

/** The step of an order whose `stepAtMillis` has passed; `undefined`: none. */
export const nextStep = (
  { status }: Pick<Order, "status">,
  { canFind, canReadStatus, placesOnce }: Omit<Capabilities, "canMail">
): OrderStep | undefined => {
  switch (status) {
    case "awaiting_payment":
      return "CheckPayment"
    case "processing":
      return "Place"
    // Upstream was called, and the result was not recorded.
    case "placing":
      return placesOnce ? "PlaceAgain" : canFind ? "LookUp" : "Park"
    case "placed":
    case "shipped":
      return canReadStatus ? "ReadStatus" : undefined
    case "failed":
    case "cancelled":
      return "MarkRefundDue"
    case "refund_due":
      return "Refund"
    default:
      return undefined
  }
}
