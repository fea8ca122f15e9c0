import { AddressNotServed } from "@till402/core"
import { Clock, Effect } from "effect"
import { TreasuryShort } from "../treasury/Treasury.ts"
import { AnswerMalformed } from "../upstream/index.ts"
import type { Configured } from "./Configured.ts"
import { type CrossmintError, QuoteNotReady } from "./Errors.ts"
import type { OrderRequest, Orders } from "./Orders.ts"
import type { Paymaster } from "./Paymaster.ts"
import { type PayableQuote, quoteOf, type QuoteVerdict } from "./Quote.ts"

/*
 * Quotes: an order is made at Crossmint, and looked at until it can be paid or the time is over.
 */

/** Where Crossmint delivers: https://docs.crossmint.com/payments/headless/guides/physical-good-purchases */
const served: ReadonlySet<string> = new Set(["US"])

/** Makes an order and waits until it is a quote that the treasury would pay. */
export const makeQuoting = (orders: Orders, treasury: Paymaster, settings: Configured) =>
  Effect.fnUntraced(function* (request: OrderRequest): Effect.fn.Return<PayableQuote, CrossmintError> {
    const { payees, payer, paymentMethod, pollMillis, quoteTimeoutMillis } = settings
    const until = (yield* Clock.currentTimeMillis) + quoteTimeoutMillis
    if (!served.has(request.shippingAddress.country)) {
      return yield* new AddressNotServed({ message: "Crossmint delivers within the United States only." })
    }
    let order = yield* orders.create(request)
    for (;;) {
      const verdict = quoteOf(order, payer, paymentMethod)
      // Seen now, not after the buyer has paid: what the treasury would refuse is not sold.
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

/** Why there is nothing to pay, as a failure. */
export const notPayable = (
  verdict: Exclude<QuoteVerdict, { _tag: "Quoted" }>
): Effect.Effect<never, CrossmintError> => {
  const malformed = (detail: string) => new AnswerMalformed({ upstream: "crossmint", detail })
  switch (verdict._tag) {
    case "Refused":
      return Effect.fail(verdict.refusal)
    case "TreasuryShort":
      return Effect.fail(new TreasuryShort())
    case "NotYet":
    case "Expired":
      return Effect.fail(new QuoteNotReady())
    case "Paid":
      return Effect.fail(malformed("payment.status"))
    case "Unusable":
      return Effect.fail(malformed(verdict.detail))
  }
}

/** Makes quotes that the treasury would pay. */
export type Quoting = ReturnType<typeof makeQuoting>
