import type { OrderPayment } from "@till402/core"
import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { type OrderRequest, splitName } from "../fulfilment/Buyer.ts"
import { textOfCents } from "../fulfilment/Cents.ts"
import type { OldQuotes } from "../fulfilment/OldQuotes.ts"
import { fieldsOf } from "../listing/Fields.ts"
import {
  type CallOptions,
  type ResponseMalformed,
  readJson,
  type Upstream,
  type UpstreamFault
} from "../upstream/index.ts"
import type { WooCommerceConfig } from "./Options.ts"
import { unpaid } from "./OrderStatus.ts"

/*
 * Calls to WooCommerce's REST API: https://developer.woocommerce.com/docs/apis/rest-api/v3/. Only fields that money and
 * goods depend on are required.
 */

const Product = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  /** Of a variation: the product that it belongs to. */
  parent_id: Schema.optional(Schema.NullOr(Schema.Int)),
  type: Schema.String,
  /** `publish`, unless it is a draft, scheduled or private. */
  status: Schema.optional(Schema.String),
  purchasable: Schema.optional(Schema.Boolean),
  stock_status: Schema.optional(Schema.String),
  price: Schema.optional(Schema.NullOr(Schema.String)),
  permalink: Schema.optional(Schema.Unknown),
  images: Schema.optional(Schema.Unknown),
  image: Schema.optional(Schema.Unknown)
})
export type ProductDocument = typeof Product.Type

const Order = Schema.Struct({
  id: Schema.Int,
  status: Schema.String,
  currency: Schema.String,
  total: Schema.String,
  total_tax: Schema.String,
  shipping_total: Schema.String,
  meta_data: Schema.optional(Schema.Unknown),
  /** Without a time zone. */
  date_completed_gmt: Schema.optional(Schema.NullOr(Schema.String))
})
export type OrderDocument = typeof Order.Type

/**
 * The custom field that names an order of the till. Each has a field of its own: a request that arrives late replaces a
 * field of the same name, but not another order's.
 */
const orderKeyOf = (orderId: string): string => `x402_order_${orderId}`
/** The custom field with the network of the payment. */
const networkKey = "x402_network"

/**
 * The till's order that an order of the shop was paid as; `undefined` for a quote. If several were paid as it, the first
 * one counts: the shop numbers fields in the order in which it writes them.
 */
export const orderOf = ({ meta_data }: OrderDocument): string | undefined => {
  const fields: ReadonlyArray<unknown> = Array.isArray(meta_data) ? meta_data : []
  const [first] = fields
    .map(fieldsOf)
    .flatMap(({ id, key, value }) =>
      typeof value === "string" && key === orderKeyOf(value) ? [{ value, number: Number(id) }] : []
    )
    .toSorted((left, right) => left.number - right.number)
  return first?.value
}

/** The shop's name of our payments. */
const paymentMethod = "x402"

const OrderList = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    status: Schema.String,
    payment_method: Schema.optional(Schema.Unknown),
    /** Without a time zone. */
    date_created_gmt: Schema.optional(Schema.NullOr(Schema.String))
  })
)

const listedAtOnce = 20

const Notes = Schema.Array(Schema.Struct({ note: Schema.String }))

const readProduct = readJson(Product)
const readOrder = readJson(Order)
const readOrderList = readJson(OrderList)
const readNotes = readJson(Notes)

type Fault = UpstreamFault | ResponseMalformed

const addressOf = ({ email, shippingAddress }: OrderRequest) => {
  const { city, country, line1, line2 = "", name, phone = "", postalCode, state } = shippingAddress
  const { firstName: first_name, lastName: last_name } = splitName(name)
  const shipping = {
    first_name,
    last_name,
    address_1: line1,
    address_2: line2,
    city,
    state,
    postcode: postalCode,
    country
  }
  return {
    shipping,
    billing: { ...shipping, email, ...(phone.trim() === "" ? {} : { phone: phone.trim() }) }
  }
}

const lineOf = ({ id, parent_id, type }: ProductDocument) =>
  type === "variation" && typeof parent_id === "number"
    ? { product_id: parent_id, variation_id: id, quantity: 1 }
    : { product_id: id, quantity: 1 }

/** Orders of the shop. */
export class Orders {
  private readonly upstream: Upstream
  private readonly settings: WooCommerceConfig

  constructor(upstream: Upstream, settings: WooCommerceConfig) {
    this.upstream = upstream
    this.settings = settings
  }

  product(id: string): Effect.Effect<ProductDocument, Fault> {
    return Effect.flatMap(this.call(HttpClientRequest.get(this.path("products", id))), readProduct)
  }

  /** Creates an unpaid order, for which the shop computes the tax. */
  create(request: OrderRequest, product: ProductDocument): Effect.Effect<OrderDocument, Fault> {
    const { api, shipping } = this.settings
    const order = {
      status: "pending",
      set_paid: false,
      payment_method: paymentMethod,
      payment_method_title: "USDC (x402)",
      ...addressOf(request),
      line_items: [lineOf(product)],
      shipping_lines: [
        {
          method_id: shipping.methodId,
          method_title: shipping.methodTitle,
          total: textOfCents(BigInt(shipping.cents))
        }
      ]
    }
    return Effect.flatMap(
      this.call(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${api}/orders`), order)),
      readOrder
    )
  }

  get(id: string): Effect.Effect<OrderDocument, Fault> {
    return Effect.flatMap(this.call(HttpClientRequest.get(this.path("orders", id))), readOrder)
  }

  /** Marks an order as paid for an order of the till, with the payment's transaction, which replaces any other. */
  pay(id: string, orderId: string, payment: OrderPayment | undefined): Effect.Effect<OrderDocument, Fault> {
    const fields = {
      set_paid: true,
      transaction_id: payment?.transaction ?? orderId,
      meta_data: [
        { key: orderKeyOf(orderId), value: orderId },
        ...(payment === undefined ? [] : [{ key: networkKey, value: payment.network }])
      ]
    }
    // Sent once: while the first request runs, a second one would let the shop complete the payment twice.
    return this.change(id, fields, { idempotent: false })
  }

  /** Cancels an order: the shop restocks its goods. */
  cancel(id: string): Effect.Effect<OrderDocument, Fault> {
    return this.change(id, { status: "cancelled" }, { idempotent: true })
  }

  /** The texts of an order's notes. */
  notes(id: string): Effect.Effect<ReadonlyArray<string>, Fault> {
    return this.call(HttpClientRequest.get(`${this.path("orders", id)}/notes`)).pipe(
      Effect.flatMap(readNotes),
      Effect.map((notes) => notes.map(({ note }) => note))
    )
  }

  /** Adds a note that the buyer doesn't see. */
  addNote(id: string, note: string): Effect.Effect<void, Fault> {
    const request = HttpClientRequest.post(`${this.path("orders", id)}/notes`)
    return Effect.asVoid(this.call(HttpClientRequest.bodyJsonUnsafe(request, { note, customer_note: false })))
  }

  /** Moves an order to the trash. */
  remove(id: string): Effect.Effect<void, Fault> {
    // To the trash: an order that was paid at the same moment can be taken out again.
    return Effect.asVoid(this.call(HttpClientRequest.delete(this.path("orders", id)), { idempotent: true }))
  }

  /** Lists unpaid orders of this module, oldest first. `from`: the number of other unpaid orders to skip. */
  readonly listOld = Effect.fnUntraced(
    { self: this },
    function* (createdBeforeMillis: number, from = "0"): Effect.fn.Return<OldQuotes, Fault> {
      const query = {
        status: "pending",
        before: new Date(createdBeforeMillis).toISOString(),
        dates_are_gmt: "true",
        orderby: "date",
        order: "asc",
        per_page: `${listedAtOnce}`,
        offset: from
      }
      const request = HttpClientRequest.setUrlParams(
        HttpClientRequest.get(`${this.settings.api}/orders`),
        query
      )
      const listed = yield* Effect.flatMap(this.call(request), readOrderList)
      const quotes = listed.filter(
        ({ date_created_gmt, payment_method, status }) =>
          payment_method === paymentMethod &&
          unpaid.has(status) &&
          Date.parse(`${date_created_gmt}Z`) < createdBeforeMillis
      )
      return {
        ids: quotes.map(({ id }) => `${id}`),
        // The quotes are gone by then.
        ...(listed.length < listedAtOnce ? {} : { next: `${Number(from) + listed.length - quotes.length}` })
      }
    }
  )

  /** Writes fields of an order. */
  private change(id: string, fields: object, options: CallOptions): Effect.Effect<OrderDocument, Fault> {
    const request = HttpClientRequest.put(this.path("orders", id))
    return Effect.flatMap(this.call(HttpClientRequest.bodyJsonUnsafe(request, fields), options), readOrder)
  }

  private call(request: HttpClientRequest.HttpClientRequest, options?: CallOptions) {
    const { consumerKey, consumerSecret } = this.settings
    return this.upstream.call(
      HttpClientRequest.basicAuth(
        HttpClientRequest.setHeader(request, "accept", "application/json"),
        Redacted.value(consumerKey),
        Redacted.value(consumerSecret)
      ),
      options
    )
  }

  private path(kind: "products" | "orders", id: string): string {
    return `${this.settings.api}/${kind}/${encodeURIComponent(id)}`
  }
}
