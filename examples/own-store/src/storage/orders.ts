import type { Order, OrderStore } from "@till402/core"
import { type Database, json } from "./database.ts"

/** Orders. The condition on the status is in the statement that changes it: two workers never place one order. */
export const orderStore = (sql: Database) =>
  ({
    create: async ({ offer, product, shippingAddress, ...order }) => {
      const row = {
        ...order,
        product: json(sql, product),
        shippingAddress: json(sql, shippingAddress),
        offer: json(sql, offer)
      }
      await sql`INSERT INTO till.orders ${sql(row)} ON CONFLICT (id) DO NOTHING`
    },

    find: async (id) => {
      const [order] = await sql<Array<Order>>`SELECT * FROM till.orders WHERE id = ${id}`
      return order
    },

    advance: async (id, { from, to, upstreamReference }, nowMillis) => {
      const { count } = await sql`
      UPDATE till.orders
      SET status = ${to}, updated_at_millis = ${nowMillis},
        upstream_reference = coalesce(${upstreamReference ?? null}, upstream_reference)
      WHERE id = ${id} AND status = ANY(${[...from]})`
      return count === 1
    },

    waiting: (status, limit) => sql<Array<Order>>`
    SELECT * FROM till.orders WHERE status = ${status} ORDER BY updated_at_millis, id LIMIT ${limit}`,

    list: ({ before, limit, status }) => sql<Array<Order>>`
    SELECT * FROM till.orders
    WHERE true
      ${status === undefined ? sql`` : sql`AND status = ${status}`}
      ${
        before === undefined
          ? sql``
          : sql`AND (created_at_millis, id) <
              (SELECT last.created_at_millis, last.id FROM till.orders AS last WHERE last.id = ${before})`
      }
    ORDER BY created_at_millis DESC, id DESC LIMIT ${limit}`
  }) satisfies OrderStore
