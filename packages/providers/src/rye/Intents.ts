import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { centsOf } from "../fulfilment/Cents.ts"
import { requestedOrder } from "../fulfilment/RequestedOrder.ts"
import { fieldsOf } from "../listing/Fields.ts"
import {
  type Limiter,
  type UpstreamResponse,
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
  /** The network of payments by x402; `undefined`: orders are paid from the drawdown balance. */
  readonly x402Network: string | undefined
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

/** Pages of shipments that are read: an order contains one product. */
const maxShipmentPages = 3

const bodyOf = (request: OrderRequest, { defaultPhone, offerRetrievalEffort }: IntentsSettings) => ({
  buyer: buyerOf(request, defaultPhone),
  productUrl: productPageOf(request.product),
  quantity: 1,
  ...(offerRetrievalEffort === undefined ? {} : { constraints: { offerRetrievalEffort } })
})

const intentPath = (reference: string): string => `/checkout-intents/${encodeURIComponent(reference)}`

/** The cursor of the next page. */
const nextOf = (pageInfo: unknown): string | undefined => {
  const { endCursor, hasNextPage } = fieldsOf(pageInfo)
  return hasNextPage === true && typeof endCursor === "string" && endCursor !== "" ? endCursor : undefined
}

/** Intents at Rye. */
export class Intents {
  private readonly upstream: Upstream
  private readonly settings: IntentsSettings
  private readonly limiters: IntentLimiters
  private readonly api: string

  constructor(upstream: Upstream, settings: IntentsSettings, limiters: IntentLimiters) {
    this.upstream = upstream
    this.settings = settings
    this.limiters = limiters
    this.api = `${settings.baseUrl}/api/v1`
  }

  /** Creates an intent. Costs nothing but a unit of the daily quota. Not retried. */
  create(request: OrderRequest): Effect.Effect<IntentDocument, QuoteRefusal | UpstreamFault> {
    return Effect.matchEffect(this.post("/checkout-intents", bodyOf(request, this.settings)), {
      onSuccess: readIntent,
      onFailure: (fault): Effect.Effect<never, QuoteRefusal | UpstreamFault> =>
        Effect.fail(refusalIn(fault) ?? fault)
    })
  }

  get(reference: string): Effect.Effect<IntentDocument, UpstreamFault> {
    return this.request(intentPath(reference)).pipe(
      Effect.flatMap(readIntent),
      Effect.flatMap(requestedOrder(this.upstream, reference))
    )
  }

  /** Confirms an intent, which spends money. Not retried. `proof`: names the transaction that paid for it. */
  confirm(reference: string, orderId: string, proof?: string): Effect.Effect<IntentDocument, UpstreamFault> {
    const { x402Network } = this.settings
    const paymentMethod =
      x402Network === undefined ? { type: "drawdown" } : { type: "x402", network: x402Network }
    return this.post(
      `${intentPath(reference)}/confirm`,
      { paymentMethod },
      // Rye's own clients send one with each POST; its effect is not documented. A second confirmation, with a proof,
      // is another request.
      {
        "idempotency-key": encodeURIComponent(proof === undefined ? orderId : `${orderId}-paid`).slice(
          0,
          200
        ),
        ...(proof === undefined ? {} : { "payment-signature": proof })
      }
    ).pipe(Effect.flatMap(readIntent), Effect.flatMap(requestedOrder(this.upstream, reference)))
  }

  /** Returns the first pages of a completed intent's shipments. */
  readonly shipments = Effect.fnUntraced({ self: this }, function* (reference: string): Effect.fn.Return<
    ReadonlyArray<unknown>,
    UpstreamFault
  > {
    const found: Array<unknown> = []
    let after: string | undefined
    for (let page = 0; page < maxShipmentPages; page++) {
      const query: string = after === undefined ? "" : `?after=${encodeURIComponent(after)}`
      const response: UpstreamResponse = yield* this.request(`${intentPath(reference)}/shipments${query}`)
      const { data, pageInfo } = yield* readShipments(response)
      yield* Effect.forEach(data, (each) => {
        const id = fieldsOf(each)["checkoutIntentId"]
        return typeof id === "string" ? requestedOrder(this.upstream, reference)({ id }) : Effect.void
      })
      found.push(...data)
      after = nextOf(pageInfo)
      if (after === undefined) break
    }
    return found
  })

  /** Returns the cancellation of a completed intent's order, if any. */
  cancellation(reference: string): Effect.Effect<unknown, UpstreamFault> {
    return Effect.flatMap(this.request(`${intentPath(reference)}/order`), readCancellation).pipe(
      Effect.map(({ cancellation }) => cancellation),
      // The order may be created shortly after its intent is completed.
      Effect.catchTag("Rejected", (fault) =>
        fault.status === 404 ? Effect.succeed(undefined) : Effect.fail(fault)
      )
    )
  }

  /** Returns the intent that a shipment belongs to. */
  ownerOf(shipmentId: string): Effect.Effect<string, UpstreamFault> {
    return Effect.flatMap(
      this.request(`/shipments/${encodeURIComponent(shipmentId)}`),
      readShipmentOwner
    ).pipe(Effect.map(({ checkoutIntentId }) => checkoutIntentId))
  }

  /** Returns the account's drawdown balance. One below zero, or in another currency, counts as nothing. */
  balance(): Effect.Effect<Balance, UpstreamFault> {
    return Effect.map(
      Effect.flatMap(this.request("/billing/balance"), readBalance),
      ({ balance: { amountSubunits, currencyCode }, drawdownEnabled }) => ({
        isEnabled: drawdownEnabled,
        cents: currencyCode.toUpperCase() === "USD" ? (centsOf(amountSubunits) ?? 0n) : 0n
      })
    )
  }

  /** Looks up a product by the address of its page. */
  product(page: string): Effect.Effect<unknown, UpstreamFault> {
    const path = `/products/lookup?url=${encodeURIComponent(page)}`
    return Effect.flatMap(this.request(path, this.limiters.lookups), parseJson)
  }

  private request(path: string, limiter = this.limiters.reads) {
    return this.upstream.call(this.withKey(HttpClientRequest.get(`${this.api}${path}`)), { limiter })
  }

  private post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const request = HttpClientRequest.post(`${this.api}${path}`)
    return this.upstream.call(
      HttpClientRequest.setHeaders(this.withKey(HttpClientRequest.bodyJsonUnsafe(request, body)), headers),
      { limiter: this.limiters.mutations }
    )
  }

  private withKey(request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest {
    return HttpClientRequest.setHeaders(request, {
      accept: "application/json",
      authorization: `Bearer ${Redacted.value(this.settings.apiKey)}`
    })
  }
}
