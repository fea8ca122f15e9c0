import type { Order } from "../ports/Orders.ts"
import type { OrderChange } from "./OrderChanges.ts"
import type { ExportQuery, OperatorResult, OrderQuery } from "./OrderOperator.ts"

/** Orders, for the host's operators and jobs: `OrderOperator` in plain promises. */
export interface HostOrders {
  readonly find: (id: string) => Promise<Order | undefined>
  /** Lists orders, newest first. */
  readonly list: (query?: OrderQuery) => Promise<ReadonlyArray<Order>>
  /**
   * Status changes from now on, as this process makes them; ends with the till, or when the loop is left. A loop that
   * is more than 1,000 changes behind misses the oldest.
   *
   * @example
   * for await (const { from, order } of till.orders.changes()) console.log(order.id, from, order.status)
   */
  readonly changes: () => AsyncIterableIterator<OrderChange>
  /** Takes the next step of an order now: requests its status upstream, or tries its refund. */
  readonly processNow: (id: string) => Promise<OperatorResult>
  /** Like `processNow`, but by upstream's reference, which a webhook knows. */
  readonly processNowByReference: (upstreamReference: string) => Promise<OperatorResult>
  /** Places an order that needs an operator again, because it was *not* placed. */
  readonly retry: (id: string) => Promise<OperatorResult>
  /** Tracks an order that needs an operator by the reference that it has upstream. */
  readonly resolve: (id: string, upstreamReference: string) => Promise<OperatorResult>
  /** Ends an order that needs an operator, was placed, and has arrived. */
  readonly markDelivered: (id: string) => Promise<OperatorResult>
  /**
   * Cancels an order, so that its payment is refunded. Doesn't cancel it upstream. Not possible while it is being
   * placed, nor once delivered.
   *
   * @example
   * const { outcome } = await till.orders.cancel("3d7f1a52-…", "customer asked")
   *
   * @param reason for the refund's mail, stored as a code: `customer asked` becomes `customer_asked`; default
   * `cancelled_by_seller`
   */
  readonly cancel: (id: string, reason?: string) => Promise<OperatorResult>
  /**
   * Records that the refund of an order was sent by other means. Conflicts if another transaction is recorded, or
   * if the wallet may be sending it: it has started, and refunds have not been stopped for 90 minutes.
   */
  readonly markRefunded: (id: string, transaction: string) => Promise<OperatorResult>
  /**
   * Exports orders, newest first, as text in pieces: a JSON array, or CSV with a header row (RFC 4180). In CSV,
   * every cell is quoted, and text that a spreadsheet would run as a formula gets an apostrophe before it. Address and
   * email only with `personal`.
   *
   * @example
   * for await (const piece of till.orders.export({ format: "csv" })) process.stdout.write(piece)
   */
  readonly export: (query: ExportQuery) => AsyncIterableIterator<string>
}
