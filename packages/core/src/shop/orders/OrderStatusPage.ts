import { Effect, Schema } from "effect"
import { MoneyText, toText } from "../../domain/Money.ts"
import type { Facts, StatusKind, StatusPage } from "../../ports/StatusPages.ts"
import { OrderStatus, type Parcel } from "../goods/Order.ts"
import type { Order, Orders } from "../ports/Orders.ts"

const timeOf = (millis: number): string => new Date(millis).toISOString()

const expectedOf = ({ expectedDelivery }: Pick<Parcel, "expectedDelivery">) =>
  expectedDelivery === undefined
    ? null
    : { from: expectedDelivery.from ?? null, to: expectedDelivery.to ?? null }

const parcelOf = (parcel: Parcel): Facts => ({
  carrier: parcel.carrier ?? null,
  trackingNumber: parcel.trackingNumber,
  trackingUrl: parcel.trackingUrl ?? null,
  expectedDelivery: expectedOf(parcel)
})

const pageOf = (order: Order): StatusPage => {
  const { chargeKey, createdAtMillis, id, offer, reason = null, shipments, status, updatedAtMillis } = order
  return {
    id,
    chargeKey,
    stateOf: () => status,
    outline: {
      orderId: id,
      createdAt: timeOf(createdAtMillis),
      updatedAt: timeOf(updatedAtMillis),
      // Of the last parcel that has one.
      expectedDelivery: shipments.map(expectedOf).findLast((expected) => expected !== null) ?? null
    },
    whole: Effect.succeed({
      reason,
      product: { title: offer.product.title },
      totalPrice: toText(offer.total),
      parcels: shipments.map(parcelOf)
    }),
    changesAtMillis: order.stepAtMillis
  }
}

const text = Schema.NullOr(Schema.String)
const day = Schema.String.annotate({ format: "date-time" })
const expected = Schema.NullOr(
  Schema.Struct({
    from: text.annotate({ description: "Earliest." }),
    to: text.annotate({ description: "Latest." })
  })
).annotate({ description: "When it is expected, as ISO 8601; null if unknown." })

const shows = {
  status: OrderStatus.annotate({ description: "Status of the order." }),
  orderId: Schema.String.annotate({ description: "Identifier of the order." }),
  createdAt: day.annotate({ description: "When it was bought." }),
  updatedAt: day.annotate({ description: "When it last changed." }),
  expectedDelivery: expected,
  reason: text.annotate({ description: "Why it failed or was canceled." }),
  product: Schema.Struct({ title: Schema.String.annotate({ description: "Name of the product." }) }).annotate(
    { description: "What was bought." }
  ),
  totalPrice: MoneyText.annotate({ description: "The paid amount." }),
  parcels: Schema.Array(
    Schema.Struct({
      carrier: text.annotate({ description: "Name of the carrier." }),
      trackingNumber: Schema.String.annotate({ description: "Number by which the carrier tracks it." }),
      trackingUrl: text.annotate({ description: "Page that shows where it is." }),
      expectedDelivery: expected
    })
  ).annotate({ description: "Its parcels so far." })
}

/** The status pages of orders. */
export const orderStatusPages = (orders: Pick<Orders["Service"], "find">): StatusKind => ({
  path: "orders",
  subject: "order",
  summary: "Status of an order",
  statement: "Sign in to see your order.",
  shows,
  find: (id) => Effect.map(orders.find(id), (order) => order && pageOf(order)),
  actions: {}
})
