import type { OrderEvent } from "../../src/shop/orders/OrderEvent.ts"
import type { Order } from "../../src/shop/ports/Orders.ts"
import { type OrderMachines, realOrderMachines } from "./OrderWorld.ts"

/** A change of the order machine in one place. */
export interface OrderMutant {
  readonly name: string
  readonly machines: OrderMachines
}

const { advance, nextStep } = realOrderMachines

/** Changes the order after an event of a kind. */
const after = (
  name: string,
  tag: OrderEvent["_tag"],
  change: (after: Order, before: Order) => Order | undefined
): OrderMutant => ({
  name,
  machines: {
    nextStep,
    advance: (order, event, capabilities, nowMillis) => {
      const changed = advance(order, event, capabilities, nowMillis)
      return changed === undefined || event._tag !== tag ? changed : change(changed, order)
    }
  }
})

/** Reads an event of a kind as another one. */
const reads = (name: string, tag: OrderEvent["_tag"], as: OrderEvent): OrderMutant => ({
  name,
  machines: {
    nextStep,
    advance: (order, event, capabilities, nowMillis) =>
      advance(order, event._tag === tag ? as : event, capabilities, nowMillis)
  }
})

const mutantOfStep = (name: string, step: OrderMachines["nextStep"]): OrderMutant => ({
  name,
  machines: { advance, nextStep: step }
})

/** Mutants of the order machine. The worlds notice each. */
export const orderMutants: ReadonlyArray<OrderMutant> = [
  reads("a pending payment has settled", "PaymentPending", { _tag: "PaymentSettled" }),
  reads("a failed payment has settled", "PaymentFailed", { _tag: "PaymentSettled" }),
  reads("an unclear placement was none", "PlacementUnclear", {
    _tag: "NotPlaced",
    retryAfterMillis: undefined
  }),
  reads("an unclear placement was refused", "PlacementUnclear", {
    _tag: "PlacementRefused",
    reason: "unclear"
  }),
  reads("what was not placed was refused, and is placed again", "Placed", {
    _tag: "NotPlaced",
    retryAfterMillis: undefined
  }),
  reads("a refund that is pending was sent", "RefundPending", { _tag: "Refunded" }),
  reads("no refund is due", "RefundDue", { _tag: "NoRefundDue" }),
  reads("what upstream can't report has failed", "StatusUnknown", {
    _tag: "Progressed",
    progress: { status: "failed", shipments: [] }
  }),
  after("a settled payment schedules no step", "PaymentSettled", (order) => ({
    ...order,
    stepAtMillis: undefined
  })),
  after("placing is not recorded", "PlacingBegun", (order, { status }) => ({ ...order, status })),
  after("a refused order schedules no step", "PlacementRefused", (order) => ({
    ...order,
    stepAtMillis: undefined
  })),
  after("a refund that is due schedules no step", "RefundDue", (order) => ({
    ...order,
    stepAtMillis: undefined
  })),
  mutantOfStep("an unclear order is placed again", (order, capabilities) => {
    const step = nextStep(order, capabilities)
    return step === "LookUp" || step === "Park" ? "PlaceAgain" : step
  }),
  mutantOfStep("a failed order is refunded at once", (order, capabilities) => {
    const step = nextStep(order, capabilities)
    return step === "MarkRefundDue" ? "Refund" : step
  })
]
