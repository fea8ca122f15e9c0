import { AddressNotServed } from "@till402/core"
import { Clock, Effect } from "effect"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import type { TreasuryClient } from "../treasury/Treasury.ts"
import { TreasuryUnderfunded } from "../treasury/TreasuryErrors.ts"
import { ResponseMalformed } from "../upstream/index.ts"
import type { CrossmintConfig } from "./Config.ts"
import { type CrossmintError, QuoteNotReady } from "./Errors.ts"
import type { Orders } from "./Orders.ts"
import { type PayableQuote, quoteOf, type QuoteVerdict } from "./Quote.ts"

/*
 * Quotes: creates an order at Crossmint and polls it until it can be paid or the time limit is over.
 */

/** Countries that Crossmint delivers to: https://docs.crossmint.com/payments/headless/guides/physical-good-purchases */
const served: ReadonlySet<string> = new Set(["US"])

/** Creates an order and waits until it is a quote that the treasury would pay. */
export const makeQuoting = (orders: Orders, treasury: TreasuryClient, settings: CrossmintConfig) =>
  Effect.fnUntraced(function* (request: OrderRequest): Effect.fn.Return<PayableQuote, CrossmintError> {
    const { payees, payer, paymentMethod, pollMillis, quoteTimeoutMillis } = settings
    const until = (yield* Clock.currentTimeMillis) + quoteTimeoutMillis
    if (!served.has(request.shippingAddress.country)) {
      return yield* new AddressNotServed({ message: "Crossmint delivers within the United States only." })
    }
    let order = yield* orders.create(request)
    for (;;) {
      const verdict = quoteOf(order, payer, paymentMethod)
      // Checked before the buyer pays: a quote that the treasury would refuse is not sold.
      if (verdict._tag === "Quoted") {
        yield* treasury.check({ ...verdict.quote, payees })
        return verdict.quote
      }
      if (verdict._tag !== "NotYet") return yield* notPayable(verdict)
      if ((yield* Clock.currentTimeMillis) + pollMillis >= until) return yield* new QuoteNotReady()
      yield* Effect.sleep(pollMillis)
      order = yield* orders.get(order.orderId)
    }
  })

/** Fails with the reason why there is nothing to pay. */
export const notPayable = (
  verdict: Exclude<QuoteVerdict, { _tag: "Quoted" }>
): Effect.Effect<never, CrossmintError> => {
  const malformed = (detail: string) => new ResponseMalformed({ upstream: "crossmint", detail })
  switch (verdict._tag) {
    case "Refused":
      return Effect.fail(verdict.refusal)
    case "TreasuryUnderfunded":
      return Effect.fail(new TreasuryUnderfunded())
    case "NotYet":
    case "Expired":
      return Effect.fail(new QuoteNotReady())
    case "Paid":
      return Effect.fail(malformed("payment.status"))
    case "Unusable":
      return Effect.fail(malformed(verdict.detail))
  }
}

/** Quotes that the treasury would pay. */
export type Quoting = ReturnType<typeof makeQuoting>
