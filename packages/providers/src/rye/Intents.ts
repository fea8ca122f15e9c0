import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { centsOf } from "../fulfilment/Cents.ts"
import { requestedOrder } from "../fulfilment/RequestedOrder.ts"
import { fieldsOf } from "../listing/Fields.ts"
import {
  type Limiter,
  type UpstreamResponse,
  type ResponseMalformed,
  parseJson,
  type Upstream,
  type UpstreamFault
} from "../upstream/index.ts"
import { buyerOf, type OrderRequest, productPageOf } from "../fulfilment/Buyer.ts"
import type { QuoteRefusal } from "./Errors.ts"
import { refusalIn } from "./FailureReason.ts"
import {
  type IntentDocument,
  readCancellation,
  readBalance,
  readIntent,
  readShipmentOwner,
  readShipments
} from "./IntentDocument.ts"

/*
 * Calls to Rye's API: https://rye.com/docs/api-v2.
 */

export interface IntentsSettings {
  readonly apiKey: Redacted.Redacted<string>
  readonly baseUrl: string
  readonly defaultPhone: string | undefined
  readonly offerRetrievalEffort: "max" | "low" | undefined
}

/** Rye counts these kinds of requests apart. */
export interface IntentLimiters {
  readonly mutations: Limiter
  readonly reads: Limiter
  readonly lookups: Limiter
}

/** The account's drawdown balance. */
export interface Balance {
  readonly isEnabled: boolean
  readonly cents: bigint
}

export interface Intents {
  /** Creates an intent. Costs nothing but a unit of the daily quota. Not retried. */
  readonly create: (request: OrderRequest) => Effect.Effect<IntentDocument, QuoteRefusal | UpstreamFault>
  readonly get: (reference: string) => Effect.Effect<IntentDocument, UpstreamFault>
  /** Confirms an intent, which spends money of the drawdown balance. Not retried. */
  readonly confirm: (reference: string, orderId: string) => Effect.Effect<IntentDocument, UpstreamFault>
  /** Returns the first pages of a completed intent's shipments. */
  readonly shipments: (reference: string) => Effect.Effect<ReadonlyArray<unknown>, UpstreamFault>
  /** Returns the cancellation of a completed intent's order, if any. */
  readonly cancellation: (reference: string) => Effect.Effect<unknown, UpstreamFault>
  /** Returns the intent that a shipment belongs to. */
  readonly ownerOf: (shipmentId: string) => Effect.Effect<string, UpstreamFault>
  /** Returns the account's drawdown balance. One below zero, or in another currency, counts as nothing. */
  readonly balance: Effect.Effect<Balance, UpstreamFault>
  /** Looks up a product by the address of its page. */
  readonly product: (page: string) => Effect.Effect<unknown, UpstreamFault>
}

/** Pages of shipments that are read: an order contains one product. */
const maxShipmentPages = 3

const bodyOf = (request: OrderRequest, { defaultPhone, offerRetrievalEffort }: IntentsSettings) => ({
  buyer: buyerOf(request, defaultPhone),
  productUrl: productPageOf(request.product),
  quantity: 1,
  ...(offerRetrievalEffort === undefined ? {} : { constraints: { offerRetrievalEffort } })
})

/** The cursor of the next page. */
const nextOf = (pageInfo: unknown): string | undefined => {
  const { endCursor, hasNextPage } = fieldsOf(pageInfo)
  return hasNextPage === true && typeof endCursor === "string" && endCursor !== "" ? endCursor : undefined
}

/** Reads the shipments of a completed intent, from the page at `url` on. */
const readAllShipments = Effect.fnUntraced(function* (
  url: string,
  get: (path: string) => Effect.Effect<UpstreamResponse, UpstreamFault>,
  isRequested: ReturnType<typeof requestedOrder>
) {
  const found: Array<unknown> = []
  let after: string | undefined
  for (let page = 0; page < maxShipmentPages; page++) {
    const query: string = after === undefined ? "" : `?after=${encodeURIComponent(after)}`
    const { data, pageInfo } = yield* readShipments(yield* get(`${url}${query}`))
    yield* Effect.forEach(data, (each) => {
      const id = fieldsOf(each)["checkoutIntentId"]
      return typeof id === "string" ? isRequested({ id }) : Effect.void
    })
    found.push(...data)
    after = nextOf(pageInfo)
    if (after === undefined) break
  }
  return found
})

export const makeIntents = (
  upstream: Upstream,
  settings: IntentsSettings,
  { lookups, mutations, reads }: IntentLimiters
): Intents => {
  const api = `${settings.baseUrl}/api/v1`
  const withKey = HttpClientRequest.setHeaders({
    accept: "application/json",
    authorization: `Bearer ${Redacted.value(settings.apiKey)}`
  })
  const get = (path: string, limiter = reads) =>
    upstream.call(withKey(HttpClientRequest.get(`${api}${path}`)), { limiter })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    upstream.call(
      HttpClientRequest.setHeaders(
        withKey(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${api}${path}`), body)),
        headers
      ),
      { limiter: mutations }
    )
  const intent = (reference: string): string => `/checkout-intents/${encodeURIComponent(reference)}`

  return {
    create: (request) =>
      Effect.matchEffect(post("/checkout-intents", bodyOf(request, settings)), {
        onSuccess: readIntent,
        onFailure: (fault): Effect.Effect<never, QuoteRefusal | UpstreamFault> =>
          Effect.fail(refusalIn(fault) ?? fault)
      }),
    get: (reference) =>
      get(intent(reference)).pipe(
        Effect.flatMap(readIntent),
        Effect.flatMap(requestedOrder(upstream, reference))
      ),
    confirm: (reference, orderId) =>
      post(
        `${intent(reference)}/confirm`,
        { paymentMethod: { type: "drawdown" } },
        // Rye's own clients send one with each POST; its effect is not documented.
        { "idempotency-key": encodeURIComponent(orderId).slice(0, 200) }
      ).pipe(Effect.flatMap(readIntent), Effect.flatMap(requestedOrder(upstream, reference))),
    shipments: (reference) =>
      readAllShipments(`${intent(reference)}/shipments`, get, requestedOrder(upstream, reference)),
    cancellation: (reference) =>
      Effect.flatMap(get(`${intent(reference)}/order`), readCancellation).pipe(
        Effect.map(({ cancellation }) => cancellation),
        // The order may be created shortly after its intent is completed.
        Effect.catchTag("Rejected", (fault) =>
          fault.status === 404 ? Effect.succeed(undefined) : Effect.fail(fault)
        )
      ),
    ownerOf: (shipmentId) =>
      Effect.flatMap(get(`/shipments/${encodeURIComponent(shipmentId)}`), readShipmentOwner).pipe(
        Effect.map(({ checkoutIntentId }) => checkoutIntentId)
      ),
    balance: Effect.map(
      Effect.flatMap(get("/billing/balance"), readBalance),
      ({ balance: { amountSubunits, currencyCode }, drawdownEnabled }) => ({
        isEnabled: drawdownEnabled,
        cents: currencyCode.toUpperCase() === "USD" ? (centsOf(amountSubunits) ?? 0n) : 0n
      })
    ),
    product: (page): Effect.Effect<unknown, UpstreamFault | ResponseMalformed> =>
      Effect.flatMap(get(`/products/lookup?url=${encodeURIComponent(page)}`, lookups), parseJson)
  }
}
