import { Clock, Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Charges } from "../../ports/Charges.ts"
import type { GuardedFulfilment } from "../ports/Fulfilment.ts"
import type { OrderPayment } from "../ports/FulfilmentOptions.ts"
import type { Order } from "../ports/Orders.ts"
import { report } from "../ports/ShopEvents.ts"
import type { OrderEvent } from "./OrderEvent.ts"
import { OrderLife } from "./OrderLife.ts"
import { inFlightMillis, maxPlacingDelayMillis, placingBackoff } from "./OrderTimings.ts"

/*
 * Places paid orders upstream. The store records that placement begins before upstream is called, so that a process
 * that dies during the call leaves an order in `placing`, never one that is silently placed again.
 */

/** The services that placement needs. */
export interface PlacingServices {
  readonly charges: Pick<Charges["Service"], "find">
  readonly fulfilment: GuardedFulfilment
  readonly life: OrderLife["Service"]
}

/** An order as a step left it, and the step's result. */
export interface StepResult {
  readonly order: Order
  readonly event: OrderEvent
}

type PlacementError = Effect.Error<ReturnType<GuardedFulfilment["place"]>>

/** An attempt that placed nothing. If an earlier attempt may have, the placement stays unclear. */
export const notPlaced = (
  { status }: Pick<Order, "status">,
  retryAfterMillis: number | undefined
): OrderEvent =>
  status === "placing" ? { _tag: "PlacementUnclear" } : { _tag: "NotPlaced", retryAfterMillis }

/**
 * Whether the request of an earlier attempt may still reach upstream, perhaps from another process. Without attempts,
 * its worker's lease ran out first, which is longer.
 */
const mayArrive = ({ attempts, status }: Pick<Order, "status" | "attempts">): boolean =>
  status === "placing" && attempts > 0 && placingBackoff(attempts - 1) < inFlightMillis

/** The event for a call that failed; `order` as it was before this attempt. */
export const failedPlacement = (
  order: Pick<Order, "status" | "attempts">,
  error: PlacementError
): OrderEvent => {
  switch (error._tag) {
    case "PlacementRefused":
      // The earlier request would place an order whose buyer is refunded.
      return mayArrive(order)
        ? { _tag: "PlacementUnclear" }
        : { _tag: "PlacementRefused", reason: error.reason }
    case "NotPlaced":
      return notPlaced(
        order,
        error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1_000
      )
    default:
      return { _tag: "PlacementUnclear" }
  }
}

/** The payment of an order, as its charge records it. */
const paymentOf = (
  { charges }: PlacingServices,
  { chargeKey }: Order
): Effect.Effect<{ readonly payment?: OrderPayment }, StoreError> =>
  Effect.map(charges.find(chargeKey), (charge) => {
    const { network, transaction = "" } = charge?.receipt ?? {}
    return network === undefined || transaction === "" ? {} : { payment: { network, transaction } }
  })

/** Places an order; `undefined` if another worker has taken it. */
export const placeOrder = Effect.fnUntraced(function* (
  services: PlacingServices,
  order: Order
): Effect.fn.Return<StepResult | undefined, StoreError> {
  const { fulfilment, life } = services
  // Before placement begins: a store that fails now leaves nothing to look up.
  const payment = yield* paymentOf(services, order)
  const beginMillis = yield* Clock.currentTimeMillis
  const begun = yield* life.apply(order, { _tag: "PlacingBegun" })
  if (begun._tag !== "Changed") return undefined
  if ((yield* Clock.currentTimeMillis) - beginMillis > maxPlacingDelayMillis) {
    yield* report(
      "Warn",
      "order_worker_late",
      "An order was not placed: its worker was suspended for too long",
      { orderId: order.id }
    )
    return { order: begun.order, event: notPlaced(order, undefined) }
  }
  const { email, id, offer, product, shippingAddress } = begun.order
  if (email === undefined || shippingAddress === undefined)
    return { order: begun.order, event: { _tag: "PlacementRefused", reason: "address_forgotten" } }
  const event = yield* Effect.match(
    fulfilment.place({ orderId: id, product, shippingAddress, email, offer, ...payment }),
    {
      onSuccess: ({ reference }): OrderEvent => ({ _tag: "Placed", reference }),
      onFailure: (error) => failedPlacement(order, error)
    }
  )
  // A refused order is not retried: its refund is reported.
  if (event._tag !== "Placed" && event._tag !== "PlacementRefused")
    yield* report("Warn", "order_not_placed", "An order is not placed yet", {
      orderId: id,
      reason: event._tag
    })
  return { order: begun.order, event }
})

/** Looks an order up upstream if its placement is unclear. */
export const lookUpOrder = (
  find: NonNullable<GuardedFulfilment["find"]>,
  { id, offer }: Order
): Effect.Effect<OrderEvent> =>
  Effect.match(find(id, offer.reference), {
    onSuccess: (reference): OrderEvent =>
      reference === null ? { _tag: "NotPlaced", retryAfterMillis: undefined } : { _tag: "Placed", reference },
    onFailure: () => ({ _tag: "PlacementUnclear" })
  })
