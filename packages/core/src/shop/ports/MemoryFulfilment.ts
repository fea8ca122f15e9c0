import { Clock, Effect } from "effect"
import { ProductNotFound, ProductUnavailable, UpstreamFailed } from "./Errors.ts"
import type { Money } from "../../domain/Money.ts"
import type { Offer } from "../goods/Order.ts"
import type { Placement, QuoteRefusal, QuoteRequest } from "./FulfilmentOptions.ts"

/** A product that `Fulfilment.layerMemory` sells. */
export interface StockedProduct {
  readonly title: string
  /** Address of a picture. */
  readonly imageUrl?: string
  readonly price: Money
  readonly inStock: boolean
}

const offerLifetimeMillis = 600_000

/** A shop over given products, by asin or variant id, without tax and shipping. */
export const makeMemoryFulfilment = (stock: ReadonlyMap<string, StockedProduct>) => {
  const offered = new Set<string>()
  const placed = new Map<string, string>()
  return {
    quote: ({ product }: QuoteRequest) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMillis): Effect.Effect<Offer, QuoteRefusal> => {
        const found = stock.get(product.source === "marketplace_a" ? product.asin : product.variantId)
        if (found === undefined)
          return Effect.fail(new ProductNotFound({ message: "There is no such product." }))
        const { inStock, ...sold } = found
        if (!inStock) {
          return Effect.fail(
            new ProductUnavailable({ message: "The product is out of stock.", reason: "out_of_stock" })
          )
        }
        const reference = `offer-${offered.size + 1}`
        offered.add(reference)
        const none: Money = { atomic: 0n, currency: sold.price.currency }
        return Effect.succeed({
          product: sold,
          subtotal: sold.price,
          tax: none,
          shipping: none,
          total: sold.price,
          reference,
          expiresAtMillis: nowMillis + offerLifetimeMillis
        })
      }),
    place: ({ offer, orderId }: Placement) =>
      Effect.suspend(() => {
        if (!offered.has(offer.reference)) {
          return Effect.fail(
            new UpstreamFailed({ port: "fulfilment", cause: new Error(`no offer ${offer.reference}`) })
          )
        }
        const reference = placed.get(orderId) ?? `order-${placed.size + 1}`
        placed.set(orderId, reference)
        return Effect.succeed({ reference })
      }),
    placesOnce: () => true,
    find: (orderId: string) => Effect.sync(() => placed.get(orderId)),
    status: undefined
  }
}
