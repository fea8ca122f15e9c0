import { quoteExpired } from "../../toll/request/PaymentErrors.ts"
import { Clock, Effect, Layer, Option } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { formatAtomic, fromDollars } from "../../domain/Money.ts"
import { buyFaults, BuyRequest, BuyResponse } from "../goods/Order.ts"
import { orderOf } from "../goods/OrderIdentity.ts"
import { zipFaults } from "../goods/ZipCodes.ts"
import { describeOffer, Ordering } from "../orders/Ordering.ts"
import { OrderLife } from "../orders/OrderLife.ts"
import { OrderMailing } from "../orders/OrderMailing.ts"
import { OrderWorker } from "../orders/OrderWorker.ts"
import { orderStatusPages } from "../orders/OrderStatusPage.ts"
import { Mailer } from "../ports/Mailer.ts"
import { Orders } from "../ports/Orders.ts"
import { CurrentSale } from "../ports/ProductSale.ts"
import type { Quote } from "../ports/Quotes.ts"
import { StatusPages } from "../../ports/StatusPages.ts"
import { quoteCodes, upstreamCodes } from "../ports/ApiFailures.ts"
import { saleDocuments, statusHeaders } from "./saleDocuments.ts"
import { type Operation, operationLayer, type Quoted } from "../../operations/Operation.ts"
import { OperationSettings } from "../../operations/OperationSettings.ts"
import { bodyErrors, maxQuoteAtomic, respondWith } from "../../operations/RouteParts.ts"
import { orderRepeats } from "./orderRepeats.ts"
import { publishedExample } from "./publishedExample.ts"
import { ShopSettings } from "./ShopSettings.ts"
import { buyNames } from "./OtherNames.ts"

/** The contract of `buy`: path, input, responses and documentation. */
export const endpoint = HttpApiEndpoint.post("buy", "/x402/buy", {
  payload: BuyRequest,
  success: BuyResponse,
  error: bodyErrors
}).annotateMerge(
  OpenApi.annotations({
    summary: "Buy a product",
    description:
      "Buys a product and ships it. The payment equals the product total with tax and shipping, quoted for the address in the body: send the body without payment to receive the amount. Keep the payment that you send: if its response is lost, send the same one again. Another payment for the same order gets a 409 for some minutes, also if its body is worded in another way, and isn't charged."
  })
)

export const example = {
  input: {
    asin: "B0ABCDEFGH",
    email: "ada@example.com",
    shippingAddress: {
      name: "Ada Lovelace",
      line1: "12 Analytical Way",
      city: "Austin",
      state: "TX",
      postalCode: "78701",
      country: "US"
    }
  },
  output: {
    orderId: "5e2f1f0a-3f57-4f0e-9b1c-2a4c1f3c7d10",
    status: "processing",
    product: { title: "Wireless headphones", price: { amount: "89.99", currency: "USD" } },
    totalPrice: { amount: "101.64", currency: "USD" }
  }
}

/** Bytes of a title in `extra`, which is repeated for each network in a header with little room. */
const maxItemBytes = 40
const utf8 = new TextEncoder()

/** As much of a text as fits into a number of bytes, in whole characters. */
const within = (text: string, bytes: number): string =>
  text.slice(0, utf8.encodeInto(text, new Uint8Array(bytes)).read)

/** A title that is too long ends at a word, and with an ellipsis, which has three bytes. */
const itemOf = (title: string): string =>
  within(title, maxItemBytes) === title
    ? title
    : `${within(title, maxItemBytes - 3).replace(/[\s\p{P}]+[^\s]*$/u, "")}…`

const quoteOf = (quote: Quote, nowMillis: number): Quoted => {
  const { fee, product, shipping, subtotal, tax, total } = quote.offer
  return {
    atomic: total.atomic,
    validSeconds: Math.floor((quote.offer.expiresAtMillis - nowMillis) / 1000),
    description: describeOffer(quote),
    extra: {
      quoteId: quote.id,
      item: itemOf(product.title),
      subtotal: formatAtomic(subtotal.atomic),
      tax: formatAtomic(tax.atomic),
      shipping: formatAtomic(shipping.atomic),
      ...(fee === undefined ? {} : { fee: formatAtomic(fee.atomic) }),
      total: formatAtomic(total.atomic),
      currency: total.currency
    }
  }
}

const asQuoted = (quote: Quote): Effect.Effect<Quoted> =>
  Effect.map(Clock.currentTimeMillis, (nowMillis) => quoteOf(quote, nowMillis))

const operation = operationLayer(
  Effect.gen(function* () {
    const ordering = yield* Ordering
    const pages = yield* StatusPages
    yield* pages.add(orderStatusPages(yield* Orders))
    const { responseLifetimeMillis } = yield* OperationSettings
    const { duplicateOrderMillis } = yield* ShopSettings
    const sale = yield* CurrentSale
    sale?.offer({ generalMarketplace: ordering.generalMarketplace })
    return {
      endpoint,
      documents: {
        ...saleDocuments({
          hasMailer: Option.isSome(yield* Effect.serviceOption(Mailer)),
          mails:
            "Mails to the email in the body confirm the order, and say when it is shipped, failed or refunded.",
          countries: ordering.countries,
          marketplace: ordering.generalMarketplace
        }),
        headers: statusHeaders(pages, "order"),
        errors: [...quoteCodes, ...upstreamCodes("fulfilment")],
        description: "Purchase of a product, tax and shipping included",
        mimeType: "application/json",
        follows: "search",
        example: yield* publishedExample(endpoint, example)
      },
      input: {
        faults: (sent) => [...buyFaults(sent, ordering.generalMarketplace), ...zipFaults(sent)],
        otherNames: buyNames
      },
      settlement: { proofRequired: true },
      response: { encrypted: true, replayMillis: responseLifetimeMillis },
      ...orderRepeats<BuyRequest>(duplicateOrderMillis, {
        identityOf: (request) => orderOf(request, ordering.generalMarketplace),
        goodsAt: (statusUrl) =>
          statusUrl === undefined
            ? "The seller knows your order by the transaction of the first payment."
            : `Your order is at ${statusUrl}: sign in there with the wallet that paid.`
      }),
      price: {
        _tag: "Quoted",
        indicative: {
          atomic: fromDollars(25),
          description:
            "Indicative amount, not payable: send the body (shippingAddress, email and the product) without payment to be quoted its total with tax and shipping.",
          extra: { indicative: "true" }
        },
        minAtomic: 10_000n,
        maxAtomic: maxQuoteAtomic,
        quote: (request, quoteKeys, clientAddress) =>
          Effect.flatMap(ordering.quote(request, quoteKeys, clientAddress), asQuoted),
        currentQuote: (_request, quoteKeys, chargeKey) =>
          Effect.flatMap(ordering.currentQuote(quoteKeys, chargeKey), (quote) =>
            quote === undefined ? Effect.succeed(undefined) : asQuoted(quote)
          )
      },
      work: Effect.fnUntraced(function* (request, charge) {
        const quote = yield* ordering.currentQuote(charge.quoteKeys(), charge.key)
        // Another quote may have replaced it during verification, and the payer didn't agree to that one.
        if (quote === undefined || quote.id !== charge.agreed.extra["quoteId"]) return yield* quoteExpired
        const { orderId, response } = yield* ordering.open(request, quote, charge.key)
        const subject = { kind: "order", id: orderId }
        return respondWith(response, subject, pages.headersOf(subject))
      })
    } satisfies Operation<BuyRequest>
  })
)

/** `POST /x402/buy`: product purchase through `Fulfilment`, with quotes, orders and their mails. */
export const layer = operation.pipe(
  Layer.provideMerge(Ordering.layer),
  Layer.provideMerge(OrderWorker.layer),
  Layer.provideMerge(OrderLife.layer),
  Layer.provide(OrderMailing.layer)
)
