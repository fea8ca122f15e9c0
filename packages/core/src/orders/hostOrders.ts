import { Clock, Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { Charges } from "../ports/Charges.ts"
import { wordOf } from "../ports/HostCall.ts"
import { type Order, Orders } from "../ports/Orders.ts"
import type { HostOrders, OrderVerdict } from "./OrderApi.ts"
import type { ChangeFeed } from "./OrderChanges.ts"
import { exportOrders } from "./orderExport.ts"
import { OrderLife } from "./OrderLife.ts"
import { OrderWorker } from "./OrderWorker.ts"
import type { OrderEvent } from "./Transitions.ts"

type Services = Orders | Charges
/** Runs with the till's services; those of orders are there only where fulfilment is. */
type Run = <A>(effect: Effect.Effect<A, StoreError, Services>) => Promise<A>

const defaultLimit = 50
const exportPage = 200

/** Events that an operator decides on by the order's status: another step that begins meanwhile voids the decision. */
const isDecision = ({ _tag }: OrderEvent): boolean =>
  _tag === "Retried" || _tag === "Resolved" || _tag === "Cancelled"

const decide = Effect.fnUntraced(function* (life: OrderLife["Service"], id: string, event: OrderEvent) {
  const order = yield* Orders.use((orders) => orders.find(id))
  return order === undefined ? undefined : yield* life.tellOutcome(order, event)
})

const tell = Effect.fnUntraced(function* (
  id: string,
  event: OrderEvent
): Effect.fn.Return<OrderVerdict, StoreError, Orders> {
  const life = yield* Effect.serviceOption(OrderLife)
  const worker = yield* Effect.serviceOption(OrderWorker)
  // Without fulfilment nothing takes orders on: what an earlier configuration left stands as it is.
  if (life._tag === "None" || worker._tag === "None") return { outcome: "unfit", order: undefined }
  const told = yield* isDecision(event) ? decide(life.value, id, event) : life.value.tellById(id, event)
  if (told === undefined) return { outcome: "unknown" }
  if (told._tag !== "Changed")
    return { outcome: "unfit", order: told._tag === "Unfit" ? told.order : undefined }
  yield* worker.value.wake
  return { outcome: "done", order: told.order }
})

const byReference = Effect.fnUntraced(function* (upstreamReference: string, event: OrderEvent) {
  const order = yield* Orders.use((orders) => orders.findByReference(upstreamReference))
  return order === undefined ? ({ outcome: "unknown" } as const) : yield* tell(order.id, event)
})

const markRefunded = Effect.fnUntraced(function* (id: string, transaction: string) {
  const order = yield* Orders.use((orders) => orders.find(id))
  if (order === undefined) return { outcome: "unknown" } as const
  if (order.status !== "refund_due") return { outcome: "unfit", order } as const
  const nowMillis = yield* Clock.currentTimeMillis
  const recorded = yield* Charges.use((charges) =>
    charges.recordRefund(order.chargeKey, transaction, nowMillis)
  )
  if (!recorded) {
    // The wallet was first, perhaps: the books name that transaction, and the operator must hear of it.
    const refund = (yield* Charges.use((charges) => charges.find(order.chargeKey)))?.refund
    const isSame = refund?._tag === "Sent" && refund.transaction === transaction
    if (!isSame) return { outcome: "unfit", order } as const
  }
  return yield* tell(id, { _tag: "Refunded" })
})

/** What a host may do with orders, over the till's services. */
export const hostOrders = (run: Run, feed: ChangeFeed): HostOrders => {
  const list: HostOrders["list"] = (query = {}) =>
    run(Orders.use((orders) => orders.list({ ...query, limit: query.limit ?? defaultLimit })))

  async function* pages(
    status: Order["status"] | undefined
  ): AsyncGenerator<ReadonlyArray<Order>, void, void> {
    let before: string | undefined
    for (;;) {
      const page = await list({
        limit: exportPage,
        ...(status === undefined ? {} : { status }),
        ...(before === undefined ? {} : { before })
      })
      yield page
      before = page.at(-1)?.id
      if (page.length < exportPage) return
    }
  }

  return {
    find: (id) => run(Orders.use((orders) => orders.find(id))),
    list,
    changes: () => feed.subscribe(),
    hurry: (id) => run(tell(id, { _tag: "Hurried" })),
    hurryReference: (upstreamReference) => run(byReference(upstreamReference, { _tag: "Hurried" })),
    retry: (id) => run(tell(id, { _tag: "Retried" })),
    resolve: (id, reference) => run(tell(id, { _tag: "Resolved", reference })),
    cancel: (id, reason = "cancelled_by_seller") =>
      run(tell(id, { _tag: "Cancelled", reason: wordOf(reason) })),
    markRefunded: (id, transaction) => run(markRefunded(id, transaction)),
    export: ({ format, personal = false, status }) => exportOrders(pages(status), { format, personal })
  }
}
