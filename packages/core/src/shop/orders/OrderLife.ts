import { report } from "../ports/ShopEvents.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { guardedFulfilment } from "../ports/Fulfilment.ts"
import { Mailer } from "../ports/Mailer.ts"
import { type Order, Orders } from "../ports/Orders.ts"
import { OrderChanges } from "./OrderChanges.ts"
import type { OrderEvent } from "./OrderEvent.ts"
import { advance } from "./OrderMachine.ts"
import type { Capabilities } from "./OrderStep.ts"

/** The result of applying an event to an order. */
export type ApplyResult =
  | { readonly _tag: "Changed"; readonly order: Order }
  /** The event does not apply to an order in this state. */
  | { readonly _tag: "NotApplicable"; readonly order: Order }
  /** The order was changed concurrently; nothing was written. */
  | { readonly _tag: "Conflict" }

/** Applies events to orders: the only way in which they change. */
export class OrderLife extends Context.Service<
  OrderLife,
  {
    readonly capabilitiesFor: (order: Order) => Effect.Effect<Capabilities>
    /** Applies an event to exactly this version of an order. */
    readonly apply: (order: Order, event: OrderEvent) => Effect.Effect<ApplyResult, StoreError>
    /**
     * Applies the result of a step, or a decision about it, to the order in the state in which the step began. Retries
     * if only something besides the step has changed, such as a sent mail.
     */
    readonly applyOutcome: (order: Order, event: OrderEvent) => Effect.Effect<ApplyResult, StoreError>
    /** Applies an event to the current version of an order; `undefined`: no order has this id. */
    readonly applyById: (id: string, event: OrderEvent) => Effect.Effect<ApplyResult | undefined, StoreError>
  }
>()("@till402/core/OrderLife") {
  static readonly layer = Layer.effect(
    OrderLife,
    Effect.suspend(() => make)
  )
}

const maxRetries = 20

/** Whether the step that is due or in progress is the same one. */
const isSameStep = (left: Order, right: Order): boolean =>
  left.status === right.status &&
  left.updatedAtMillis === right.updatedAtMillis &&
  left.stepAtMillis === right.stepAtMillis &&
  left.attempts === right.attempts

/** Reports the statuses that need an operator's attention. */
const reportStatus = ({ id, reason, status }: Order) =>
  status === "needs_operator"
    ? report("Error", "order_needs_operator", "An order needs an operator", { orderId: id, reason })
    : status === "refund_due"
      ? report("Warn", "order_refund_due", "An order failed and its payment must be refunded", {
          orderId: id,
          reason
        })
      : Effect.void

const make = Effect.gen(function* () {
  const orders = yield* Orders
  const changes = yield* OrderChanges
  const fulfilment = yield* guardedFulfilment
  const canMail = (yield* Effect.serviceOption(Mailer))._tag === "Some"

  const capabilitiesFor = ({ offer }: Order): Effect.Effect<Capabilities> =>
    Effect.map(fulfilment.placesOnce(offer.reference), (placesOnce) => ({
      canFind: fulfilment.find !== undefined,
      placesOnce,
      canReadStatus: fulfilment.status !== undefined,
      canMail
    }))

  /**
   * Reports that another order has the same reference. Read after it was written, so that one of two sees the other.
   */
  const reportShared = ({ id, upstreamReference = "" }: Order) =>
    orders.findByReference(upstreamReference, id).pipe(
      Effect.flatMap((other) =>
        other === undefined
          ? Effect.void
          : report("Error", "order_reference_shared", "Two orders have the same reference upstream", {
              orderId: id,
              otherOrderId: other.id
            })
      ),
      // The order is placed: a failed check must not undo that.
      Effect.catch(() => Effect.void)
    )

  const apply = Effect.fnUntraced(function* (
    order: Order,
    event: OrderEvent
  ): Effect.fn.Return<ApplyResult, StoreError> {
    const nowMillis = yield* Clock.currentTimeMillis
    const after = advance(order, event, yield* capabilitiesFor(order), nowMillis)
    if (after === undefined) return { _tag: "NotApplicable", order }
    if (!(yield* orders.replace(after))) return { _tag: "Conflict" }
    const changed = { ...after, version: after.version + 1 }
    if (event._tag === "Placed" || event._tag === "Resolved") yield* reportShared(changed)
    if (changed.status !== order.status) {
      yield* changes.publish({ order: changed, from: order.status })
      yield* reportStatus(changed)
    }
    return { _tag: "Changed", order: changed }
  })

  const applyOutcome = Effect.fnUntraced(function* (
    order: Order,
    event: OrderEvent
  ): Effect.fn.Return<ApplyResult, StoreError> {
    let current: Order = order
    for (let retry = 0; retry < maxRetries; retry++) {
      const result = yield* apply(current, event)
      if (result._tag !== "Conflict") return result
      const found = yield* orders.find(order.id)
      if (found === undefined || !isSameStep(found, order)) return result
      current = found
    }
    return { _tag: "Conflict" }
  })

  const applyById = Effect.fnUntraced(function* (id: string, event: OrderEvent) {
    for (let retry = 0; retry < maxRetries; retry++) {
      const order = yield* orders.find(id)
      if (order === undefined) return undefined
      const result = yield* apply(order, event)
      if (result._tag !== "Conflict") return result
    }
    return { _tag: "Conflict" } as const
  })

  return OrderLife.of({ capabilitiesFor, apply, applyOutcome, applyById })
})
