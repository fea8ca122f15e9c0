import { causeName } from "../../runtime/causeName.ts"
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

const capacity = 1_000

interface Subscriber {
  readonly waiting: Array<OrderChange>
  wake: (() => void) | undefined
}

/**
 * Publishes status changes to subscribers, which read at their own pace; one that is over 1,000 changes behind misses
 * the oldest. Covers this process only: changes by other processes are visible in the store.
 */
export class ChangeFeed {
  private readonly subscribers = new Set<Subscriber>()
  private isClosed = false
  private readonly listener: ((change: OrderChange) => void | Promise<void>) | undefined

  constructor(listener?: (change: OrderChange) => void | Promise<void>) {
    this.listener = listener
  }

  /** Publishes a change; returns the listener's result. */
  publish(change: OrderChange): void | Promise<void> {
    for (const subscriber of this.subscribers) {
      subscriber.waiting.push(change)
      if (subscriber.waiting.length > capacity) subscriber.waiting.shift()
      subscriber.wake?.()
    }
    return this.listener?.(change)
  }

  /** Changes from now on; ends with the till, or when the loop is left. */
  subscribe(): AsyncGenerator<OrderChange, void, void> {
    const subscriber: Subscriber = { waiting: [], wake: undefined }
    this.subscribers.add(subscriber)
    return this.changesFor(subscriber)
  }

  private async *changesFor(subscriber: Subscriber): AsyncGenerator<OrderChange, void, void> {
    try {
      while (!this.isClosed || subscriber.waiting.length > 0) {
        const change = subscriber.waiting.shift()
        if (change !== undefined) yield change
        else {
          await new Promise<void>((resolve) => {
            subscriber.wake = resolve
          })
          subscriber.wake = undefined
        }
      }
    } finally {
      this.subscribers.delete(subscriber)
    }
  }

  close(): void {
    this.isClosed = true
    for (const { wake } of this.subscribers) wake?.()
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
