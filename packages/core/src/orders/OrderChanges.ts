import { Context, Effect, Layer } from "effect"
import type { OrderStatus } from "../domain/Order.ts"
import type { Order } from "../ports/Orders.ts"

/** A step in the life of an order, as a host is told of it. */
export interface OrderChange {
  /** As it stands after the change. */
  readonly order: Order
  readonly from: OrderStatus
}

const capacity = 1_000

interface Subscriber {
  readonly waiting: Array<OrderChange>
  wake: (() => void) | undefined
}

/**
 * Tells subscribers of changes, each in its own time. One that lags more than 1,000 changes behind misses the
 * oldest. Of one process: what another one does to an order is seen in the store alone.
 */
export class ChangeFeed {
  private readonly subscribers = new Set<Subscriber>()
  private isClosed = false
  private readonly listener: ((change: OrderChange) => void | Promise<void>) | undefined

  constructor(listener?: (change: OrderChange) => void | Promise<void>) {
    this.listener = listener
  }

  /** Answers what the listener did. */
  publish(change: OrderChange): void | Promise<void> {
    for (const subscriber of this.subscribers) {
      subscriber.waiting.push(change)
      if (subscriber.waiting.length > capacity) subscriber.waiting.shift()
      subscriber.wake?.()
    }
    return this.listener?.(change)
  }

  /** Changes from now on; ends with the till, or when the loop over it is left. */
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

/** Where changes of orders are told. */
export class OrderChanges extends Context.Service<
  OrderChanges,
  { readonly publish: (change: OrderChange) => Effect.Effect<void> }
>()("@till402/core/OrderChanges") {
  static readonly layer = (feed: ChangeFeed) =>
    Layer.succeed(OrderChanges, {
      publish: (change) =>
        Effect.suspend(() => {
          const told = feed.publish(change)
          if (!(told instanceof Promise)) return Effect.void
          // An order does not wait for its listener. Handled on the spot: a rejection that nobody hears ends the process.
          const failure = told.then(
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

const listenerFailed = (error: unknown) => Effect.logWarning("A listener to orders failed", error)
