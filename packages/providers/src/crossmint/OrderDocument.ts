import { Effect, Schema } from "effect"
import { type UpstreamResponse, type ResponseMalformed, readJson } from "../upstream/index.ts"

/*
 * Crossmint's documents: https://docs.crossmint.com/api-reference/headless/create-order. Only
 * fields that money and goods depend on are required. Statuses are open lists; unknown fields are ignored.
 */

const absent = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Amount = Schema.Struct({ amount: Schema.String, currency: Schema.String })
const Failure = Schema.Struct({ code: absent(Schema.Unknown), message: absent(Schema.Unknown) })

/** An id that is safe in a path. */
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
    received: Schema.optional(Schema.Unknown),
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

/** An order of Crossmint. */
export type OrderDocument = typeof Order.Type

const Enveloped = Schema.Struct({ order: Order })

/** Reads the response to a creation, which has an envelope. */
export const readCreated: (
  response: UpstreamResponse
) => Effect.Effect<{ order: OrderDocument }, ResponseMalformed> = readJson(Enveloped)

const readOrderOrEnvelope = readJson(Schema.Union([Enveloped, Order]))

/** Reads an order: alone, as documented, or in an envelope, as recorded. */
export const readOrder = (response: UpstreamResponse): Effect.Effect<OrderDocument, ResponseMalformed> =>
  Effect.map(readOrderOrEnvelope(response), (read) => ("order" in read ? read.order : read))

/** Reads the packages of an order, each unchecked. */
export const readPackages: (
  response: UpstreamResponse
) => Effect.Effect<ReadonlyArray<unknown>, ResponseMalformed> = readJson(Schema.Array(Schema.Unknown))
