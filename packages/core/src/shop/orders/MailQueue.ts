import { Clock, Effect, type Scope, Semaphore } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Order } from "../ports/Orders.ts"
import { makeBackground } from "../../runtime/Background.ts"
import { report } from "../ports/ShopEvents.ts"
import type { MailSelector, OrderEvent } from "./OrderEvent.ts"
import type { OrderMailing } from "./OrderMailing.ts"

/*
 * Sends the mails of orders in the background, beside their steps: a mail server that hangs delays mails only.
 */

/** Mails that are sent at once. */
const concurrency = 16
/** Mails that are sent or wait for a place. */
const capacity = 256
/** Longer than the longest deadline of one mail. */
const longestMailMillis = 60_000

/** Mails that this process has reserved. */
export interface MailQueue {
  readonly hasRoom: () => boolean
  readonly isEmpty: () => boolean
  /**
   * Sends a mail once a place is free; returns at once. The mail is reserved for this process until its `dueAtMillis`.
   */
  readonly add: (order: Order, mail: Required<MailSelector>) => Effect.Effect<void>
}

/** Makes the queue. `apply` records the result of a mail; `onEmpty` runs once no mail is left. */
export const makeMailQueue = Effect.fnUntraced(function* (options: {
  readonly mailing: OrderMailing["Service"]
  readonly apply: (order: Order, event: OrderEvent) => Effect.Effect<void, StoreError>
  readonly onEmpty: () => void
}): Effect.fn.Return<MailQueue, never, Scope.Scope> {
  const { apply, mailing, onEmpty } = options
  const inBackground = yield* makeBackground
  const places = yield* Semaphore.make(concurrency)
  let size = 0

  const send = Effect.fnUntraced(function* (order: Order, mail: Required<MailSelector>) {
    // After a long wait another process may take the mail before this one has sent it.
    if ((yield* Clock.currentTimeMillis) > mail.dueAtMillis - longestMailMillis) return
    yield* apply(order, yield* mailing.send(order, mail))
  })

  return {
    hasRoom: () => size < capacity,
    isEmpty: () => size === 0,
    add: (order, mail) =>
      Effect.suspend(() => {
        size++
        const sending = Effect.catchCause(places.withPermit(send(order, mail)), (cause) =>
          report(
            "Error",
            "order_step_failed",
            "A step of an order failed and is retried",
            { orderId: order.id },
            cause
          )
        )
        const ended = Effect.sync(() => {
          size--
          if (size === 0) onEmpty()
        })
        return inBackground(Effect.ensuring(sending, ended))
      })
  }
})
