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

const Wallet = Schema.Struct({
  balance: Schema.Int,
  /** The part of the balance that orders can spend. */
  spendable_balance: Schema.optional(Schema.NullOr(Schema.Int)),
  order_fee_cents: Schema.optional(Schema.NullOr(Schema.Int)),
  billed_by_invoice: Schema.optional(Schema.NullOr(Schema.Boolean))
})

export type WalletDocument = typeof Wallet.Type

/** The account's wallet. Amounts are in cents. */
export const readWallet: (response: UpstreamResponse) => Effect.Effect<WalletDocument, ResponseMalformed> =
  readJson(Wallet)

/** Some of an account's orders, newest first, each unchecked. */
export interface OrderPage {
  readonly orders: ReadonlyArray<unknown>
  /** How many orders there are in all; `undefined`: these are all. */
  readonly total: number | undefined
}

/** Reads a page. Zinc's documentation shows a bare list, which is whole; its client has an envelope with a total. */
export const readPage = (response: UpstreamResponse): Effect.Effect<OrderPage, ResponseMalformed> =>
  Effect.flatMap(parseJson(response), (document) => {
    if (Array.isArray(document)) return Effect.succeed({ orders: document, total: undefined })
    const { orders, total } = fieldsOf(document)
    return Array.isArray(orders)
      ? Effect.succeed({ orders, total: typeof total === "number" ? total : undefined })
      : Effect.fail(new ResponseMalformed({ upstream: response.upstream, detail: "orders" }))
  })
