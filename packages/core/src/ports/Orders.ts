import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Offer, OrderStatus, Parcel, ProductReference, ShippingAddress } from "../domain/Order.ts"

/** A mail that an order still has to send. */
export interface OrderMail {
  readonly kind: "confirmed" | "shipped" | "refunded"
  /** How often it was tried in vain. */
  readonly attempts: number
  /** When it is tried next, in milliseconds since the epoch. */
  readonly dueAtMillis: number
}

/** An order as the store holds it. */
export interface Order {
  /** UUID. */
  readonly id: string
  readonly chargeKey: string
  readonly status: OrderStatus
  readonly product: ProductReference
  /** `undefined` once it was forgotten: some time after the order came to rest. */
  readonly shippingAddress: ShippingAddress | undefined
  /** Forgotten with the address. */
  readonly email: string | undefined
  readonly offer: Offer
  /** The upstream's own name of the order, once placed. */
  readonly upstreamReference: string | undefined
  readonly shipments: ReadonlyArray<Parcel>
  /** Why the order came to nothing, or waits for an operator: a word. */
  readonly reason: string | undefined
  /** How often the step that is due now was tried in vain. */
  readonly attempts: number
  /** When the next step of its life is due; `undefined`: it rests, or waits for somebody. */
  readonly stepAtMillis: number | undefined
  /** Mails that are still to be sent, in the order of what they tell. */
  readonly mails: ReadonlyArray<OrderMail>
  /** When a worker looks at it next: for a step, a mail, or since another worker died with it. */
  readonly dueAtMillis: number | undefined
  /** Grows with each change: who changes an order says which one was seen. */
  readonly version: number
  readonly createdAtMillis: number
  /** When the status changed last. */
  readonly updatedAtMillis: number
}

/** States in which an order may rest for good. */
export const restingStatuses = ["abandoned", "placed", "shipped", "delivered", "refunded"] as const

/** Orders. Each verb is one atomic step. */
export class Orders extends Context.Service<
  Orders,
  {
    /** Writes a new order; an id that exists is left as it is. */
    readonly create: (order: Order) => Effect.Effect<void, StoreError>
    readonly find: (id: string) => Effect.Effect<Order | undefined, StoreError>
    /** The order that goes by this name upstream; of several, whichever. */
    readonly findByReference: (upstreamReference: string) => Effect.Effect<Order | undefined, StoreError>
    /**
     * Writes an order over the one that stands, if that one still has this `version`; the new one's is one
     * more. Answers whether it did: of any number of racers one wins. `id`, `chargeKey`, `product`, `offer`,
     * `createdAtMillis`, address and e-mail stay as they were created.
     */
    readonly replace: (order: Order) => Effect.Effect<boolean, StoreError>
    /**
     * Takes orders whose `dueAtMillis` has come, the longest due first: they become due again at
     * `untilMillis`, with a version that is one more. No two callers get the same one before that.
     */
    readonly take: (
      nowMillis: number,
      untilMillis: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Order>, StoreError>
    /** Newest first; `before` is the id of the last order of the page before. */
    readonly list: (options: {
      readonly limit: number
      readonly status?: OrderStatus
      readonly before?: string
    }) => Effect.Effect<ReadonlyArray<Order>, StoreError>
    /**
     * Forgets address and e-mail of orders that rest (`restingStatuses`, nothing due) unchanged since before
     * `beforeMillis`, at most `limit` of them, whichever. Answers how many were touched.
     */
    readonly forget: (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/Orders") {
  /** Orders in memory. */
  static readonly layerMemory: Layer.Layer<Orders> = Layer.sync(Orders, () => {
    const orders = new Map<string, Order>()
    const rests = ({ dueAtMillis, status }: Order) =>
      dueAtMillis === undefined && (restingStatuses as ReadonlyArray<OrderStatus>).includes(status)
    return Orders.of({
      create: (order) =>
        Effect.sync(() => {
          if (!orders.has(order.id)) orders.set(order.id, order)
        }),
      find: (id) => Effect.sync(() => orders.get(id)),
      findByReference: (upstreamReference) =>
        Effect.sync(() => {
          for (const order of orders.values()) if (order.upstreamReference === upstreamReference) return order
          return undefined
        }),
      replace: (order) =>
        Effect.sync(() => {
          const standing = orders.get(order.id)
          if (standing?.version !== order.version) return false
          const { chargeKey, createdAtMillis, email, offer, product, shippingAddress } = standing
          const fixed = { chargeKey, createdAtMillis, email, offer, product, shippingAddress }
          orders.set(order.id, { ...order, ...fixed, version: order.version + 1 })
          return true
        }),
      take: (nowMillis, untilMillis, limit) =>
        Effect.sync(() =>
          Array.from(orders.values())
            .filter(({ dueAtMillis }) => dueAtMillis !== undefined && dueAtMillis <= nowMillis)
            .sort((left, right) => left.dueAtMillis! - right.dueAtMillis! || (left.id < right.id ? -1 : 1))
            .slice(0, limit)
            .map((order) => {
              const taken = { ...order, dueAtMillis: untilMillis, version: order.version + 1 }
              orders.set(order.id, taken)
              return taken
            })
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
        }),
      forget: (beforeMillis, limit) =>
        Effect.sync(() => {
          const due = Array.from(orders.values())
            .filter((order) => rests(order) && order.updatedAtMillis < beforeMillis)
            .filter(({ email }) => email !== undefined)
            .slice(0, limit)
          for (const order of due)
            orders.set(order.id, { ...order, email: undefined, shippingAddress: undefined })
          return due.length
        })
    })
  })
}

const newestFirst = (left: Order, right: Order): number =>
  right.createdAtMillis - left.createdAtMillis || (left.id === right.id ? 0 : left.id > right.id ? -1 : 1)
