import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { fieldsOf } from "../listing/fields.ts"
import {
  type Answer,
  type AnswerMalformed,
  parseJson,
  type Upstream,
  type UpstreamFault
} from "../upstream/index.ts"
import { buyerOf, type OrderRequest, productPageOf } from "../fulfilment/Buyer.ts"
import { type QuoteRefusal, refusalIn } from "./FailureReason.ts"
import {
  type IntentDocument,
  readCancellation,
  readIntent,
  readShipmentOwner,
  readShipments
} from "./IntentDocument.ts"

/*
 * The calls of Rye's API: https://rye.com/docs/api-v2.
 */

export interface IntentsSettings {
  readonly apiKey: Redacted.Redacted<string>
  readonly baseUrl: string
  readonly defaultPhone: string | undefined
  readonly offerRetrievalEffort: "max" | "low" | undefined
}

export interface Intents {
  /** Makes an intent: costs nothing but its share of the day's quota. Not repeated. */
  readonly create: (request: OrderRequest) => Effect.Effect<IntentDocument, QuoteRefusal | UpstreamFault>
  readonly get: (reference: string) => Effect.Effect<IntentDocument, UpstreamFault>
  /** Confirms an intent: from here on money is spent. Not repeated. */
  readonly confirm: (reference: string, orderId: string) => Effect.Effect<IntentDocument, UpstreamFault>
  /** Shipments of a completed intent, the first pages of them. */
  readonly shipments: (reference: string) => Effect.Effect<ReadonlyArray<unknown>, UpstreamFault>
  /** The cancellation of a completed intent's order, if there is one. */
  readonly cancellation: (reference: string) => Effect.Effect<unknown, UpstreamFault>
  /** The intent that a shipment belongs to. */
  readonly ownerOf: (shipmentId: string) => Effect.Effect<string, UpstreamFault>
  /** What Rye lists of a product. */
  readonly product: (page: string) => Effect.Effect<unknown, UpstreamFault>
}

/** An order is for one product: more pages of parcels than that are not looked at. */
const maxShipmentPages = 3

const bodyOf = (request: OrderRequest, { defaultPhone, offerRetrievalEffort }: IntentsSettings) => ({
  buyer: buyerOf(request, defaultPhone),
  productUrl: productPageOf(request.product),
  quantity: 1,
  ...(offerRetrievalEffort === undefined ? {} : { constraints: { offerRetrievalEffort } })
})

/** What a document says of the page after it. */
const nextOf = (pageInfo: unknown): string | undefined => {
  const { endCursor, hasNextPage } = fieldsOf(pageInfo)
  return hasNextPage === true && typeof endCursor === "string" && endCursor !== "" ? endCursor : undefined
}

export const makeIntents = (upstream: Upstream, settings: IntentsSettings): Intents => {
  const api = `${settings.baseUrl}/api/v1`
  const withKey = HttpClientRequest.setHeaders({
    accept: "application/json",
    authorization: `Bearer ${Redacted.value(settings.apiKey)}`
  })
  const get = (path: string) => upstream.call(withKey(HttpClientRequest.get(`${api}${path}`)))
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    upstream.call(
      HttpClientRequest.setHeaders(
        withKey(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${api}${path}`), body)),
        headers
      )
    )
  const intent = (reference: string): string => `/checkout-intents/${encodeURIComponent(reference)}`

  const shipments = Effect.fnUntraced(function* (reference: string) {
    const found: Array<unknown> = []
    let after: string | undefined
    for (let page = 0; page < maxShipmentPages; page++) {
      const query: string = after === undefined ? "" : `?after=${encodeURIComponent(after)}`
      const answer: Answer = yield* get(`${intent(reference)}/shipments${query}`)
      const { data, pageInfo } = yield* readShipments(answer)
      found.push(...data)
      after = nextOf(pageInfo)
      if (after === undefined) break
    }
    return found
  })

  return {
    create: (request) =>
      Effect.matchEffect(post("/checkout-intents", bodyOf(request, settings)), {
        onSuccess: readIntent,
        onFailure: (fault): Effect.Effect<never, QuoteRefusal | UpstreamFault> =>
          Effect.fail(refusalIn(fault) ?? fault)
      }),
    get: (reference) => Effect.flatMap(get(intent(reference)), readIntent),
    confirm: (reference, orderId) =>
      Effect.flatMap(
        post(
          `${intent(reference)}/confirm`,
          { paymentMethod: { type: "drawdown" } },
          // Rye's own clients send one with each POST; what the service does with it is not documented.
          { "idempotency-key": encodeURIComponent(orderId).slice(0, 200) }
        ),
        readIntent
      ),
    shipments,
    cancellation: (reference) =>
      Effect.flatMap(get(`${intent(reference)}/order`), readCancellation).pipe(
        Effect.map(({ cancellation }) => cancellation),
        // The order may be written a moment after its intent is completed.
        Effect.catchTag("Rejected", (fault) =>
          fault.status === 404 ? Effect.succeed(undefined) : Effect.fail(fault)
        )
      ),
    ownerOf: (shipmentId) =>
      Effect.flatMap(get(`/shipments/${encodeURIComponent(shipmentId)}`), readShipmentOwner).pipe(
        Effect.map(({ checkoutIntentId }) => checkoutIntentId)
      ),
    product: (page): Effect.Effect<unknown, UpstreamFault | AnswerMalformed> =>
      Effect.flatMap(get(`/products/lookup?url=${encodeURIComponent(page)}`), parseJson)
  }
}
