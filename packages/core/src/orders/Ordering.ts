import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { ApiFailure, quoteFailure, storeFailure, upstreamFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import { format, toText } from "../domain/Money.ts"
import { type BuyRequest, type BuyResponse, productOf } from "../domain/Order.ts"
import { Identifiers } from "../Identifiers.ts"
import { Fulfilment } from "../ports/Fulfilment.ts"
import type { Margin } from "../Options.ts"
import { Orders } from "../ports/Orders.ts"
import { type Quote, Quotes } from "../ports/Quotes.ts"
import { PaymentRefused } from "../toll/TollRequest.ts"
import { withMargin } from "./Margin.ts"
import { OrderLife } from "./OrderLife.ts"
import { OrderWorker } from "./OrderWorker.ts"
import { QuoteBudget } from "./QuoteBudget.ts"
import { begin } from "./Transitions.ts"

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
  }
>()("@till402/core/Ordering") {
  static readonly layer = (settings: OrderingSettings) => Layer.effect(Ordering, make(settings))
}

export interface OrderingSettings {
  /** Quotes made upstream in a minute for callers who have not paid: for one client, and in all. */
  readonly quotesPerClientPerMinute: number
  readonly quotesPerMinute: number
  readonly margin: Margin | undefined
}

const descriptionLength = 500

/** What an order's buyer is told in the 402: line by line. */
export const describeOffer = ({ offer }: Quote): string => {
  const { fee, product, shipping, subtotal, tax, total } = offer
  const lines = [
    format(subtotal),
    `tax ${format(tax)}`,
    `shipping ${format(shipping)}`,
    ...(fee === undefined ? [] : [`service fee ${format(fee)}`])
  ]
  const sum = `: ${lines.join(" + ")} = ${format(total)} ${total.currency}`
  // What is to be paid must not be lost behind a long title.
  return `${product.title.slice(0, descriptionLength - sum.length)}${sum}`
}

/** A quote that lapses sooner is offered to nobody any more: there would be no time to sign and pay. */
const offerableMillis = 30_000

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
  const fulfilment = yield* Fulfilment
  const life = yield* OrderLife
  const worker = yield* OrderWorker
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
    const offer = yield* fulfilment.quote({ product: productOf(request), shippingAddress, email }).pipe(
      Effect.flatMap((offer) => withMargin(offer, settings.margin)),
      Effect.mapError((error) =>
        error._tag === "UpstreamFailed" || error._tag === "UpstreamUnavailable"
          ? upstreamFailure(error)
          : quoteFailure(error)
      )
    )
    const id = (yield* Identifiers).uuid()
    const made = { id, fingerprint, offer, createdAtMillis: nowMillis, consumedBy: undefined }
    return yield* store(quotes.put(made, (yield* Clock.currentTimeMillis) + offerableMillis))
  })

  const quote = Effect.fn("Ordering.quote")(function* (
    request: BuyRequest,
    fingerprint: string,
    clientAddress: string | undefined
  ) {
    const nowMillis = yield* Clock.currentTimeMillis
    const live = yield* store(quotes.findLive(fingerprint, nowMillis + offerableMillis))
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
    const { email, shippingAddress } = request
    const { offer } = agreed
    const order = begin(
      { id: orderId, chargeKey, product: productOf(request), shippingAddress, email, offer },
      nowMillis
    )
    yield* store(orders.create(order)).pipe(
      Effect.tapError(() => Effect.ignore(quotes.restore(chargeKey), { log: "Warn" }))
    )
    return { orderId, response: responseOf(orderId, agreed) }
  })

  const settled = Effect.fn("Ordering.settled")(function* (orderId: string) {
    const told = yield* life.tellById(orderId, { _tag: "PaymentSettled" })
    if (told?._tag === "Changed") yield* worker.wake
  })

  const abandoned = Effect.fn("Ordering.abandoned")(function* (
    orderId: string,
    chargeKey: string | undefined
  ) {
    const told = yield* life.tellById(orderId, { _tag: "PaymentFailed" })
    const isAbandoned = told?._tag === "Changed" && told.order.status === "abandoned"
    if (isAbandoned && chargeKey !== undefined) yield* quotes.restore(chargeKey)
  })

  return Ordering.of({ quote, standingQuote, open, settled, abandoned })
})
