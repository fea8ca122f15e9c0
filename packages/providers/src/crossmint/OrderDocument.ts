import { Schema } from "effect"
import { type Answer, type AnswerMalformed, readJson } from "../upstream/index.ts"
import type { Effect } from "effect"

/*
 * Crossmint's documents: https://docs.crossmint.com/api-reference/headless/create-order. Only what money
 * and goods depend on is demanded; statuses are open lists, and fields that are new don't matter.
 */

const absent = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Amount = Schema.Struct({ amount: Schema.String, currency: Schema.String })
const Failure = Schema.Struct({ code: absent(Schema.Unknown), message: absent(Schema.Unknown) })

/** An id that can stand in a path. */
const OrderId = Schema.String.check(Schema.isPattern(/^[\w-]{1,100}$/u))

const LineItem = Schema.Struct({
  quantity: absent(Schema.Unknown),
  metadata: Schema.optional(Schema.Unknown),
  quote: Schema.Struct({
    status: Schema.String,
    charges: absent(
      Schema.Struct({ unit: absent(Amount), salesTax: absent(Amount), shipping: absent(Amount) })
    ),
    totalPrice: absent(Amount),
    unavailabilityReason: absent(Failure)
  }),
  delivery: absent(Schema.Struct({ status: Schema.String, failureReason: absent(Failure) }))
})

const Order = Schema.Struct({
  orderId: OrderId,
  phase: Schema.String,
  lineItems: Schema.Array(LineItem),
  quote: Schema.Struct({
    status: Schema.String,
    expiresAt: absent(Schema.String),
    totalPrice: absent(Amount)
  }),
  payment: Schema.Struct({
    status: Schema.String,
    method: absent(Schema.Unknown),
    failureReason: absent(Failure),
    refunded: Schema.optional(Schema.Unknown),
    preparation: absent(
      Schema.Struct({
        chain: absent(Schema.String),
        payerAddress: absent(Schema.String),
        serializedTransaction: absent(Schema.String)
      })
    )
  })
})

/** An order as Crossmint tells it. */
export type OrderDocument = typeof Order.Type

/** The order of an answer; creating gives it an envelope. */
export const readCreated: (answer: Answer) => Effect.Effect<{ order: OrderDocument }, AnswerMalformed> =
  readJson(Schema.Struct({ order: Order }))
export const readOrder: (answer: Answer) => Effect.Effect<OrderDocument, AnswerMalformed> = readJson(Order)

/** Packages of an order, each read on its own. */
export const readPackages: (answer: Answer) => Effect.Effect<ReadonlyArray<unknown>, AnswerMalformed> =
  readJson(Schema.Array(Schema.Unknown))
