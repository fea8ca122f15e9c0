import type { OrderStatus } from "../domain/Order.ts"
import type { Order } from "../ports/Orders.ts"
import type { OrderChange } from "./OrderChanges.ts"

/** Orders, for the host's operators and jobs. */
export interface HostOrders {
  readonly find: (id: string) => Promise<Order | undefined>
  /** Newest first; `before` is the id of the last order of the page before. */
  readonly list: (options?: {
    readonly limit?: number
    readonly status?: OrderStatus
    readonly before?: string
  }) => Promise<ReadonlyArray<Order>>
  /**
   * Steps in the life of orders from now on, as this process takes them; ends when the till does, or the loop is
   * left. A loop that is more than 1,000 steps behind misses the oldest.
   *
   * @example
   * for await (const { from, order } of till.orders.changes()) console.log(order.id, from, order.status)
   */
  readonly changes: () => AsyncIterableIterator<OrderChange>
  /** Has the next step of an order taken now: upstream is asked for its status, a refund is tried. */
  readonly hurry: (id: string) => Promise<OrderVerdict>
  /** The same by upstream's name of the order: what a webhook knows. */
  readonly hurryReference: (upstreamReference: string) => Promise<OrderVerdict>
  /** An order that needs an operator was *not* placed: it is placed again. */
  readonly retry: (id: string) => Promise<OrderVerdict>
  /** An order that needs an operator stands upstream under this reference: it is followed up. */
  readonly resolve: (id: string, upstreamReference: string) => Promise<OrderVerdict>
  /**
   * An order comes to nothing, and its payment is owed back. It is not cancelled upstream. Not while it is being
   * placed, nor once delivered.
   *
   * @param reason a word, told in the refund's mail; default `cancelled_by_seller`
   */
  readonly cancel: (id: string, reason?: string) => Promise<OrderVerdict>
  /** The refund of an order was sent by other means. `unfit` as well where another transaction stands for it. */
  readonly markRefunded: (id: string, transaction: string) => Promise<OrderVerdict>
  /**
   * All orders, the newest first, as text in pieces: a JSON array, or CSV with a header row (RFC 4180; text that a
   * spreadsheet would take for a formula gets an apostrophe before it). Address and e-mail only where `personal` says so.
   *
   * @example
   * for await (const piece of till.orders.export({ format: "csv" })) process.stdout.write(piece)
   */
  readonly export: (options: {
    readonly format: "csv" | "json"
    readonly status?: OrderStatus
    readonly personal?: boolean
  }) => AsyncIterableIterator<string>
}

/**
 * What came of an operator's word. `unfit`: the order does not stand so that it means anything; `unknown`: there is
 * no such order.
 */
export type OrderVerdict =
  | { readonly outcome: "done"; readonly order: Order }
  | { readonly outcome: "unfit"; readonly order: Order | undefined }
  | { readonly outcome: "unknown" }
