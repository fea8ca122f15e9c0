import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { type OrderRequest, productPageOf, splitName } from "../fulfilment/Buyer.ts"
import { centsOf } from "../fulfilment/Cents.ts"
import { requestedOrder } from "../fulfilment/RequestedOrder.ts"
import { parseJson, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import {
  type OrderDocument,
  type OrderPage,
  readOrder,
  readPage,
  readWallet,
  type WalletDocument
} from "./OrderDocument.ts"

/*
 * Calls to Zinc's API: https://www.zinc.com/docs/v2.
 */

export interface OrdersSettings {
  readonly apiKey: Redacted.Redacted<string>
  readonly baseUrl: string
  readonly defaultPhone: string | undefined
  readonly retailerCredentialsId: string | undefined
}

/** An order to send. */
export interface NewOrder extends OrderRequest {
  readonly orderId: string
  /** The most that Zinc may spend. */
  readonly maxPriceCents: number
}

export interface Orders {
  /** Sends an order, and retries if it may not have arrived: its key places it once. */
  readonly create: (order: NewOrder) => Effect.Effect<OrderDocument, UpstreamFault>
  readonly get: (reference: string) => Effect.Effect<OrderDocument, UpstreamFault>
  /** Returns the account's orders with the till's order id from an offset on, newest first. */
  readonly list: (orderId: string, offset: number) => Effect.Effect<OrderPage, UpstreamFault>
  readonly wallet: Effect.Effect<Wallet, UpstreamFault>
  /** Returns the listing of an Amazon product. */
  readonly product: (asin: string) => Effect.Effect<unknown, UpstreamFault>
}

/** The account's wallet at Zinc. */
export interface Wallet {
  /** What orders can spend; `undefined` without a limit, for accounts that are billed by invoice. */
  readonly spendableCents: bigint | undefined
  /** What Zinc charges for each order. */
  readonly feeCents: bigint
}

/** Zinc's fee per order, if the wallet doesn't report one: https://www.zinc.com/docs/v2/wallet */
const standardFeeCents = 100n

/** The wallet in amounts; one below zero counts as nothing. */
const walletOf = (document: WalletDocument): Wallet => ({
  spendableCents:
    document.billed_by_invoice === true
      ? undefined
      : (centsOf(document.spendable_balance ?? document.balance) ?? 0n),
  feeCents: centsOf(document.order_fee_cents) ?? standardFeeCents
})

/** A key of up to 36 characters, as Zinc requires: a UUID unchanged, anything else as a digest. */
export const idempotencyKeyOf = (orderId: string): string =>
  /^[\w-]{1,36}$/.test(orderId) ? orderId : bytesToHex(sha256(utf8ToBytes(orderId))).slice(0, 36)

const bodyOf = (order: NewOrder, { defaultPhone, retailerCredentialsId }: OrdersSettings) => {
  const { city, country, line1, line2 = "", name, phone = "", postalCode, state } = order.shippingAddress
  const { firstName, lastName } = splitName(name)
  return {
    products: [{ url: productPageOf(order.product), quantity: 1 }],
    shipping_address: {
      first_name: firstName,
      last_name: lastName,
      address_line1: line1,
      ...(line2 === "" ? {} : { address_line2: line2 }),
      city,
      ...(state === "" ? {} : { state }),
      postal_code: postalCode,
      phone_number: phone.trim() === "" ? (defaultPhone ?? "") : phone.trim(),
      country
    },
    max_price: order.maxPriceCents,
    idempotency_key: idempotencyKeyOf(order.orderId),
    // Used to look up the order: Zinc returns metadata but not the key.
    metadata: { orderId: order.orderId },
    ...(retailerCredentialsId === undefined ? {} : { retailer_credentials_id: retailerCredentialsId })
  }
}

export const makeOrders = (upstream: Upstream, settings: OrdersSettings): Orders => {
  const { baseUrl } = settings
  const withKey = HttpClientRequest.setHeaders({
    accept: "application/json",
    authorization: `Bearer ${Redacted.value(settings.apiKey)}`
  })
  const get = (path: string) => upstream.call(withKey(HttpClientRequest.get(`${baseUrl}${path}`)))
  return {
    create: (order) =>
      Effect.flatMap(
        upstream.call(
          withKey(
            HttpClientRequest.bodyJsonUnsafe(
              HttpClientRequest.post(`${baseUrl}/orders`),
              bodyOf(order, settings)
            )
          ),
          { idempotent: true }
        ),
        readOrder
      ),
    get: (reference) =>
      get(`/orders/${encodeURIComponent(reference)}`).pipe(
        Effect.flatMap(readOrder),
        Effect.flatMap(requestedOrder(upstream, reference))
      ),
    list: (orderId, offset) => {
      const filter = `metadata_key=orderId&metadata_value=${encodeURIComponent(orderId)}`
      return Effect.flatMap(get(`/orders?${filter}${offset === 0 ? "" : `&offset=${offset}`}`), readPage)
    },
    wallet: Effect.map(Effect.flatMap(get("/wallet/me"), readWallet), walletOf),
    product: (asin) => Effect.flatMap(get(`/products/${encodeURIComponent(asin)}?retailer=amazon`), parseJson)
  }
}
