import { Effect, Schema } from "effect"
import { fieldsOf } from "../listing/Fields.ts"
import { type UpstreamResponse, ResponseMalformed, parseJson, readJson } from "../upstream/index.ts"

/*
 * Zinc's documents: https://www.zinc.com/docs/v2/api-reference/orders/get-order. Statuses are open lists;
 * unknown fields are ignored.
 */

/** An id that is safe in a path. */
export const idPattern: RegExp = /^[\w-]{1,100}$/

const Order = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[\w-]{1,100}$/u)),
  status: Schema.String,
  job_result: Schema.optional(Schema.Unknown),
  tracking_numbers: Schema.optional(Schema.Unknown)
})

/** An order of Zinc. */
export type OrderDocument = typeof Order.Type

export const readOrder: (response: UpstreamResponse) => Effect.Effect<OrderDocument, ResponseMalformed> =
  readJson(Order)

/** One page of an account's orders, newest first, each unchecked. */
export interface OrderPage {
  readonly orders: ReadonlyArray<unknown>
  /** Whether Zinc reports another page. Announced by Zinc, but not documented. */
  readonly hasMore: boolean
}

/** Reads a page. Zinc's documentation shows a bare list and a list in an envelope. */
export const readPage = (response: UpstreamResponse): Effect.Effect<OrderPage, ResponseMalformed> =>
  Effect.flatMap(parseJson(response), (document) => {
    if (Array.isArray(document)) return Effect.succeed({ orders: document, hasMore: false })
    const { has_more, next, next_cursor, orders } = fieldsOf(document)
    return Array.isArray(orders)
      ? Effect.succeed({
          orders,
          hasMore: has_more === true || typeof next === "string" || typeof next_cursor === "string"
        })
      : Effect.fail(new ResponseMalformed({ upstream: response.upstream, detail: "orders" }))
  })
