import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Offer, OrderStatus, ProductReference, ShippingAddress } from "../domain/Order.ts"

export interface Order {
  /** UUID. */
  readonly id: string
  readonly chargeKey: string
  readonly status: OrderStatus
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  readonly email: string
  readonly offer: Offer
  /** The upstream's own name of the order, once placed. */
  readonly upstreamReference: string | undefined
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

export class Orders extends Context.Service<
  Orders,
  {
    /** Writes a new order; an id that exists is left as it is. */
    readonly create: (order: Order) => Effect.Effect<void, StoreError>
    readonly find: (id: string) => Effect.Effect<Order | undefined, StoreError>
    /** Moves an order on if it stands in one of `from`; answers whether it did. */
    readonly advance: (
      id: string,
      step: {
        readonly from: ReadonlyArray<OrderStatus>
        readonly to: OrderStatus
        readonly upstreamReference?: string
      },
      nowMillis: number
    ) => Effect.Effect<boolean, StoreError>
    /** Orders of a status, the longest unchanged first: for sweeps, where none may wait behind a backlog. */
    readonly waiting: (status: OrderStatus, limit: number) => Effect.Effect<ReadonlyArray<Order>, StoreError>
    /** Newest first; `before` is the id of the last order of the page before. */
    readonly list: (options: {
      readonly limit: number
      readonly status?: OrderStatus
      readonly before?: string
    }) => Effect.Effect<ReadonlyArray<Order>, StoreError>
  }
>()("@till402/core/Orders") {
  /** Orders in memory. */
  static readonly layerMemory: Layer.Layer<Orders> = Layer.sync(Orders, () => {
    const orders = new Map<string, Order>()
    return Orders.of({
      create: (order) =>
        Effect.sync(() => {
          if (!orders.has(order.id)) orders.set(order.id, order)
        }),
      find: (id) => Effect.sync(() => orders.get(id)),
      advance: (id, { from, to, upstreamReference }, nowMillis) =>
        Effect.sync(() => {
          const order = orders.get(id)
          if (order === undefined || !from.includes(order.status)) return false
          orders.set(id, {
            ...order,
            status: to,
            upstreamReference: upstreamReference ?? order.upstreamReference,
            updatedAtMillis: nowMillis
          })
          return true
        }),
      waiting: (status, limit) =>
        Effect.sync(() =>
          Array.from(orders.values())
            .filter((order) => order.status === status)
            .sort(
              (left, right) => left.updatedAtMillis - right.updatedAtMillis || (left.id < right.id ? -1 : 1)
            )
            .slice(0, limit)
        ),
      list: ({ before, limit, status }) =>
        Effect.sync(() => {
          const last = before === undefined ? undefined : orders.get(before)
          if (before !== undefined && last === undefined) return []
          return Array.from(orders.values())
            .filter((order) => status === undefined || order.status === status)
            .filter((order) => last === undefined || newestFirst(last, order) < 0)
            .sort(newestFirst)
            .slice(0, limit)
        })
    })
  })
}

const newestFirst = (left: Order, right: Order): number =>
  right.createdAtMillis - left.createdAtMillis || (left.id === right.id ? 0 : left.id > right.id ? -1 : 1)
