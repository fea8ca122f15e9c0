import { type Effect, Schema } from "effect"
import { readJson, type ResponseMalformed, type UpstreamResponse } from "../upstream/index.ts"

/*
 * Operations of Shopify's Admin API, and the fields that are read: https://shopify.dev/docs/api/admin-graphql.
 * Tests check each operation against the published schema.
 */

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))

/** An operation, and how its data are read. */
export interface Operation<Data> {
  readonly text: string
  readonly read: (response: UpstreamResponse) => Effect.Effect<{ readonly data: Data }, ResponseMalformed>
}

const operation = <S extends Schema.Decoder<unknown>>(data: S, text: string) => ({
  text,
  read: readJson(Schema.Struct({ data }))
})

const UserErrors = Schema.Array(Schema.Struct({ field: optional(Schema.Array(Schema.String)) }))
const Money = Schema.Struct({ amount: Schema.String, currencyCode: Schema.String })
const MoneyBag = Schema.Struct({ shopMoney: Money })
const Media = optional(
  Schema.Struct({
    preview: optional(Schema.Struct({ image: optional(Schema.Struct({ url: Schema.String })) }))
  })
)
const media = "featuredMedia { preview { image { url } } }"
const money = "{ shopMoney { amount currencyCode } }"

const Draft = Schema.Struct({
  id: Schema.String,
  /** `OPEN`, `INVOICE_SENT` or `COMPLETED`. */
  status: Schema.String,
  /** Whether all prices are computed. */
  ready: Schema.Boolean,
  customAttributes: Schema.Array(Schema.Struct({ key: Schema.String, value: optional(Schema.String) })),
  totalPriceSet: MoneyBag,
  totalTaxSet: MoneyBag,
  totalShippingPriceSet: MoneyBag,
  order: optional(Schema.Struct({ id: Schema.String }))
})
export type DraftDocument = typeof Draft.Type
const draft = `{
  id status ready customAttributes { key value } order { id }
  totalPriceSet ${money} totalTaxSet ${money} totalShippingPriceSet ${money}
}`

/** The result of a mutation of draft orders. */
const Changed = Schema.Struct({ draftOrder: optional(Draft), userErrors: UserErrors })
export type ChangedDraft = typeof Changed.Type

const ShippingRate = Schema.Struct({ handle: Schema.String, title: Schema.String, price: Money })
export type RateDocument = typeof ShippingRate.Type

const Variant = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  price: Schema.String,
  availableForSale: Schema.Boolean
})

const Product = Schema.Struct({
  title: Schema.String,
  handle: Schema.String,
  vendor: Schema.String,
  status: Schema.String,
  publishedAt: optional(Schema.String),
  onlineStoreUrl: optional(Schema.String),
  hasOnlyDefaultVariant: Schema.Boolean,
  featuredMedia: Media,
  variants: Schema.Struct({ nodes: Schema.Array(Variant) })
})
export type ProductDocument = typeof Product.Type

export const findProducts = operation(
  Schema.Struct({
    shop: Schema.Struct({ currencyCode: Schema.String }),
    productsCount: optional(Schema.Struct({ count: Schema.Int })),
    products: Schema.Struct({
      nodes: Schema.Array(Product),
      pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: optional(Schema.String) })
    })
  }),
  `query FindProducts($query: String!, $first: Int!, $after: String) {
    shop { currencyCode }
    productsCount(query: $query) { count }
    products(query: $query, first: $first, after: $after, sortKey: RELEVANCE) {
      nodes {
        title handle vendor status publishedAt onlineStoreUrl hasOnlyDefaultVariant ${media}
        variants(first: 10) { nodes { id title price availableForSale } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`
)

const OfferedVariant = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  price: Schema.String,
  availableForSale: Schema.Boolean,
  inventoryItem: Schema.Struct({ requiresShipping: Schema.Boolean }),
  product: Schema.Struct({
    title: Schema.String,
    status: Schema.String,
    publishedAt: optional(Schema.String),
    onlineStoreUrl: optional(Schema.String),
    hasOnlyDefaultVariant: Schema.Boolean,
    featuredMedia: Media
  })
})
export type VariantDocument = typeof OfferedVariant.Type

export const getVariant = operation(
  Schema.Struct({
    shop: Schema.Struct({ currencyCode: Schema.String }),
    productVariant: optional(OfferedVariant)
  }),
  `query GetVariant($id: ID!) {
    shop { currencyCode }
    productVariant(id: $id) {
      id title price availableForSale inventoryItem { requiresShipping }
      product { title status publishedAt onlineStoreUrl hasOnlyDefaultVariant ${media} }
    }
  }`
)

export const getShippingRates = operation(
  Schema.Struct({
    draftOrderAvailableDeliveryOptions: Schema.Struct({ availableShippingRates: Schema.Array(ShippingRate) })
  }),
  `query GetShippingRates($input: DraftOrderAvailableDeliveryOptionsInput!) {
    draftOrderAvailableDeliveryOptions(input: $input) {
      availableShippingRates { handle title price { amount currencyCode } }
    }
  }`
)

export const createDraft = operation(
  Schema.Struct({ draftOrderCreate: Changed }),
  `mutation CreateDraft($input: DraftOrderInput!) {
    draftOrderCreate(input: $input) { draftOrder ${draft} userErrors { field } }
  }`
)

export const getDraft = operation(
  Schema.Struct({ draftOrder: optional(Draft) }),
  `query GetDraft($id: ID!) { draftOrder(id: $id) ${draft} }`
)

export const findDrafts = operation(
  Schema.Struct({
    draftOrders: Schema.Struct({
      nodes: Schema.Array(
        Schema.Struct({
          id: Schema.String,
          status: Schema.String,
          createdAt: Schema.String,
          tags: Schema.Array(Schema.String)
        })
      ),
      pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: optional(Schema.String) })
    })
  }),
  `query FindDrafts($query: String!, $first: Int!, $after: String) {
    draftOrders(query: $query, first: $first, after: $after, sortKey: ID) {
      nodes { id status createdAt tags }
      pageInfo { hasNextPage endCursor }
    }
  }`
)

export const updateDraft = operation(
  Schema.Struct({ draftOrderUpdate: Changed }),
  `mutation UpdateDraft($id: ID!, $input: DraftOrderInput!) {
    draftOrderUpdate(id: $id, input: $input) { draftOrder ${draft} userErrors { field } }
  }`
)

export const completeDraft = operation(
  Schema.Struct({ draftOrderComplete: Changed }),
  `mutation CompleteDraft($id: ID!) {
    draftOrderComplete(id: $id) { draftOrder ${draft} userErrors { field } }
  }`
)

export const deleteDraft = operation(
  Schema.Struct({ draftOrderDelete: Schema.Struct({ userErrors: UserErrors }) }),
  `mutation DeleteDraft($id: ID!) { draftOrderDelete(input: { id: $id }) { userErrors { field } } }`
)

const Order = Schema.Struct({
  id: Schema.String,
  note: optional(Schema.String),
  cancelledAt: optional(Schema.String),
  cancelReason: optional(Schema.String),
  displayFinancialStatus: optional(Schema.String),
  displayFulfillmentStatus: Schema.String,
  fulfillments: Schema.Array(
    Schema.Struct({
      status: Schema.String,
      createdAt: Schema.String,
      displayStatus: optional(Schema.String),
      trackingInfo: Schema.Array(
        Schema.Struct({
          company: optional(Schema.String),
          number: optional(Schema.String),
          url: optional(Schema.String)
        })
      )
    })
  )
})
export type OrderDocument = typeof Order.Type

export const getOrder = operation(
  Schema.Struct({ order: optional(Order) }),
  `query GetOrder($id: ID!) {
    order(id: $id) {
      id note cancelledAt cancelReason displayFinancialStatus displayFulfillmentStatus
      fulfillments(first: 50) {
        status createdAt displayStatus trackingInfo(first: 10) { company number url }
      }
    }
  }`
)

export const cancelOrder = operation(
  Schema.Struct({
    orderCancel: Schema.Struct({
      orderCancelUserErrors: Schema.Array(Schema.Struct({ code: optional(Schema.String) }))
    })
  }),
  `mutation CancelOrder($id: ID!, $staffNote: String) {
    orderCancel(
      orderId: $id
      reason: OTHER
      restock: true
      notifyCustomer: false
      refundMethod: { originalPaymentMethodsRefund: false }
      staffNote: $staffNote
    ) { orderCancelUserErrors { code } }
  }`
)

export const setOrderNote = operation(
  Schema.Struct({ orderUpdate: Schema.Struct({ userErrors: UserErrors }) }),
  `mutation SetOrderNote($id: ID!, $note: String!) {
    orderUpdate(input: { id: $id, note: $note }) { userErrors { field } }
  }`
)
