import { Effect, Schema } from "effect"
import { fieldsOf } from "../listing/fields.ts"
import { type Answer, AnswerMalformed, parseJson, readJson } from "../upstream/index.ts"

/*
 * Zinc's documents: https://www.zinc.com/docs/v2/api-reference/orders/get-order. Statuses are open lists, and
 * fields that are new don't matter.
 */

/** An id that can stand in a path. */
export const idPattern: RegExp = /^[\w-]{1,100}$/

const Order = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[\w-]{1,100}$/u)),
  status: Schema.String,
  job_result: Schema.optional(Schema.Unknown),
  tracking_numbers: Schema.optional(Schema.Unknown)
})

/** An order as Zinc tells it. */
export type OrderDocument = typeof Order.Type

export const readOrder: (answer: Answer) => Effect.Effect<OrderDocument, AnswerMalformed> = readJson(Order)

/** One page of an account's orders, newest first, each read on its own. */
export interface OrderPage {
  readonly orders: ReadonlyArray<unknown>
  /** Whether Zinc says that there are more; it has been announced, not documented. */
  readonly saysMore: boolean
}

/** Zinc's documents show both, a bare list and one in an envelope. */
export const readPage = (answer: Answer): Effect.Effect<OrderPage, AnswerMalformed> =>
  Effect.flatMap(parseJson(answer), (document) => {
    if (Array.isArray(document)) return Effect.succeed({ orders: document, saysMore: false })
    const { has_more, next, next_cursor, orders } = fieldsOf(document)
    return Array.isArray(orders)
      ? Effect.succeed({
          orders,
          saysMore: has_more === true || typeof next === "string" || typeof next_cursor === "string"
        })
      : Effect.fail(new AnswerMalformed({ upstream: answer.upstream, detail: "orders" }))
  })
