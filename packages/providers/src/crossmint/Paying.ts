import { Money } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { type FailedPlacement, unknown, withOutcome } from "../fulfilment/PlacementOutcome.ts"
import type { PaymentState, TreasuryClient } from "../treasury/Treasury.ts"
import { PaymentFailed } from "../treasury/TreasuryErrors.ts"
import type { CrossmintConfig } from "./Config.ts"
import { type CrossmintError, OtherPayment, PaymentNotSeen, QuoteChanged } from "./Errors.ts"
import type { Orders } from "./Orders.ts"
import { afterPaying, beforePaying, whilePaying } from "./Outcome.ts"
import { creditedTo, isPaid, quoteOf } from "./Quote.ts"
import { notPayable, type Quoting } from "./Quoting.ts"

/*
 * An order at Crossmint is placed by paying for it.
 */

/** A paid order of the till, to be placed. */
export interface CrossmintPlacement extends OrderRequest {
  /** Idempotency key. */
  readonly orderId: string
  /** Crossmint's order: the `reference` of its quote. */
  readonly reference: string
  /** The agreed total: decimal text in dollars. */
  readonly total: string
}

/** A quote that is about to expire is not paid: Crossmint must see the payment before that. */
const expiryMarginMillis = 20_000

type Placed = { readonly reference: string }

/**
 * Pays an order of the till once. Checks the treasury's journal, then Crossmint, and pays only if neither
 * has a payment.
 */
export const makePaying = (
  orders: Orders,
  treasury: TreasuryClient,
  settings: CrossmintConfig,
  quoting: Quoting
) => {
  const { payees, payer, paymentMethod } = settings

  /** Whether Crossmint has credited an order to this transaction; fails if it credited it to another one. */
  const isCredited = Effect.fnUntraced(function* (
    reference: string,
    transaction: string
  ): Effect.fn.Return<boolean, CrossmintError> {
    const order = yield* orders.get(reference)
    const credited = creditedTo(order)
    if (credited !== undefined && credited !== transaction.toLowerCase()) return yield* new OtherPayment()
    return credited !== undefined || isPaid(order)
  })

  /**
   * Reports a payment that Crossmint has not seen yet. Crossmint may not see one by itself: without a report, a public
   * run waited five minutes. Fails until Crossmint has: an order that it doesn't count as paid is never delivered.
   */
  const reportUnseenPayment = Effect.fnUntraced(function* (reference: string, transaction: string) {
    if (yield* isCredited(reference, transaction)) return
    // Crossmint may have seen the payment in between and refuse the report.
    const refusal = yield* Effect.catchTag(
      orders.reportPayment(reference, transaction),
      "Rejected",
      (fault) => Effect.succeed(fault)
    )
    if (yield* isCredited(reference, transaction)) return
    return yield* Effect.fail(refusal ?? new PaymentNotSeen())
  })

  /** Returns the quote to pay: the agreed one, or a new one at the same price or less if it expired. */
  const payable = Effect.fnUntraced(function* (placement: CrossmintPlacement) {
    const agreedAtomic = Money.parseAtomic(placement.total)
    if (agreedAtomic === undefined) return yield* new QuoteChanged()
    const order = yield* orders.get(placement.reference)
    const verdict = quoteOf(order, payer, paymentMethod)
    if (verdict._tag === "Paid") return undefined
    const now = yield* Clock.currentTimeMillis
    if (verdict._tag === "Quoted" && now + expiryMarginMillis < verdict.quote.expiresAtMillis) {
      return verdict.quote.amountAtomic <= agreedAtomic ? verdict.quote : yield* new QuoteChanged()
    }
    if (verdict._tag !== "Quoted" && verdict._tag !== "Expired") return yield* notPayable(verdict)
    const freshQuote = yield* quoting(placement)
    return freshQuote.amountAtomic <= agreedAtomic ? freshQuote : yield* new QuoteChanged()
  })

  const finish = Effect.fnUntraced(function* (paid: {
    readonly reference: string
    readonly transaction: string
  }): Effect.fn.Return<Placed, CrossmintError> {
    yield* reportUnseenPayment(paid.reference, paid.transaction)
    return { reference: paid.reference }
  })

  /** Completes a payment that was begun under this order, without a quote. */
  const resume = Effect.fnUntraced(function* (
    state: Exclude<PaymentState, { status: "none" }>,
    key: string
  ): Effect.fn.Return<Placed, CrossmintError> {
    if (state.status === "paid") return yield* finish(state)
    if (state.status === "failed") return yield* new PaymentFailed({ transaction: state.transaction })
    const { reference } = state
    const payment = { key, reference, payees, prepared: "0x", amountAtomic: 0n, expiresAtMillis: 0 }
    return yield* finish(yield* treasury.pay(payment))
  })

  const place = Effect.fnUntraced(function* (
    placement: CrossmintPlacement
  ): Effect.fn.Return<Placed, FailedPlacement<CrossmintError>> {
    const { orderId: key } = placement
    const known = yield* withOutcome(afterPaying)(treasury.find(key))
    if (known.status !== "none") return yield* withOutcome(afterPaying)(resume(known, key))
    const quote = yield* withOutcome(beforePaying)(payable(placement))
    // This key never paid, so the payment is another order's, or was made by hand: one parcel can't be two orders.
    if (quote === undefined) return yield* Effect.fail({ error: new OtherPayment(), outcome: unknown() })
    const { amountAtomic, expiresAtMillis, offer, prepared } = quote
    const payment = { key, reference: offer.reference, payees, prepared, amountAtomic, expiresAtMillis }
    const paid = yield* withOutcome(whilePaying)(treasury.pay(payment))
    return yield* withOutcome(afterPaying)(finish(paid))
  })

  const find = Effect.fnUntraced(function* (
    key: string,
    quoted: string | undefined
  ): Effect.fn.Return<string | undefined, CrossmintError> {
    const state = yield* treasury.find(key)
    // A failed payment moved nothing and never will.
    if (state.status === "failed") return undefined
    if (state.status === "none") {
      // Paid by hand, or as another order, as in `place`.
      if (quoted !== undefined && isPaid(yield* orders.get(quoted))) return yield* new OtherPayment()
      return undefined
    }
    return (yield* resume(state, key)).reference
  })

  return { place, find }
}
