import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Offer, OrderStatus, Parcel, ProductReference, ShippingAddress } from "../goods/Order.ts"

/** A mail of an order that is still to be sent. */
export interface OrderMail {
  readonly kind: "confirmed" | "shipped" | "failed" | "refunded"
  /** Attempts that failed. */
  readonly attempts: number
  /** When the next attempt is due, in milliseconds since the epoch. */
  readonly dueAtMillis: number
}

/** An order as stored. */
export interface Order {
  /** UUID. */
  readonly id: string
  /** Key of the charge that pays for it. */
  readonly chargeKey: string
  readonly status: OrderStatus
  /** What was ordered. */
  readonly product: ProductReference
  /** `undefined` once erased, some time after the order reached a resting status. */
  readonly shippingAddress: ShippingAddress | undefined
  /** Erased with the address. */
  readonly email: string | undefined
  /** The price that was paid. */
  readonly offer: Offer
  /** Upstream's name of the order, once placed. */
  readonly upstreamReference: string | undefined
  /** Parcels so far. */
  readonly shipments: ReadonlyArray<Parcel>
  /** Why it failed, was canceled, or needs an operator: a word for programs. */
  readonly reason: string | undefined
  /** Attempts of the current step that failed. */
  readonly attempts: number
  /** When its next step is due; `undefined`: it rests, or waits for an operator. */
  readonly stepAtMillis: number | undefined
  /** Mails that are still to be sent, in order. */
  readonly mails: ReadonlyArray<OrderMail>
  /** When a worker takes it next: for a step, a mail, or because the lease of another worker expired. */
  readonly dueAtMillis: number | undefined
  /** Incremented with each change; `replace` compares it. */
  readonly version: number
  readonly createdAtMillis: number
  /** When its status last changed. */
  readonly updatedAtMillis: number
  /** Each status that it has been in, with when it last came into it; the latest, which is `status`, at the end. */
  readonly timeline: ReadonlyArray<{ readonly status: OrderStatus; readonly atMillis: number }>
}

/** The name of what was ordered: its code at the general marketplace, or the address of a storefront product's page. */
export const itemOf = ({ product }: Pick<Order, "product">): string =>
  product.source === "marketplace_a" ? product.asin : product.productUrl

/** Compares emails in any letter case; they have ASCII letters alone. */
export const isSameEmail = (known: string | undefined, email: string): boolean =>
  known?.toLowerCase() === email.toLowerCase()

/** Statuses in which an order may rest for good. */
export const restingStatuses = ["abandoned", "placed", "shipped", "delivered", "refunded"] as const

/** Stores orders. Each method is one atomic step. */
export class Orders extends Context.Service<
  Orders,
  {
    /** Creates an order; does nothing if its id exists. */
    readonly create: (order: Order) => Effect.Effect<void, StoreError>
    readonly find: (id: string) => Effect.Effect<Order | undefined, StoreError>
    /** Finds an order by upstream's reference, other than the one with the id `otherThan` if given; any of several. */
    readonly findByReference: (
      upstreamReference: string,
      otherThan: string | undefined
    ) => Effect.Effect<Order | undefined, StoreError>
    /**
     * Replaces an order if the stored one still has this `version`, and increments the version. Returns whether it did:
     * of concurrent calls one wins. `id`, `chargeKey`, `product`, `offer`, `createdAtMillis`, address and email never
     * change.
     */
    readonly replace: (order: Order) => Effect.Effect<boolean, StoreError>
    /**
     * Leases orders whose `dueAtMillis` has come, the longest due first: they become due again at `untilMillis`, and
     * their version is incremented. No two callers get the same order before that.
     */
    readonly take: (
      nowMillis: number,
      untilMillis: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Order>, StoreError>
    /** Returns the earliest `dueAtMillis`, also one that is to come; `undefined` if no order has one. */
    readonly earliestDue: () => Effect.Effect<number | undefined, StoreError>
    /**
     * Lists orders, newest first; `before` is the id of the last order of the previous page. `email`: in any letter
     * case, until it is erased. `item`: see `itemOf`. `ids`: only those, up to 200.
     */
    readonly list: (options: {
      readonly limit: number
      readonly ids?: ReadonlyArray<string>
      readonly status?: OrderStatus
      readonly email?: string
      readonly item?: string
      readonly before?: string
    }) => Effect.Effect<ReadonlyArray<Order>, StoreError>
    /**
     * Erases address and email of up to `limit` orders that rest (`restingStatuses`, nothing due) unchanged since
     * before `beforeMillis`. Returns how many were changed.
     */
    readonly forget: (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/Orders") {
  /** Orders in memory. */
  static readonly layerMemory: Layer.Layer<Orders> = Layer.sync(Orders, () => {
    const orders = new Map<string, Order>()
    /** Ids of orders that have a due time, and of those whose address or email is known: sweeps read no others. */
    const due = new Set<string>()
    const known = new Set<string>()
    const put = (order: Order) => {
      const { dueAtMillis, email, id, shippingAddress } = order
      orders.set(id, order)
      if (dueAtMillis === undefined) due.delete(id)
      else due.add(id)
      if (email === undefined && shippingAddress === undefined) known.delete(id)
      else known.add(id)
    }
    const of = (ids: Set<string>) => Array.from(ids, (id) => orders.get(id)!)
    return Orders.of({
      create: (order) =>
        Effect.sync(() => {
          if (!orders.has(order.id)) put(order)
        }),
      find: (id) => Effect.sync(() => orders.get(id)),
      findByReference: (upstreamReference, otherThan) =>
        Effect.sync(() =>
          Array.from(orders.values()).find(
            (order) => order.upstreamReference === upstreamReference && order.id !== otherThan
          )
        ),
      replace: (order) =>
        Effect.sync(() => {
          const current = orders.get(order.id)
          if (current?.version !== order.version) return false
          const { chargeKey, createdAtMillis, email, offer, product, shippingAddress } = current
          const fixed = { chargeKey, createdAtMillis, email, offer, product, shippingAddress }
          put({ ...order, ...fixed, version: order.version + 1 })
          return true
        }),
      take: (nowMillis, untilMillis, limit) =>
        Effect.sync(() =>
          of(due)
            .filter(({ dueAtMillis }) => dueAtMillis !== undefined && dueAtMillis <= nowMillis)
            .sort((left, right) => left.dueAtMillis! - right.dueAtMillis! || (left.id < right.id ? -1 : 1))
            .slice(0, limit)
            .map((order) => {
              const taken = { ...order, dueAtMillis: untilMillis, version: order.version + 1 }
              put(taken)
              return taken
            })
        ),
      earliestDue: () => Effect.sync(() => earliestDueOf(of(due))),
      list: ({ before, email, ids, item, limit, status }) =>
        Effect.sync(() => {
          const last = before === undefined ? undefined : orders.get(before)
          if (before !== undefined && last === undefined) return []
          return Array.from(orders.values())
            .filter((order) => (ids?.includes(order.id) ?? true) && (status ?? order.status) === order.status)
            .filter((order) => email === undefined || isSameEmail(order.email, email))
            .filter((order) => item === undefined || itemOf(order) === item)
            .filter((order) => last === undefined || newestFirst(last, order) < 0)
            .sort(newestFirst)
            .slice(0, limit)
        }),
      forget: (beforeMillis, limit) =>
        Effect.sync(() => {
          const old = of(known)
            .filter((order) => rests(order) && order.updatedAtMillis < beforeMillis)
            .slice(0, limit)
          for (const order of old) put({ ...order, email: undefined, shippingAddress: undefined })
          return old.length
        })
    })
  })
}

const rests = ({ dueAtMillis, status }: Order): boolean =>
  dueAtMillis === undefined && (restingStatuses as ReadonlyArray<OrderStatus>).includes(status)

/** The earliest due time of some records. */
export const earliestDueOf = (
  records: ReadonlyArray<{ readonly dueAtMillis: number | undefined }>
): number | undefined =>
  records.reduce<number | undefined>(
    (earliest, { dueAtMillis = Infinity }) => (dueAtMillis < (earliest ?? Infinity) ? dueAtMillis : earliest),
    undefined
  )

const newestFirst = (left: Order, right: Order): number =>
  right.createdAtMillis - left.createdAtMillis || (left.id === right.id ? 0 : left.id > right.id ? -1 : 1)
