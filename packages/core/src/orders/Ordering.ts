import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"
import { ApiFailure, quoteFailure, storeFailure, upstreamFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import { format, toText } from "../domain/Money.ts"
import { type BuyRequest, type BuyResponse, productOf } from "../domain/Order.ts"
import { makeBackground } from "../Background.ts"
import { Identifiers } from "../Identifiers.ts"
import { Charges } from "../ports/Charges.ts"
import { Fulfilment } from "../ports/Fulfilment.ts"
import { Mailer } from "../ports/Mailer.ts"
import { type Order, Orders } from "../ports/Orders.ts"
import { type Quote, Quotes } from "../ports/Quotes.ts"
import { PaymentRefused } from "../toll/TollRequest.ts"
import { orderConfirmation } from "./confirmation.ts"
import { QuoteBudget } from "./QuoteBudget.ts"

/** After this long in `placing` the attempt is taken for dead and its outcome for unknown. */
const placingLimitMillis = 10 * 60_000
/** An order that waits for its payment longer than any authorization lives is looked into. */
const awaitingLimitMillis = 15 * 60_000
const sweepLimit = 100

/** Quotes, orders and their fulfilment: what `POST /x402/buy` is made of. */
export class Ordering extends Context.Service<
  Ordering,
  {
    /**
     * The live quote of a request, made anew where there is none: once for all who ask for it at a time,
     * and within the budget of unpaid callers.
     */
    readonly quote: (
      request: BuyRequest,
      fingerprint: string,
      clientAddress: string | undefined
    ) => Effect.Effect<Quote, ApiFailure>
    /**
     * The quote that a payment of this request may meet, without asking upstream: the one that its charge
     * consumed before, in an attempt that came to nothing, else the live one.
     */
    readonly standingQuote: (
      fingerprint: string,
      chargeKey: string
    ) => Effect.Effect<Quote | undefined, ApiFailure>
    /** Consumes the quote for a charge and writes the order, awaiting its payment. */
    readonly open: (
      request: BuyRequest,
      quote: Quote,
      chargeKey: string
    ) => Effect.Effect<
      { readonly orderId: string; readonly response: BuyResponse },
      ApiFailure | PaymentRefused
    >
    /** The payment of an order has settled: it is processed and placed. Idempotent. */
    readonly settled: (orderId: string) => Effect.Effect<void, StoreError>
    /** The payment of an order came to nothing: the order is abandoned, its quote is free again. */
    readonly abandoned: (orderId: string, chargeKey: string | undefined) => Effect.Effect<void, StoreError>
    /** Takes up orders that a dead process left behind. */
    readonly sweep: Effect.Effect<void, StoreError>
  }
>()("@till402/core/Ordering") {
  static readonly layer = (settings: OrderingSettings) => Layer.effect(Ordering, make(settings))
}

export interface OrderingSettings {
  /** Quotes made upstream in a minute for callers who have not paid: for one client, and in all. */
  readonly quotesPerClientPerMinute: number
  readonly quotesPerMinute: number
}

/** What an order's buyer is told in the 402: line by line. */
export const describeOffer = ({ offer }: Quote): string =>
  `${offer.product.title}: ${format(offer.subtotal)} + tax ${format(offer.tax)} + shipping ${format(offer.shipping)} = ${format(offer.total)} ${offer.total.currency}`.slice(
    0,
    500
  )

const tooManyQuotes = (retryAfterSeconds: number) =>
  new ApiFailure({
    status: 429,
    code: "RATE_LIMITED",
    message: "Too many quotes have been asked for. Ask again later, or pay the one you have.",
    retryAfterSeconds
  })

const quoteGone = new PaymentRefused({
  refusal: {
    code: "quote_expired",
    message:
      "the quote that was paid has lapsed or has bought an order already; nothing was charged, pay the new amount"
  }
})

const responseOf = (orderId: string, { offer }: Quote): BuyResponse => {
  const { imageUrl, price, title } = offer.product
  return {
    orderId,
    status: "processing",
    product: {
      title,
      ...(imageUrl === undefined ? {} : { imageUrl }),
      ...(price === undefined ? {} : { price: toText(price) })
    },
    totalPrice: toText(offer.total)
  }
}

const make = Effect.fnUntraced(function* (settings: OrderingSettings) {
  const quotes = yield* Quotes
  const orders = yield* Orders
  const charges = yield* Charges
  const fulfilment = yield* Fulfilment
  const mailer = yield* Effect.serviceOption(Mailer)
  const inBackground = yield* makeBackground
  const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.mapError(effect, storeFailure)

  const budget = new QuoteBudget({
    perClient: settings.quotesPerClientPerMinute,
    inAll: settings.quotesPerMinute
  })
  const asking = new Map<string, Deferred.Deferred<Quote, ApiFailure>>()

  const askForQuote = Effect.fn("Ordering.askForQuote")(function* (
    request: BuyRequest,
    fingerprint: string,
    clientAddress: string | undefined
  ) {
    const nowMillis = yield* Clock.currentTimeMillis
    const waitSeconds = budget.take(clientAddress, nowMillis)
    if (waitSeconds !== undefined) return yield* tooManyQuotes(waitSeconds)
    const { email, shippingAddress } = request
    const offer = yield* fulfilment
      .quote({ product: productOf(request), shippingAddress, email })
      .pipe(
        Effect.mapError((error) =>
          error._tag === "UpstreamFailed" || error._tag === "UpstreamUnavailable"
            ? upstreamFailure(error)
            : quoteFailure(error)
        )
      )
    const id = (yield* Identifiers).uuid()
    const made = { id, fingerprint, offer, createdAtMillis: nowMillis, consumedBy: undefined }
    return yield* store(quotes.put(made, yield* Clock.currentTimeMillis))
  })

  const quote = Effect.fn("Ordering.quote")(function* (
    request: BuyRequest,
    fingerprint: string,
    clientAddress: string | undefined
  ) {
    const live = yield* store(quotes.findLive(fingerprint, yield* Clock.currentTimeMillis))
    if (live !== undefined) return live
    const running = asking.get(fingerprint)
    if (running !== undefined) return yield* Deferred.await(running)
    const answer = Deferred.makeUnsafe<Quote, ApiFailure>()
    asking.set(fingerprint, answer)
    return yield* Effect.onExit(askForQuote(request, fingerprint, clientAddress), (exit) => {
      asking.delete(fingerprint)
      return Deferred.done(answer, exit)
    })
  })

  const standingQuote = Effect.fnUntraced(function* (fingerprint: string, chargeKey: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    const consumed = yield* store(quotes.findConsumed(fingerprint, chargeKey, nowMillis))
    return consumed ?? (yield* store(quotes.findLive(fingerprint, nowMillis)))
  })

  const open = Effect.fn("Ordering.open")(function* (request: BuyRequest, agreed: Quote, chargeKey: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    if (!(yield* store(quotes.consume(agreed.id, chargeKey, nowMillis)))) return yield* quoteGone
    const orderId = (yield* Identifiers).uuid()
    const order: Order = {
      id: orderId,
      chargeKey,
      status: "awaiting_payment",
      product: productOf(request),
      shippingAddress: request.shippingAddress,
      email: request.email,
      offer: agreed.offer,
      upstreamReference: undefined,
      createdAtMillis: nowMillis,
      updatedAtMillis: nowMillis
    }
    yield* store(orders.create(order)).pipe(
      Effect.tapError(() => Effect.ignore(quotes.restore(chargeKey), { log: "Warn" }))
    )
    return { orderId, response: responseOf(orderId, agreed) }
  })

  const confirm = Effect.fnUntraced(function* (order: Order) {
    if (mailer._tag === "None") return
    yield* mailer.value
      .send(orderConfirmation(order))
      .pipe(
        Effect.catch((error) =>
          Effect.logWarning("An order confirmation could not be sent", order.id, error._tag)
        )
      )
  })

  /** Calls upstream for an order that stands in `placing`; the order's id is the idempotency key. */
  const placeUpstream = Effect.fnUntraced(function* (order: Order) {
    const { email, offer, product, shippingAddress } = order
    const placed = yield* fulfilment
      .place({ orderId: order.id, product, shippingAddress, email, offer })
      .pipe(
        Effect.retry({ times: 3, schedule: Schedule.jittered(Schedule.exponential("500 millis")) }),
        Effect.catch((error) =>
          Effect.as(
            Effect.logError("An order could not be placed and needs an operator", order.id, error),
            undefined
          )
        )
      )
    const nowMillis = yield* Clock.currentTimeMillis
    yield* placed === undefined
      ? orders.advance(order.id, { from: ["placing"], to: "needs_operator" }, nowMillis)
      : orders.advance(
          order.id,
          { from: ["placing"], to: "placed", upstreamReference: placed.reference },
          nowMillis
        )
  })

  const place = Effect.fn("Ordering.place")(function* (orderId: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    // Written before upstream is called, and by one worker alone.
    if (!(yield* orders.advance(orderId, { from: ["processing"], to: "placing" }, nowMillis))) return
    const order = yield* orders.find(orderId)
    if (order === undefined) return
    yield* placeUpstream(order)
    yield* confirm(order)
  })

  const placeInBackground = (orderId: string) =>
    inBackground(
      place(orderId).pipe(
        Effect.catchCause((cause) => Effect.logError("An order was not placed yet", orderId, cause))
      )
    )

  const settled = Effect.fn("Ordering.settled")(function* (orderId: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    const moved = yield* orders.advance(
      orderId,
      { from: ["awaiting_payment", "abandoned"], to: "processing" },
      nowMillis
    )
    if (moved) yield* placeInBackground(orderId)
  })

  const abandoned = Effect.fn("Ordering.abandoned")(function* (
    orderId: string,
    chargeKey: string | undefined
  ) {
    const nowMillis = yield* Clock.currentTimeMillis
    const moved = yield* orders.advance(orderId, { from: ["awaiting_payment"], to: "abandoned" }, nowMillis)
    if (moved && chargeKey !== undefined) yield* quotes.restore(chargeKey)
  })

  const sweep = Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    for (const order of yield* orders.waiting("processing", sweepLimit)) yield* placeInBackground(order.id)
    for (const order of yield* orders.waiting("awaiting_payment", sweepLimit)) {
      const charge = yield* charges.find(order.chargeKey)
      const ours = charge?.subject?.id === order.id
      const isOwedBack = charge?.state === "voided" || charge?.refund !== undefined
      if (ours && isOwedBack) yield* abandoned(order.id, order.chargeKey)
      else if (ours && charge.state === "settled") yield* settled(order.id)
      else if (!ours && order.createdAtMillis + awaitingLimitMillis < nowMillis) {
        // Where the payment bought another order since, the quote that it holds is that order's.
        const isInUse = charge?.subject !== undefined && charge.state !== "voided"
        yield* abandoned(order.id, isInUse ? undefined : order.chargeKey)
      }
    }
    for (const order of yield* orders.waiting("placing", sweepLimit)) {
      if (order.updatedAtMillis + placingLimitMillis > nowMillis) continue
      const parked = yield* orders.advance(order.id, { from: ["placing"], to: "needs_operator" }, nowMillis)
      if (parked) yield* Effect.logError("An order's placing was cut short and needs an operator", order.id)
    }
  })

  return Ordering.of({ quote, standingQuote, open, settled, abandoned, sweep })
})
