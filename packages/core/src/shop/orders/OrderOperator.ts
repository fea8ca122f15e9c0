import { Context, Effect, Layer, Option, Stream } from "effect"
import { ConfigurationError, type StoreError } from "../../domain/Errors.ts"
import { OrderStatus } from "../goods/Order.ts"
import { Charges } from "../../ports/Charges.ts"
import { toReasonCode } from "../../ports/ReasonCode.ts"
import { optionalStore } from "../ports/optionalStore.ts"
import { isSameEmail, itemOf, type Order, Orders } from "../ports/Orders.ts"
import type { ChangeFeed, OrderChange } from "./OrderChanges.ts"
import type { OrderEvent } from "./OrderEvent.ts"
import { exportOrders } from "./orderExport.ts"
import { defaultLimit, exportPages, listInPages } from "../../operators/listInPages.ts"
import { listPaidFor } from "../../operators/listPaidFor.ts"
import { OrderLife } from "./OrderLife.ts"
import { checkChoice } from "../../operators/OperatorInput.ts"
import { isUsableName } from "../../runtime/isUsableName.ts"
import { type ExportFormat, exportFormats } from "../../operators/recordExport.ts"
import { recordManualRefund } from "../../refunds/ManualRefunds.ts"
import { OrderWorker } from "./OrderWorker.ts"

/**
 * The result of an operator's command.
 *
 * `done`: the order has changed as requested. `conflict`: its status (or its recorded refund) doesn't allow the
 * command; `order` is `undefined` if it was changed concurrently. `not_found`: no order has this id or reference. `invalid`: the given reference or transaction is blank, too long (over 500 characters) or
 * has control characters; nothing was changed.
 */
export type OperatorResult =
  | { readonly outcome: "done"; readonly order: Order }
  | { readonly outcome: "conflict"; readonly order: Order | undefined }
  | { readonly outcome: "not_found" }
  | { readonly outcome: "invalid" }

/** Selects a page of orders. */
export interface OrderQuery {
  /** Orders in the page, above 0; default 50. */
  readonly limit?: number
  /** Only orders in this status. */
  readonly status?: OrderStatus
  /** Only orders with this email, in any letter case; none once it is erased. */
  readonly email?: string
  /** Only orders of this item: the `asin`, or the `productUrl` of a storefront product. */
  readonly item?: string
  /** Only orders that this address has paid for. */
  readonly payer?: string
  /** Only orders that this transaction has paid for. */
  readonly transaction?: string
  /** Id of the last order of the previous page. */
  readonly before?: string
}

/** Selects the orders of an export, and its format. */
export interface ExportQuery {
  readonly format: ExportFormat
  /** Only orders in this status. */
  readonly status?: OrderStatus
  /** Includes address and email; default `false`. */
  readonly personal?: boolean
}

/** Reads and corrects orders, for the host's operators and jobs. */
export class OrderOperator extends Context.Service<
  OrderOperator,
  {
    readonly find: (id: string) => Effect.Effect<Order | undefined, StoreError>
    /** Lists orders, newest first. */
    readonly list: (query?: OrderQuery) => Effect.Effect<ReadonlyArray<Order>, StoreError>
    /** Status changes from now on, as this process makes them; a reader over 1,000 changes behind misses the oldest. */
    readonly changes: Stream.Stream<OrderChange>
    /** Takes the next step of an order now: requests its status upstream, or tries its refund. */
    readonly processNow: (id: string) => Effect.Effect<OperatorResult, StoreError>
    /** Like `processNow`, but by upstream's reference, which a webhook knows. */
    readonly processNowByReference: (upstreamReference: string) => Effect.Effect<OperatorResult, StoreError>
    /** Places an order that needs an operator again, because it was *not* placed. */
    readonly retry: (id: string) => Effect.Effect<OperatorResult, StoreError>
    /** Tracks an order that needs an operator by the reference that it has upstream. */
    readonly resolve: (id: string, upstreamReference: string) => Effect.Effect<OperatorResult, StoreError>
    /** Ends an order that needs an operator, was placed, and has arrived. */
    readonly markDelivered: (id: string) => Effect.Effect<OperatorResult, StoreError>
    /**
     * Cancels an order, so that its payment is refunded. Doesn't cancel it upstream. Not possible while it is being
     * placed, nor once delivered. `reason`: a word for the refund's mail, `cancelled_by_seller` by default.
     */
    readonly cancel: (id: string, reason?: string) => Effect.Effect<OperatorResult, StoreError>
    /**
     * Records that the refund of an order was sent by other means. Conflicts if another transaction is recorded, if
     * it is a payment's, or if the wallet may be sending it: it has started, and refunds have not been stopped for 90 minutes.
     */
    readonly markRefunded: (id: string, transaction: string) => Effect.Effect<OperatorResult, StoreError>
    /** Exports orders, newest first, as text in pieces: a JSON array, or CSV with a header row (RFC 4180). */
    readonly export: (query: ExportQuery) => Stream.Stream<string, StoreError>
  }
>()("@till402/core/OrderOperator") {
  /** Without `OrderLife` and `OrderWorker` (no fulfilment is configured) orders can be read; a change of one is a `ConfigurationError`. */
  static readonly layer = (feed: ChangeFeed): Layer.Layer<OrderOperator, never, Charges> =>
    Layer.effect(OrderOperator, make(feed))
}

interface Services {
  readonly orders: Orders["Service"]
  readonly charges: Charges["Service"]
  /** What changes orders; `undefined`: no fulfilment is configured. */
  readonly processing:
    | { readonly life: OrderLife["Service"]; readonly worker: OrderWorker["Service"] }
    | undefined
}

/** Events that an operator decides by the status that was read. */
const isDecision = ({ _tag }: OrderEvent): boolean =>
  _tag === "Retried" || _tag === "Resolved" || _tag === "Delivered" || _tag === "Cancelled"

/** Applies a decision to the step it was made about: if another step began since, it conflicts. */
const decide = Effect.fnUntraced(function* (
  orders: Orders["Service"],
  life: OrderLife["Service"],
  id: string,
  event: OrderEvent
) {
  const order = yield* orders.find(id)
  return order === undefined ? undefined : yield* life.applyOutcome(order, event)
})

/** What a host's script meets that makes a till without the options of the server. */
const noFulfilment = new ConfigurationError({
  message: "this till has no fulfilment, so it can't change orders: give it the options of the server"
})

const apply = Effect.fnUntraced(function* (
  { orders, processing }: Services,
  id: string,
  event: OrderEvent
): Effect.fn.Return<OperatorResult, StoreError> {
  if (processing === undefined)
    return (yield* orders.find(id)) === undefined ? { outcome: "not_found" } : yield* Effect.die(noFulfilment)
  const { life } = processing
  const result = yield* isDecision(event) ? decide(orders, life, id, event) : life.applyById(id, event)
  if (result === undefined) return { outcome: "not_found" }
  if (result._tag !== "Changed")
    return { outcome: "conflict", order: result._tag === "NotApplicable" ? result.order : undefined }
  yield* processing.worker.wake
  return { outcome: "done", order: result.order }
})

const applyByReference = Effect.fnUntraced(function* (
  services: Services,
  upstreamReference: string,
  event: OrderEvent
): Effect.fn.Return<OperatorResult, StoreError> {
  if (!isUsableName(upstreamReference)) return { outcome: "invalid" }
  const order = yield* services.orders.findByReference(upstreamReference, undefined)
  return order === undefined ? { outcome: "not_found" } : yield* apply(services, order.id, event)
})

const markRefunded = Effect.fnUntraced(function* (
  services: Services,
  id: string,
  transaction: string
): Effect.fn.Return<OperatorResult, StoreError> {
  const { charges, orders } = services
  if (!isUsableName(transaction)) return { outcome: "invalid" }
  const order = yield* orders.find(id)
  if (order === undefined) return { outcome: "not_found" }
  if (services.processing === undefined) return yield* Effect.die(noFulfilment)
  if (order.status !== "refund_due") return { outcome: "conflict", order }
  const recorded = yield* recordManualRefund(charges, order.chargeKey, transaction)
  if (recorded === "Refused") return { outcome: "conflict", order }
  return yield* apply(services, id, { _tag: "Refunded" })
})

/** All orders of a status, newest first, page by page. */
const pagesOf = (
  { orders }: Services,
  status: OrderStatus | undefined
): Stream.Stream<ReadonlyArray<Order>, StoreError> =>
  exportPages((limit, last: Order | undefined) =>
    orders.list({
      limit,
      ...(status === undefined ? {} : { status }),
      ...(last === undefined ? {} : { before: last.id })
    })
  )

const matches = (order: Order, { email, item, status }: OrderQuery): boolean =>
  (status ?? order.status) === order.status &&
  (email === undefined || isSameEmail(order.email, email)) &&
  (item ?? itemOf(order)) === itemOf(order)

/** A page of orders. Who paid, and by which transaction, is found by their charges. */
const listOrders = (
  { charges, orders }: Services,
  query: OrderQuery & { readonly limit: number }
): Effect.Effect<ReadonlyArray<Order>, StoreError> => {
  const { payer, transaction, ...own } = query
  return payer === undefined && transaction === undefined
    ? orders.list(own)
    : listPaidFor(charges, { kind: "order", store: orders, matches: (order) => matches(order, query) }, query)
}

const make = Effect.fnUntraced(function* (feed: ChangeFeed) {
  const orders = yield* optionalStore(Orders, "orders")
  const life = yield* Effect.serviceOption(OrderLife)
  const worker = yield* Effect.serviceOption(OrderWorker)
  const services: Services = {
    orders,
    charges: yield* Charges,
    processing:
      Option.isSome(life) && Option.isSome(worker) ? { life: life.value, worker: worker.value } : undefined
  }
  return OrderOperator.of({
    find: (id) => orders.find(id),
    list: ({ limit = defaultLimit, ...query } = {}) =>
      Effect.andThen(
        checkChoice("status", query.status, OrderStatus.literals),
        listInPages(limit, (size, last: Order | undefined) =>
          listOrders(services, { ...query, limit: size, ...(last === undefined ? {} : { before: last.id }) })
        )
      ),
    // A feed never fails: it ends with the till.
    changes: Stream.suspend(() => Stream.orDie(Stream.fromAsyncIterable(feed.subscribe(), (error) => error))),
    processNow: (id) => apply(services, id, { _tag: "StepRequested" }),
    processNowByReference: (reference) => applyByReference(services, reference, { _tag: "StepRequested" }),
    retry: (id) => apply(services, id, { _tag: "Retried" }),
    resolve: (id, reference) =>
      isUsableName(reference)
        ? apply(services, id, { _tag: "Resolved", reference })
        : Effect.succeed({ outcome: "invalid" }),
    markDelivered: (id) => apply(services, id, { _tag: "Delivered" }),
    cancel: (id, reason = "cancelled_by_seller") =>
      apply(services, id, { _tag: "Cancelled", reason: toReasonCode(reason) }),
    markRefunded: (id, transaction) => markRefunded(services, id, transaction),
    export: ({ format, personal = false, status }) =>
      Stream.unwrap(
        Effect.gen(function* () {
          yield* checkChoice("format", format ?? "", exportFormats)
          yield* checkChoice("status", status, OrderStatus.literals)
          return exportOrders(pagesOf(services, status), { format, personal })
        })
      )
  })
})
