import { Clock, Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { Fulfilment } from "../ports/Fulfilment.ts"
import { Mailer } from "../ports/Mailer.ts"
import { type Order, Orders } from "../ports/Orders.ts"
import { OrderChanges } from "./OrderChanges.ts"
import { advance, type Capabilities, type OrderEvent } from "./Transitions.ts"

/** What came of telling an event to an order. */
export type Told =
  | { readonly _tag: "Changed"; readonly order: Order }
  /** The event means nothing to an order that stands as this one does. */
  | { readonly _tag: "Unfit"; readonly order: Order }
  /** Somebody else changed it in between. */
  | { readonly _tag: "Overtaken" }

/** Tells events to orders: the one way in which they change. */
export class OrderLife extends Context.Service<
  OrderLife,
  {
    readonly capabilitiesFor: (order: Order) => Capabilities
    /** Tells an event to an order that stands as given. */
    readonly tell: (order: Order, event: OrderEvent) => Effect.Effect<Told, StoreError>
    /**
     * Tells what came of a step to an order that stood as given when the step began, or that was changed since in what
     * is beside the step alone: a mail went out meanwhile.
     */
    readonly tellOutcome: (order: Order, event: OrderEvent) => Effect.Effect<Told, StoreError>
    /** Tells an event to the order of an id, however it stands by now; `undefined`: there is none. */
    readonly tellById: (id: string, event: OrderEvent) => Effect.Effect<Told | undefined, StoreError>
  }
>()("@till402/core/OrderLife") {
  static readonly layer = Layer.effect(
    OrderLife,
    Effect.suspend(() => make)
  )
}

const maxRetries = 20

/** Whether the step that is due, or under way, is the same one. */
const isSameStep = (left: Order, right: Order): boolean =>
  left.status === right.status &&
  left.updatedAtMillis === right.updatedAtMillis &&
  left.stepAtMillis === right.stepAtMillis &&
  left.attempts === right.attempts

const make = Effect.gen(function* () {
  const orders = yield* Orders
  const changes = yield* OrderChanges
  const fulfilment = yield* Fulfilment
  const canMail = (yield* Effect.serviceOption(Mailer))._tag === "Some"

  const capabilitiesFor = ({ offer }: Order): Capabilities => ({
    canFind: fulfilment.find !== undefined,
    placesOnce: fulfilment.placesOnce(offer.reference),
    canAskStatus: fulfilment.status !== undefined,
    canMail
  })

  /** What an operator should know of, beside what the host is told of every change. */
  const report = ({ id, reason, status }: Order) =>
    status === "needs_operator"
      ? Effect.logError("An order needs an operator", id, reason)
      : status === "refund_due"
        ? Effect.logWarning("The payment of an order is owed back", id, reason)
        : Effect.void

  const tell = Effect.fnUntraced(function* (
    order: Order,
    event: OrderEvent
  ): Effect.fn.Return<Told, StoreError> {
    const nowMillis = yield* Clock.currentTimeMillis
    const after = advance(order, event, capabilitiesFor(order), nowMillis)
    if (after === undefined) return { _tag: "Unfit", order }
    if (!(yield* orders.replace(after))) return { _tag: "Overtaken" }
    const changed = { ...after, version: after.version + 1 }
    if (changed.status !== order.status) {
      yield* changes.publish({ order: changed, from: order.status })
      yield* report(changed)
    }
    return { _tag: "Changed", order: changed }
  })

  const tellOutcome = Effect.fnUntraced(function* (
    order: Order,
    event: OrderEvent
  ): Effect.fn.Return<Told, StoreError> {
    let standing: Order = order
    for (let retry = 0; retry < maxRetries; retry++) {
      const told = yield* tell(standing, event)
      if (told._tag !== "Overtaken") return told
      const found = yield* orders.find(order.id)
      if (found === undefined || !isSameStep(found, order)) return told
      standing = found
    }
    return { _tag: "Overtaken" }
  })

  const tellById = Effect.fnUntraced(function* (id: string, event: OrderEvent) {
    for (let retry = 0; retry < maxRetries; retry++) {
      const order = yield* orders.find(id)
      if (order === undefined) return undefined
      const told = yield* tell(order, event)
      if (told._tag !== "Overtaken") return told
    }
    return { _tag: "Overtaken" } as const
  })

  return OrderLife.of({ capabilitiesFor, tell, tellOutcome, tellById })
})
