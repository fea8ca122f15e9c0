import { Money } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import { type FailedPlacement, judged } from "../fulfilment/Placement.ts"
import type { PaymentState } from "../treasury/Treasury.ts"
import { PaymentFailed } from "../treasury/Treasury.ts"
import type { Configured } from "./Configured.ts"
import { type CrossmintError, QuoteChanged } from "./Errors.ts"
import type { OrderRequest, Orders } from "./Orders.ts"
import { afterPaying, beforePaying, whilePaying } from "./Outcome.ts"
import type { Paymaster } from "./Paymaster.ts"
import { isPaid, quoteOf } from "./Quote.ts"
import { notPayable, type Quoting } from "./Quoting.ts"

/*
 * Placing: an order at Crossmint is placed by paying for it.
 */

/** A paid order of the till, to be placed. */
export interface CrossmintPlacement extends OrderRequest {
  /** Idempotency key. */
  readonly orderId: string
  /** Crossmint's order, as `quote` gave it. */
  readonly reference: string
  /** What was agreed: decimal text in dollars. */
  readonly total: string
}

/** A quote that is about to lapse is not paid: the payment has to be seen before it does. */
const lastMomentsMillis = 20_000

type Placed = { readonly reference: string }

/**
 * Pays an order of the till, once: what the treasury's journal knows of it comes first, then what Crossmint
 * knows, and only where both know of no payment is one made.
 */
export const makePaying = (orders: Orders, treasury: Paymaster, settings: Configured, quoting: Quoting) => {
  const { payees, payer, paymentMethod } = settings

  /** Tells Crossmint of a payment that it has not seen yet. */
  const tell = Effect.fnUntraced(function* (reference: string, transaction: string) {
    if (isPaid(yield* orders.get(reference))) return
    yield* Effect.catchTag(orders.tellPayment(reference, transaction), "Rejected", (fault) =>
      // It may have seen the payment in between, and want no more news of it.
      Effect.flatMap(orders.get(reference), (order) => (isPaid(order) ? Effect.void : Effect.fail(fault)))
    )
  })

  /** The quote to pay: the agreed one, or where it has lapsed unpaid a new one for no more money. */
  const payable = Effect.fnUntraced(function* (placement: CrossmintPlacement) {
    const agreedAtomic = Money.parseAtomic(placement.total)
    if (agreedAtomic === undefined) return yield* new QuoteChanged()
    const order = yield* orders.get(placement.reference)
    const verdict = quoteOf(order, payer, paymentMethod)
    if (verdict._tag === "Paid") return undefined
    const now = yield* Clock.currentTimeMillis
    if (verdict._tag === "Quoted" && now + lastMomentsMillis < verdict.quote.expiresAtMillis) {
      return verdict.quote.amountAtomic === agreedAtomic ? verdict.quote : yield* new QuoteChanged()
    }
    if (verdict._tag !== "Quoted" && verdict._tag !== "Expired") return yield* notPayable(verdict)
    const anew = yield* quoting(placement)
    return anew.amountAtomic <= agreedAtomic ? anew : yield* new QuoteChanged()
  })

  const finish = Effect.fnUntraced(function* (paid: {
    readonly reference: string
    readonly transaction: string
  }): Effect.fn.Return<Placed, CrossmintError> {
    yield* tell(paid.reference, paid.transaction)
    return { reference: paid.reference }
  })

  /** What was begun under this order before: brought to its end, without a look at any quote. */
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
    const { orderId: key, reference } = placement
    const known = yield* judged(afterPaying)(treasury.find(key))
    if (known.status !== "none") return yield* judged(afterPaying)(resume(known, key))
    const quote = yield* judged(beforePaying)(payable(placement))
    if (quote === undefined) return { reference }
    const { amountAtomic, expiresAtMillis, offer, prepared } = quote
    const payment = { key, reference: offer.reference, payees, prepared, amountAtomic, expiresAtMillis }
    const paid = yield* judged(whilePaying)(treasury.pay(payment))
    return yield* judged(afterPaying)(finish(paid))
  })

  const find = Effect.fnUntraced(function* (
    key: string
  ): Effect.fn.Return<string | undefined, CrossmintError> {
    const state = yield* treasury.find(key)
    // One that failed moved nothing and never will.
    if (state.status === "none" || state.status === "failed") return undefined
    return (yield* resume(state, key)).reference
  })

  return { place, find }
}
