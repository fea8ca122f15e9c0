import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ApiError } from "./domain/ApiError.ts"
import { BuyRequest, BuyResponse } from "./domain/Order.ts"
import { PaymentRequired } from "./domain/PaymentRequired.ts"
import { SearchQuery, SearchResponse } from "./domain/Search.ts"
import { ShopRequest, ShopResponse } from "./domain/Shop.ts"
import { TrackQuery, TrackResult } from "./domain/Tracking.ts"
import {
  DownloadParams,
  DownloadQuery,
  VaultBuyRequest,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "./domain/Vault.ts"

/*
 * The contract as one value: what the OpenAPI document, the typed client and the decoders of the
 * server are made from. Knows nothing of how a call is answered or paid.
 */

const failure = (status: number) => ApiError.pipe(HttpApiSchema.status(status))

const paymentRequired = PaymentRequired.pipe(HttpApiSchema.status(402))
const common = [failure(400), paymentRequired, failure(409), failure(502), failure(503)] as const

const search = HttpApiEndpoint.get("search", "/x402/search", {
  query: SearchQuery,
  success: SearchResponse,
  error: common
}).annotateMerge(
  OpenApi.annotations({
    summary: "Search products",
    description: "Searches products of two marketplaces with price and brand filters, page by page."
  })
)

const shop = HttpApiEndpoint.post("shop", "/x402/shop", {
  payload: ShopRequest,
  success: ShopResponse,
  error: common
}).annotateMerge(
  OpenApi.annotations({
    summary: "Ask the shopping assistant",
    description: "Takes a request in natural language and answers with a reply and recommended products."
  })
)

const buy = HttpApiEndpoint.post("buy", "/x402/buy", {
  payload: BuyRequest,
  success: BuyResponse,
  error: common
}).annotateMerge(
  OpenApi.annotations({
    summary: "Buy a product",
    description:
      "Buys a product and ships it. The payment equals the product total with tax and shipping, quoted for the address in the body: send the body without payment to be told the amount."
  })
)

const track = HttpApiEndpoint.get("track", "/x402/track", {
  query: TrackQuery,
  success: TrackResult,
  error: [...common, failure(404), failure(422)]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Track a shipment",
    description: "Looks up the live status of any tracking number across more than 3,400 carriers."
  })
)

const vaultSearch = HttpApiEndpoint.get("vaultSearch", "/x402/vault/search", {
  query: VaultQuery,
  success: VaultPage,
  error: common
}).annotateMerge(
  OpenApi.annotations({
    summary: "Search the vault",
    description: "Lists digital assets (skills, knowledge, personas), page by page with a cursor."
  })
)

const vaultBuy = HttpApiEndpoint.post("vaultBuy", "/x402/vault/buy", {
  payload: VaultBuyRequest,
  success: VaultPurchaseResponse,
  error: [...common, failure(404)]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Buy a vault item",
    description:
      "Buys a digital asset; the payment equals its price. Answers with the purchase id and the secret token its download needs."
  })
)

const vaultDownload = HttpApiEndpoint.get("vaultDownload", "/x402/vault/download/:purchaseId", {
  params: DownloadParams,
  query: DownloadQuery,
  success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/zip" })),
  error: [...common, failure(403), failure(404)]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Download a purchased vault item",
    description:
      "Answers with the purchased asset as a ZIP archive. Paid on each call, apart from the purchase."
  })
)

/** The seven paid endpoints. */
export class Endpoints extends HttpApiGroup.make("x402", { topLevel: true }).add(
  search,
  shop,
  buy,
  track,
  vaultSearch,
  vaultBuy,
  vaultDownload
) {}

/**
 * The contract of the service, version 1.0.0.
 *
 * @example
 * import { HttpApiClient } from "effect/http-api"
 * const client = HttpApiClient.make(Api, { baseUrl: "https://shop.example" })
 */
export class Api extends HttpApi.make("till402")
  .add(Endpoints)
  .annotateMerge(
    OpenApi.annotations({
      title: "Commerce and shipment tracking, paid by x402",
      version: "1.0.0",
      description:
        "Product search, shopping assistant, purchases, shipment tracking and a vault of digital assets. Every call is paid through the x402 protocol in a dollar stablecoin: a request without payment is answered 402 with the ways to pay."
    })
  ) {}

export type OperationId = keyof (typeof Endpoints)["endpoints"]
export const endpoints = Endpoints.endpoints
