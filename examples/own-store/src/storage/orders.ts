import type { Order, OrderStore } from "@till402/core"
import { type Database, json } from "./database.ts"

/** Orders. The version is checked in the statement that changes an order, so two workers never place it. */
export const orderStore = (sql: Database) =>
  ({
    create: async ({ mails, offer, product, shipments, shippingAddress, timeline, ...order }) => {
      const row = {
        ...order,
        product: json(sql, product),
        shippingAddress: json(sql, shippingAddress),
        offer: json(sql, offer),
        shipments: json(sql, shipments),
        mails: json(sql, mails),
        timeline: json(sql, timeline)
      }
      await sql`INSERT INTO till.orders ${sql(row)} ON CONFLICT (id) DO NOTHING`
    },

    find: async (id) => {
      const [order] = await sql<Array<Order>>`SELECT * FROM till.orders WHERE id = ${id}`
      return order
    },

    findByReference: async (upstreamReference, otherThan) => {
      const [order] = await sql<Array<Order>>`
      SELECT * FROM till.orders
      WHERE upstream_reference = ${upstreamReference} AND id::text <> ${otherThan ?? ""} LIMIT 1`
      return order
    },

    replace: async ({ id, mails, shipments, timeline, version, ...order }) => {
      const { count } = await sql`
      UPDATE till.orders
      SET status = ${order.status}, version = version + 1, upstream_reference = ${order.upstreamReference ?? null},
        shipments = ${json(sql, shipments)}, mails = ${json(sql, mails)}, reason = ${order.reason ?? null},
        attempts = ${order.attempts}, step_at_millis = ${order.stepAtMillis ?? null},
        due_at_millis = ${order.dueAtMillis ?? null}, updated_at_millis = ${order.updatedAtMillis},
        timeline = ${json(sql, timeline)}
      WHERE id = ${id} AND version = ${version}`
      return count === 1
    },

    // Skips rows that another worker is taking. Selects once: a plan that selects anew for each row takes more than the
    // limit, since it skips those that it has taken.
    take: (nowMillis, untilMillis, limit) => sql<Array<Order>>`
    WITH due AS MATERIALIZED (
      SELECT id FROM till.orders WHERE due_at_millis <= ${nowMillis}
      ORDER BY due_at_millis, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE till.orders SET due_at_millis = ${untilMillis}, version = version + 1
    WHERE due_at_millis <= ${nowMillis} AND id IN (SELECT id FROM due)
    RETURNING *`,

    earliestDue: async () => {
      const [first] = await sql<Array<Pick<Order, "dueAtMillis">>>`
      SELECT min(due_at_millis) AS due_at_millis FROM till.orders`
      return first?.dueAtMillis
    },

    list: ({ before, email, ids, item, limit, status }) => sql<Array<Order>>`
    SELECT * FROM till.orders
    WHERE true
      ${ids === undefined ? sql`` : sql`AND id = ANY(${[...ids]})`}
      ${status === undefined ? sql`` : sql`AND status = ${status}`}
      ${email === undefined ? sql`` : sql`AND lower(email) = ${email.toLowerCase()}`}
      ${item === undefined ? sql`` : sql`AND coalesce(product ->> 'asin', product ->> 'productUrl') = ${item}`}
      ${
        before === undefined
          ? sql``
          : sql`AND (created_at_millis, id) <
              (SELECT last.created_at_millis, last.id FROM till.orders AS last WHERE last.id = ${before})`
      }
    ORDER BY created_at_millis DESC, id DESC LIMIT ${limit}`,

    forget: async (beforeMillis, limit) => {
      const { count } = await sql`
      WITH finished AS MATERIALIZED (
        SELECT id FROM till.orders
        WHERE email IS NOT NULL AND due_at_millis IS NULL AND updated_at_millis < ${beforeMillis}
          AND status IN ('abandoned', 'placed', 'shipped', 'delivered', 'refunded')
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      UPDATE till.orders SET email = NULL, shipping_address = NULL WHERE id IN (SELECT id FROM finished)`
      return count
    }
  }) satisfies OrderStore
