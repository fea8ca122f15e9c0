import type { OrderStatus } from "../../../src/shop/goods/Order.ts"
import { advance } from "../../../src/shop/orders/OrderMachine.ts"
import type { OrderEvent } from "../../../src/shop/orders/OrderEvent.ts"
import { type Capabilities } from "../../../src/shop/orders/OrderStep.ts"
import type { Order } from "../../../src/shop/ports/Orders.ts"
import { sampleOrder } from "../../../../testing/src/stores/records.ts"

export const now = 1_000_000_000
export const able: Capabilities = { canFind: true, placesOnce: false, canReadStatus: true, canMail: true }
export const unable: Capabilities = {
  canFind: false,
  placesOnce: false,
  canReadStatus: false,
  canMail: false
}

export const orderIn = (status: OrderStatus, overrides: Partial<Order> = {}): Order =>
  sampleOrder({
    status,
    createdAtMillis: now,
    updatedAtMillis: now,
    stepAtMillis: now,
    dueAtMillis: now,
    ...overrides
  })

export const after = (order: Order, event: OrderEvent, capabilities = able, nowMillis = now): Order => {
  const next = advance(order, event, capabilities, nowMillis)
  if (next === undefined) throw new Error(`${event._tag} means nothing to ${order.status}`)
  return next
}

/** Where each status may lead; what is not written here must be impossible. */
export const edges: Readonly<Record<OrderStatus, ReadonlyArray<OrderStatus>>> = {
  awaiting_payment: ["processing", "abandoned"],
  abandoned: ["processing"],
  processing: ["placing", "cancelled", "needs_operator"],
  placing: ["placed", "failed", "processing", "needs_operator"],
  placed: ["shipped", "delivered", "failed", "cancelled", "needs_operator"],
  shipped: ["delivered", "failed", "cancelled", "needs_operator"],
  delivered: [],
  failed: ["refund_due", "abandoned"],
  cancelled: ["refund_due", "abandoned"],
  needs_operator: ["processing", "placed", "delivered", "cancelled"],
  refund_due: ["refunded"],
  refunded: []
}

/** An order with a past, so that whatever an event changes or leaves alone can be seen. */
export const veteran = (status: OrderStatus, overrides: Partial<Order> = {}): Order =>
  orderIn(status, {
    attempts: 3,
    reason: "earlier",
    upstreamReference: "up-0",
    updatedAtMillis: now - 1_000,
    timeline: [{ status, atMillis: now - 1_000 }],
    stepAtMillis: now - 1,
    dueAtMillis: now - 1,
    ...overrides
  })

/** What an event changes: a new status, whose step is due after so long. */
export const enters = (
  status: OrderStatus,
  stepIn: number | undefined,
  more: Partial<Order> = {}
): Partial<Order> => {
  const stepAtMillis = stepIn === undefined ? undefined : now + stepIn
  const dueAtMillis = stepAtMillis
  return {
    status,
    attempts: 0,
    reason: undefined,
    updatedAtMillis: now,
    stepAtMillis,
    dueAtMillis,
    ...more
  }
}
