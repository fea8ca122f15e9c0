import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { type ApiFailure, rateLimited } from "../../domain/ApiFailure.ts"
import { storeUnavailable } from "../ports/storeUnavailable.ts"
import { quoteFailure, upstreamFailure } from "../ports/ApiFailures.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { format, toText } from "../../domain/Money.ts"
import { type BuyRequest, type BuyResponse, productOf } from "../goods/Order.ts"
import type { GeneralMarketplace } from "../goods/ProductUrl.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../ports/ShopEvents.ts"
import { Identifiers } from "../../runtime/Identifiers.ts"
import { Secrets } from "../../runtime/Secrets.ts"
import { guardedFulfilment } from "../ports/Fulfilment.ts"
import { KeyedRecords } from "../../ports/KeyedRecords.ts"
import { SettlementEffects } from "../../ports/SettlementEffects.ts"
import { Orders } from "../ports/Orders.ts"
import { type Quote, Quotes } from "../ports/Quotes.ts"
import { type PaymentRefused, quoteExpired } from "../../toll/request/PaymentErrors.ts"
import { type Margin, withMargin } from "./Margin.ts"
import { OrderLife } from "./OrderLife.ts"
import { OrderWorker } from "./OrderWorker.ts"
import { clientOf, groupOf } from "../../runtime/ClientAddress.ts"
import { ClientBudget } from "../../runtime/ClientBudget.ts"
import { newOrder } from "./OrderMachine.ts"

/** Quotes products and opens orders, for `POST /x402/buy`. */
export class Ordering extends Context.Service<
  Ordering,
  {
    /** The general marketplace that products are bought from, if the host names it. */
    readonly generalMarketplace: GeneralMarketplace | undefined
    /** The countries that fulfilment delivers to, if it names them. */
    readonly countries: ReadonlyArray<string> | undefined
    /**
     * Returns the live quote of a request, or requests one upstream: once for all concurrent callers, and within the
     * budget of unpaid callers.
     */
    readonly quote: (
      request: BuyRequest,
      quoteKeys: ReadonlyArray<string>,
      clientAddress: string | undefined
    ) => Effect.Effect<Quote, ApiFailure>
    /**
     * Returns the quote that a payment of this request can buy, without a call upstream: the one that its charge
     * consumed in an earlier attempt, otherwise the live one.
     */
    readonly currentQuote: (
      quoteKeys: ReadonlyArray<string>,
      chargeKey: string
    ) => Effect.Effect<Quote | undefined, ApiFailure>
    /** Consumes the quote for a charge and creates the order, which awaits its payment. */
    readonly open: (
      request: BuyRequest,
      quote: Quote,
      chargeKey: string
    ) => Effect.Effect<
      { readonly orderId: string; readonly response: BuyResponse },
      ApiFailure | PaymentRefused
    >
  }
>()("@till402/core/Ordering") {
  static readonly layer = Layer.effect(
    Ordering,
    Effect.suspend(() => make)
  )
}

/** Settings of quotes. `Till.layer` provides them. */
export class OrderingSettings extends Context.Service<
  OrderingSettings,
  {
    /** Quotes requested upstream in a minute for one client that has not paid. */
    readonly quotesPerClientPerMinute: number
    /** Quotes requested upstream in a minute for all clients that have not paid. */
    readonly quotesPerMinute: number
    /** What the host adds to quotes. */
    readonly margin: Margin | undefined
  }
>()("@till402/core/OrderingSettings") {}

const descriptionLength = 500

/** Describes a quote in the 402: its title, amounts and total. */
export const describeOffer = ({ offer }: Quote): string => {
  const { fee, product, shipping, subtotal, tax, total } = offer
  const lines = [
    format(subtotal),
    `tax ${format(tax)}`,
    `shipping ${format(shipping)}`,
    ...(fee === undefined ? [] : [`service fee ${format(fee)}`])
  ]
  const sum = `: ${lines.join(" + ")} = ${format(total)} ${total.currency}`
  // A long title is cut, so that the amounts always fit.
  return `${product.title.slice(0, descriptionLength - sum.length)}${sum}`
}

/** A quote that expires sooner isn't offered: there would be no time to sign and pay. */
const offerableMillis = 30_000

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

const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.catch(effect, storeUnavailable)

/** The first quote that is found under one of several keys. */
const firstFound = Effect.fnUntraced(function* (
  quoteKeys: ReadonlyArray<string>,
  find: (quoteKey: string) => Effect.Effect<Quote | undefined, StoreError>
): Effect.fn.Return<Quote | undefined, ApiFailure> {
  for (const quoteKey of quoteKeys) {
    const found = yield* store(find(quoteKey))
    if (found !== undefined) return found
  }
  return undefined
})

/** Quotes of requests: the live ones, and new ones within the budget of unpaid callers. */
const makeQuoting = Effect.gen(function* () {
  const settings = yield* OrderingSettings
  const quotes = yield* Quotes
  const fulfilment = yield* guardedFulfilment
  const secrets = yield* Secrets
  const { countries, generalMarketplace } = fulfilment
  const budget = new ClientBudget({
    perClient: settings.quotesPerClientPerMinute,
    inAll: settings.quotesPerMinute
  })
  const pending = new Map<string, Deferred.Deferred<Quote, ApiFailure>>()

  const requestQuote = Effect.fn("Ordering.requestQuote")(function* (
    request: BuyRequest,
    quoteKey: string,
    clientAddress: string | undefined
  ) {
    const nowMillis = yield* Clock.currentTimeMillis
    const waitSeconds = budget.take(clientAddress, nowMillis)
    if (waitSeconds !== undefined) return yield* rateLimited(waitSeconds)
    const { email, shippingAddress } = request
    const client =
      clientAddress === undefined ? undefined : secrets.digest("client", groupOf(clientOf(clientAddress)))
    const offer = yield* fulfilment
      .quote({ product: productOf(request, generalMarketplace), shippingAddress, email, client })
      .pipe(
        Effect.flatMap((offer) => withMargin(offer, settings.margin)),
        Effect.mapError((error) =>
          error._tag === "UpstreamFailed" || error._tag === "UpstreamUnavailable"
            ? upstreamFailure(error)
            : quoteFailure(error)
        )
      )
    const id = (yield* Identifiers).uuid()
    const made = { id, fingerprint: quoteKey, offer, createdAtMillis: nowMillis, consumedBy: undefined }
    return yield* store(quotes.put(made, (yield* Clock.currentTimeMillis) + offerableMillis))
  })

  const quote = Effect.fn("Ordering.quote")(function* (
    request: BuyRequest,
    quoteKeys: ReadonlyArray<string>,
    clientAddress: string | undefined
  ) {
    const nowMillis = yield* Clock.currentTimeMillis
    const live = yield* firstFound(quoteKeys, (key) => quotes.findLive(key, nowMillis + offerableMillis))
    if (live !== undefined) return live
    const quoteKey = quoteKeys[0]!
    const running = pending.get(quoteKey)
    if (running !== undefined) return yield* Deferred.await(running)
    const response = Deferred.makeUnsafe<Quote, ApiFailure>()
    pending.set(quoteKey, response)
    return yield* Effect.onExit(requestQuote(request, quoteKey, clientAddress), (exit) => {
      pending.delete(quoteKey)
      return Deferred.done(response, exit)
    })
  })

  const currentQuote = Effect.fnUntraced(function* (quoteKeys: ReadonlyArray<string>, chargeKey: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    const consumed = yield* firstFound(quoteKeys, (key) => quotes.findConsumed(key, chargeKey, nowMillis))
    return consumed ?? (yield* firstFound(quoteKeys, (key) => quotes.findLive(key, nowMillis)))
  })

  return { quote, currentQuote, generalMarketplace, countries }
})

const make = Effect.gen(function* () {
  const quotes = yield* Quotes
  const orders = yield* Orders
  const life = yield* OrderLife
  const worker = yield* OrderWorker
  const { countries, currentQuote, generalMarketplace, quote } = yield* makeQuoting

  /** Frees the quote of a charge without an order. A quote that stays consumed costs its caller only a new one. */
  const restoreQuote = (chargeKey: string) =>
    Effect.catchTag(quotes.restore(chargeKey), "StoreError", ({ cause, operation }) =>
      report("Warn", "storage_failed", "A quote could not be freed after its order could not be stored", {
        chargeKey,
        operation,
        error: causeName(cause)
      })
    )

  const open = Effect.fn("Ordering.open")(function* (request: BuyRequest, agreed: Quote, chargeKey: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    if (!(yield* store(quotes.consume(agreed.id, chargeKey, nowMillis)))) return yield* quoteExpired
    const orderId = (yield* Identifiers).uuid()
    const { email, shippingAddress } = request
    const { offer } = agreed
    const product = productOf(request, generalMarketplace)
    const order = newOrder({ id: orderId, chargeKey, product, shippingAddress, email, offer }, nowMillis)
    yield* store(orders.create(order)).pipe(Effect.tapError(() => restoreQuote(chargeKey)))
    return { orderId, response: responseOf(orderId, agreed) }
  })

  /** Starts to process an order whose payment has settled. Idempotent. */
  const settled = Effect.fn("Ordering.settled")(function* (orderId: string) {
    const result = yield* life.applyById(orderId, { _tag: "PaymentSettled" })
    if (result?._tag === "Changed") yield* worker.wake
  })

  /** Abandons an order whose payment failed, and frees its quote. */
  const abandoned = Effect.fn("Ordering.abandoned")(function* (
    orderId: string,
    chargeKey: string | undefined
  ) {
    const result = yield* life.applyById(orderId, { _tag: "PaymentFailed" })
    const isAbandoned = result?._tag === "Changed" && result.order.status === "abandoned"
    if (isAbandoned && chargeKey !== undefined) yield* quotes.restore(chargeKey)
  })

  yield* (yield* SettlementEffects).add("order", { settled, abandoned })
  yield* (yield* KeyedRecords).add("quotes", (keyId) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => quotes.countUnderKey(keyId, nowMillis))
  )
  return Ordering.of({ generalMarketplace, countries, quote, currentQuote, open })
})
