import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { OrderStatus } from "../../shop/goods/Order.ts"
import { type Order, Orders } from "../../shop/ports/Orders.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../../shop/ports/ShopEvents.ts"
import { orderNames, restingOrders } from "../schema/orderConditions.ts"
import { fromOffer, toOffer } from "./offerRows.ts"
import { earliestDueOf, skippingLocked, storing, tookEffect } from "./statements.ts"

interface Row {
  readonly id: string
  readonly status: OrderStatus
  readonly version: number | string
  readonly due_at: number | string | null
  readonly created_at: number | string
  readonly updated_at: number | string
  readonly upstream_reference: string | null
  /** The agreed facts, which never change. */
  readonly document: string
  /** Address and email, until they are erased. */
  readonly personal: string | null
  /** The facts that change with its progress. */
  readonly progress: string
}

/** The facts that an order is created with. */
const documentOf = ({ chargeKey, offer, product }: Order): string =>
  JSON.stringify({ chargeKey, offer: fromOffer(offer), product })

const personalOf = ({ email, shippingAddress }: Order): string | null =>
  email === undefined && shippingAddress === undefined ? null : JSON.stringify({ email, shippingAddress })

const progressOf = ({ attempts, mails, reason, shipments, stepAtMillis, timeline }: Order): string =>
  JSON.stringify({ attempts, mails, reason, shipments, stepAtMillis, timeline })

const toOrder = (row: Row): Order => {
  const { offer, ...agreed } = JSON.parse(row.document)
  return {
    reason: undefined,
    stepAtMillis: undefined,
    email: undefined,
    shippingAddress: undefined,
    // Of an order that was stored before its times were.
    timeline: [{ status: row.status, atMillis: Number(row.updated_at) }],
    ...agreed,
    ...(row.personal === null ? {} : JSON.parse(row.personal)),
    ...JSON.parse(row.progress),
    id: row.id,
    status: row.status,
    version: Number(row.version),
    dueAtMillis: row.due_at === null ? undefined : Number(row.due_at),
    offer: toOffer(offer),
    upstreamReference: row.upstream_reference ?? undefined,
    createdAtMillis: Number(row.created_at),
    updatedAtMillis: Number(row.updated_at)
  }
}

/** The orders of some rows, without those that can't be read: one of them must not hold up the others. */
const readable = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Row>
): Effect.fn.Return<ReadonlyArray<Order>> {
  const read = yield* Effect.forEach(rows, (row) =>
    Effect.try({ try: () => toOrder(row), catch: (cause) => cause }).pipe(
      Effect.catch((cause) =>
        Effect.as(
          report("Error", "order_unreadable", "The stored row of an order can't be read; it is skipped", {
            orderId: row.id,
            error: causeName(cause)
          }),
          undefined
        )
      )
    )
  )
  return read.filter((order) => order !== undefined)
})

type Methods = Orders["Service"]

const writeMethods = (sql: SqlClient.SqlClient): Pick<Methods, "create" | "replace" | "take" | "forget"> => {
  return {
    create: (order) =>
      storing(
        "orders.create",
        Effect.asVoid(
          sql`INSERT INTO till_orders ${sql.insert({
            id: order.id,
            status: order.status,
            version: order.version,
            due_at: order.dueAtMillis ?? null,
            created_at: order.createdAtMillis,
            updated_at: order.updatedAtMillis,
            upstream_reference: order.upstreamReference ?? null,
            document: documentOf(order),
            personal: personalOf(order),
            progress: progressOf(order)
          })} ON CONFLICT (id) DO NOTHING`
        )
      ),
    replace: (order) =>
      storing(
        "orders.replace",
        tookEffect(sql`
          UPDATE till_orders SET status = ${order.status}, version = version + 1,
            due_at = ${order.dueAtMillis ?? null}, updated_at = ${order.updatedAtMillis},
            upstream_reference = ${order.upstreamReference ?? null}, progress = ${progressOf(order)}
          WHERE id = ${order.id} AND version = ${order.version} RETURNING id`)
      ),
    take: (nowMillis, untilMillis, limit) =>
      storing(
        "orders.take",
        Effect.flatMap(
          // Selected first, and once: a plan that selected anew for each row would skip those that it has taken, and take
          // more than the limit. The condition is repeated for a statement that waited for a row's lock.
          sql<Row>`
            WITH due AS MATERIALIZED (
              SELECT id FROM till_orders WHERE due_at <= ${nowMillis} ORDER BY due_at, id LIMIT ${limit} ${skippingLocked(sql)})
            UPDATE till_orders SET due_at = ${untilMillis}, version = version + 1
            WHERE due_at <= ${nowMillis} AND id IN (SELECT id FROM due) RETURNING *`,
          readable
        )
      ),
    forget: (beforeMillis, limit) =>
      storing(
        "orders.forget",
        Effect.map(
          sql`
            UPDATE till_orders SET personal = NULL WHERE personal IS NOT NULL AND id IN (
              SELECT id FROM till_orders WHERE ${sql.literal(restingOrders)} AND updated_at < ${beforeMillis}
              ORDER BY updated_at LIMIT ${limit})
            RETURNING id`,
          ({ length }) => length
        )
      )
  }
}

const readMethods = (
  sql: SqlClient.SqlClient
): Pick<Methods, "find" | "findByReference" | "earliestDue" | "list"> => ({
  find: (id) =>
    storing(
      "orders.find",
      Effect.map(sql<Row>`SELECT * FROM till_orders WHERE id = ${id}`, ([row]) =>
        row === undefined ? undefined : toOrder(row)
      )
    ),
  findByReference: (upstreamReference, otherThan = "") =>
    storing(
      "orders.findByReference",
      Effect.map(
        sql<Row>`SELECT * FROM till_orders WHERE upstream_reference = ${upstreamReference} AND id <> ${otherThan}
          LIMIT 1`,
        ([row]) => (row === undefined ? undefined : toOrder(row))
      )
    ),
  earliestDue: () => storing("orders.earliestDue", earliestDueOf(sql, "till_orders")),
  list: (query) => storing("orders.list", listReadable(sql, query))
})

type ListQuery = Parameters<Methods["list"]>[0]

/** Email and item as their indexes have them. */
const namedColumns = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      email: sql.literal(orderNames.postgres.email),
      item: sql.literal(orderNames.postgres.item)
    }),
    orElse: () => ({ email: sql.literal(orderNames.sqlite.email), item: sql.literal(orderNames.sqlite.item) })
  })

const listRows = (sql: SqlClient.SqlClient, { before, email, ids, item, limit, status }: ListQuery) =>
  sql<Row>`SELECT o.* FROM till_orders AS o
    WHERE ${sql.and([
      sql`1 = 1`,
      ...(ids === undefined ? [] : [sql.in("id", ids)]),
      ...(status === undefined ? [] : [sql`o.status = ${status}`]),
      ...(email === undefined ? [] : [sql`${namedColumns(sql).email} = ${email.toLowerCase()}`]),
      ...(item === undefined ? [] : [sql`${namedColumns(sql).item} = ${item}`]),
      ...(before === undefined
        ? []
        : [
            sql`(o.created_at, o.id) <
              (SELECT b.created_at, b.id FROM till_orders AS b WHERE b.id = ${before})`
          ])
    ])} ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`

/** A page of orders. Reads on where some can't be read: a page that isn't full would be the last one. */
const listReadable = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, query: ListQuery) {
  const found: Array<Order> = []
  let { before } = query
  for (;;) {
    const limit = query.limit - found.length
    const rows = yield* listRows(sql, { ...query, limit, ...(before === undefined ? {} : { before }) })
    found.push(...(yield* readable(rows)))
    before = rows.at(-1)?.id
    if (rows.length < limit || found.length >= query.limit) return found
  }
})

/** Orders in a database. Every method is one statement, so the database decides each race. */
export const layer: Layer.Layer<Orders, never, SqlClient.SqlClient> = Layer.effect(
  Orders,
  Effect.map(SqlClient.SqlClient, (sql) => Orders.of({ ...writeMethods(sql), ...readMethods(sql) }))
)
