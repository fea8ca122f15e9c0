import { causeName } from "../../runtime/causeName.ts"
import { Feed } from "../../runtime/Feed.ts"
import { report } from "../ports/ShopEvents.ts"
import { Context, Effect, Layer } from "effect"
import type { OrderStatus } from "../goods/Order.ts"
import type { Order } from "../ports/Orders.ts"

/** A change of an order's status. */
export interface OrderChange {
  /** The order after the change. */
  readonly order: Order
  /** Its status before. */
  readonly from: OrderStatus
}

/** Publishes status changes to subscribers, and to one listener. Changes by other processes are visible in the store. */
export class ChangeFeed extends Feed<OrderChange> {
  private readonly listener: ((change: OrderChange) => void | Promise<void>) | undefined

  constructor(listener?: (change: OrderChange) => void | Promise<void>) {
    super()
    this.listener = listener
  }

  /** Publishes a change; returns the listener's result. */
  override publish(change: OrderChange): void | Promise<void> {
    super.publish(change)
    return this.listener?.(change)
  }
}

/** Publishes status changes of orders. */
export class OrderChanges extends Context.Service<
  OrderChanges,
  { readonly publish: (change: OrderChange) => Effect.Effect<void> }
>()("@till402/core/OrderChanges") {
  static readonly layer = (feed: ChangeFeed) =>
    Layer.succeed(OrderChanges, {
      publish: (change) =>
        Effect.suspend(() => {
          const result = feed.publish(change)
          if (!(result instanceof Promise)) return Effect.void
          // An order doesn't wait for its listener. Handled at once: an unhandled rejection would end the process.
          const failure = result.then(
            () => undefined,
            (cause: unknown) => ({ cause })
          )
          const heard = Effect.flatMap(
            Effect.promise(() => failure),
            (failed) => (failed === undefined ? Effect.void : listenerFailed(failed.cause))
          )
          return Effect.asVoid(Effect.forkDetach(heard))
        }).pipe(Effect.catchDefect(listenerFailed))
    })
}

const listenerFailed = (error: unknown) =>
  report("Warn", "order_listener_failed", "A listener to orders failed", { error: causeName(error) })
