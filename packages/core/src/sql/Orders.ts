import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { OrderStatus } from "../domain/Order.ts"
import { type Order, Orders } from "../ports/Orders.ts"
import { fromOffer, storing, toOffer } from "./rows.ts"

interface Row {
  readonly id: string
  readonly status: OrderStatus
  readonly created_at: number | string
  readonly updated_at: number | string
  readonly upstream_reference: string | null
  readonly document: string
}

const toOrder = (row: Row): Order => {
  const document = JSON.parse(row.document)
  return {
    ...document,
    id: row.id,
    status: row.status,
    offer: toOffer(document.offer),
    upstreamReference: row.upstream_reference ?? undefined,
    createdAtMillis: Number(row.created_at),
    updatedAtMillis: Number(row.updated_at)
  }
}

/** Orders in a database. */
export const layer: Layer.Layer<Orders, never, SqlClient.SqlClient> = Layer.effect(
  Orders,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Orders.of({
      create: ({ chargeKey, email, offer, product, shippingAddress, ...order }) =>
        storing(
          "orders.create",
          Effect.asVoid(
            sql`INSERT INTO till_orders ${sql.insert({
              id: order.id,
              status: order.status,
              created_at: order.createdAtMillis,
              updated_at: order.updatedAtMillis,
              upstream_reference: order.upstreamReference ?? null,
              document: JSON.stringify({
                chargeKey,
                email,
                offer: fromOffer(offer),
                product,
                shippingAddress
              })
            })} ON CONFLICT (id) DO NOTHING`
          )
        ),
      find: (id) =>
        storing(
          "orders.find",
          Effect.map(sql<Row>`SELECT * FROM till_orders WHERE id = ${id}`, ([row]) =>
            row === undefined ? undefined : toOrder(row)
          )
        ),
      advance: (id, { from, to, upstreamReference }, nowMillis) =>
        storing(
          "orders.advance",
          Effect.map(
            sql`UPDATE till_orders SET status = ${to}, updated_at = ${nowMillis},
              upstream_reference = COALESCE(${upstreamReference ?? null}, upstream_reference)
              WHERE id = ${id} AND ${sql.in("status", from)} RETURNING id`,
            ({ length }) => length > 0
          )
        ),
      waiting: (status, limit) =>
        storing(
          "orders.waiting",
          Effect.map(
            sql<Row>`SELECT * FROM till_orders WHERE status = ${status} ORDER BY updated_at, id LIMIT ${limit}`,
            (rows) => rows.map(toOrder)
          )
        ),
      list: ({ before, limit, status }) =>
        storing(
          "orders.list",
          Effect.map(
            sql<Row>`SELECT o.* FROM till_orders AS o
              WHERE ${sql.and([
                sql`1 = 1`,
                ...(status === undefined ? [] : [sql`o.status = ${status}`]),
                ...(before === undefined
                  ? []
                  : [
                      sql`(o.created_at, o.id) <
                        (SELECT b.created_at, b.id FROM till_orders AS b WHERE b.id = ${before})`
                    ])
              ])} ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`,
            (rows) => rows.map(toOrder)
          )
        )
    })
  )
)
