import { Clock, Context, Effect, Layer } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { type Charge, Charges } from "../../ports/Charges.ts"
import { guardedFulfilment, type GuardedFulfilment } from "../ports/Fulfilment.ts"
import type { Order } from "../ports/Orders.ts"
import { Quotes } from "../ports/Quotes.ts"
import { report } from "../ports/ShopEvents.ts"
import type { OrderEvent } from "./OrderEvent.ts"
import { OrderLife } from "./OrderLife.ts"
import { lookUpOrder, placeOrder, type PlacingServices, type StepResult } from "./OrderPlacing.ts"
import type { OrderStep } from "./OrderStep.ts"
import { paymentLifetimeMillis } from "./OrderTimings.ts"
import { Refunds } from "../../refunds/Refunds.ts"

/** Performs the steps of orders: store, upstream and wallet calls, whose result is the order's next event. */
export class OrderSteps extends Context.Service<
  OrderSteps,
  {
    /** Performs one step; `undefined`: there is nothing to apply. */
    readonly perform: (order: Order, step: OrderStep) => Effect.Effect<StepResult | undefined, StoreError>
  }
>()("@till402/core/OrderSteps") {
  static readonly layer = Layer.effect(
    OrderSteps,
    Effect.gen(function* () {
      const services: Services = {
        charges: yield* Charges,
        fulfilment: yield* guardedFulfilment,
        life: yield* OrderLife,
        quotes: yield* Quotes,
        refunds: yield* Refunds
      }
      return { perform: (order, step) => perform(services, order, step) }
    })
  )
}

interface Services extends PlacingServices {
  readonly charges: Charges["Service"]
  readonly quotes: Quotes["Service"]
  readonly refunds: Refunds["Service"]
}

/** The payment of an unpaid order, according to its charge. */
export type PaymentState =
  | { readonly _tag: "Settled" }
  | { readonly _tag: "Pending" }
  /** `freesQuote`: the order's quote can be sold again. */
  | { readonly _tag: "Failed"; readonly freesQuote: boolean }

/** Judges the payment of an order by its charge. Pure. */
export const paymentStateOf = (
  order: Pick<Order, "id" | "createdAtMillis">,
  charge: Pick<Charge, "subject" | "state" | "refund"> | undefined,
  nowMillis: number
): PaymentState => {
  if (charge?.subject?.id === order.id) {
    if (charge.state === "voided" || charge.refund !== undefined) return { _tag: "Failed", freesQuote: true }
    return { _tag: charge.state === "settled" ? "Settled" : "Pending" }
  }
  if (order.createdAtMillis + paymentLifetimeMillis > nowMillis) return { _tag: "Pending" }
  // If the payment has bought another order since, the quote belongs to that order.
  return { _tag: "Failed", freesQuote: charge?.subject === undefined || charge.state === "voided" }
}

const checkPayment = Effect.fnUntraced(function* (
  { charges, life, quotes }: Services,
  order: Order
): Effect.fn.Return<OrderEvent | undefined, StoreError> {
  const charge = yield* charges.find(order.chargeKey)
  const payment = paymentStateOf(order, charge, yield* Clock.currentTimeMillis)
  if (payment._tag === "Settled") return { _tag: "PaymentSettled" }
  if (payment._tag === "Pending") return { _tag: "PaymentPending" }
  const applied = yield* life.apply(order, { _tag: "PaymentFailed" })
  if (applied._tag === "Changed" && payment.freesQuote) yield* quotes.restore(order.chargeKey)
  return undefined
})

const readStatus = (
  status: NonNullable<GuardedFulfilment["status"]>,
  upstreamReference: string
): Effect.Effect<OrderEvent> =>
  Effect.match(status(upstreamReference), {
    onSuccess: (progress): OrderEvent =>
      progress === undefined ? { _tag: "Untracked" } : { _tag: "Progressed", progress },
    onFailure: () => ({ _tag: "StatusUnknown" })
  })

const markRefundDue = Effect.fnUntraced(function* (
  { charges }: Services,
  { chargeKey, id }: Order
): Effect.fn.Return<OrderEvent, StoreError> {
  const marked = yield* charges.markRefundDue(chargeKey, yield* Clock.currentTimeMillis, undefined)
  const charge = marked ? undefined : yield* charges.find(chargeKey)
  if (marked || charge?.refund !== undefined) return { _tag: "RefundDue" }
  // A reorganization of the chain undid its payment for good.
  if (charge === undefined || charge.state === "voided") return { _tag: "NoRefundDue" }
  yield* report("Error", "order_without_payment", "An order failed whose charge is not settled", {
    orderId: id
  })
  return { _tag: "RefundPending" }
})

const refund = Effect.fnUntraced(function* (
  { charges, refunds }: Services,
  { chargeKey }: Order
): Effect.fn.Return<OrderEvent, StoreError> {
  const charge = yield* charges.find(chargeKey)
  // A reorganization undid the settlement and with it the refund, and the payment has settled again since.
  if (charge?.state === "settled" && charge.refund === undefined)
    yield* charges.markRefundDue(chargeKey, yield* Clock.currentTimeMillis, undefined)
  const transaction = charge === undefined ? undefined : yield* refunds.send(charge)
  return { _tag: transaction === undefined ? "RefundPending" : "Refunded" }
})

/** The event of every step but placement, which changes the order before it calls upstream. */
const eventOf = (
  services: Services,
  order: Order,
  step: Exclude<OrderStep, "Place" | "PlaceAgain">
): Effect.Effect<OrderEvent | undefined, StoreError> => {
  const { find, status } = services.fulfilment
  switch (step) {
    case "CheckPayment":
      return checkPayment(services, order)
    case "LookUp":
      return find === undefined ? Effect.succeed({ _tag: "PlacementUnclear" }) : lookUpOrder(find, order)
    case "Park":
      return Effect.succeed({ _tag: "PlacementUnclear" })
    case "ReadStatus":
      return status === undefined || order.upstreamReference === undefined
        ? Effect.succeed({ _tag: "Untracked" })
        : readStatus(status, order.upstreamReference)
    case "MarkRefundDue":
      return markRefundDue(services, order)
    case "Refund":
      return refund(services, order)
  }
}

const perform = (
  services: Services,
  order: Order,
  step: OrderStep
): Effect.Effect<StepResult | undefined, StoreError> =>
  step === "Place" || step === "PlaceAgain"
    ? placeOrder(services, order)
    : Effect.map(eventOf(services, order, step), (event) =>
        event === undefined ? undefined : { order, event }
      )
