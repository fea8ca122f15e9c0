import { AddressNotServed, type ConfigurationError, type QuotedOffer } from "@till402/core"
import { Money } from "@till402/core/effect"
import { Clock, Context, Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { PaymentState, Treasury } from "../treasury/Treasury.ts"
import { PaymentFailed, PaymentPending, TreasuryShort } from "../treasury/Treasury.ts"
import { AnswerMalformed, makeUpstream, type UpstreamUsage } from "../upstream/index.ts"
import { type Configured, configure, type CrossmintLayerOptions } from "./Configured.ts"
import {
  type CrossmintError,
  QuoteChanged,
  QuoteNotReady,
  treasuryRejection,
  type TreasuryRejection
} from "./Errors.ts"
import type { FulfilmentStatus } from "./Options.ts"
import { makeOrders, type OrderRequest, type Orders } from "./Orders.ts"
import { progressOf } from "./Progress.ts"
import { isPaid, type PayableQuote, quoteOf, type QuoteVerdict } from "./Quote.ts"

/** A paid order of the till, to be placed. */
export interface CrossmintPlacement extends OrderRequest {
  /** Idempotency key. */
  readonly orderId: string
  /** Crossmint's order, as `quote` gave it. */
  readonly reference: string
  /** What was agreed: decimal text in dollars. */
  readonly total: string
}

/** Fulfilment by Crossmint, for programs in Effect. */
export interface CrossmintClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, CrossmintError>
  readonly place: (
    placement: CrossmintPlacement
  ) => Effect.Effect<{ readonly reference: string }, CrossmintError>
  /** The reference of a paid order; `undefined`: it was not paid, and nothing is on its way. */
  readonly find: (orderId: string) => Effect.Effect<string | undefined, CrossmintError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, CrossmintError>
  readonly usage: () => UpstreamUsage
}

/** Fulfilment by Crossmint as a service. */
export class CrossmintService extends Context.Service<CrossmintService, CrossmintClient>()(
  "@till402/providers/Crossmint"
) {}

/** A treasury's promises as effects. Interrupting one aborts its signal. */
const fromTreasury = (treasury: Treasury) => {
  const asked = <A>(ask: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, TreasuryRejection> =>
    Effect.tryPromise({ try: ask, catch: treasuryRejection })
  return {
    check: (agreement: Parameters<Treasury["check"]>[0]) => asked(() => treasury.check(agreement)),
    find: (key: string) => asked((signal) => treasury.find(key, { signal })),
    pay: (payment: Parameters<Treasury["pay"]>[0]) => asked((signal) => treasury.pay(payment, { signal }))
  }
}

/** A quote that is about to lapse is not paid: the payment has to be seen before it does. */
const lastMomentsMillis = 20_000

/**
 * Crossmint over the `HttpClient` at hand. Fails with a `ConfigurationError` for options that can't be used.
 */
export const makeCrossmint = Effect.fnUntraced(function* (
  options: CrossmintLayerOptions & { readonly treasury: Treasury }
): Effect.fn.Return<CrossmintClient, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  // A quote takes its time: Crossmint visits a shop for it.
  const upstream = yield* makeUpstream({
    timeoutMillis: 12_000,
    deadlineMillis: 15_000,
    ...options,
    name: "crossmint"
  })
  const orders = makeOrders(upstream, settings)
  const treasury = fromTreasury(options.treasury)
  const quoting = makeQuoting(orders, treasury, settings)
  const paying = makePaying(orders, treasury, settings, quoting)
  return {
    quote: Effect.fn("Crossmint.quote")((request: OrderRequest) =>
      Effect.map(quoting(request), ({ offer }) => offer)
    ),
    place: Effect.fn("Crossmint.place")(paying),
    find: Effect.fn("Crossmint.find")(function* (orderId: string) {
      const state = yield* treasury.find(orderId)
      // One that failed moved nothing and never will.
      if (state.status === "none" || state.status === "failed") return undefined
      if (state.status === "paid") return state.reference
      return yield* new PaymentPending({ transaction: state.transaction })
    }),
    status: Effect.fn("Crossmint.status")(function* (reference: string) {
      const order = yield* orders.get(reference)
      return progressOf(order, isPaid(order) ? yield* orders.packages(reference) : [])
    }),
    usage: upstream.usage
  }
})

/** Where Crossmint delivers: https://docs.crossmint.com/payments/headless/guides/physical-good-purchases */
const served: ReadonlySet<string> = new Set(["US"])

type Paymaster = ReturnType<typeof fromTreasury>

/** Makes an order and waits until it is a quote that the treasury would pay. */
const makeQuoting = (orders: Orders, treasury: Paymaster, settings: Configured) =>
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
const notPayable = (
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

/**
 * Pays an order of the till, once: what the treasury's journal knows of it comes first, then what Crossmint
 * knows, and only where both know of no payment is one made.
 */
const makePaying = (
  orders: Orders,
  treasury: Paymaster,
  settings: Configured,
  quoting: ReturnType<typeof makeQuoting>
) => {
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
  const payable = Effect.fnUntraced(function* (placement: CrossmintPlacement, agreedAtomic: bigint) {
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

  const finish = Effect.fnUntraced(function* (paid: { reference: string; transaction: string }) {
    yield* tell(paid.reference, paid.transaction)
    return { reference: paid.reference }
  })

  /** What was begun under this order before: finished, without a look at any quote. */
  const resume = Effect.fnUntraced(function* (state: Exclude<PaymentState, { status: "none" }>, key: string) {
    if (state.status === "paid") return yield* finish(state)
    if (state.status === "failed") return yield* new PaymentFailed({ transaction: state.transaction })
    const { reference } = state
    const payment = { key, reference, payees, prepared: "0x", amountAtomic: 0n, expiresAtMillis: 0 }
    return yield* finish(yield* treasury.pay(payment))
  })

  return Effect.fnUntraced(function* (
    placement: CrossmintPlacement
  ): Effect.fn.Return<{ readonly reference: string }, CrossmintError> {
    const { orderId: key, reference, total } = placement
    const known = yield* treasury.find(key)
    if (known.status !== "none") return yield* resume(known, key)
    const agreedAtomic = Money.parseAtomic(total)
    if (agreedAtomic === undefined) return yield* new QuoteChanged()
    const quote = yield* payable(placement, agreedAtomic)
    if (quote === undefined) return { reference }
    const { amountAtomic, expiresAtMillis, offer, prepared } = quote
    const payment = { key, reference: offer.reference, payees, prepared, amountAtomic, expiresAtMillis }
    return yield* finish(yield* treasury.pay(payment))
  })
}
