import { AddressNotServed, ProductNotFound, type ProductReference, ProductUnavailable } from "@till402/core"
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { requestedOrder } from "../fulfilment/RequestedOrder.ts"
import { fieldsOf } from "../listing/Fields.ts"
import { Rejected, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import { type OrderDocument, readCreated, readOrder, readPackages } from "./OrderDocument.ts"
import type { QuoteRefusal } from "./Quote.ts"

/*
 * Calls to Crossmint's orders API.
 */

/** Crossmint's name of a product: https://docs.crossmint.com/payments/headless/guides/physical-good-purchases */
export const locatorOf = (product: ProductReference): string =>
  product.source === "marketplace_a"
    ? `amazon:${product.asin}`
    : `shopify:${product.productUrl}:${product.variantId}`

const bodyOf = ({ email, product, shippingAddress }: OrderRequest, settings: OrdersSettings) => {
  // Crossmint's address has no field for a phone number.
  const { city, country, line1, line2, name, postalCode, state } = shippingAddress
  return {
    recipient: {
      email,
      physicalAddress: {
        name,
        line1,
        ...(line2 === undefined || line2 === "" ? {} : { line2 }),
        city,
        state,
        postalCode,
        country
      }
    },
    locale: settings.locale,
    payment: {
      method: settings.paymentMethod,
      currency: "usdc",
      payerAddress: settings.payer,
      ...(settings.receiptEmail === undefined ? {} : { receiptEmail: settings.receiptEmail })
    },
    lineItems: [{ productLocator: locatorOf(product) }]
  }
}

export interface OrdersSettings {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string>
  readonly payer: string
  readonly paymentMethod: string
  readonly locale: string
  readonly receiptEmail: string | undefined
}

export interface Orders {
  readonly create: (request: OrderRequest) => Effect.Effect<OrderDocument, QuoteRefusal | UpstreamFault>
  readonly get: (orderId: string) => Effect.Effect<OrderDocument, UpstreamFault>
  /** Returns the packages of an order; none if Crossmint can't track it. */
  readonly packages: (orderId: string) => Effect.Effect<ReadonlyArray<unknown>, UpstreamFault>
  /** Reports the transaction that paid an order. */
  readonly reportPayment: (orderId: string, transaction: string) => Effect.Effect<void, UpstreamFault>
}

export const makeOrders = (upstream: Upstream, settings: OrdersSettings): Orders => {
  const { baseUrl } = settings
  const orders = `${baseUrl}/2022-06-09/orders`
  const withKey = HttpClientRequest.setHeaders({
    accept: "application/json",
    "x-api-key": Redacted.value(settings.apiKey)
  })
  const get = (url: string) => upstream.call(withKey(HttpClientRequest.get(url)))
  const post = (url: string, body: unknown) =>
    upstream.call(withKey(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(url), body)), {
      // A second order costs nothing until it is paid, and a payment may be reported twice.
      idempotent: true
    })
  const path = (orderId: string): string => encodeURIComponent(orderId)
  return {
    create: (request) =>
      Effect.matchEffect(post(orders, bodyOf(request, settings)), {
        onSuccess: (response) => Effect.map(readCreated(response), ({ order }) => order),
        onFailure: (fault) => Effect.fail(refusalIn(fault) ?? fault)
      }),
    get: (orderId) =>
      get(`${orders}/${path(orderId)}`).pipe(
        Effect.flatMap(readOrder),
        Effect.flatMap(requestedOrder(upstream, orderId))
      ),
    packages: (orderId) =>
      Effect.matchEffect(get(`${baseUrl}/unstable/orders/${path(orderId)}/tracking`), {
        onSuccess: readPackages,
        onFailure: (fault) =>
          fault._tag === "Rejected" && (fault.status === 400 || fault.status === 404)
            ? Effect.succeed([])
            : Effect.fail(fault)
      }),
    reportPayment: (orderId, transaction) =>
      Effect.asVoid(post(`${orders}/${path(orderId)}/payment`, { type: "crypto-tx-id", txId: transaction }))
  }
}

/** Statuses that refuse the content of a request. */
const refusing: ReadonlySet<number> = new Set([400, 404, 422])

/**
 * The refusal in a fault, by the words of its message, because no codes are documented. `undefined` if the
 * words are not understood.
 */
const refusalIn = (fault: UpstreamFault): QuoteRefusal | undefined => {
  if (!(fault instanceof Rejected) || !refusing.has(fault.status)) return undefined
  const words = wordsOf(Redacted.value(fault.response).text)
  if (/address|postal|zip ?code|country|physicaladdress/.test(words)) {
    return new AddressNotServed({ message: "The product is not delivered to this address." })
  }
  if (
    /not found|no such|does not exist|invalid (asin|product|locator|variant|url)|productlocator/.test(words)
  ) {
    return new ProductNotFound({ message: "There is no such product." })
  }
  if (/unavailable|out of stock|not available|not supported|restricted|sold out/.test(words)) {
    const reason = /out of stock|sold out/.test(words) ? "out_of_stock" : "not_sold"
    return new ProductUnavailable({ message: "The product can't be bought here.", reason })
  }
  return undefined
}

const maxWords = 1_000

const wordsOf = (text: string): string => {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // Not from Crossmint's API, but from something in between.
    return ""
  }
  const { error, message } = fieldsOf(document)
  const words = [message, fieldsOf(error)["message"], error].find((word) => typeof word === "string")
  return typeof words === "string" ? words.slice(0, maxWords).toLowerCase() : ""
}
