import { Context, type Effect } from "effect"
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
    /** Newest first; `before` is the id of the last order of the page before. */
    readonly list: (options: {
      readonly limit: number
      readonly status?: OrderStatus
      readonly before?: string
    }) => Effect.Effect<ReadonlyArray<Order>, StoreError>
  }
>()("@till402/core/Orders") {}
